"""Naming one element of a launch's argument, by its place in memory or by dimensions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aoti_tui.artifacts.strides import flat_of
from aoti_tui.artifacts.strides import index_of as shape_index
from aoti_tui.index.model import Launch
from aoti_tui.replay.client import Progress
from aoti_tui.replay.data.held_tensors import Held, element_count
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import Block, Summary
from aoti_tui.replay.plan.launching import Prepared
from aoti_tui.replay.recorded.blocks import decode_block, decode_summary
from aoti_tui.replay.session import ReplaySession

MOST = 1 << 20
"""Elements read at a time: 8 MB of int64."""

_ELEMENT = re.compile(r"\s*(?P<argument>\w+)\s*\[(?P<index>[^\[\]]*)\]\s*")


@dataclass(frozen=True, slots=True)
class TensorElements:
    """Elements of a tensor, ``start`` onwards, in the order of its dimensions."""

    name: str
    """Kernel parameter, or the input's name in the wrapper."""
    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    source: str
    """As :mod:`aoti_tui.replay.model` has it: ``input``, ``replayed``, ``made-up`` …"""
    how: str
    start: int
    block: Block
    """One dimension: the elements read."""
    summary: Summary | None
    """Of the whole tensor."""

    @property
    def count(self) -> int:
        """Elements of the whole tensor."""
        return element_count(self.shape)

    @property
    def part(self) -> tuple[int, ...]:
        """The shape of what was read: whole rows of the first dimension where they are short
        enough, else one dimension."""
        row = element_count(self.shape[1:])
        if not self.shape or not row or self.start % row or len(self.block) % row:
            return (len(self.block),)
        return (len(self.block) // row, *self.shape[1:])

    def position_of(self, element: int) -> int | None:
        """From an element counted in memory (as loads have it) to its place in the order of the
        dimensions; None when none or several fit."""
        index = shape_index(self.shape, self.stride, element)
        if index is None:
            return None
        return flat_of(self.shape, index)


def read_argument(
    session: ReplaySession, launch: Launch, parameter: str, start: int = 0, count: int = MOST
) -> TensorElements:
    """At most ``count`` elements of an argument as the launch gets it, in whole rows that hold
    element ``start`` (in the order of the dimensions) where rows are short enough. Raises
    ReplayError."""
    with session.in_turn():
        held = tensor_of(session.prepared(launch), parameter)
        return _read(session, parameter, held, start, count)


def read_input(
    session: ReplaySession, position: int, start: int = 0, count: int = MOST
) -> TensorElements:
    """Elements of a given input of the model, as :func:`read_argument`. Raises ReplayError."""
    with session.in_turn():
        held = session.sources.input_held(position)
        name = session.index.inputs[position].name
        if held is None:
            raise ReplayError(
                "bad-inputs",
                f"The elements of {name} are not known",
                f"no inputs were given, and no launch takes input {position} as it is",
                "Give the model's inputs with --inputs FILE.pt",
            )
        return _read(session, name, held, start, count)


def _read(session: ReplaySession, name: str, held: Held, start: int, count: int) -> TensorElements:
    row = element_count(held.shape[1:])
    if 0 < row <= count:
        # Whole rows, so that what is shown keeps the tensor's dimensions.
        count -= count % row
        start -= start % row
    start = max(0, min(start, element_count(held.shape) - count))
    reply = session.client.request("read", name=held.handle, start=start, count=count)
    described = session.client.request("describe", name=held.handle)
    return TensorElements(
        name=name,
        dtype=held.dtype,
        shape=held.shape,
        stride=held.stride,
        source=held.storage.source,
        how=held.storage.how,
        start=start,
        block=decode_block(reply.get("block", reply), reply.blobs),
        summary=decode_summary(described.get("summary")),
    )


def parse_element(text: str) -> tuple[str, tuple[int, ...]]:
    """``("out_ptr0", (3, 7))`` of ``out_ptr0[3,7]``. Raises ReplayError."""
    match = _ELEMENT.fullmatch(text)
    parts = match["index"].split(",") if match is not None else []
    if match is None or not all(re.fullmatch(r"\s*-?\d+\s*", part) for part in parts):
        raise ReplayError(
            "bad-inputs",
            f"{text!r} names no element",
            "an argument and the element's position are needed",
            "Write it as out_ptr0[123] (counted in memory) or out_ptr0[3,7] (by dimensions)",
        )
    return match["argument"], tuple(int(part) for part in parts)


def element_by_hand(
    session: ReplaySession, launch: Launch, text: str, progress: Progress | None = None
) -> tuple[str, int]:
    """Argument and element of ``out_ptr0[123]`` or ``out_ptr0[3,7]``.

    One number counts elements in memory from the data pointer, several are an index by the
    tensor's shape and strides. Raises ReplayError when there is no such element.
    """
    argument, index = parse_element(text)
    with session.at_launch(launch, f"looking up {text}", progress) as prepared:
        held = tensor_of(prepared, argument)
    return argument, element_in(argument, held, index)


def element_in(argument: str, held: Held, index: tuple[int, ...]) -> int:
    """The element that an index means, counted in memory from the data pointer: one number is
    that already, several are positions by dimension. Raises ReplayError."""
    if len(index) == 1:
        check_range(argument, held, index[0])
        return index[0]
    if len(index) != len(held.shape):
        raise ReplayError(
            "bad-inputs",
            f"{argument} has no element {list(index)}",
            f"it has {len(held.shape)} dimensions: {list(held.shape)}",
            "Give one position per dimension, or one number that counts elements in memory",
        )
    if any(not 0 <= at < size for at, size in zip(index, held.shape, strict=True)):
        raise ReplayError(
            "bad-inputs",
            f"{argument} has no element {list(index)}",
            f"its shape is {list(held.shape)}, and positions count from 0",
            "Choose an element inside of it",
        )
    return element_at(held, index)


def index_of(
    session: ReplaySession, launch: Launch, argument: str, element: int
) -> tuple[int, ...] | None:
    """The index by dimensions of an element counted in memory; None when none or several fit."""
    with session.at_launch(launch, f"looking up {argument}") as prepared:
        held = tensor_of(prepared, argument)
    return shape_index(held.shape, held.stride, element)


# -- tensors of a launch -------------------------------------------------------------------------


def tensor_of(prepared: Prepared, argument: str) -> Held:
    """The tensor of a parameter. Raises ReplayError when it has none."""
    held = prepared.held.get(argument)
    if held is not None:
        return held
    launch = prepared.launch
    known = any(a.name == argument for a in prepared.arguments)
    raise ReplayError(
        "bad-inputs",
        f"{argument} of {launch.kernel} is no tensor"
        if known
        else f"{launch.kernel} has no argument called {argument}",
        f"its tensors are {', '.join(prepared.held) or 'none'}",
        "Name one of these",
    )


def check_range(argument: str, held: Held, element: int) -> None:
    """Raises ReplayError for an element that shape and strides do not reach."""
    reach = sum((n - 1) * step for n, step in zip(held.shape, held.stride, strict=True))
    size = reach + 1 if element_count(held.shape) else 0
    if not 0 <= element < size:
        raise ReplayError(
            "bad-inputs",
            f"{argument} has no element {element}",
            f"it is {held.dtype} {list(held.shape)}, with elements 0 to {size - 1} in memory"
            if size
            else f"it is {held.dtype} {list(held.shape)} and has no elements",
            "Choose an element inside of it",
        )


def element_at(held: Held, index: Sequence[int]) -> int:
    """The place in memory of an index by dimensions, from the data pointer."""
    return sum(at * step for at, step in zip(index, held.stride, strict=True))
