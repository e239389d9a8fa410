"""Values of a recorded program beside what they should be: an expression, or float64."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aoti_tui.replay.model import Recording
from aoti_tui.replay.recorded.blocks import Number


@dataclass(frozen=True, slots=True)
class Departure:
    """A name that is not what was expected, at its worst lane. ``line`` is 0 where all fits."""

    name: str
    expression: str
    file: str = ""
    line: int = 0
    lane: tuple[int, ...] = ()
    actual: Number | str = 0
    expected: Number | str = 0
    count: int = 0


@dataclass(frozen=True, slots=True)
class Precision:
    """Relative errors of a recording's floats, by the position of their step."""

    recording: Recording
    errors: Mapping[int, float]
    lossy: tuple[int, ...]
    """Positions at which precision was lost, not only passed on."""
    worst: Mapping[int, tuple[tuple[int, ...], Number | str, Number | str]]
    """The worst lane of each, its value and what float64 gives."""
    parted: int = 0
    """The line from which on the two runs went other ways; 0 where they did not."""


def decode_departure(reply: Mapping[str, Any]) -> Departure:
    """The `expect` result for one expectation."""
    (result,) = reply["expected"]
    if result["holds"]:
        return Departure(result["name"], result["expression"])
    return Departure(
        result["name"],
        result["expression"],
        result["file"],
        int(result["kernel_line"]),
        tuple(result["lane"]),
        result["actual"],
        result["expected"],
        int(result["count"]),
    )


def decode_precision(reply: Mapping[str, Any], recording: Recording) -> Precision:
    """The `precision` result, put beside the steps that it is about."""
    positions: dict[tuple[str, str, int, int], int] = {}
    counts: dict[tuple[str, str, int], int] = {}
    for step in recording.steps:
        if step.kind == "assign" and step.name:
            key = (step.name, step.file, step.kernel_line)
            at = counts[key] = counts.get(key, -1) + 1
            positions[(*key, at)] = step.position
    errors, lossy, worst = {}, [], {}
    for one in reply["steps"]:
        position = positions.get((one["name"], one["file"], one["kernel_line"], one["occurrence"]))
        if position is None:
            continue
        errors[position] = float(one["error"])
        worst[position] = (tuple(one["lane"]), one["actual"], one["exact"])
        if one["loses"]:
            lossy.append(position)
    parted = reply.get("parted")
    return Precision(recording, errors, tuple(lossy), worst, int(parted["line"]) if parted else 0)
