"""A session without a screen: commands in, answers out."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from aoti_tui.answer.script import ScriptIncident
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.replay.errors import ReplayError
from aoti_tui.session.engine import Engine
from aoti_tui.session.heading import heading
from aoti_tui.session.kept.config import Config
from aoti_tui.session.kept.stops import Stops
from aoti_tui.session.language.answer import Answer, step_now, where
from aoti_tui.session.language.completing import completions
from aoti_tui.session.language.table import BY_WORD
from aoti_tui.session.request import OpenRequest, RunRequest
from aoti_tui.session.session import Tell

T = TypeVar("T")
WAIT_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class _Job:
    group: str
    ask: Callable[[Tell], Any]
    answered: Callable[[Any], None]


class Headless:
    """Front end and desk of an engine at once. Everything runs when a command is done, on the
    thread that asked; a script runs beside, and a command that lets it go on waits for its stop.

    Breakpoints and watches are of this session alone: what it stops at is what was asked for.
    ``Headless(...).open()`` raises ArtifactError and ReplayError; :meth:`do` raises nothing."""

    def __init__(self, request: OpenRequest | RunRequest, init: Path | None = None) -> None:
        self._said: list[str] = []
        self._jobs: deque[_Job] = deque()
        self._posts: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._opening: ArtifactError | ReplayError | None = None
        self.ended = False
        self.told: Tell = lambda text, share: None
        """Is told what is being done."""
        config = Config(kept=False)
        stops = Stops(request.kept_as, config)
        self.engine = Engine(request, stops, self, self, self._greet, init=init)

    # -- what a front end does ----------------------------------------------------------------

    def say(self, text: str, *, bad: bool = False) -> None:
        if text:
            self._said.append(text)

    def start(self, group: str, ask: Callable[[Tell], T], answered: Callable[[T], None]) -> None:
        if group == "warm":
            return
        self._jobs = deque(one for one in self._jobs if one.group != group)
        self._jobs.append(_Job(group, ask, answered))

    def post(self, take: Callable[[], None]) -> None:
        self._posts.put(take)

    def act(self, action: str) -> bool:
        if action == "quit":
            self.ended = True
        return action == "quit"

    def show_group(self, group: str) -> bool:
        return False

    def look_at(self, tensor: str) -> bool:
        return False

    def read(self, title: str, text: str) -> None:
        """It was said already."""

    def _greet(self, told: str) -> None:
        state = self.engine.session.state
        if isinstance(state.incident, ScriptIncident):
            return
        self.say("\n".join((*heading(state).lines, *([told] if told else []))))

    # -- commands -----------------------------------------------------------------------------

    def open(self) -> Answer:
        """Open what was asked for. Raises ArtifactError or ReplayError where it cannot be."""
        self.engine.incidents.open()
        self._settle()
        if self._opening is not None:
            raise self._opening
        return self._answer("")

    def do(self, text: str) -> Answer:
        """Do a command and all that it sets going."""
        self._said = []
        problem = ""
        before = (self.engine.session.state.recording, self.engine.session.state.position)
        try:
            with self.engine.session.together():
                problem = self.engine.language.do(text)
            self._settle()
        except KeyboardInterrupt:
            if not self.engine.scripts.pause():
                problem = "Interrupted."
        except Exception as error:
            problem = f"This is a fault of aoti-tui itself: {type(error).__name__}: {error}"
        if problem:
            self.say(problem, bad=True)
        state = self.engine.session.state
        moved = before != (state.recording, state.position)
        if not self.engine.language.parts.given and (moved or self._steps(text)):
            now = step_now(self.engine.session)
            self.engine.language.parts.given.extend([now] if now else [])
        return self._answer(text, ok=not problem and not self.engine.language.parts.refused)

    def _steps(self, text: str) -> bool:
        known = BY_WORD.get((text.split() or [""])[0])
        return known is not None and known.gives.startswith("the step")

    def _answer(self, asked: str, *, ok: bool = True) -> Answer:
        return Answer(
            asked=asked,
            ok=ok,
            text="\n".join(self._said),
            where=where(self.engine.session),
            values=tuple(self.engine.language.parts.given),
            ended=self.ended,
        )

    def _settle(self) -> None:
        """Do what was begun, and wait for a script that runs."""
        while True:
            self._take_posts(wait=0)
            if self._jobs:
                self._ask(self._jobs.popleft())
            elif self._script_runs():
                self._take_posts(wait=WAIT_SECONDS)
            elif self._posts.empty():
                return

    def _take_posts(self, wait: float) -> None:
        try:
            take = self._posts.get(timeout=wait) if wait else self._posts.get_nowait()
        except queue.Empty:
            return
        with self.engine.session.together():
            take()

    def _script_runs(self) -> bool:
        incident = self.engine.scripts.incident
        if incident is None:
            return False
        if incident.script.live.run() is not incident.run:
            with self.engine.session.together():
                self.engine.scripts.news()
            return True
        return incident.run.phase in ("starting", "running")

    def _ask(self, job: _Job) -> None:
        try:
            found = job.ask(self.told)
        except (ArtifactError, ReplayError) as error:
            self._refuse(job, error)
            return
        with self.engine.session.together():
            job.answered(found)

    def _refuse(self, job: _Job, error: ArtifactError | ReplayError) -> None:
        if job.group == "open" and self.engine.session.state.incident is None:
            self._opening = error
            return
        if job.group == "replay" and self.engine.session.state.running:
            self.engine.replays.failed()
        self.engine.language.parts.refused = True
        self.say(f"{error.what}: {error.why.rstrip('.')}. {error.do}", bad=True)

    def completions(self, text: str) -> tuple[str, ...]:
        """What a command that is being typed can become."""
        return completions(self.engine.language.parts, text)

    def where(self) -> dict[str, Any]:
        """Where the session stands."""
        return where(self.engine.session)

    def close(self) -> None:
        """End the worker, or the script."""
        self.engine.close()
