"""Values as the worker sends them (blocks, summaries, faults) and as the model holds them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from aoti_tui.artifacts.strides import place_of
from aoti_tui.replay.model import Block, MemoryFault, Program, Summary

_FORMATS = {"f4": "f", "f8": "d", "i8": "q", "u8": "Q", "b1": "?"}
Number = int | float | bool


def decode_block(packed: Mapping[str, Any], blobs: Sequence[memoryview]) -> Block:
    """A block out of a reply; the memory stays that of the reply."""
    values = blobs[packed["blob"]].cast("B").cast(_FORMATS[packed["packed"]])
    return Block(
        dtype=packed["dtype"],
        shape=tuple(packed["shape"]),
        values=values,
        argument=packed.get("argument"),
    )


def decode_summary(summary: Mapping[str, Any] | None) -> Summary | None:
    if summary is None:
        return None
    return Summary(
        min=_number(summary.get("min")),
        max=_number(summary.get("max")),
        nan=int(summary.get("nan") or 0),
        distinct=summary.get("distinct"),
        count=int(summary.get("count") or 0),
    )


def decode_fault(fault: Mapping[str, Any]) -> MemoryFault:
    return MemoryFault(
        file=str(fault["file"]),
        kernel_line=int(fault["kernel_line"]),
        access=str(fault["access"]),
        argument=str(fault["argument"]),
        element=int(fault["element"]),
        size=int(fault["size"]),
        program=program_of(fault["program"]),
        lane=tuple(fault.get("lane") or ()),
        count=int(fault.get("count", 1)),
    )


def program_of(indices: Sequence[int]) -> Program:
    x, y, z = (*indices, 0, 0, 0)[:3]
    return (int(x), int(y), int(z))


def value_at(block: Block, lane: Sequence[int]) -> Number | None:
    """Value of a lane as Triton would broadcast the block to it; None outside of the block."""
    place = place_of(block.shape, lane)
    return block.values[place] if place is not None else None


def summarize(block: Block) -> Summary:
    """The worker's summary, worked out here (for blocks that came without one)."""
    numbers = [v for v in block.values if not (isinstance(v, float) and math.isnan(v))]
    distinct = len(set(numbers))
    return Summary(
        min=min(numbers, default=None),
        max=max(numbers, default=None),
        nan=len(block) - len(numbers),
        distinct=distinct if distinct <= 1000 else None,
        count=len(block),
    )


def _number(value: Any) -> int | float | None:
    if value is None or isinstance(value, int | float):
        return value
    # JSON has no infinities: they travel as text.
    return float(value)
