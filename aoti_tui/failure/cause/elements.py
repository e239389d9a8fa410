"""Which elements of an input are wrong, which tensor they index, and who else has that size.

All from the wrapper and the inputs file: nothing runs. An element is only named where the index is
its value unchanged and where every element that the assert checks can be listed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from aoti_tui.artifacts.strides import flat_of, index_of
from aoti_tui.failure.model import (
    BadElement,
    BadElements,
    IndexedTensor,
    Program,
    Source,
    ValueProvenance,
)
from aoti_tui.failure.provenance.known import InputData, Known
from aoti_tui.flow.dataflow import DataFlow, Storage
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.model import Kernel, Launch, WrapperIndex
from aoti_tui.index.python.expression import read_python
from aoti_tui.kernel.addresses import elements_read, lanes_of, loaded_unchanged, masks_lanes_only
from aoti_tui.kernel.indexed import indexed_accesses
from aoti_tui.kernel.model import KernelAssert, KernelProgram

SHOWN = 4
"""Bad elements that are kept one by one; of the others only the count is."""
_MOST_PROGRAMS = 256
"""Programs of a log that are looked at for a lane that fails."""


def launch_sizes(kernel: Kernel, launch: Launch, known: Known) -> dict[str, int]:
    """The launch's size parameters that are known, by name."""
    found = {
        name: int(str(value))
        for name, value in kernel.constants.items()
        if re.fullmatch(r"-?\d+", str(value))
    }
    for argument in launch.arguments:
        if argument.value is not None:
            value = argument.value.known_int(known.symbols)
            if value is not None:
                found[argument.parameter] = value
    return found


def valid_range(found: KernelAssert, raw: str | None, bound: int) -> tuple[int | None, int]:
    """Smallest (None: not checked) and largest valid value of the raw index."""
    if raw not in (None, found.index):
        return -bound, bound - 1
    return (0 if found.lower is not None else None), bound - 1


def bad_elements(
    flow: DataFlow,
    program_of: Callable[[str], KernelProgram],
    kernel: Kernel,
    found: KernelAssert,
    launch: Launch,
    index: ValueProvenance,
    bound: int,
    known: Known,
    programs: tuple[Program, ...] = (),
) -> BadElements | None:
    """The elements of an input that the assert fails for; None when the index is no input's data
    unchanged, when not all elements that are checked can be listed, or when none is bad.

    ``programs`` are those that a log names.
    """
    program = program_of(kernel.name)
    raw = index.raw or index.text
    if bound <= 0 or not raw.isidentifier() or not masks_lanes_only(found.mask):
        return None
    load = loaded_unchanged(program, raw, found.order if found.order >= 0 else None)
    if load is None or not masks_lanes_only(ast.unparse(load.mask) if load.mask else None):
        return None
    argument = launch.argument(load.pointers[0])
    if argument is None or argument.tensor is None:
        return None
    behind = _input_behind(flow, argument.tensor, launch, known)
    if behind is None:
        return None
    data, start = behind
    order = next(a.order for a in program.assignments if load in a.loads)
    sizes = launch_sizes(kernel, launch, known)
    offsets = elements_read(program, load, order, sizes)
    if offsets is None:
        return None
    lowest, highest = valid_range(found, raw, bound)
    bad = _collected(data, (start + offset for offset in offsets), lowest, highest)
    if bad is None or not programs:
        return bad

    def fails(lanes: Mapping[str, range]) -> bool | None:
        read = elements_read(program, load, order, sizes, lanes)
        if read is None:
            return None
        return _collected(data, (start + at for at in read), lowest, highest) is not None

    return replace(bad, in_logged=in_programs(program, kernel, sizes, programs, fails))


def in_programs(
    program: KernelProgram,
    kernel: Kernel,
    sizes: Mapping[str, int],
    programs: tuple[Program, ...],
    fails: Callable[[Mapping[str, range]], bool | None],
) -> bool | None:
    """Whether some of these programs of a log have lanes for which ``fails`` holds; None where
    that is not known.

    True as well where the wrapper does not say the block sizes: the log's programs are then not
    those of any other run.
    """
    if "XBLOCK" in program.constexprs and "XBLOCK" not in kernel.blocks:
        return True
    for place in programs[:_MOST_PROGRAMS]:
        lanes = lanes_of(program, place, kernel.blocks, sizes)
        found = None if lanes is None else fails(lanes)
        if found is not False:
            return found
    return False if len(programs) <= _MOST_PROGRAMS else None


def _collected(
    data: InputData, places: Iterator[int], lowest: int | None, highest: int
) -> BadElements | None:
    """The bad ones among elements counted in memory; None when one lies outside of the tensor."""
    bad: list[BadElement] = []
    read = 0
    for place in sorted(set(places)):
        index = index_of(data.shape, data.stride, place)
        if index is None:
            return None
        read += 1
        value = data.elements[flat_of(data.shape, index)]
        if value > highest or (lowest is not None and value < lowest):
            bad.append(BadElement(index, place, value))
    if not bad:
        return None
    above = sum(1 for one in bad if one.value > highest + 1)
    equal = sum(1 for one in bad if one.value == highest + 1)
    return BadElements(
        name=data.name,
        position=data.position,
        shape=data.shape,
        first=tuple(sorted(bad, key=lambda one: one.index)[:SHOWN]),
        count=len(bad),
        lowest=lowest,
        highest=highest,
        smallest=min(one.value for one in bad),
        largest=max(one.value for one in bad),
        read=read,
        equal=equal,
        above=above,
        below=len(bad) - above - equal,
    )


def _input_behind(
    flow: DataFlow,
    view: TensorView,
    launch: Launch,
    known: Known,
) -> tuple[InputData, int] | None:
    """The given input that a launch's argument is (a view of), and the element it starts at; None
    when it is none, or when something was written to it before."""
    if view.dtype is not None:
        return None
    moment = flow.before(launch)
    behind = flow.offset_in(view.base, moment)
    if behind is None:
        return None
    name, offsets = behind
    data = known.data.get(name)
    parts = [offset.known_int(known.symbols) for offset in (view.offset, *offsets)]
    if data is None or flow.writers(Storage(name, moment.function, None), moment):
        return None
    known_parts = [part for part in parts if part is not None]
    return (data, sum(known_parts)) if len(known_parts) == len(parts) else None


# -- the tensor that is indexed -------------------------------------------------------------------


def indexed_tensor(
    flow: DataFlow,
    program: KernelProgram,
    kernel: Kernel,
    found: KernelAssert,
    launch: Launch,
    bound: int | None,
    known: Known,
) -> IndexedTensor | None:
    """The tensor of the first access after the assert that uses the checked index."""
    for access in indexed_accesses(program, found):
        argument = launch.argument(access.pointer)
        if argument is None or argument.tensor is None:
            continue
        view = argument.tensor
        given = flow.index.input_named(view.base)
        constant = flow.index.constant_named(view.base)
        sizes = launch_sizes(kernel, launch, known)
        dim = None
        if bound is not None:
            dim = _walked(_layout(flow, view, launch, known), bound, access.coefficient, sizes)
        return IndexedTensor(
            parameter=access.pointer,
            name=(constant.fqn or constant.name) if constant is not None else view.base,
            position=given.position if given is not None else None,
            dim=dim,
            size=bound if dim is not None else None,
        )
    return None


def _layout(
    flow: DataFlow, view: TensorView, launch: Launch, known: Known
) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
    """Sizes and strides of an argument as numbers; None for those that are not known."""
    given = flow.index.input_named(view.base)
    if given is not None and view.sizes is None:
        rank = 1 + max((d for p, d in known.dims if p == given.position), default=-1)
        sizes = tuple(known.dims.get((given.position, dim)) for dim in range(rank))
        strides = known.strides.get(given.position, ())
        return sizes, (*strides, *[None] * rank)[:rank]
    layout = flow.sizes_of(view, flow.before(launch))
    if layout is None:
        return (), ()
    extents, steps = (tuple(e.known_int(known.symbols) for e in part) for part in layout)
    return extents, steps


def _walked(
    layout: tuple[tuple[int | None, ...], tuple[int | None, ...]],
    bound: int,
    coefficient: str | None,
    sizes: Mapping[str, int],
) -> int | None:
    """The dimension of that size which the index walks; None when several could be."""
    fitting = [dim for dim, size in enumerate(layout[0]) if size == bound]
    if len(fitting) > 1 and coefficient is not None:
        step = read_python(coefficient).known(sizes)
        if step is None:
            return None
        fitting = [dim for dim in fitting if layout[1][dim] == step]
    return fitting[0] if len(fitting) == 1 else None


# -- who else has the size --------------------------------------------------------------------


def same_sizes(
    index: WrapperIndex, known: Known, sources: tuple[Source, ...], bound: int | None
) -> tuple[Source, ...]:
    """Other inputs' dimensions that share a symbol of the bound; those that are
    empty as well, where the bound is a buffer's size that was compiled as 0.

    Equal sizes share one symbol, which is read off one input: the others have no symbol of their
    own, the same guards and, in the given inputs, the same size. Where another symbol has that
    size too, nothing tells whose they are, and none is named.
    """
    if [s.kind for s in sources] == ["buffer_dim"] and bound == 0:
        return tuple(
            _dimension_of(index, known, position, dim)
            for (position, dim), size in sorted(known.dims.items())
            if size == 0
        )
    dims = [s for s in sources if s.kind == "input_dim"]
    shared = [
        place
        for s in dims
        if s.position is not None and s.dim is not None
        for place in index.dims_sharing(s.position, s.dim)
    ]
    if shared:
        named = {(s.position, s.dim) for s in sources}
        others = (place for place in dict.fromkeys(shared) if place not in named)
        return tuple(_dimension_of(index, known, position, dim) for position, dim in others)
    if len(sources) != 1 or len(dims) != 1:
        return ()
    own = dims[0]
    if own.position is None or own.dim is None:
        return ()
    size = known.dims.get((own.position, own.dim))
    if size is None:
        return ()
    symbols = {
        (s.position, s.dim)
        for s in index.symbols
        if s.kind == "input_dim" and s.position is not None and s.dim is not None
    }
    guards = _guarded(index, own.position, own.dim)
    if not guards:
        return ()
    for position, dim in symbols - {(own.position, own.dim)}:
        if position is not None and dim is not None:
            alike = _guarded(index, position, dim) == guards
            if alike and known.dims.get((position, dim)) == size:
                return ()
    found = []
    for (position, dim), other in sorted(known.dims.items()):
        if (position, dim) in symbols or other != size:
            continue
        if _guarded(index, position, dim) == guards and not _fixed(index, position, dim):
            found.append(_dimension_of(index, known, position, dim))
    return tuple(found)


def _dimension_of(index: WrapperIndex, known: Known, position: int, dim: int) -> Source:
    name = next((i.name for i in index.inputs if i.position == position), None)
    return Source("input_dim", position, dim, name, user=known.user.get(position))


def _guarded(index: WrapperIndex, position: int, dim: int) -> frozenset[tuple[str, str]]:
    return frozenset(
        (g.check, g.value)
        for g in index.guards_of(position, dim)
        if g.check in ("min", "max", "equals")
    )


def _fixed(index: WrapperIndex, position: int, dim: int) -> bool:
    return any(g.check == "equals" for g in index.guards_of(position, dim))
