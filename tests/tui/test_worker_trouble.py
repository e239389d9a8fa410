"""The worker may be missing, broken, slow or dead: the interface says so and goes on."""

import signal
from dataclasses import replace
from pathlib import Path

from aoti_tui.artifacts.given import Given
from aoti_tui.tui.panes.source import SourceView
from tests.tui.driving import demo_request, opened


def script(folder: Path, body: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


async def test_a_python_that_does_not_start(tmp_path: Path) -> None:
    python = script(tmp_path, "echo no torch here >&2; exit 3")
    async with opened(replace(demo_request(), given=Given(python=python))) as user:
        await user.press("c")
        await user.see("could not be started")
        assert not user.app.session.state.running
        # Everything else still works.
        await user.press("i")
        assert user.screen.query_one(SourceView).line == 1329


async def test_a_missing_python_says_what_to_name(tmp_path: Path) -> None:
    async with opened(replace(demo_request(), given=Given(python=str(tmp_path / "none")))) as user:
        await user.press("c")
        await user.see("--python")


async def test_a_worker_that_is_killed_is_reported_and_started_again() -> None:
    async with opened(own_worker=True) as user:
        await user.press("c")
        await user.see("The assert at kernel line 46 fails")
        await user.until(lambda: not user.busy(), "the end of the replay")
        incident = user.app.session.state.incident
        assert incident is not None
        process = incident.session().client._process
        assert process is not None
        process.send_signal(signal.SIGKILL)
        # The recording is here already: stepping needs no worker.
        await user.press("N")
        await user.see("tmp10 = where(tmp9=True, tmp8=-1, tmp6=-1) → -1")
        await user.press("P")
        await user.type("1")
        await user.press("enter")
        await user.see("program 1 of 4×1×1")


async def test_a_worker_that_hangs_is_cancelled(tmp_path: Path) -> None:
    python = script(tmp_path, "exec sleep 600")
    async with opened(replace(demo_request(), given=Given(python=python))) as user:
        await user.press("c")
        await user.see("Starting the worker")
        await user.press("escape")
        await user.until(lambda: not user.app.session.state.running, "the end")
        await user.press("i")
        assert user.screen.query_one(SourceView).line == 1329


async def test_a_fault_of_our_own_is_told_and_ends_nothing() -> None:
    async with opened() as user:
        user.provokes_fault = True

        def work(tell: object) -> None:
            raise ZeroDivisionError("by zero")

        user.screen.start("search", work, lambda done: None)
        await user.see("This is a fault of aoti-tui itself: ZeroDivisionError")
        await user.press("i")
        assert user.screen.query_one(SourceView).line == 1329


async def test_the_worker_is_warm_before_it_is_asked_for() -> None:
    """Torch is imported while the user reads; nothing of a kernel runs by it."""
    async with opened(replace(demo_request(), warm_up=True), own_worker=True) as user:
        incident = user.app.session.state.incident
        assert incident is not None
        client = incident.session().client
        await user.until(lambda: client.alive and not user.busy(), "the worker's start")
        assert user.app.session.state.outcome is None
        await user.press("c")
        await user.see("The assert at kernel line 46 fails")


async def test_warming_up_without_torch_says_nothing_until_it_matters(tmp_path: Path) -> None:
    python = script(tmp_path, "exit 3")
    request = replace(demo_request(), warm_up=True, given=Given(python=python))
    async with opened(request) as user:
        await user.until(lambda: not user.busy(), "the failed start")
        assert "could not be started" not in user.text()
        await user.press("c")
        await user.see("could not be started")
