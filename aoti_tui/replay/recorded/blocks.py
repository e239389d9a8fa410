"""Values as the worker sends them (blocks, summaries, faults) and as the model holds them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

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
    """Value of a lane as Triton would broadcast the block to it; None outside of the block.

    A block of fewer dimensions is aligned at the right, as in Triton; a lane of fewer dimensions
    than the block (a scalar's lane) names the first element of the missing ones.
    """
    if not len(block):
        return None
    rank = len(block.shape)
    padded = tuple(lane[len(lane) - rank :]) if len(lane) >= rank else tuple(lane)
    padded += (0,) * (rank - len(padded))
    flat = 0
    for size, position in zip(block.shape, padded, strict=True):
        if size > 1 and not 0 <= position < size:
            return None
        flat = flat * size + (position if size > 1 else 0)
    value: Number = block.values[flat]
    return value


def lane_of(shape: Sequence[int], flat: int) -> tuple[int, ...]:
    """Indices of the ``flat``-th element of a C-contiguous block."""
    lane: list[int] = []
    for size in reversed(shape):
        flat, position = divmod(flat, size) if size else (0, 0)
        lane.append(position)
    return tuple(reversed(lane))


def flat_of(shape: Sequence[int], lane: Sequence[int]) -> int:
    flat = 0
    for size, position in zip(shape, lane, strict=True):
        flat = flat * size + position
    return flat


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
