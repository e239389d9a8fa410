"""What a command must not load: torch makes it slow, the interface is no business of a pipe."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cases import DEMO

WRAPPER = str(DEMO / "jagged_reduce.wrapper.cpp")
LOG = str(DEMO / "error.empty_weights.log")
INPUTS = str(DEMO / "inputs.empty_weights.pt")
CALCULATING = {"torch", "triton", "numpy"}
LOADED = """
import sys
code = sys.argv.pop(1)
try:
    exec(code)
except SystemExit:
    pass
print("LOADED", *sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
"""
MAIN = "from aoti_tui.cli.main import main; main(sys.argv[1:])"


def loaded(code: str, *arguments: str) -> set[str]:
    """Top-level modules that a fresh process has after running ``code``."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, code, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )
    (line,) = (row for row in done.stderr.splitlines() if row.startswith("LOADED "))
    return set(line.split()[1:])


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        *([command, "--help"] for command in ("explain", "index", "replay", "check")),
        ["explain", WRAPPER],
        ["explain", WRAPPER, "--log", LOG, "--inputs", INPUTS, "--no-replay"],
        ["explain", WRAPPER, "--log", LOG, "--no-replay", "--json"],
        ["explain", WRAPPER, "--log", LOG, "--inputs", INPUTS],
        ["index", WRAPPER],
        ["index", WRAPPER, "--json"],
        ["replay", WRAPPER, "--log", LOG, "--inputs", INPUTS],
    ],
    ids=lambda arguments: " ".join(word.rpartition("/")[2] for word in arguments),
)
def test_a_headless_command_loads_neither_torch_nor_the_interface(arguments: list[str]) -> None:
    """Not even one that replays: the worker is another process."""
    found = loaded(MAIN, *arguments)
    assert "aoti_tui" in found
    assert found.isdisjoint({*CALCULATING, "textual"})


@pytest.mark.parametrize(
    "module",
    [
        "aoti_tui.cli.main",
        "aoti_tui.artifacts.saved_tensors",
        "aoti_tui.index.reader",
        "aoti_tui.failure.explain",
        "aoti_tui.flow",
        "aoti_tui.replay.session",
        "aoti_tui.answer.opening",
        "aoti_tui.session",
    ],
)
def test_a_layer_below_the_screen_loads_neither_torch_nor_textual(module: str) -> None:
    assert loaded(f"import {module}").isdisjoint({*CALCULATING, "textual"})


BROWSING = f"""
import asyncio
from pathlib import Path
from aoti_tui.artifacts.given import Given
from aoti_tui.tui.app import DebuggerApp, OpenRequest
async def browse():
    given = Given(inputs=Path({INPUTS!r}))
    request = OpenRequest(Path({WRAPPER!r}), log=Path({LOG!r}), given=given)
    async with DebuggerApp(request).run_test(size=(120, 40)) as pilot:
        await pilot.pause(1)
        await pilot.press("down", "5", "down", "enter", "i", "a")
asyncio.run(browse())
"""


def test_browsing_loads_textual_but_no_torch(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    found = loaded(BROWSING)
    assert "textual" in found
    assert found.isdisjoint(CALCULATING)
