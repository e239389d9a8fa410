"""Reading what a recorded process left: its ring, as far as it was written."""

from __future__ import annotations

import json
import mmap
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.recording.torch_file import KeptTensor, Value
from aoti_tui.record import layout
from aoti_tui.record.copying import low_part

STATES = ("begun", "returned", "raised")
ENDS = ("running or killed", "ended", "ended by an exception", "stopped recording")


@dataclass(frozen=True)
class RecordedCall:
    """One call: what it was given, and what of that is known."""

    number: int
    site: int
    state: str
    stream: int
    thread: int
    time: float
    values: tuple[Value, ...]
    arguments: tuple[dict[str, Any], ...]
    """Of each argument, for people and JSON: dtype, shape …, and why its data is not kept."""
    more: dict[str, Any]
    reached: bool
    """Whether its data is the ring's: a device that failed never got to the calls behind."""


@dataclass(frozen=True)
class Recorded:
    """A process: its facts, what it called, and its last calls, oldest first."""

    folder: Path
    facts: dict[str, Any]
    sites: dict[int, dict[str, Any]]
    calls: tuple[RecordedCall, ...]
    begun: int
    failed: int
    """The number of the call that raised; 0: none."""
    error: str
    state: int
    damage: tuple[str, ...] = field(default=())


def processes_in(folder: Path) -> list[Path]:
    """The folders of processes that recorded, in the order in which they began."""
    found = [one.parent for one in folder.glob("process-*/ring")]
    return sorted(found, key=lambda one: one.stat().st_mtime)


def read_recorded(folder: Path) -> Recorded:
    """What a process left in its folder. Raises ArtifactError for what is no ring."""
    facts = _json(folder / "process.json")
    failure = _json(folder / "failed.json")
    ring = folder / "ring.failed"
    if not ring.exists():
        ring = folder / "ring"
    try:
        with ring.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as held:
            if held[:8] != layout.MAGIC:
                raise ValueError("it does not begin as one")
            found = _calls(held)
    except (OSError, ValueError, IndexError) as error:
        raise ArtifactError(
            f"{ring} is no ring of a recording", str(error), "Record the failure again."
        ) from error
    begun, failed, state, calls = found
    sites = {}
    for path in folder.glob("site-*.json"):
        sites[int(path.stem.partition("-")[2])] = _json(path)
    return Recorded(
        folder, facts, sites, calls, begun, failed, str(failure.get("error", "")), state
    )


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _calls(held: mmap.mmap) -> tuple[int, int, int, tuple[RecordedCall, ...]]:
    (_, version, slots, slot_bytes, entries, _, entries_at, notes_at, notes_bytes, slots_at, begun,
     failed, state) = layout.HEADER.unpack_from(held, 0)  # fmt: skip
    if version != layout.VERSION:
        raise ValueError(f"it is of version {version}, read are those of version {layout.VERSION}")
    stamps = [
        layout.STAMP.unpack_from(held, layout.STAMPS + slot * layout.STAMP_STRIDE)
        for slot in range(slots)
    ]
    found = []
    for number in range(max(1, begun - entries + 1), begun + 1):
        at = entries_at + number % entries * layout.ENTRY_STRIDE
        entry = layout.ENTRY.unpack_from(held, at)
        numbered, place, length, site, slot, call_state, stream, thread, when = entry
        if numbered != number or not notes_at <= place <= notes_at + notes_bytes - length:
            continue
        if layout.NOTE.unpack_from(held, place)[0] != number:
            continue
        note = held[place + layout.NOTE.size : place + layout.NOTE.size + length]
        mark = low_part(number)
        reached = slot >= 0 and stamps[slot] == (mark, mark)
        if slot >= 0 and not reached and number != failed:
            continue  # its data was overwritten, or the device never got to it
        data = b""
        if reached:
            where = slots_at + slot * slot_bytes
            data = held[where : where + slot_bytes]
        values, arguments, more = _values(note, data)
        found.append(
            RecordedCall(
                number, site, STATES[call_state], stream, thread, when, values, arguments, more,
                reached or slot < 0,
            )
        )  # fmt: skip
    return begun, failed, state, tuple(found[-slots:])


def _values(
    note: bytes, data: bytes
) -> tuple[tuple[Value, ...], tuple[dict[str, Any], ...], dict[str, Any]]:
    text, _, tail = note.partition(b"\0")
    told: dict[str, Any] = json.loads(text)
    numbers = iter(told.pop("n", ()))
    values: list[Value] = []
    arguments: list[dict[str, Any]] = []
    for one in told.pop("a", ()):
        if one is None:
            number = next(numbers, None)
            values.append(number)
            arguments.append({"kind": "number", "value": number})
            continue
        dtype, shape, stride, device, where, size, why = one
        held: bytes | None = None
        if not why and where == -2:
            held, tail = tail[:size], tail[size:]
        elif not why and where >= 0:
            held = data[where : where + size] if data else None
            why = "" if data else "the device did not get to it"
        elif not why:
            held = b""
        values.append(KeptTensor(dtype, tuple(shape), tuple(stride), held))
        told_of = {"kind": "tensor", "dtype": dtype, "shape": shape, "stride": stride}
        arguments.append({**told_of, "device": device, "data": held is not None, "why": why})
    return tuple(values), tuple(arguments), told


def suspects(recorded: Recorded) -> Sequence[RecordedCall]:
    """The calls, that which most likely failed first: the one that raised by itself, else the last
    that the device got to, stream by stream."""
    newest = sorted(recorded.calls, key=lambda one: -one.number)
    if recorded.failed and not _is_of_the_device(recorded.error):
        return sorted(newest, key=lambda one: one.number != recorded.failed)
    return sorted(newest, key=lambda one: not one.reached)


def _is_of_the_device(error: str) -> bool:
    return "CUDA" in error or "device-side" in error or "AcceleratorError" in error
