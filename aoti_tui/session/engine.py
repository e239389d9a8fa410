"""The session with all of its commands: what a front end holds."""

from __future__ import annotations

from collections.abc import Callable

from aoti_tui.replay.client import WorkerClient
from aoti_tui.session.commands.breakpoints import Breakpoints
from aoti_tui.session.commands.incidents import Incidents
from aoti_tui.session.commands.language import Desk, Language
from aoti_tui.session.commands.origins import Origins
from aoti_tui.session.commands.places import Places
from aoti_tui.session.commands.replays import Replays
from aoti_tui.session.commands.search import Search
from aoti_tui.session.commands.symbols import Symbols
from aoti_tui.session.commands.values import Values
from aoti_tui.session.commands.watches import Watches
from aoti_tui.session.commands.writers import Writers
from aoti_tui.session.kept.stops import Stops
from aoti_tui.session.request import OpenRequest
from aoti_tui.session.session import Front, Session


class Engine:
    """One state and every command on it. ``front`` says sentences and runs what takes long,
    ``desk`` does what only a screen can, ``greet`` is told when something was opened,
    ``client`` is a worker that outlives them; without it, the session has its own."""

    def __init__(
        self,
        request: OpenRequest,
        stops: Stops,
        front: Front,
        desk: Desk,
        greet: Callable[[str], None],
        client: WorkerClient | None = None,
    ) -> None:
        self.session = session = Session(stops, front)
        self.places = places = Places(session)
        self.incidents = Incidents(session, places, request, greet, client)
        self.replays = replays = Replays(session, places)
        self.writers = Writers(session, places, replays)
        self.values = Values(session, places, replays, self.writers)
        self.breakpoints = Breakpoints(session)
        self.watches = Watches(session)
        self.symbols = Symbols(session, replays)
        self.origins = Origins(session, places)
        self.search = Search(session, replays)
        self.language = Language(
            session,
            places,
            self.values,
            self.breakpoints,
            self.watches,
            self.symbols,
            desk,
        )
