"""Provenance of any name that stands on a line of the wrapper."""

from __future__ import annotations

from aoti_tui.failure.explain import Explainer
from aoti_tui.failure.model import ProvenanceNode
from aoti_tui.failure.provenance.known import Known
from aoti_tui.failure.steps import Launched
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.model import Function, Kernel, WrapperIndex
from aoti_tui.kernel.slice import slice_name


def trace_name(
    index: WrapperIndex, explainer: Explainer, known: Known, line: int, name: str
) -> ProvenanceNode | None:
    """The chain behind ``name`` as it stands on ``line``: a temporary or parameter of a kernel, or
    a symbol, buffer, input or constant of the wrapper. None when it is none of these."""
    kernel = index.kernel_at(line)
    if kernel is not None:
        return _kernel_name(index, explainer, known, kernel, line, name)
    return _wrapper_name(index, explainer, known, line, name)


def _kernel_name(
    index: WrapperIndex, explainer: Explainer, known: Known, kernel: Kernel, line: int, name: str
) -> ProvenanceNode | None:
    program = explainer.program_of(kernel.name)
    if name not in program.parameters and name not in program.by_name:
        return None
    kernel_line = kernel.kernel_line(line) or 0
    launches = index.launches_of(kernel.name)
    launch = launches[0] if launches else None
    tracer = explainer.tracer(known)
    if name in program.parameters and name not in program.by_name:
        argument = launch.argument(name) if launch is not None else None
        if argument is not None and launch is not None and argument.tensor is not None:
            return tracer.buffers.read_by(launch, argument.tensor)
    # A name on a line is the value before the statement, unless the line assigns it.
    here = program.assignment_at(kernel_line)
    before = None
    if here is not None:
        before = here.order + 1 if name in here.names else here.order
    else:
        later = [a.order for a in program.assignments if a.line > kernel_line]
        before = min(later) if later else None
    return tracer.value(launch, kernel.name, slice_name(program, name, before))


def _wrapper_name(
    index: WrapperIndex, explainer: Explainer, known: Known, line: int, name: str
) -> ProvenanceNode | None:
    tracer = explainer.tracer(known)
    at = tracer.flow.at_line(_function_at(index, line), line)
    symbol = tracer.flow.symbol(name, at)
    if symbol is not None:
        return tracer.sizes.symbol(symbol)
    given = index.input_named(name)
    if given is not None or index.constant_named(name) is not None:
        return tracer.sizes.of(name, at)
    if any(b.name == name for b in index.buffers):
        return tracer.buffers.data(TensorView(name), at)
    kernel = index.kernels.get(name.removeprefix("call_"))
    if kernel is not None:
        launched = Launched(kernel.name, len(index.launches_of(kernel.name)))
        return ProvenanceNode(launched, kernel.source_line or kernel.line, kernel=kernel.name)
    return None


def _function_at(index: WrapperIndex, line: int) -> Function:
    """The function of the nearest fact above the line."""
    places: list[tuple[int, Function]] = []
    for facts in (index.launches, index.symbols, index.buffers, index.externs):
        places.extend((fact.line, fact.function) for fact in facts if fact.line <= line)
    return max(places, key=lambda place: place[0], default=(0, index.main))[1]
