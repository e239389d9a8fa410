"""From a wrong output element to the program and lane that wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aoti_tui.artifacts.strides import lane_of
from aoti_tui.index.model import Launch
from aoti_tui.replay.client import Progress
from aoti_tui.replay.data.captured_contents import CapturedContents
from aoti_tui.replay.data.held_tensors import Held
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import Flag, Program, Recording, Step
from aoti_tui.replay.plan.launching import Prepared
from aoti_tui.replay.questions.check import TOLERANCES
from aoti_tui.replay.questions.elements import check_range, element_at, tensor_of
from aoti_tui.replay.recorded.blocks import Number, decode_block, program_of
from aoti_tui.replay.recorded.recording import decode_flags, stores_to
from aoti_tui.replay.session import ReplaySession


@dataclass(frozen=True, slots=True)
class Writer:
    """One lane of a store or atomic that touched an element.

    ``argument`` and ``element`` are those it was written through, as its recording has them: they
    differ from what was asked for where two arguments share memory. ``value`` is what a store put
    there, or an atomic's operand.
    """

    file: str
    kernel_line: int
    access: str
    """``store`` or ``atomic``."""
    program: Program
    lane: tuple[int, ...]
    argument: str
    element: int
    value: Number


@dataclass(frozen=True, slots=True)
class WrittenElement:
    """Who wrote one element: the first 64 of ``count`` writers, in order, and the ``last``."""

    argument: str
    element: int
    """Counted from the argument's data pointer."""
    writers: tuple[Writer, ...]
    count: int
    last: Writer | None
    before: Number
    after: Number
    """The element's value before and after the launch."""
    mode: str
    made_up: bool = False
    """Whether invented data has a part in what the launch writes to this argument."""
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class WrongElement:
    """The element of an argument that differs most from a reference."""

    argument: str
    element: int
    """Counted from the argument's data pointer."""
    index: tuple[int, ...]
    """By the tensor's dimensions."""
    value: Number
    expected: Number
    different: int
    """How many elements differ."""
    max_abs: float
    within_tolerance: bool
    """The difference is no larger than rounding can make it for this dtype."""


def who_wrote(
    session: ReplaySession,
    launch: Launch,
    argument: str,
    element: int,
    progress: Progress | None = None,
) -> tuple[Writer, ...]:
    """The first 64 writers of an element, in order; empty when no program writes it.

    Raises ReplayError, also for an argument or element that does not exist.
    """
    return written_element(session, launch, argument, element, progress).writers


def written_element(
    session: ReplaySession,
    launch: Launch,
    argument: str,
    element: int,
    progress: Progress | None = None,
) -> WrittenElement:
    """Who wrote an element, how often, and what it held before and after. Raises ReplayError."""
    doing = f"looking who writes {argument}[{element}] in {launch.kernel} (:{launch.line})"
    with session.at_launch(launch, doing, progress) as prepared:
        held = tensor_of(prepared, argument)
        check_range(argument, held, element)
        reply = session.client.request(
            "who_wrote",
            doing=doing,
            progress=progress,
            argument=argument,
            element=element,
            mode="big",
            **_launch_fields(session, prepared),
        )
    return decode_written(
        reply, argument, element, made_up=_rests_on_made_up(session, prepared, argument)
    )


def find_wrong(
    session: ReplaySession,
    launch: Launch,
    argument: str,
    reference: Path | None,
    progress: Progress | None = None,
) -> WrongElement | None:
    """The worst element of an argument against a reference; None when all are equal.

    ``reference`` is a file that torch.save wrote one tensor to, or None for what the GPU wrote
    (out of the session's captured tensors). Floats of another size compare too. Raises
    ReplayError.
    """
    doing = f"comparing {argument} of {launch.kernel} (:{launch.line}) with the reference"
    with session.at_launch(launch, doing, progress) as prepared:
        held = tensor_of(prepared, argument)
        path = str(reference.resolve()) if reference is not None else None
        if reference is not None and not reference.is_file():
            raise _unreadable(reference, "it is no file" if reference.exists() else "there is none")
        if path is None:
            path = _captured(session, launch, argument)
        kept, other = f"{held.handle}:kept", f"{held.handle}:reference"
        try:
            theirs = _load(session, Path(path), other)
            _check_alike(argument, held, theirs, path)
            session.client.request(
                "scan",
                doing=doing,
                progress=progress,
                mode="big",
                stop_at_first=False,
                write=False,
                keep={argument: kept},
                **_launch_fields(session, prepared),
            )
            compare: dict[str, Any] = {
                "name": kept,
                "with": other,
                "rtol": TOLERANCES.get(held.dtype, 0.0),
                "atol": 0.0,
                "widen": True,
                # What the launch leaves alone, the GPU had from somewhere else.
                "skip_unwritten": reference is None,
            }
            found = session.client.request("compare", **compare)
            worst = found.get("worst")
            if worst is None:
                return None
            value, expected = (_read(session, name, int(worst)) for name in (kept, other))
        finally:
            if session.client.alive:
                session.client.request("drop", names=[kept, other])
    index = lane_of(held.shape, int(worst))
    return WrongElement(
        argument=argument,
        element=element_at(held, index),
        index=index,
        value=value,
        expected=expected,
        different=int(found["different"]),
        max_abs=float(found["max_abs"]),
        within_tolerance=bool(found["equal"]),
    )


def record_writer(
    session: ReplaySession, launch: Launch, writer: Writer, progress: Progress | None = None
) -> tuple[Recording, int | None]:
    """The writer's program, recorded, and the position of the step that wrote the element (the
    last of its lane on its line). None where the store stands in no step of its own: inside of
    Inductor's look-back scans. Raises ReplayError.
    """
    recording = session.record(launch, writer.program, progress)
    found = [
        position
        for position, lane in stores_to(recording, writer.argument, writer.element)
        if lane == writer.lane
    ]
    # A statement over several lines can be recorded on another of them.
    same = [p for p in found if _same_line(recording.steps[p], writer)]
    chosen = same or found
    return recording, chosen[-1] if chosen else None


def _same_line(step: Step, writer: Writer) -> bool:
    return (step.file, step.kernel_line) == (writer.file, writer.kernel_line)


def nobody_writes(launch: Launch, argument: str, element: int, value: Number) -> ReplayError:
    """What to say of an element that the launch leaves as it was."""
    return ReplayError(
        "unknown",
        f"No program of this launch writes {argument}[{element}]",
        f"{launch.kernel} (:{launch.line}) leaves it at {value}",
        "Look at the launch that wrote this buffer before, or at the grid and the store's mask",
    )


# -- inside -----------------------------------------------------------------------------------


def _launch_fields(session: ReplaySession, prepared: Prepared) -> dict[str, Any]:
    return {
        "kernel": session.kernels.key(prepared.launch.kernel),
        "args": prepared.request_args,
        "blocks": prepared.blocks.sizes,
        "grid": list(prepared.grid),
    }


def _rests_on_made_up(session: ReplaySession, prepared: Prepared, argument: str) -> bool:
    invented = {a.name for a in prepared.arguments if a.source == "made-up"}
    made_of = session.flow.access(prepared.launch).inputs_of.get(argument)
    return bool(invented if made_of is None else invented & made_of)


def _captured(session: ReplaySession, launch: Launch, argument: str) -> str:
    captured = session.sources.captured
    if captured is None:
        raise ReplayError(
            "bad-inputs",
            "There is nothing to compare with",
            "no folder of captured tensors was given",
            "Name it with --tensors DIR, or a file with --reference FILE.pt",
        )
    base = next(a.tensor.base for a in launch.arguments if a.parameter == argument and a.tensor)
    contents = CapturedContents(session.flow, captured)
    path = contents.path(base, launch, after=True)
    if not isinstance(path, str):
        raise ReplayError(
            "bad-inputs",
            f"What the GPU wrote to {base} ({argument}) was not captured",
            f"{captured.folder} has no file of it after {launch.kernel}",
            "Give a file to compare with: --reference FILE.pt",
        )
    return path


def _load(session: ReplaySession, path: Path, handle: str) -> Held:
    try:
        return session.sources.load_captured(str(path), handle)
    except ReplayError as error:
        if error.kind in ("bad-request", "python", "unsupported"):
            raise _unreadable(path, error.why) from error
        raise


def _unreadable(path: Path, why: str) -> ReplayError:
    return ReplayError(
        "bad-inputs",
        f"The reference {path} cannot be read",
        why,
        "Name a file that torch.save wrote one tensor to",
    )


def _check_alike(argument: str, held: Held, theirs: Held, path: str) -> None:
    both_float = all("float" in dtype for dtype in (held.dtype, theirs.dtype))
    if held.shape == theirs.shape and (held.dtype == theirs.dtype or both_float):
        return
    raise ReplayError(
        "bad-inputs",
        f"{Path(path).name} does not fit {argument}",
        f"it holds {theirs.dtype} {list(theirs.shape)}, the launch writes {held.dtype} "
        f"{list(held.shape)}",
        "Save the tensor in the shape and type that the kernel writes, or name another "
        "argument with --argument",
    )


def _read(session: ReplaySession, name: str, flat: int) -> Number:
    reply = session.client.request("read", name=name, start=flat, count=1)
    value: Number = decode_block(reply.get("block", reply), reply.blobs).values[0]
    return value


def decode_written(
    reply: Mapping[str, Any], argument: str, element: int, *, made_up: bool
) -> WrittenElement:
    """Who wrote an element, out of a ``who_wrote`` reply."""
    last = reply.get("last")
    return WrittenElement(
        argument=argument,
        element=element,
        writers=tuple(_writer(raw) for raw in reply.get("writes", ())),
        count=int(reply.get("count", 0)),
        last=_writer(last) if last else None,
        before=_number(reply["before"]),
        after=_number(reply["after"]),
        mode=str(reply.get("mode", "")),
        made_up=made_up,
        flags=decode_flags(reply.get("flags", ())),
    )


def _writer(raw: Mapping[str, Any]) -> Writer:
    return Writer(
        file=str(raw["file"]),
        kernel_line=int(raw["kernel_line"]),
        access=str(raw["access"]),
        program=program_of(raw["program"]),
        lane=tuple(int(i) for i in raw["lane"]),
        argument=str(raw["argument"]),
        element=int(raw["element"]),
        value=_number(raw["value"]),
    )


def _number(raw: Any) -> Number:
    # Infinities and NaN travel as text: JSON has none.
    number: Number = float(raw) if isinstance(raw, str) else raw
    return number
