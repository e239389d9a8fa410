"""A launch made ready: values for every argument, block sizes and grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aoti_tui.flow.access import KernelAccess
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.model import Argument, Launch
from aoti_tui.replay.data.held_tensors import Held, replayed_from
from aoti_tui.replay.data.symbols import SymbolTable
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.kernels import KernelBook
from aoti_tui.replay.model import ArgumentValue, Program
from aoti_tui.replay.plan.geometry import Blocks, blocks_of, grid_of

_GRID_BLOCKS = ("XBLOCK", "YBLOCK", "ZBLOCK")


@dataclass(frozen=True, slots=True)
class Prepared:
    """``request_args`` are those of the worker's ``scan`` and ``record``; ``held`` tensors by
    parameter."""

    launch: Launch
    arguments: tuple[ArgumentValue, ...]
    request_args: dict[str, dict[str, Any]]
    held: dict[str, Held]
    blocks: Blocks
    grid: Program
    notes: tuple[str, ...] = ()
    grid_is_chosen: bool = False
    """Whether the grid rests on a block size that nothing tells."""


def prepare(
    launch: Launch,
    kernels: KernelBook,
    symbols: SymbolTable,
    hold: Callable[[TensorView], Held],
    item: Callable[[Held], int | float],
) -> Prepared:
    """Evaluate a launch's arguments; ``item`` reads a tensor's one element. Raises ReplayError
    when one of them cannot be known."""
    kernel = kernels.kernel(launch.kernel)
    access = kernels.flow.access(launch)
    types = {p.name: p.type for p in kernel.parameters}
    by_value = {p.name for p in kernel.parameters if p.is_value}
    arguments: list[ArgumentValue] = []
    request: dict[str, dict[str, Any]] = {}
    held_by: dict[str, Held] = {}
    numbers: dict[str, int | float] = {}
    notes: list[str] = []
    for argument in launch.arguments:
        name, kind = argument.parameter, types.get(argument.parameter, "")
        if argument.tensor is not None:
            held = hold(argument.tensor)
            if argument.parameter in by_value:
                # A tensor of no dimensions is passed by value (is_unspec_arg of
                # torch/_inductor/codegen/triton_utils.py), whatever the parameter is called.
                value = _as_declared(item(held), kind)
                numbers[name] = value
                arguments.append(_value_argument(argument, held, kind, value))
                request[name] = {"float" if isinstance(value, float) else "int": value}
                continue
            held_by[name] = held
            arguments.append(_tensor_argument(argument, held, access))
            request[name] = {"tensor": held.handle}
            if _reads_poison(name, held, access):
                notes.append(f"{argument.text} ({name}) is read, but nothing has written it")
            continue
        if argument.value is None or kind.startswith("*"):
            request[name] = {"none": True}
            continue
        value = symbols.number(argument.value)
        numbers[name] = value
        passed = _as_declared(value, kind)
        if passed != value and not isinstance(value, float):
            notes.append(f"{name} = {value} does not fit {kind}: the kernel gets {passed}")
        arguments.append(
            ArgumentValue(
                name,
                argument.text,
                symbols.source_of(argument.value),
                kind or type(value).__name__,
                (),
                passed,
                argument.text,
            )
        )
        if kind != "constexpr":
            request[name] = {"float" if isinstance(passed, float) else "int": passed}
    for parameter in kernel.parameters:
        # Up to torch 2.6 a size of 1 is a constant beside the signature, and no argument.
        fixed = kernel.constants.get(parameter.name)
        if parameter.name in request or parameter.type == "constexpr":
            continue
        if isinstance(fixed, int | float) and not isinstance(fixed, bool):
            request[parameter.name] = {"float" if isinstance(fixed, float) else "int": fixed}
    blocks = blocks_of(kernel, kernels.program(launch.kernel))
    grid = grid_of(
        kernel,
        launch,
        lambda axis: int(symbols.number(axis, numbers)),
        lambda axis: int(symbols.number(axis)),
    )
    unsaid = grid is None
    if grid is None:
        grid = _grid_from_extents(numbers, blocks)
        notes.append("the wrapper's grid is not understood: it was worked out from the extents")
    notes += [f"{name} = {blocks.sizes[name]} is a choice" for name in blocks.chosen]
    return Prepared(
        launch,
        tuple(arguments),
        request,
        held_by,
        blocks,
        grid,
        tuple(notes),
        grid_is_chosen=unsaid and any(name in _GRID_BLOCKS for name in blocks.chosen),
    )


def _value_argument(argument: Argument, held: Held, kind: str, value: int | float) -> ArgumentValue:
    storage = held.storage
    how = f"value of {argument.text}" + (f", {storage.how}" if storage.how else "")
    return ArgumentValue(
        argument.parameter, argument.text, storage.source, kind, (), value, how, held.handle
    )


def _tensor_argument(argument: Argument, held: Held, access: KernelAccess) -> ArgumentValue:
    reads = argument.parameter in access.reads
    source, how = held.storage.source, held.storage.how
    if not reads:
        source, how = "replayed", "only written here"
    elif not held.storage.written and argument.parameter in access.loads:
        source, how = "made-up", "never written: its contents are poison"
    return ArgumentValue(
        argument.parameter,
        argument.text,
        source,
        held.dtype,
        held.shape,
        None,
        how,
        held.handle,
    )


def _reads_poison(name: str, held: Held, access: KernelAccess) -> bool:
    return name in access.loads and not held.storage.written


def _as_declared(value: int | float, kind: str) -> int | float:
    """The value that arrives in a parameter of Triton type ``kind`` (``int32_t var = …``)."""
    if kind.startswith(("fp", "bf")):
        return float(value)
    if kind in ("i32", "i16", "i8", "i64") and not isinstance(value, float):
        bits = int(kind[1:])
        half = 1 << (bits - 1)
        return (value + half) % (1 << bits) - half
    if kind.startswith(("i", "u")) and isinstance(value, float):
        return int(value)
    return value


def _grid_from_extents(numbers: dict[str, int | float], blocks: Blocks) -> Program:
    sizes = []
    for prefix in "xyz":
        extent = int(numbers.get(f"{prefix}numel", 1))
        block = max(1, blocks.sizes.get(f"{prefix.upper()}BLOCK", 1))
        sizes.append(max(0, -(-extent // block)))
    return (sizes[0], sizes[1], sizes[2])


def written_sources(launch: Launch, prepared: Prepared, kernels: KernelBook) -> dict[str, str]:
    """Source of what a launch writes, by parameter: made-up when any part of it was."""
    access = kernels.flow.access(launch)
    by_name = {a.name: a.source for a in prepared.arguments}
    found: dict[str, str] = {}
    for parameter in prepared.held:
        if parameter not in access.writes:
            continue
        parts = access.inputs_of.get(parameter, frozenset(by_name))
        found[parameter] = replayed_from(by_name[p] for p in parts if p in by_name)
    return found


def need_grid(grid: Program, launch: Launch) -> None:
    """Raises ReplayError when the launch has no program at all."""
    if 0 in grid:
        raise ReplayError(
            "unknown",
            f"{launch.kernel} (:{launch.line}) runs no program",
            f"with these values its grid is {grid[0]}×{grid[1]}×{grid[2]}, so the wrapper skips it",
            "Choose other inputs or symbols",
        )
