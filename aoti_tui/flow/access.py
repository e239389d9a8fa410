"""Which of a launch's arguments its kernel reads and writes, and what each output is made of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from aoti_tui.index.model import Kernel, Launch
from aoti_tui.kernel.model import KernelProgram, Store
from aoti_tui.kernel.parse import names_read, parse_kernel
from aoti_tui.kernel.slice import is_index_only, slice_expression

_ONLY_READ = re.compile(r"in_ptr|arg_[A-Z]")
"""Names that Inductor gives to what a kernel only reads; a template's are ``arg_A``."""
_ONLY_WRITTEN = "out_ptr"


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
    covers: frozenset[str] = frozenset()
    """Which of ``writes`` it overwrites wholly: no atomic, no address that depends on data."""
    known: bool = True
    """Whether the kernel's source tells; else names do."""

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
        names = pointers or {p for p in kernel.call_parameters if "ptr" in p or p[:4] == "arg_"}
        return replace(access_by_name(names - by_value, kernel.mutated), by_value=by_value)
    loads = {pointer for load in program.loads for pointer in load.pointers}
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
        # Its address goes where the parser does not follow it.
        if any(name in a.reads for a in program.assignments):
            reads.add(name)
            loads.add(name)
            if not name.startswith("in_ptr"):
                writes.add(name)
                inputs_of[name] = frozenset(program.parameters)
    if not writes:
        named = access_by_name(pointers, kernel.mutated)
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
        frozenset(name for name in writes if _covers(program, name)),
    )


def access_by_name(names: Iterable[str], mutated: Iterable[str] = ()) -> KernelAccess:
    """What the names of pointers tell of a kernel whose source is not there."""
    pointers = frozenset(names)
    changed = pointers & frozenset(mutated)
    writes = changed | {n for n in pointers if not _ONLY_READ.match(n)}
    reads = changed | {n for n in pointers if not n.startswith(_ONLY_WRITTEN)}
    covers = frozenset(n for n in writes - changed if n.startswith(_ONLY_WRITTEN))
    inputs_of = dict.fromkeys(writes, pointers)
    return KernelAccess(reads, writes, inputs_of, covers=covers, known=False)


def _covers(program: KernelProgram, pointer: str) -> bool:
    """Whether the stores to a parameter overwrite its whole tensor."""
    stores = [store for store in program.stores if pointer in store.pointers]
    return bool(stores) and all(_reaches_all(program, store) for store in stores)


def _reaches_all(program: KernelProgram, store: Store) -> bool:
    if store.atomic or store.through:
        return False
    if store.offset is None or is_index_only(program, store.offset, store.order):
        return True
    tree = slice_expression(program, store.offset, store.order, store.line)
    return not any(leaf.kind == "load" for leaf in tree.leaves())


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


@dataclass(frozen=True, slots=True)
class LaunchAccess:
    """Tensor names of the wrapper that a launch, or an op, reads and writes (bases of views)."""

    reads: frozenset[str]
    writes: frozenset[str]


def launch_access(launch: Launch, access: KernelAccess) -> LaunchAccess:
    tensors = [(a.parameter, a.tensor.base) for a in launch.arguments if a.tensor is not None]
    return LaunchAccess(
        frozenset(base for parameter, base in tensors if parameter in access.matters),
        frozenset(base for parameter, base in tensors if parameter in access.writes),
    )
