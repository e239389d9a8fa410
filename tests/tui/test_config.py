"""What is kept between runs, of every instance; and what a broken file does: it is reported, left
alone where the user wrote it, and set aside where we did."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

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


def breakpoint_at(line: int) -> dict[str, object]:
    return {"kernel": "k", "kernel_line": line}


def test_two_instances_lose_nothing_of_each_other() -> None:
    first, second = config.load(ACTIONS), config.load(ACTIONS)
    first.breakpoints["/one.cpp"] = [breakpoint_at(1)]
    first.watches["/both.cpp"] = ["tmp1"]
    assert config.save_memory(first) == ""
    second.breakpoints["/two.cpp"] = [breakpoint_at(2)]
    second.watches["/both.cpp"] = ["tmp2"]
    assert config.save_memory(second) == ""
    first.breakpoints["/one.cpp"] = [breakpoint_at(3)]
    first.hint_seen = True
    assert config.save_memory(first) == ""
    found = config.load(ACTIONS)
    assert found.breakpoints == {"/one.cpp": [breakpoint_at(3)], "/two.cpp": [breakpoint_at(2)]}
    assert found.watches == {"/both.cpp": ["tmp1", "tmp2"]}
    assert found.hint_seen
    # What one clears is not brought back by the other.
    second.watches["/both.cpp"] = []
    config.save_memory(second)
    assert config.load(ACTIONS).watches == {"/both.cpp": ["tmp1"]}


def test_choices_that_the_user_writes_meanwhile_are_kept() -> None:
    write(config.config_file(), '{"keys": {"continue": "r", "of_a_newer_release": "x"}}')
    loaded = config.load(ACTIONS)
    written = {"keys": {"step": "j"}, "mine": 1, "layout": {"moved": {"nav": 2}}}
    write(config.config_file(), json.dumps(written))
    loaded.theme = "nord"
    loaded.moved = {"source": 4}
    assert config.save_choices(loaded) == ""
    expected = {**written, "theme": "nord", "layout": {"moved": {"nav": 2, "source": 4}}}
    assert json.loads(config.config_file().read_text()) == expected


INSTANCE = """
import sys
from aoti_tui.session.kept import config
kept = config.load(frozenset())
for number in range(20):
    kept.watches.setdefault("/both.cpp", []).append(f"{sys.argv[1]}_{number}")
    assert config.save_memory(kept) == "", number
"""


def test_instances_that_write_at_the_same_time() -> None:
    writing = [subprocess.Popen([sys.executable, "-c", INSTANCE, name]) for name in "abcd"]
    assert [one.wait() for one in writing] == [0, 0, 0, 0]
    assert len(config.load(ACTIONS).watches["/both.cpp"]) == 80


DAMAGED = {
    "deep": "[" * 100_000,
    "deep but whole": '{"a":' + "[" * 500 + "]" * 500 + "}",
    "huge": " " * (5 << 20),
    "half": '{"breakpoints": {',
    "no object": "[1]",
    "no text": "\udcff",
    "digits": '{"a": ' + "9" * 5000 + "}",
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_state_is_set_aside(kind: str) -> None:
    path = config.state_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    data = DAMAGED[kind].encode("utf-8", "surrogateescape")
    path.write_bytes(data)
    loaded = config.load(ACTIONS)
    assert "is damaged" in loaded.problems[0]
    assert path.with_name("state.json.damaged-1").read_bytes() == data
    loaded.watches["/m.cpp"] = ["tmp1"]
    assert config.save_memory(loaded) == ""
    assert config.load(ACTIONS).watches == {"/m.cpp": ["tmp1"]}
    write(config.config_file(), "")
    config.config_file().write_bytes(data)
    assert "the defaults are used" in config.load(ACTIONS).problems[0]
    assert config.config_file().read_bytes() == data


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_a_state_that_is_no_file(kind: str) -> None:
    path = config.state_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    start = time.monotonic()
    loaded = config.load(ACTIONS)
    assert len(loaded.problems) == 1
    loaded.hint_seen = True
    assert config.save_memory(loaded) == ""
    assert config.load(ACTIONS).hint_seen
    assert time.monotonic() - start < 1


FULL = """
import resource, signal
from aoti_tui.session.kept import config
kept = config.load(frozenset())
kept.watches["/new.cpp"] = ["x" * 4000]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
print(config.save_memory(kept))
"""


def test_a_full_disk_keeps_what_was_there() -> None:
    kept = config.load(ACTIONS)
    kept.watches["/old.cpp"] = ["tmp1"]
    config.save_memory(kept)
    before = config.state_file().read_text()
    said = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True).stdout
    assert "cannot be written" in said
    assert config.state_file().read_text() == before
    assert {p.name for p in config.state_file().parent.iterdir()} == {
        "state.json",
        ".state.json.lock",
    }


def test_a_link_to_the_file_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text("{}")
    config.config_file().parent.mkdir(parents=True, exist_ok=True)
    config.config_file().symlink_to(target)
    loaded = config.load(ACTIONS)
    loaded.theme = "nord"
    assert config.save_choices(loaded) == ""
    assert config.config_file().is_symlink()
    assert json.loads(target.read_text())["theme"] == "nord"
