"""What runs in threads: opening, reading a log, replaying. Each posts what came of it."""

from __future__ import annotations

import gc
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from aoti_tui.answer import opening
from aoti_tui.answer.incident import Incident
from aoti_tui.answer.judge import Judged
from aoti_tui.answer.trial import tried
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.given import Given
from aoti_tui.artifacts.log_file import LogText, open_log
from aoti_tui.failure.model import Failure
from aoti_tui.index.model import Launch
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import Program
from aoti_tui.replay.questions.elements import (
    TensorElements,
    element_by_hand,
    read_argument,
    read_input,
)
from aoti_tui.replay.questions.script import write_script
from aoti_tui.replay.questions.writers import nobody_writes, written_element
from aoti_tui.replay.session import ReplaySession
from aoti_tui.session.outcome import Outcome
from aoti_tui.tui.messages import (
    Diagnosed,
    ElementsRead,
    Opened,
    Progressed,
    Refused,
    Replayed,
    Said,
    SymbolsKnown,
    UpstreamFound,
    WorkerReady,
    WriterFound,
)
from aoti_tui.tui.replaying import program_to_record
from aoti_tui.tui.request import OpenRequest

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen


def _thread(screen: MainScreen, work: Callable[[], None], group: str) -> None:
    def told() -> None:
        # A thread that fell silent would look like one that never ends.
        try:
            work()
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            screen.post_message(
                Refused(
                    "This is a fault of aoti-tui itself",
                    f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})",
                    "Everything else goes on; please report it with the wrapper",
                    fatal=screen.browsing.incident is None,
                    replay=group == "replay",
                )
            )

    screen.run_worker(told, thread=True, group=group, exclusive=True)


LARGE = 20_000
"""Lines of a wrapper from which on it is shown before its log is matched."""


def _open(
    request: OpenRequest, client: WorkerClient | None, progress: Callable[[str, float], None]
) -> Incident:
    given = Given(
        inputs=request.inputs,
        settings=request.settings,
        python=request.python,
        constants=request.constants,
        tensors=request.tensors,
        kernels=request.kernels,
        model=request.model,
        seed=request.seed,
    )
    return opening.open_incident(request.wrapper, given=given, client=client, progress=progress)


def open_incident(screen: MainScreen) -> None:
    """Read what the request names."""
    request = screen.request

    def progress(text: str, done: float) -> None:
        screen.post_message(Progressed(text, done, replay=False))

    def work() -> None:
        try:
            text: LogText | None = request.log_text
            name = "the given log"
            if text is None and request.log is not None:
                text, name = open_log(str(request.log)), str(request.log)
            incident = _open(request, screen.client, progress)
            if text is not None:
                if len(incident.index.lines) > LARGE:
                    # Matching a log to hundreds of kernels takes seconds; there is much to see.
                    screen.post_message(Opened(incident, f"Matching {name} …"))
                incident = incident.with_log(text, name)
        except ArtifactError as error:
            fatal = screen.browsing.incident is None
            screen.post_message(Refused(error.what, error.why, error.do, fatal=fatal))
            return
        gc.collect()
        settle()
        screen.post_message(Opened(incident))

    _thread(screen, work, "open")


def settle() -> None:
    """Take what is there now for good: index, entries and recordings live as long as the program,
    and looking through them for garbage, again and again, is felt as a stutter in a large wrapper.
    """
    gc.freeze()


def warm_up(screen: MainScreen) -> None:
    """Start the worker before it is asked for, so that the first run does not wait for torch."""
    incident = screen.browsing.incident
    assert incident is not None

    def work() -> None:
        session = incident.session()
        try:
            if not session.info().problems:
                session.warm()
                screen.post_message(WorkerReady())
        except ReplayError:
            # Nobody has asked for a replay yet; the first one meets the same and says so.
            return

    _thread(screen, work, "warm")


def bring_log(screen: MainScreen, source: str | Path) -> None:
    """Put a log to the open incident: a file, or the text itself."""
    incident = screen.browsing.incident
    assert incident is not None

    def work() -> None:
        try:
            text: LogText = (
                open_log(str(source.expanduser())) if isinstance(source, Path) else source
            )
            name = str(source) if isinstance(source, Path) else "the pasted log"
            after = incident.with_log(text, name)
        except ArtifactError as error:
            screen.post_message(Refused(error.what, error.why, error.do))
            return
        count = len(after.failures)
        if count:
            told = f"{name}: {count} failure{'s' if count > 1 else ''}."
        else:
            told = " ".join(after.notes) or (
                f"{name} holds no assert of a Triton kernel of this wrapper. Lines such as "
                "“…py:46: unknown: block: [2,0,0], thread: [32,0,0] Assertion `…` failed.” are "
                "looked for."
            )
            if incident.failures:
                screen.post_message(Said(f"The failure shown stays: {told}"))
                return
        screen.post_message(Opened(after, told))

    _thread(screen, work, "open")


def bring_inputs(screen: MainScreen, path: Path) -> None:
    """Open the same wrapper and log again with other inputs."""
    incident = screen.browsing.incident
    assert incident is not None

    def work() -> None:
        try:
            after = incident.with_inputs(path.expanduser())
        except ArtifactError as error:
            screen.post_message(Refused(error.what, error.why, error.do))
            return
        screen.post_message(Opened(after, f"Inputs of {path} are used from now on."))

    screen.request = replace(screen.request, inputs=path)
    _thread(screen, work, "open")


def replay(screen: MainScreen, launch: Launch, wanted: Program | None, *, search: bool) -> None:
    """Scan a launch, record one of its programs, and confirm the failure with the values.

    ``search``: nobody has chosen the launch, so that of several that fit the failure the one
    whose assert fires is looked for first.
    """
    incident = screen.browsing.incident
    assert incident is not None
    failure = screen.browsing.failure
    if failure is not None and launch not in failure.launches:
        failure = None

    def work() -> None:
        try:
            _replay(screen, incident, launch, wanted, failure, search=search)
        except (ReplayError, ArtifactError) as error:
            screen.post_message(Refused(error.what, error.why, error.do, replay=True))

    _thread(screen, work, "replay")


def _replay(
    screen: MainScreen,
    incident: Incident,
    launch: Launch,
    wanted: Program | None,
    failure: Failure | None,
    *,
    search: bool,
) -> None:
    session = incident.session()

    def tell(text: str, done: float | None = None) -> None:
        screen.post_message(Progressed(text, done, replay=True))

    def progress(done: int, total: int) -> None:
        tell(session.doing or f"Replaying {launch.kernel}", done / total if total else None)

    tell("Starting the worker …")
    info = session.info()
    tell("Importing torch and triton …")
    session.warm()
    # What was set to try something says nothing about why the real run failed.
    what_if = session.settings != dict(incident.given.settings)
    several = failure is not None and (len(failure.candidates) > 1 or len(failure.launches) > 1)
    judged: Judged | None = None
    searched = failure is not None and search and several and not what_if
    if failure is not None and searched:
        verdict = incident.judge(failure, tell)
        judged = verdict.judged
        screen.post_message(Diagnosed(failure, verdict.failure))
    if judged is not None:
        launch = judged.launch
    tell(f"Scanning {launch.kernel} (:{launch.line}) …")
    result = judged.result if judged is not None else None
    result = result or session.run(launch, progress=progress)
    program = program_to_record(result, wanted, failure.programs if failure is not None else ())
    recording = session.record(launch, program, progress=progress)
    source = incident.kernel_program(launch.kernel)
    outcome = Outcome(info, result, recording, source, recording.symbols)
    screen.post_message(Replayed(outcome, tried(incident, failure, launch, result)))
    if failure is not None and not searched and not what_if:
        verdict = incident.judge(failure, scanned=result)
        screen.post_message(Diagnosed(failure, verdict.failure))


def cancel_replay(screen: MainScreen) -> None:
    """Ask the running replay to stop; it answers with a ReplayError of its own."""
    incident = screen.browsing.incident
    if incident is not None:
        _thread(screen, lambda: _cancel(incident), "cancel")


def _cancel(incident: Incident) -> None:
    incident.session().cancel()


def read_symbols(screen: MainScreen) -> None:
    """Work out the symbols' values, for the what-if dialog."""
    incident = screen.browsing.incident
    assert incident is not None

    def work() -> None:
        try:
            symbols = incident.session().symbols()
        except ReplayError as error:
            screen.post_message(Refused(error.what, error.why, error.do))
            return
        screen.post_message(SymbolsKnown(symbols))

    _thread(screen, work, "symbols")


def read_argument_elements(screen: MainScreen, launch: Launch, parameter: str, start: int) -> None:
    """Read elements of a launch's argument, as the launch gets it."""
    _read_elements(screen, lambda session: read_argument(session, launch, parameter, start))


def read_input_elements(screen: MainScreen, position: int, start: int) -> None:
    """Read elements of a given input."""
    _read_elements(screen, lambda session: read_input(session, position, start))


def _read_elements(screen: MainScreen, read: Callable[[ReplaySession], TensorElements]) -> None:
    incident = screen.browsing.incident
    assert incident is not None

    def work() -> None:
        try:
            screen.post_message(ElementsRead(read(incident.session())))
        except ReplayError as error:
            screen.post_message(Refused(error.what, error.why, error.do))

    _thread(screen, work, "replay")


def find_writer(screen: MainScreen, launch: Launch, text: str) -> None:
    """Find who wrote an element of an output (``out_ptr0[3,7]``)."""
    incident = screen.browsing.incident
    assert incident is not None

    def work() -> None:
        session = incident.session()
        try:
            argument, element = element_by_hand(session, launch, text)
            written = written_element(session, launch, argument, element)
            if written.last is None:
                raise nobody_writes(launch, argument, element, written.after)
        except ReplayError as error:
            screen.post_message(Refused(error.what, error.why, error.do))
            return
        screen.post_message(WriterFound(written))

    _thread(screen, work, "replay")


def find_upstream(screen: MainScreen, launch: Launch, argument: str, element: int) -> None:
    """Find who wrote an element before a launch read it."""
    incident = screen.browsing.incident
    assert incident is not None

    def work() -> None:
        try:
            found = incident.upstream(launch, argument, element)
        except ReplayError as error:
            screen.post_message(Refused(error.what, error.why, error.do))
            return
        screen.post_message(UpstreamFound(found))

    _thread(screen, work, "replay")


def write_repro(screen: MainScreen, launch: Launch, path: Path) -> None:
    """Write the stand-alone script of a launch; says where it is."""
    incident = screen.browsing.incident
    assert incident is not None

    def work() -> None:
        try:
            script, data = write_script(incident.session(), launch, path)
        except ReplayError as error:
            screen.post_message(Refused(error.what, error.why, error.do))
            return
        told = f"The script is {script.resolve()}, its data {data.name} beside it."
        screen.post_message(Said(told))

    _thread(screen, work, "replay")
