"""Which of a launch's arguments its kernel reads and writes, and what each output is made of."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from aoti_tui.index.model import Kernel, Launch
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.parse import names_read, parse_kernel


@dataclass(frozen=True, slots=True)
class KernelAccess:
    """Parameters of one kernel by what it does with them.

    ``inputs_of`` maps a written parameter to all parameters (pointers and scalars) that its data,
    addresses and masks are made of. When the source is not known or not understood names and
    ``mutated_arg_names`` decide, and ``loads`` is empty.
    """

    reads: frozenset[str]
    """Whose contents before the launch matter, also those of which it overwrites a part."""
    writes: frozenset[str]
    inputs_of: dict[str, frozenset[str]]
    loads: frozenset[str] = frozenset()
    """Whose elements it loads."""
    by_value: frozenset[str] = frozenset()
    """Numbers: where a launch passes a tensor of no dimensions there, it reads it itself."""

    @property
    def matters(self) -> frozenset[str]:
        """Parameters whose data a launch depends on."""
        return self.reads | self.by_value


def program_of_kernel(kernel: Kernel) -> KernelProgram:
    """The kernel's source, understood; a program with a ``problem`` when there is none."""
    pointers = [p.name for p in kernel.parameters if p.is_pointer]
    return parse_kernel(kernel.source, kernel.function, pointers or None)


def kernel_access(kernel: Kernel, program: KernelProgram) -> KernelAccess:
    """What ``kernel`` reads and writes, out of its loads, stores and atomics."""
    pointers = {p.name for p in kernel.parameters if p.is_pointer}
    by_value = frozenset(p.name for p in kernel.parameters if p.is_value)
    if not pointers:
        pointers = {p for p in program.parameters if "ptr" in p and p not in by_value}
    if program.problem or not program.parameters:
        return _by_name(kernel, pointers)
    loads: set[str] = set()
    for assignment in program.assignments:
        for load in assignment.loads:
            loads.update(load.pointers)
    # A mutated output keeps what is not stored to; an in_out_ptr that is never loaded only takes
    # over another buffer's memory.
    reads = loads | {name for name in kernel.mutated if not name.startswith("in_out_ptr")}
    writes: set[str] = set()
    inputs_of: dict[str, frozenset[str]] = {}
    for store in program.stores:
        if store.atomic:
            reads.update(store.pointers)
            loads.update(store.pointers)
        parts = [part for part in (store.offset, store.value, store.mask) if part is not None]
        made_of = parameters_behind(program, (n for part in parts for n in names_read(part)))
        for pointer in store.pointers:
            writes.add(pointer)
            inputs_of[pointer] = inputs_of.get(pointer, frozenset()) | made_of
            if pointer in reads or store.atomic:
                inputs_of[pointer] |= {pointer}
    for name in pointers - reads - writes:
        # Handed to something the parser does not see through (a helper that loads and stores).
        if any(name in a.reads for a in program.assignments):
            reads.add(name)
            loads.add(name)
            if not name.startswith("in_ptr"):
                writes.add(name)
                inputs_of[name] = frozenset(program.parameters)
    if not writes:
        named = _by_name(kernel, pointers)
        return KernelAccess(
            frozenset(reads) | named.reads,
            named.writes,
            named.inputs_of,
            frozenset(loads),
            by_value,
        )
    return KernelAccess(
        frozenset(reads & pointers),
        frozenset(writes & pointers),
        inputs_of,
        frozenset(loads),
        by_value,
    )


def _by_name(kernel: Kernel, pointers: set[str]) -> KernelAccess:
    names = pointers or {p for p in kernel.call_parameters if "ptr" in p or p.startswith("arg_")}
    writes = {n for n in names if n.startswith(("out_ptr", "in_out_ptr")) or n in kernel.mutated}
    odd = {n for n in names if not n.startswith(("in_ptr", "out_ptr", "in_out_ptr"))}
    reads = {n for n in names if n.startswith(("in_ptr", "in_out_ptr")) or n in kernel.mutated}
    everything = frozenset(names)
    return KernelAccess(
        frozenset(reads | odd),
        frozenset(writes | odd),
        dict.fromkeys(writes | odd, everything),
    )


def parameters_behind(program: KernelProgram, names: Iterable[str]) -> frozenset[str]:
    """Every parameter that could have a part in the value of ``names``.

    Addresses and masks of loads, and the ranges of loops around an assignment, count as parts.
    """
    parameters = frozenset(program.parameters)
    found: set[str] = set()
    seen: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        if name in seen:
            continue
        seen.add(name)
        # A parameter can be assigned to as well (xnumel = 16): then it is both.
        for assignment in program.by_name.get(name, ()):
            queue.extend(assignment.reads)
            queue.extend(p for load in assignment.loads for p in load.pointers)
            for loop in program.loops:
                if assignment.loop is not None and loop.line <= assignment.line <= loop.end_line:
                    queue.extend(loop.reads)
        if name in parameters:
            found.add(name)
    return frozenset(found)


def condition_names(node: ast.expr) -> tuple[str, ...]:
    """Names that a condition reads."""
    return tuple(dict.fromkeys(names_read(node)))


@dataclass(frozen=True, slots=True)
class LaunchAccess:
    """Tensor names of the wrapper that a launch reads and writes (bases of views)."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]


def launch_access(launch: Launch, access: KernelAccess) -> LaunchAccess:
    reads: list[str] = []
    writes: list[str] = []
    for argument in launch.arguments:
        if argument.tensor is None:
            continue
        if argument.parameter in access.matters:
            reads.append(argument.tensor.base)
        if argument.parameter in access.writes:
            writes.append(argument.tensor.base)
    return LaunchAccess(tuple(dict.fromkeys(reads)), tuple(dict.fromkeys(writes)))
