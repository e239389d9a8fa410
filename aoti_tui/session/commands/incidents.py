"""Opening a wrapper, and bringing a log or inputs to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from aoti_tui.answer.incident import Incident
from aoti_tui.artifacts.log_file import LogText
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.errors import ReplayError
from aoti_tui.session import jobs
from aoti_tui.session.commands.places import Places
from aoti_tui.session.jobs import Opened
from aoti_tui.session.request import OpenRequest, RunRequest
from aoti_tui.session.session import Session


class Incidents:
    """Reads what the user has; ``greet`` is told each time that something was opened."""

    def __init__(
        self,
        session: Session,
        places: Places,
        request: OpenRequest | RunRequest,
        greet: Callable[[str], None],
        client: WorkerClient | None,
    ) -> None:
        self.session = session
        self.places = places
        self.request = request
        self._greet = greet
        self._client = client
        places.choices["graph"] = self.show_graph

    def open(self) -> None:
        """Read what the request names."""
        self.session.front.start(
            "open", lambda tell: jobs.opened(self.request, self._client, tell), self._opened
        )

    def _opened(self, found: Opened) -> None:
        self.places.load(found.incident)
        if self.request.warm_up:
            self._warm_up()
        self._greet(found.told)
        if found.log is not None:
            incident, log = found.incident, found.log
            self.session.front.start(
                "open", lambda tell: Opened(incident.with_log(*log)), self._opened
            )

    def _warm_up(self) -> None:
        """Start the worker before it is asked for, so that the first run does not wait for
        torch."""
        incident = self.session.state.incident
        assert incident is not None

        def warm(tell: object) -> None:
            session = incident.replayer()
            try:
                if not session.info().problems:
                    session.warm()
            except ReplayError:
                # Nobody has asked for a replay yet; the first one meets the same and says so.
                return

        self.session.front.start("warm", warm, lambda done: None)

    def bring_log(self, source: LogText | Path) -> None:
        """Put a log to the open incident: a file, or the text itself."""
        incident = self.session.state.incident
        if incident is None:
            self.session.say("The wrapper is still being read; paste the log again afterwards.")
            return

        def brought(found: Opened | str) -> None:
            if isinstance(found, str):
                self.session.say(found)
            else:
                self._opened(found)

        self.session.front.start("open", lambda tell: jobs.with_log(incident, source), brought)

    def bring_inputs(self, path: Path) -> None:
        """Open the same wrapper and log again with other inputs."""
        incident = self.session.state.incident
        assert incident is not None
        told = f"Inputs of {path} are used from now on."
        self.session.front.start(
            "open",
            lambda tell: Opened(incident.with_inputs(path.expanduser()), told),
            self._opened,
        )

    def show_graph(self, number: int) -> None:
        """Open another graph of the same run."""
        incident = self.session.state.incident
        if incident is None or incident.graphs.sources[number] is incident.source:
            return
        source = incident.graphs.sources[number]

        def opened(found: Opened) -> None:
            self.session.forget()
            self._opened(found)

        self.session.front.start("open", lambda tell: jobs.other_graph(incident, source), opened)

    def try_inputs(self, incident: Incident, told: str) -> None:
        """Go on with edited inputs, at the launch that was looked at, and run it again."""
        before = self.session.state
        launch, chosen = before.launch, before.launch_chosen
        self.session.forget()
        self.places.load(incident)
        if launch is not None:
            self.places.take_launch(launch, chosen=chosen)
        self.session.say(told)

    def find_fault(self) -> None:
        """Replay the whole model, and show the first access outside of its tensor as a failure."""
        incident = self.session.state.incident
        if incident is None:
            self.session.say("The wrapper is still being read; look for the access afterwards.")
            return

        def looked(found: Opened | str) -> None:
            if isinstance(found, str):
                self.session.say(found)
            else:
                self._opened(found)

        self.session.front.start("replay", lambda tell: jobs.fault_found(incident, tell), looked)
