"""One failed assert, explained: the whole chain from a log line to cause and fix."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

from aoti_tui.failure.cause.causes import (
    Question,
    cause_by_elements,
    cause_by_range,
    confirmed_cause,
    possible_causes,
)
from aoti_tui.failure.cause.elements import bad_elements, indexed_tensor, same_sizes
from aoti_tui.failure.cause.evidence import Evidence
from aoti_tui.failure.cause.fixes import fixes_for
from aoti_tui.failure.cause.guards import guard_findings
from aoti_tui.failure.cause.ranges import Ranges
from aoti_tui.failure.log.match import match_assert
from aoti_tui.failure.log.work_groups import placed
from aoti_tui.failure.model import (
    BAD_INDEX,
    Candidate,
    Cause,
    Failure,
    LoggedAssert,
    LogReading,
    Source,
    ValueProvenance,
)
from aoti_tui.failure.prose.ops import op_patterns
from aoti_tui.failure.provenance.bounds import bound_tree, index_tree, indexed_accesses
from aoti_tui.failure.provenance.tracing import Tracer
from aoti_tui.failure.provenance.tree import Known, sources_of
from aoti_tui.flow.storages import Memory
from aoti_tui.index.expression import Expr, ExpressionError
from aoti_tui.index.model import Kernel, Launch, LaunchId, WrapperIndex
from aoti_tui.index.python.expression import parse_python
from aoti_tui.kernel.asserts import raw_index
from aoti_tui.kernel.model import KernelAssert, KernelProgram
from aoti_tui.kernel.parse import names_read
from aoti_tui.kernel.slice import is_index_only, slice_expression


class Explainer:
    """Answers for one wrapper. Holds what is worth keeping between questions, decides nothing."""

    def __init__(self, index: WrapperIndex, program_of: Callable[[str], KernelProgram]) -> None:
        self.index = index
        self.program_of = program_of
        self.memory = Memory(index)

    def failures(self, log: LogReading, known: Known | None = None) -> tuple[Failure, ...]:
        """One failure for each assert of the log that fits a kernel, in the log's order.

        Asserts of different paths that fit the same place of the same kernel are one failure.
        """
        found: dict[tuple[str, int], Failure] = {}
        for logged in log.asserts:
            candidates = match_assert(self.index, self.program_of, logged)
            if not candidates:
                continue
            key = (candidates[0].kernel, candidates[0].kernel_line)
            whole = placed(logged, self.index.kernels[candidates[0].kernel])
            if key in found:
                found[key] = _merged(found[key], whole)
            else:
                found[key] = self.explain(candidates[0], candidates, whole, known)
        return tuple(found.values())

    def explain_assert(
        self, kernel: str, kernel_line: int, known: Known | None = None
    ) -> Failure | None:
        """The failure that an assert would be, for a kernel that no log names."""
        entry = self.index.kernels.get(kernel)
        program = self.program_of(kernel) if entry is not None else None
        if entry is None or program is None or program.assert_at(kernel_line) is None:
            return None
        launches = self.index.launches_of(kernel)
        candidate = Candidate(
            kernel, kernel_line, entry.wrapper_line(kernel_line), launches, "chosen by hand", 0
        )
        return self.explain(candidate, (candidate,), None, known)

    def access_sources(
        self, kernel: str, kernel_line: int, argument: str, identity: LaunchId
    ) -> tuple[Source, ...]:
        """Where the address of an access comes from: the sources of its offset's data, or of the
        sizes that bound it when it is made of program and lane numbers."""
        program = self.program_of(kernel)
        launch = self.index.launch(identity)
        for offset, order in _offsets(program, kernel_line, argument):
            tree = slice_expression(program, offset, order, kernel_line)
            found = sources_of(self.tracer().kernel_value(launch, kernel, tree))
            if found:
                return found
        return ()

    def explain(
        self,
        chosen: Candidate,
        candidates: tuple[Candidate, ...],
        logged: LoggedAssert | None,
        known: Known | None = None,
        evidence: Evidence | None = None,
        fired: LaunchId | None = None,
    ) -> Failure:
        """The failure of one candidate.

        ``evidence`` comes from a replay, which also settled the candidate and which launch
        ``fired``.
        """
        known = known or Known()
        kernel = self.index.kernels[chosen.kernel]
        program = self.program_of(chosen.kernel)
        found = next(
            a for a in program.asserts if a.line == chosen.kernel_line and not _other(a, logged)
        )
        launch = self._launch(chosen, fired)
        bound = self._bound(kernel, program, found, launch, known, evidence)
        index = self._index(kernel, program, found, launch, known)
        size = int(bound.value) if bound.value is not None else None
        bad = indexed = None
        if launch is not None:
            indexed = indexed_tensor(self.memory, program, kernel, found, launch, size, known)
        if launch is not None and size is not None:
            bad = bad_elements(
                self.memory, self.program_of, kernel, found, launch, index, size, known
            )
        guards = guard_findings(self.index, (*bound.sources, *index.sources), known)
        ops = op_patterns(launch.aten if launch is not None else ())
        question = self._question(program, found, bound, index)
        possible = possible_causes(question)
        evidence = evidence or Evidence(bound=size)
        if bad is None and not evidence.made_up:
            bad = evidence.bad
        cause = confirmed_cause(question, evidence)
        settled = logged is not None or evidence.fired
        if cause is None and settled and size is not None and bad is not None:
            cause = cause_by_elements(question, size, bad, known.truncated)
        if cause is None and launch is not None and settled:
            cause = self._cause_by_range(question, launch, program, found, bound, known)
        if cause is None:
            cause = replace(possible[0], evidence=evidence.notes)
        rest = () if cause.confirmed else possible[1:]
        return Failure(
            message=found.message or (logged.message if logged else ""),
            kernel=kernel.name,
            kernel_line=found.line,
            wrapper_line=kernel.wrapper_line(found.line),
            launches=chosen.launches,
            candidates=candidates,
            programs=logged.programs if logged is not None else (),
            threads=logged.threads if logged is not None else 0,
            bound=bound,
            index=index,
            guards=guards,
            source_nodes=launch.source_nodes if launch is not None else (),
            aten=launch.aten if launch is not None else (),
            ops=ops,
            cause=cause,
            possible_causes=rest,
            fixes=fixes_for(cause, bound, index, guards, ops, kernel.name),
            siblings=tuple(
                (a.line, a.message)
                for a in program.asserts
                if not (a.line == found.line and a.message == found.message) and not a.disabled
            ),
            logged=logged,
            model_frames=launch.model_frames if launch is not None else (),
            debug_handle=launch.debug_handle if launch is not None else None,
            notes=() if evidence.fired else _notes(candidates, chosen, launch),
            bad=bad if cause.code in BAD_INDEX else None,
            indexed=indexed,
            traced=evidence.traced if bad is None else "",
        )

    def _cause_by_range(
        self,
        question: Question,
        launch: Launch,
        program: KernelProgram,
        found: KernelAssert,
        bound: ValueProvenance,
        known: Known,
    ) -> Cause | None:
        """What the possible values of the raw index alone establish, once the bound is known."""
        if bound.value is None or found.order < 0 or not known.symbols:
            return None
        ranges = Ranges(self.program_of, self.memory, known.symbols, known.ranges)
        raw = ast.parse(question.raw, mode="eval").body
        span = ranges.of(launch, program, raw, found.order, 0)
        attained = is_index_only(program, raw, found.order)
        return cause_by_range(question, int(bound.value), span, attained)

    def _launch(self, chosen: Candidate, fired: LaunchId | None) -> Launch | None:
        launches = self.index.launches_of(chosen.kernel)
        for launch in launches:
            if launch.id == fired:
                return launch
        main = [la for la in launches if la.function.is_main]
        return next(iter(main or launches), None)

    def tracer(self, known: Known | None = None) -> Tracer:
        return Tracer(self.index, self.program_of, self.memory, known)

    def _bound(
        self,
        kernel: Kernel,
        program: KernelProgram,
        found: KernelAssert,
        launch: Launch | None,
        known: Known,
        evidence: Evidence | None,
    ) -> ValueProvenance:
        tree = bound_tree(self.tracer(known), kernel, program, found, launch)
        value: int | float | None = evidence.bound if evidence is not None else None
        if value is None:
            value = self.bound_value(found, launch, known)
        if value is not None:
            tree = replace(tree, value=str(value))
        sources = sources_of(tree)
        also = same_sizes(self.index, known, sources)
        return ValueProvenance(
            found.upper or found.lower or "", None, tree, sources, value, may_also_name=also
        )

    def bound_value(
        self, found: KernelAssert, launch: Launch | None, known: Known
    ) -> int | float | None:
        """The bound's value from known symbols; None where a name of it is not known."""
        if found.upper is None or launch is None:
            return None
        values: dict[str, int | float] = {}
        for argument in launch.arguments:
            if argument.value is not None:
                given = evaluate_argument(argument.value, known)
                if given is not None:
                    values[argument.parameter] = given
        try:
            return parse_python(found.upper).evaluate(values)
        except ExpressionError:
            return None

    def _index(
        self,
        kernel: Kernel,
        program: KernelProgram,
        found: KernelAssert,
        launch: Launch | None,
        known: Known,
    ) -> ValueProvenance:
        tree = index_tree(self.tracer(known), kernel, program, found, launch)
        return ValueProvenance(found.index or "", raw_index(program, found), tree, sources_of(tree))

    def _question(
        self,
        program: KernelProgram,
        found: KernelAssert,
        bound: ValueProvenance,
        index: ValueProvenance,
    ) -> Question:
        raw = index.raw or index.text
        return Question(
            index_text=index.text,
            raw=raw,
            bound_text=bound.text,
            bound=bound,
            index=index,
            two_sided=found.lower is not None,
            wraps_negatives=raw != found.index,
            mask=found.mask,
            access_masks=access_masks(program, found),
            confirm_command="aoti-tui explain WRAPPER --log LOG --inputs INPUTS.pt",
        )


def access_masks(program: KernelProgram, found: KernelAssert) -> tuple[str, ...]:
    """Masks of the accesses after the assert that use its index, as written.

    Without the mask of an axis along which the index does not vary: there, each index has lanes
    that take part in the access.
    """
    lines = {a.line for a in indexed_accesses(program, found) if a.line >= found.line}
    masks: list[ast.expr | None] = [
        load.mask for a in program.assignments for load in a.loads if load.line in lines
    ]
    masks += [store.mask for store in program.stores if store.line in lines]
    raw = raw_index(program, found)
    varies = _axes(program, raw) if raw is not None else None
    return tuple(_varying(m, varies) if m is not None else "None" for m in masks)


def _varying(mask: ast.expr, axes: frozenset[str] | None) -> str:
    """A mask as written, without the terms of axes that are not among ``axes``."""
    terms = ast.unparse(mask).split(" & ")
    kept = [t for t in terms if axes is None or not t.endswith("mask") or t[:-4] in axes]
    return " & ".join(t for t in kept) or "None"


def _axes(program: KernelProgram, expression: str) -> frozenset[str]:
    """Prefixes (``x``, ``y``, ``r0_``) of the axes along which a value can vary, through all
    that it is made of, addresses and masks included."""
    found: set[str] = set()
    pending = list(names_read(ast.parse(expression, mode="eval").body))
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        if name.endswith("index") and name[:-5] + "mask" in program.by_name:
            found.add(name[:-5])
            continue
        for definition in program.by_name.get(name, ()):
            pending.extend(names_read(definition.value))
            for load in definition.loads:
                for part in (load.offset, load.mask):
                    if part is not None:
                        pending.extend(names_read(part))
    return frozenset(found)


def _offsets(
    program: KernelProgram, kernel_line: int, argument: str
) -> Iterator[tuple[ast.expr, int]]:
    """Offsets of the accesses to an argument on a line, with their place among the statements."""
    for assignment in program.assignments:
        for load in assignment.loads:
            if load.line == kernel_line and argument in load.pointers and load.offset is not None:
                yield load.offset, assignment.order
    for store in program.stores:
        if store.line == kernel_line and argument in store.pointers and store.offset is not None:
            yield store.offset, store.order


def evaluate_argument(value: Expr, known: Known) -> int | float | None:
    """The value of a launch argument from known symbols; None when one is not known."""
    try:
        return value.evaluate_int(known.symbols)
    except ExpressionError:
        return None


def _other(found: KernelAssert, logged: LoggedAssert | None) -> bool:
    """Whether an assert on the same line is a different one."""
    return logged is not None and "".join(found.message.split()) != "".join(logged.message.split())


def _merged(failure: Failure, logged: LoggedAssert) -> Failure:
    return replace(
        failure,
        programs=tuple(dict.fromkeys((*failure.programs, *logged.programs))),
        threads=failure.threads + logged.threads,
    )


def _notes(
    candidates: tuple[Candidate, ...], chosen: Candidate, launch: Launch | None
) -> tuple[str, ...]:
    notes: list[str] = []
    if len(candidates) > 1:
        others = ", ".join(c.kernel for c in candidates if c is not chosen)
        notes.append(
            f"{len(candidates)} kernels fit the log; {chosen.kernel} is taken because it is "
            f"launched first and the first assert ends the process. Others: {others}"
        )
    if len(chosen.launches) > 1:
        lines = ", ".join(f":{la.line}" for la in chosen.launches)
        notes.append(
            f"{chosen.kernel} is launched {len(chosen.launches)} times ({lines}); the log does "
            f"not say which launch failed, :{launch.line if launch else '?'} is shown"
        )
    if launch is None:
        notes.append(f"{chosen.kernel} is never launched in this wrapper")
    return tuple(notes)
