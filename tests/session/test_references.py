"""Values of a script's kernel beside what they should be: an expression of torch, or float64."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from aoti_tui.replay.script.command import ScriptCommand
from aoti_tui.session.headless import Headless
from aoti_tui.session.request import RunRequest
from tests.run.running import script

VARIANCE = """
@triton.jit
def variance(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * BLOCK + i)
    mean = tl.sum(x, axis=0) / n
    square = tl.sum(x * x, axis=0) / n
    result = square - mean * mean
    spread = tl.sqrt(tl.maximum(result, 0.0))
    tl.store(o_ptr + row, spread)

x = 1000 + torch.arange(128.0).reshape(2, 64) % 7
o = torch.empty(2)
variance[(2,)](x, o, 64, BLOCK=64)
"""


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headless]:
    path = script(tmp_path_factory.mktemp("script"), VARIANCE)
    session = Headless(RunRequest(ScriptCommand(sys.executable, (str(path),), {"device": "cpu"})))
    session.open()
    session.do("program 1")
    yield session
    session.close()


def test_an_expression_of_torch_holds_or_leads_to_the_line_that_departs(user: Headless) -> None:
    held = user.do("expect mean = x_ptr[pid[0]].mean()")
    assert held.text.endswith("mean is x_ptr[pid[0]].mean() in program 1.")
    gone = user.do("expect result = x_ptr[pid[0]].double().var(correction=0).float()")
    assert "result departs: " in gone.text
    assert ", expected 3.9" in gone.text
    assert gone.where["kernel_line"] == 12
    assert gone.where["program"] == [1, 0, 0]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("expect", "expect compares a name of the kernel"),
        ("expect mean = y_ptr.mean()", "name 'y_ptr' is not defined"),
        ("expect median = 1", "the program assigns nothing to median"),
        ("expect x = torch.zeros(3)", "has the shape [3], but x has [64]"),
    ],
)
def test_what_cannot_be_compared_says_why(user: Headless, typed: str, said: str) -> None:
    assert said in user.do(typed).text


def test_precision_leads_to_the_step_that_lost_it(user: Headless) -> None:
    lost = user.do("precision")
    assert "result loses precision here (1 of 1): relative error " in lost.text
    assert "where float64 gives 3.9" in lost.text
    assert lost.where["kernel_line"] == 12
    user.do("rc")
    assert user.do("precision").where["kernel_line"] == 12
