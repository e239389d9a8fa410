"""Trying other inputs: an element, a size, another file, and the smallest change that helps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aoti_tui.session.headless import Headless
from tests.session.test_language import demo, failing


@pytest.fixture
def user() -> Iterator[Headless]:
    session = Headless(failing("gather_dynamic", "idx_eq_size"))
    session.open()
    yield session
    session.close()


def test_an_element_is_set_and_the_launch_runs_again(user: Headless) -> None:
    assert "fails in 1 lane" in user.do("c").text
    tried = user.do("set arg1_1[3,1] = 10")
    assert tried.text.startswith("inputs[1] (arg1_1)[3, 1]: 11 → 10; running again.")
    assert "No assert fails" in tried.text
    assert user.do("verdict").text.startswith(
        "WHAT IF inputs[1] (arg1_1)[3, 1]: 11 → 10: no assert fails (was: fails in 1 program)"
    )
    assert user.do("p inputs[1][3,1]").values[0]["value"] == 10
    assert "fails in 1 lane" in user.do("set inputs[1][3,1] = 12").text
    assert len(user.do("inputs").values) == 2
    user.do("inputs original")
    assert user.do("p arg1_1[3,1]").values[0]["value"] == 11


def test_what_cannot_be_set_is_said(user: Headless) -> None:
    for typed, told in [
        ("set arg1_1[99,1] = 10", "there is no element [99, 1]"),
        ("set arg1_1[3,1] = many", "is no number"),
        ("set arg1_1 = 3", "name an element of it"),
        ("set nosuch[1] = 3", "is no input, and no symbol"),
        ("set arg1_1.size(7) = 3", "has no dimension 7"),
        ("whatif", "whatif minimal looks for"),
        ("inputs /nowhere.pt", "is no file"),
        ("save inputs /nowhere/at/all.pt", "cannot be written"),
    ]:
        answer = user.do(typed)
        assert not answer.ok, typed
        assert told in answer.text, (typed, answer.text)
        assert "fault of aoti-tui" not in answer.text
    assert "fails in 1 lane" in user.do("c").text


def test_the_smallest_change_is_found_and_saved(user: Headless, tmp_path: Path) -> None:
    found = user.do("whatif minimal").values[0]
    assert found["clean"] is True
    assert found["changes"] == [
        {"input": 1, "text": "inputs[1] (arg1_1)[3, 1]: 11 → 10", "count": 1}
    ]
    file = tmp_path / "fixed.pt"
    saved = user.do(f"save inputs {file}")
    assert "int(inputs[1].max()) < inputs[0].size(1)" in saved.text
    again = Headless(failing("gather_dynamic", "idx_eq_size"))
    try:
        again.open()
        again.do(f"inputs {file}")
        assert "nothing has to be changed" in again.do("whatif minimal").text
    finally:
        again.close()


def test_an_empty_dimension_gets_a_size() -> None:
    session = Headless(demo())
    try:
        session.open()
        assert "No assert fails" in session.do("set arg4_1.size(0) = 3").text
        session.do("inputs original")
        found = session.do("whatif minimal").values[0]
        assert found["clean"] is True
        assert found["guard"] == "inputs[2].size(0) > 0"
    finally:
        session.close()
