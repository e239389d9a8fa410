"""All programs at once, files of commands, and what was typed before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aoti_tui.session.headless import Headless
from tests.session.test_language import demo


@pytest.fixture(scope="module")
def user() -> Iterator[Headless]:
    session = Headless(demo())
    session.open()
    yield session
    session.close()


def test_where_a_condition_holds_is_a_list_to_walk(user: Headless) -> None:
    user.do("c")
    found = user.do("find tmp10 < 0")
    assert [one["program"] for one in found.values] == [[n, 0, 0] for n in range(4)]
    assert all(one["lanes"] == [[0, 0]] and one["first"] == -1 for one in found.values)
    assert user.do("find next").where["program"] == [0, 0, 0]
    there = user.do("find next").where
    assert (there["program"], there["kernel_line"]) == ([1, 0, 0], 45)
    assert user.do("find previous").where["program"] == [0, 0, 0]
    assert user.do("find tmp10 > ks0").text == "tmp10 > ks0 holds in no lane of 4 programs."
    assert not user.do("find nosuch > 1").ok


def test_masked_out_lanes_do_not_count(user: Headless) -> None:
    """Of 1024 lanes of r0_1, 640 hold data."""
    assert user.do("find r0_1 >= 640").text.startswith("r0_1 >= 640 holds in no lane")
    assert sum(one["count"] for one in user.do("find r0_1 >= 0").values) == 4 * 640


def test_a_temporary_over_the_programs_is_a_picture(user: Headless) -> None:
    drawn = user.do("plot x0")
    assert "▁▃▆█" in drawn.text
    assert [(one["min"], one["max"]) for one in drawn.values] == [(n, n) for n in range(4)]


def test_a_file_of_commands_ends_at_what_cannot_be_done(user: Headless, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text("# down to the assert\nassert\nrun\n\np tmp10\n")
    done = user.do(f"source {good}")
    assert done.text.splitlines()[-1] == "tmp10 = -1"
    bad.write_text("p tmp9\np nosuch\np tmp8\n")
    refused = user.do(f"source {bad}")
    assert not refused.ok
    assert "tmp9 = True" in refused.text
    assert "tmp8" not in refused.text
    bad.write_text(f"source {bad}\n")
    assert "go no deeper" in user.do(f"source {bad}").text
    assert user.do("history").values[-1]["command"] == "history"
    assert not user.do("source /nowhere").ok
