"""`aoti-tui help`: the manual in the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aoti_tui.cli.main import main
from aoti_tui.help import page, topics


def test_the_list_names_every_page_with_what_it_is_about(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["help"]) == 0
    said = capsys.readouterr().out
    for name, title in topics().items():
        assert f"  {name:<14} {title}" in said
    assert {"core", "compile"} <= set(topics())


def test_a_page_is_printed_as_it_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "core"]) == 0
    said = capsys.readouterr().out
    assert said == page("core")
    assert "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1 python serve.py" in said


def test_another_topic_is_proposed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "bundel"]) == 2
    assert "Did you mean `aoti-tui help bundle`?" in capsys.readouterr().err


@pytest.mark.parametrize("topic", ["../core", "/etc/passwd", "core.md", ""])
def test_only_pages_are_read(topic: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", topic]) == 2
    assert "there is no help on" in capsys.readouterr().err


def test_the_readme_names_only_topics_that_there_are() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"aoti-tui help (\w[\w-]*)", text))
    assert {"getting", "compile", "run"} <= named <= {*topics(), "commands"}


def test_contributing_says_where_things_are() -> None:
    root = Path(__file__).parents[2]
    named = re.findall(r"`((?:tests|aoti_tui)/[\w/.]+)`", page("contributing"))
    assert len(named) > 5
    assert [name for name in named if not (root / name).exists()] == []
