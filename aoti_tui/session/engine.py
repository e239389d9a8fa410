"""The session with all of its commands: what a front end holds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from aoti_tui.replay.client import WorkerClient
from aoti_tui.session.commands.breakpoints import Breakpoints
from aoti_tui.session.commands.incidents import Incidents
from aoti_tui.session.commands.origins import Origins
from aoti_tui.session.commands.places import Places
from aoti_tui.session.commands.references import References
from aoti_tui.session.commands.replays import Replays
from aoti_tui.session.commands.scripts import Scripts
from aoti_tui.session.commands.search import Search
from aoti_tui.session.commands.symbols import Symbols
from aoti_tui.session.commands.values import Values
from aoti_tui.session.commands.watches import Watches
from aoti_tui.session.commands.writers import Writers
from aoti_tui.session.kept.stops import Stops
from aoti_tui.session.language.parts import Desk, Parts
from aoti_tui.session.request import OpenRequest, RunRequest
from aoti_tui.session.session import Front, Session

if TYPE_CHECKING:
    from aoti_tui.session.language.interpreter import Language


class Engine:
    """One state and every command on it. ``front`` says sentences and runs what takes long,
    ``desk`` does what only a screen can, ``greet`` is told when something was opened,
    ``client`` is a worker that outlives them; without it, the session has its own. ``init`` is a
    file of commands that are done once something is open."""

    def __init__(
        self,
        request: OpenRequest | RunRequest,
        stops: Stops,
        front: Front,
        desk: Desk,
        greet: Callable[[str], None],
        client: WorkerClient | None = None,
        init: Path | None = None,
    ) -> None:
        self.session = session = Session(stops, front)
        self._init = init
        self._own: WorkerClient | None = None
        if client is None and isinstance(request, OpenRequest):
            # Other inputs are tried in the same worker: importing torch takes seconds.
            self._own = client = WorkerClient(request.given.python, request.given.timeout)
        self.places = places = Places(session)
        self.incidents = Incidents(session, places, request, self._opened, client)
        self._greet = greet
        self.replays = replays = Replays(session, places)
        self.scripts = Scripts(session, places, replays)
        self.references = References(session, replays)
        self.writers = Writers(session, places, replays)
        self.values = Values(session, places, replays, self.writers)
        self.breakpoints = Breakpoints(session)
        self.watches = Watches(session)
        self.symbols = Symbols(session, replays)
        self.origins = Origins(session, places)
        self.search = Search(session, replays)
        self._parts = Parts(
            session,
            places,
            self.incidents,
            replays,
            self.scripts,
            self.writers,
            self.values,
            self.breakpoints,
            self.watches,
            self.symbols,
            self.references,
            self.origins,
            self.search,
            desk,
        )

    @cached_property
    def language(self) -> Language:
        """What does typed commands; imported with the first, for no screen waits for it."""
        from aoti_tui.session.language.interpreter import Language

        return Language(self._parts)

    def close(self) -> None:
        """End what runs: the worker, or the script."""
        if self.session.state.incident is not None:
            self.session.state.incident.close()
        if self._own is not None:
            self._own.close()

    def _opened(self, told: str) -> None:
        self.scripts.follow()
        self._greet(told)
        init, self._init = self._init, None
        if init is not None and init.is_file():
            problem = self.language.do(f"source {init}")
            if problem:
                self.session.say(problem, bad=True)

    def go_back_to_failure(self) -> None:
        """To the assert of the failure, or to where the script stands."""
        if self.scripts.incident is not None:
            self.scripts.go_to_stop()
        else:
            self.places.go_assert()

    def next_failure(self) -> None:
        """To the next failure of the log, or the next thing that is wrong with the script."""
        if self.scripts.incident is not None:
            self.scripts.next_wrong()
        else:
            self.places.next_failure()
