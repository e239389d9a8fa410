"""What is kept between runs, and what a broken file does: it is reported and left alone."""

from pathlib import Path

from aoti_tui.session.kept import config
from aoti_tui.session.kept.config import Config

ACTIONS = frozenset({"step", "continue"})


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_choices_and_breakpoints_survive() -> None:
    kept = Config(theme="nord", keymap={"step": "j"}, moved={"source": 4}, hint_seen=True)
    kept.breakpoints["/model.cpp"] = [{"kernel": "k", "kernel_line": 7}]
    assert config.save_choices(kept) == ""
    assert config.save_memory(kept) == ""
    again = config.load(ACTIONS)
    assert (again.theme, again.keymap, again.moved, again.hint_seen) == (
        "nord",
        {"step": "j"},
        {"source": 4},
        True,
    )
    assert again.breakpoints == kept.breakpoints
    assert again.problems == []


def test_a_broken_file_is_reported_and_not_overwritten() -> None:
    write(config.config_file(), "{ not json")
    loaded = config.load(ACTIONS)
    assert "cannot be read" in loaded.problems[0]
    assert str(config.config_file()) in loaded.problems[0]
    assert "left alone" in config.save_choices(loaded)
    assert config.config_file().read_text() == "{ not json"


def test_an_unknown_action_is_named() -> None:
    write(config.config_file(), '{"keys": {"stepp": "x", "continue": "r"}}')
    loaded = config.load(ACTIONS)
    assert loaded.keymap == {"continue": "r"}
    assert "'stepp'" in loaded.problems[0]


def test_wrong_types_are_ignored() -> None:
    write(
        config.config_file(), '{"theme": 3, "keys": [1], "layout": {"moved": {"source": "wide"}}}'
    )
    write(config.state_file(), '{"hint_seen": "yes", "breakpoints": {"/m.cpp": ["x"]}}')
    loaded = config.load(ACTIONS)
    assert (loaded.theme, loaded.keymap, loaded.moved, loaded.hint_seen) == ("", {}, {}, False)
    assert loaded.breakpoints == {"/m.cpp": []}
    assert len(loaded.problems) == 2
