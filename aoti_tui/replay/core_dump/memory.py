"""The tensors that the failing launch read, where they lie in the dump."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from aoti_tui.artifacts.core_dump.model import CoreDump
from aoti_tui.index.model import Argument, WrapperIndex
from aoti_tui.replay.core_dump.failing_launch import FailingLaunch
from aoti_tui.replay.core_dump.solving import Number
from aoti_tui.replay.data.captured_files import CapturedMemory, CapturedTensors
from aoti_tui.replay.data.held_tensors import DTYPE_OF_SIGNATURE, contiguous
from aoti_tui.replay.data.inputs import expected_inputs

_ITEM_BYTES = {"64": 8, "32": 4, "16": 2}


def captured_of(
    index: WrapperIndex, dump: CoreDump, plain: Path, found: FailingLaunch
) -> tuple[CapturedTensors, tuple[str, ...]]:
    """The launch's tensors as captured data, and notes on those that are not all there.

    ``plain`` is the file in which the dump's memory lies.
    """
    files: dict[tuple[str, str, str], str | CapturedMemory] = {}
    notes: list[str] = []
    values = {name: value for name, (value, _) in found.solved.items()}
    types = {one.name: one.type for one in found.passed or ()}
    for argument in found.launch.arguments:
        address = found.addresses.get(argument.parameter)
        view, dtype = argument.tensor, DTYPE_OF_SIGNATURE.get(types.get(argument.parameter, "")[1:])
        if address is None or view is None or dtype is None:
            continue
        held = _held(index, dump, plain, found, argument, address, dtype, values)
        if isinstance(held, str):
            notes.append(f"{argument.text} ({argument.parameter}): {held}")
        else:
            files["before", found.kernel.name, view.base] = held
    symbols = {
        name: (value, f"{parameter} of the core dump")
        for name, (value, parameter) in found.solved.items()
    }
    captured = CapturedTensors(
        dump.path, files, launch=found.launch.id, symbols=symbols, source="gpu"
    )
    return captured, tuple(notes)


def _held(
    index: WrapperIndex,
    dump: CoreDump,
    plain: Path,
    found: FailingLaunch,
    argument: Argument,
    address: int,
    dtype: str,
    values: Mapping[str, Number],
) -> CapturedMemory | str:
    """The whole tensor behind an argument, or why it is not there."""
    assert argument.tensor is not None
    width = item_bytes(dtype)
    layout = layout_of(index, argument.tensor.base, values)
    offset = argument.tensor.offset.known_int(values)
    if layout is not None and offset is not None:
        shape, stride = layout
        count = _span(shape, stride)
        start, guessed = address - offset * width, False
    else:
        end = _next_address(dump, found, address)
        count = max(0, end - address) // width
        shape, stride, start, guessed = (count,), (1,), address, True
    if count == 0:
        return CapturedMemory(str(plain), (), dtype, shape, stride, guessed)
    pieces = tuple(_pieces(dump, start, count * width))
    held = sum(size for _, size in pieces)
    if not dump.memory:
        return "the dump holds no memory"
    if held < count * width:
        return f"only {held:,} of its {count * width:,} bytes at 0x{start:x} are in the dump"
    return CapturedMemory(str(plain), pieces, dtype, shape, stride, guessed)


def layout_of(
    index: WrapperIndex, base: str, values: Mapping[str, Number]
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Sizes and strides of a tensor under these symbols; None where one of them is not known."""
    constant = index.constant_named(base)
    if constant is not None:
        return constant.shape, constant.stride
    given = index.input_named(base)
    if given is not None:
        return _input_layout(index, given.position, base, values)
    buffer = next((b for b in index.buffers if b.name == base and b.sizes is not None), None)
    if buffer is None or buffer.sizes is None:
        return None
    shape = [size.known_int(values) for size in buffer.sizes]
    stride = [one.known_int(values) for one in buffer.strides or ()]
    return _known(shape, stride)


def _input_layout(
    index: WrapperIndex, position: int, name: str, values: Mapping[str, Number]
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    for check in index.checks:
        layout = check.layout
        if layout is not None and layout.base == name and layout.sizes is not None:
            return _known(
                [size.known_int(values) for size in layout.sizes],
                [one.known_int(values) for one in layout.strides or ()],
            )
    expected = expected_inputs(index)[position]
    if expected.shape is None:
        return None
    own = {
        s.dim: values.get(s.name)
        for s in index.symbols
        if s.kind == "input_dim" and s.position == position
    }
    shape = [size if size is not None else own.get(d) for d, size in enumerate(expected.shape)]
    return _known(shape, list(expected.stride or ()))


def _known(
    shape: list[int | float | None] | list[int | None], stride: list[int | None]
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    if None in shape:
        return None
    sizes = tuple(int(size) for size in shape if size is not None)
    steps = tuple(step for step in stride if step is not None)
    return sizes, steps if len(steps) == len(sizes) else contiguous(sizes)


def _span(shape: tuple[int, ...], stride: tuple[int, ...]) -> int:
    """Elements from the first to the last that sizes and strides reach."""
    if 0 in shape:
        return 0
    return 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))


def _next_address(dump: CoreDump, found: FailingLaunch, address: int) -> int:
    """Where something else begins: another argument, or what the dump does not hold."""
    held = dump.range_at(address)
    end = held.end if held is not None else address
    return min([one for one in found.addresses.values() if one > address] + [end])


def _pieces(dump: CoreDump, address: int, size: int) -> Iterator[tuple[int, int]]:
    """Offset in the file and bytes of each part; fewer bytes than asked for where they end."""
    while size > 0 and (held := dump.range_at(address)) is not None:
        part = min(size, held.end - address)
        yield held.offset + address - held.address, part
        address += part
        size -= part


def item_bytes(dtype: str) -> int:
    """Bytes of one element (``int64``: 8)."""
    if dtype.startswith("float8") or dtype == "bool":
        return 1
    return next((size for end, size in _ITEM_BYTES.items() if dtype.endswith(end)), 1)
