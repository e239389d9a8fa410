"""What if a launch of a script had been given something else: a scalar, an element."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from aoti_tui.replay.script.command import ScriptCommand
from aoti_tui.session.headless import Headless
from aoti_tui.session.request import RunRequest
from tests.run.running import script

COPY = """
@triton.jit
def half(x_ptr, o_ptr, n, scale, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = x * scale
    tl.store(o_ptr + i, y, mask=i < n)

half[(1,)](torch.arange(8.0), torch.empty(8), 6, 0.5, BLOCK=8)
"""


@pytest.fixture
def user(tmp_path: Path) -> Iterator[Headless]:
    path = script(tmp_path, COPY)
    session = Headless(RunRequest(ScriptCommand(sys.executable, (str(path),), {"device": "cpu"})))
    session.open()
    session.do("run")
    yield session
    session.close()


def test_elements_and_scalars_are_set_and_taken_back(user: Headless) -> None:
    assert user.do("p y[2]").text == "y[2] = 1"
    assert "x_ptr[2] is now 2.5e+10; running again." in user.do("set x_ptr[2] = 2.5e10").text
    assert user.do("p y[2]").text == "y[2] = 1.25e+10"
    assert "scale is now -2" in user.do("set scale=-2").text
    assert user.do("p y[3]").text == "y[3] = -6"
    assert "scale is now as the script has it" in user.do("set scale=").text
    user.do("set x_ptr[2]=")
    assert user.do("p y[2]").text == "y[2] = 1"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("set x_ptr[9] = 1", "x_ptr"),
        ("set z = 1", "z cannot be set"),
        ("set x_ptr = 1", "x_ptr cannot be set"),
        ("set n=many", "set tries another value"),
    ],
)
def test_what_cannot_be_set_says_why(user: Headless, typed: str, said: str) -> None:
    assert said in user.do(typed).text
