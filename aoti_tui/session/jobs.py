"""What takes long: opening, reading a log, replaying. Nothing here knows of a thread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from aoti_tui.answer.at_hand import is_log
from aoti_tui.answer.incident import Incident
from aoti_tui.answer.opening import open_incident
from aoti_tui.answer.script import open_script
from aoti_tui.answer.trial import Trial, tried
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.log_file import LogText, open_log
from aoti_tui.artifacts.wrapper_file import WrapperText
from aoti_tui.failure.model import Failure
from aoti_tui.failure.prose.words import plural
from aoti_tui.index.model import Launch
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.model import Program, ReplayResult
from aoti_tui.replay.questions.writers import WrittenElement, nobody_writes
from aoti_tui.session.request import OpenRequest, RunRequest
from aoti_tui.session.session import Tell
from aoti_tui.session.state import Outcome

LARGE = 20_000
"""Lines of a wrapper from which on it is shown before its log is matched."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An incident. ``log`` is still to be matched, ``told`` is news of what was brought."""

    incident: Incident
    told: str = ""
    log: tuple[LogText, str] | None = None
    """Its text, and what it is called."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replay. ``trial`` says what it means where symbols are set; ``judged`` the failure before
    and after a search for the launch that fired."""

    outcome: Outcome
    trial: Trial | None
    judged: tuple[Failure, Failure] | None = None
    to_judge: Failure | None = None
    """The failure that this replay can confirm."""


def opened(request: OpenRequest | RunRequest, client: WorkerClient | None, tell: Tell) -> Opened:
    """Read what the request names, or start the script. Raises ArtifactError, ReplayError."""
    if isinstance(request, RunRequest):
        return Opened(open_script(request.command, request.title, request.stdin))
    text, name = request.log_text, "the given log"
    if text is None and request.log is not None:
        text, name = open_log(str(request.log)), str(request.log)
    if text is not None and (request.wrapper.is_dir() or is_log(request.wrapper)):
        # The log chooses among graphs, or holds them: nothing can be shown without it.
        incident = open_incident(
            request.wrapper,
            log=text,
            log_name=name,
            given=request.given,
            client=client,
            progress=tell,
        )
        return Opened(incident)
    incident = open_incident(request.wrapper, given=request.given, client=client, progress=tell)
    if text is None:
        return Opened(incident)
    if len(incident.index.lines) > LARGE:
        # Matching a log to hundreds of kernels takes seconds; there is much to see.
        return Opened(incident, f"Matching {name} …", (text, name))
    return Opened(incident.with_log(text, name))


def with_log(incident: Incident, source: LogText | Path) -> Opened | str:
    """The incident with a log: a file, or the text itself; or in words why it stays as it is.
    Raises ArtifactError."""
    text: LogText = open_log(str(source.expanduser())) if isinstance(source, Path) else source
    name = str(source) if isinstance(source, Path) else "the pasted log"
    after = incident.with_log(text, name)
    count = len(after.failures)
    if count:
        return Opened(after, f"{name}: {count} failure{'s' if count > 1 else ''}.")
    told = " ".join(after.notes) or (
        f"{name} holds no assert of a Triton kernel of this wrapper. Lines such as "
        "“…py:46: unknown: block: [2,0,0], thread: [32,0,0] Assertion `…` failed.” are "
        "looked for."
    )
    return f"The failure shown stays: {told}" if incident.failures else Opened(after, told)


def other_graph(incident: Incident, source: WrapperText) -> Opened:
    """Another graph of the same run, with what the log and the inputs say of it."""
    name = source.graph or source.path.name
    try:
        found, told = incident.of_graph(source), ""
    except ArtifactError as error:
        given = replace(incident.given, inputs=None)
        found = replace(incident, given=given).of_graph(source)
        told = f" It does not take the given inputs, which are left out: {error.why}."
    count = len(found.failures)
    fits = plural(count, "failure") if count else "nothing"
    said = f" {fits} of the log fits it." if incident.log is not None else ""
    return Opened(found, f"Graph {name}.{said}{told}")


def fault_found(incident: Incident, tell: Tell) -> Opened | str:
    """The incident with the model's first bad access as its first failure; in words where a replay
    finds none. Raises ReplayError."""
    found = incident.find_fault(tell)
    given = "these inputs" if incident.can_diagnose else "made-up inputs (O reads the model's)"
    if found is None:
        return f"With {given} no assert fires, and every access stays inside of its tensor."
    others = tuple(f for f in incident.failures if f.launch != found.launch)
    after = replace(incident, failures=(found, *others))
    return Opened(after, f"With {given} this is the first failure of the whole model.")


def replayed(
    incident: Incident,
    launch: Launch,
    wanted: Program | None,
    failure: Failure | None,
    *,
    search: bool,
    tell: Tell,
) -> Replayed:
    """Scan a launch and record one of its programs. Raises ReplayError.

    ``search``: nobody has chosen the launch, so that of several that fit the failure the one
    whose assert fires is looked for first.
    """
    session = incident.replayer()

    def progress(done: int, total: int) -> None:
        tell(session.doing or f"Replaying {launch.kernel}", done / total if total else None)

    tell("Starting the worker …", None)
    info = session.info()
    tell("Importing torch and triton …", None)
    session.warm()
    # What was set to try something says nothing about why the real run failed.
    what_if = bool(incident.edited)
    what_if |= dict(session.settings_for(launch)) != dict(incident.given.settings)
    several = failure is not None and (len(failure.candidates) > 1 or len(failure.launches) > 1)
    judged: tuple[Failure, Failure] | None = None
    result: ReplayResult | None = None
    if failure is not None and search and several and not what_if:
        verdict = incident.judge(failure, tell)
        judged = (failure, verdict.failure)
        if verdict.judged is not None:
            launch, result = verdict.judged.launch, verdict.judged.result
    tell(f"Scanning {launch.kernel} (:{launch.line}) …", None)
    result = result or session.run(launch, progress=progress)
    program = program_to_record(result, wanted, failure.programs if failure is not None else ())
    recording = session.record(launch, program, progress=progress)
    source = incident.kernel_program(launch.kernel)
    return Replayed(
        Outcome(info, result, recording, source, recording.symbols),
        tried(incident, failure, launch, result),
        judged,
        failure if judged is None and not what_if else None,
    )


def program_to_record(
    result: ReplayResult, wanted: Program | None, logged: tuple[Program, ...]
) -> Program:
    """Which program to record: the one asked for; else the first that failed, of the log's where
    the replay agrees with it; else the first of the grid."""
    if wanted is not None:
        return wanted
    for fired in sorted(result.asserts, key=lambda fired: fired.order):
        return fired.shown_in(logged)
    for fault in result.faults:
        return fault.program
    return (0, 0, 0)


def writer_of(incident: Incident, launch: Launch, text: str) -> WrittenElement:
    """Who wrote an element of an output (``out_ptr0[3,7]``). Raises ReplayError."""
    written = incident.writer_of(launch, text)
    if written.last is None:
        raise nobody_writes(launch, written.argument, written.element, written.after)
    return written
