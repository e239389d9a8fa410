"""A bad access that no assert stands before, explained as a failure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from aoti_tui.failure.cause.fixes import access_fixes
from aoti_tui.failure.cause.guards import guard_findings
from aoti_tui.failure.compiled import in_users_terms
from aoti_tui.failure.condition.any_size import access_condition_for_any_size
from aoti_tui.failure.condition.inequality import Condition
from aoti_tui.failure.explain import Explainer
from aoti_tui.failure.model import (
    BadAccess,
    Candidate,
    Cause,
    Failure,
    ProvenanceNode,
    ValueProvenance,
)
from aoti_tui.failure.own_kernels import in_scripts_terms
from aoti_tui.failure.prose.ops import op_patterns
from aoti_tui.failure.provenance.known import Known
from aoti_tui.failure.provenance.tree import sources_of
from aoti_tui.failure.steps import Bound, FixedSize, Index
from aoti_tui.index.model import Launch
from aoti_tui.kernel.model import KernelProgram, Load, Store
from aoti_tui.kernel.slice import slice_expression


def address_of(
    explainer: Explainer, launch: Launch, access: BadAccess, known: Known | None = None
) -> ValueProvenance:
    """Where the offset of an access comes from: its data, or else the sizes that bound the program
    and lane numbers it is made of."""
    entry = explainer.index.kernels[launch.kernel]
    program = explainer.program_of(launch.kernel)
    best: ValueProvenance | None = None
    tracer = explainer.tracer(known)
    for one, order in accesses(program, access.kernel_line, access.parameter):
        offset = one.offset
        if offset is None:
            continue
        tree = slice_expression(program, offset, order, access.kernel_line)
        text = ast.unparse(offset)
        node = ProvenanceNode(
            Index(text, text),
            entry.wrapper_line(access.kernel_line),
            kernel=launch.kernel,
            kernel_line=access.kernel_line,
            value=access.element,
            elsewhere=entry.elsewhere(access.kernel_line),
            children=tuple(tracer.value(launch, launch.kernel, child) for child in tree.children),
        )
        found = ValueProvenance(text, text, node, sources_of(node), access.element)
        if found.sources:
            return found
        best = best or found
    return best or ValueProvenance(
        access.parameter, None, ProvenanceNode(FixedSize(access.parameter)), (), access.element
    )


def explain_access(
    explainer: Explainer,
    launch: Launch,
    access: BadAccess,
    address: ValueProvenance,
    cause: Cause,
    known: Known,
    notes: tuple[str, ...],
) -> Failure:
    """The failure of an access that left its tensor."""
    kernel = explainer.index.kernels[launch.kernel]
    wrapper_line = kernel.wrapper_line(access.kernel_line)
    size = ProvenanceNode(
        Bound(str(access.size)),
        wrapper_line,
        kernel=kernel.name,
        kernel_line=access.kernel_line,
        children=(ProvenanceNode(FixedSize(str(access.size))),),
        elsewhere=kernel.elsewhere(access.kernel_line),
    )
    bound = ValueProvenance(str(access.size), None, size, (), access.size)
    ops = op_patterns(launch.aten)
    candidate = Candidate(
        kernel.name, access.kernel_line, wrapper_line, (launch,), "found by a replay", 0
    )
    failure = Failure(
        message=access.words,
        kernel=kernel.name,
        kernel_line=access.kernel_line,
        wrapper_line=wrapper_line,
        launches=(launch,),
        candidates=(candidate,),
        programs=(access.program,),
        threads=0,
        bound=bound,
        index=address,
        guards=guard_findings(explainer.index, address.sources, known),
        source_nodes=launch.source_nodes,
        aten=launch.aten,
        ops=ops,
        cause=cause,
        possible_causes=(),
        fixes=access_fixes(
            cause,
            address.sources,
            kernel.name,
            explainer.index.device,
            _condition(explainer, launch, access, known),
        ),
        notes=notes,
        model_frames=launch.model_frames,
        debug_handle=launch.debug_handle,
        launch=launch,
        access=access,
        fired=(access.program,),
    )
    own = in_users_terms(failure, explainer.index, known)
    return in_scripts_terms(own, explainer.index)


def _condition(explainer: Explainer, launch: Launch, access: BadAccess, known: Known) -> Condition:
    """What must hold of a call so that the access stays inside, where it can be said."""
    program = explainer.program_of(launch.kernel)
    found = list(accesses(program, access.kernel_line, access.parameter))
    if len(found) != 1 or len(found[0][0].pointers) != 1:
        return Condition()
    one, order = found[0]
    return access_condition_for_any_size(
        explainer.flow, explainer.program_of, one, order, launch, access.size, known
    )


def accesses(
    program: KernelProgram, kernel_line: int, argument: str
) -> Iterator[tuple[Load | Store, int]]:
    """The accesses to an argument on a line, with their place among the statements."""
    assigned: set[int] = set()
    for assignment in program.assignments:
        for load in assignment.loads:
            assigned.add(id(load.node))
            if load.line == kernel_line and argument in load.pointers:
                yield load, assignment.order
    for load in program.loads:
        # `tl.store(out + o, tl.load(x + i))`: a load that no name keeps.
        if load.line == kernel_line and argument in load.pointers and id(load.node) not in assigned:
            after = [s.order for s in program.stores if s.line <= load.line]
            yield load, after[-1] if after else 0
    for store in program.stores:
        if store.line == kernel_line and argument in store.pointers:
            yield store, store.order
