"""One failed assert, explained: the whole chain from a log line to cause and fix."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace

from aoti_tui.failure.cause.access import ignored_target, ops_of_access
from aoti_tui.failure.cause.causes import (
    Question,
    cause_by_elements,
    cause_by_range,
    confirmed_cause,
    holds_words,
    possible_causes,
    settled,
    truncated_on,
    within,
)
from aoti_tui.failure.cause.elements import (
    bad_elements,
    in_programs,
    indexed_tensor,
    launch_sizes,
    same_sizes,
)
from aoti_tui.failure.cause.evidence import Evidence
from aoti_tui.failure.cause.fixes import Asked, fixes_for
from aoti_tui.failure.cause.guards import guard_findings
from aoti_tui.failure.cause.ranges import ANYTHING, Interval, Ranges
from aoti_tui.failure.cause.single_precision import in_single_precision
from aoti_tui.failure.compiled import in_users_terms, of_user
from aoti_tui.failure.condition.any_size import condition_for_any_size
from aoti_tui.failure.condition.formula import is_never_negative
from aoti_tui.failure.condition.inequality import Condition
from aoti_tui.failure.condition.quotients import whole_quotient
from aoti_tui.failure.condition.supposed import condition_without_inputs
from aoti_tui.failure.log.match import match_assert, traced_first
from aoti_tui.failure.log.work_groups import placed
from aoti_tui.failure.model import (
    BAD_INDEX,
    BadElements,
    Candidate,
    Cause,
    Failure,
    GuardFinding,
    IndexedTensor,
    LoggedAssert,
    LogReading,
    Program,
    ValueProvenance,
)
from aoti_tui.failure.own_kernels import in_scripts_terms
from aoti_tui.failure.prose.ops import op_patterns
from aoti_tui.failure.provenance.bounds import Asserted, bound_tree, index_tree
from aoti_tui.failure.provenance.known import Known
from aoti_tui.failure.provenance.tracing import Tracer
from aoti_tui.failure.provenance.tree import sources_of
from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.model import Launch, LaunchId, WrapperIndex
from aoti_tui.index.python.expression import read_python
from aoti_tui.kernel.addresses import taken
from aoti_tui.kernel.asserts import raw_index
from aoti_tui.kernel.indexed import access_masks, indexed_accesses, lost_masks
from aoti_tui.kernel.model import KernelAssert, KernelProgram
from aoti_tui.kernel.slice import is_index_only

_CONFIRM = "aoti-tui explain WRAPPER --log LOG --inputs INPUTS.pt"


class Explainer:
    """Answers for one wrapper. Holds what is worth keeping between questions, decides nothing."""

    def __init__(self, index: WrapperIndex, program_of: Callable[[str], KernelProgram]) -> None:
        self.index = index
        self.program_of = program_of
        self.flow = DataFlow(index, program_of)

    def failures(
        self, log: LogReading, known: Known | None = None, traced: tuple[Launch, ...] = ()
    ) -> tuple[Failure, ...]:
        """One failure for each assert of the log that fits a kernel, in the log's order.

        Asserts of different paths that fit the same place of the same kernel are one failure.
        ``traced`` are the launches that a traceback of the log names.
        """
        found: dict[tuple[str, int], Failure] = {}
        for logged in log.asserts:
            candidates = traced_first(match_assert(self.index, self.program_of, logged), traced)
            if not candidates:
                continue
            key = (candidates[0].kernel, candidates[0].kernel_line)
            whole = placed(logged, self.index.kernels[candidates[0].kernel])
            if key in found:
                found[key] = _merged(found[key], whole)
            else:
                fired = next((la.id for la in traced if la in candidates[0].launches), None)
                found[key] = self.explain(candidates[0], candidates, whole, known, fired=fired)
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
        known, evidence = known or Known(), evidence or Evidence()
        kernel = self.index.kernels[chosen.kernel]
        program = self.program_of(chosen.kernel)
        found = next(
            a for a in program.asserts if a.line == chosen.kernel_line and not _other(a, logged)
        )
        launch = self._launch(chosen, fired)
        asserted = Asserted(kernel, program, found, launch)
        bound = self._bound(asserted, known, evidence)
        index = self._index(asserted, known)
        size = int(bound.value) if bound.value is not None else None
        programs = logged.programs if logged is not None else ()
        bad = indexed = None
        if launch is not None:
            indexed = indexed_tensor(self.flow, program, kernel, found, launch, size, known)
        if launch is not None and size is not None:
            bad = bad_elements(
                self.flow, self.program_of, kernel, found, launch, index, size, known, programs
            )
        guards = guard_findings(self.index, (*bound.sources, *index.sources), known)
        ops = op_patterns(launch.aten if launch is not None else ())
        open_still = evidence.reasons and (evidence.contradictions or evidence.undecided)
        how = evidence.confirm_with or _CONFIRM
        if open_still:
            how = evidence.reasons[0].confirm_with
        question = _question(asserted, bound, index, how)
        condition = Condition()
        if launch is not None:
            condition = condition_for_any_size(self.flow, self.program_of, found, launch, known)
            if condition.text is None and not known.strides:
                condition = condition_without_inputs(self.flow, self.program_of, found, launch)
        span, reached = self._span(question, asserted, known, size, programs)
        reach = _reach(span, condition)
        allowed = possible_causes(question)
        possible = within(allowed, size, reach, question.wraps_negatives)
        holds = ""
        if not possible and size is not None and not in_single_precision(bound.text):
            holds = holds_words(question, size, reach)
        possible = possible or allowed
        if evidence.bound is None:
            evidence = replace(evidence, bound=size)
        if evidence.truncated_symbol is None:
            evidence = replace(evidence, truncated_symbol=truncated_on(bound.tree, known.truncated))
        if bad is None and not evidence.made_up:
            bad = evidence.bad
        bad, indexed = of_user(bad, known), of_user(indexed, known)
        evidence = replace(evidence, bad=of_user(evidence.bad, known))
        cause = confirmed_cause(question, evidence)
        failed = logged is not None or evidence.fired
        if cause is None and failed and size is not None and bad is not None:
            cause = cause_by_elements(question, size, bad, known.truncated)
        if cause is None and failed and size is not None and span != ANYTHING:
            cause = cause_by_range(question, size, span, reached)
        if evidence.contradictions and evidence.reasons:
            possible = (*evidence.reasons, *(possible if evidence.undecided else ()))
        elif evidence.reasons and evidence.reasons[0].code == "tuned-on-random-data":
            possible = (*evidence.reasons, *possible)
        elif evidence.reasons:
            possible = (*possible, *evidence.reasons)
        refuted = bool(evidence.contradictions) and not evidence.fired and bad is None
        if cause is None or (refuted and evidence.reasons):
            # What would have to hold if it did fire stays worth knowing.
            facts = cause.evidence if cause is not None else evidence.notes
            cause = replace(possible[0], evidence=facts)
        cause = settled(cause, evidence, question.confirm_command)
        rest = () if cause.confirmed else tuple(c for c in possible if c.code != cause.code)
        failure = Failure(
            message=found.message or (logged.message if logged else ""),
            kernel=kernel.name,
            kernel_line=found.line,
            wrapper_line=kernel.wrapper_line(found.line),
            launches=chosen.launches,
            candidates=candidates,
            programs=programs,
            threads=logged.threads if logged is not None else 0,
            bound=bound,
            index=index,
            guards=guards,
            source_nodes=launch.source_nodes if launch is not None else (),
            aten=launch.aten if launch is not None else (),
            ops=ops,
            cause=cause,
            possible_causes=rest,
            fixes=fixes_for(
                replace(
                    self._asked(asserted, cause, bound, index, guards, indexed),
                    condition=condition,
                    reached=_worst(cause, evidence, bad),
                    refuted=refuted,
                    given=bool(known.strides),
                    nan=_nan_inputs(index, evidence, known),
                    own_arithmetic=evidence.own_arithmetic,
                    quotient=whole_quotient(self.index, bound.tree, known),
                )
            ),
            siblings=tuple(
                (a.line, a.message)
                for a in program.asserts
                if not (a.line == found.line and a.message == found.message) and not a.disabled
            ),
            logged=logged,
            model_frames=launch.model_frames if launch is not None else (),
            debug_handle=launch.debug_handle if launch is not None else None,
            notes=(
                *evidence.undecided,
                *(() if evidence.fired else _notes(candidates, chosen, launch)),
            ),
            bad=bad if cause.code in BAD_INDEX else None,
            indexed=indexed,
            traced=evidence.traced if bad is None else "",
            launch=launch,
            contradictions=evidence.contradictions,
            holds=holds,
        )
        return in_scripts_terms(in_users_terms(failure, self.index, known), self.index)

    def _asked(
        self,
        asserted: Asserted,
        cause: Cause,
        bound: ValueProvenance,
        index: ValueProvenance,
        guards: tuple[GuardFinding, ...],
        indexed: IndexedTensor | None,
    ) -> Asked:
        """What the fixes are chosen by, as far as the wrapper tells."""
        program, found, launch = asserted.program, asserted.found, asserted.launch
        ignored = ignored_target(program, found)
        ops = ops_of_access(program, found, launch, indexed, ignored is not None)
        lines = {access.line for access in indexed_accesses(program, found)}
        return Asked(
            cause=cause,
            bound=bound,
            index=index,
            guards=guards,
            kernel=asserted.kernel.name,
            device=self.index.device,
            ops=op_patterns(ops),
            stores=any(store.line in lines for store in program.stores),
            ignored=ignored if any("nll_loss" in op for op in ops) else None,
            indexed=indexed,
        )

    def _span(
        self,
        question: Question,
        asserted: Asserted,
        known: Known,
        size: int | None,
        programs: tuple[Program, ...],
    ) -> tuple[Interval, bool]:
        """Between which values the raw index must lie, and whether it is one of lane numbers alone
        that is out of range in one of the log's programs."""
        launch, program, order = asserted.launch, asserted.program, asserted.found.order
        if launch is None or order < 0 or not known.symbols:
            return ANYTHING, False
        ranges = Ranges(self.program_of, self.flow, known.symbols, known.ranges)
        raw = ast.parse(question.raw, mode="eval").body
        span = ranges.of(launch, program, raw, order, 0)
        if size is None or not is_index_only(program, raw, order):
            return span, False
        if not programs:
            return span, span.high is not None and span.high >= size
        sizes = launch_sizes(asserted.kernel, launch, known)

        def fails(lanes: Mapping[str, range]) -> bool | None:
            numbers = taken(program, raw, order, sizes, lanes)
            return None if numbers is None else any(number >= size for number in numbers)

        found = in_programs(program, asserted.kernel, sizes, programs, fails)
        return span, bool(found) and span.high is not None and span.high >= size

    def _launch(self, chosen: Candidate, fired: LaunchId | None) -> Launch | None:
        launches = self.index.launches_of(chosen.kernel)
        for launch in launches:
            if launch.id == fired:
                return launch
        main = [la for la in launches if la.function.is_main]
        return next(iter(main or launches), None)

    def tracer(self, known: Known | None = None, indexed: tuple[int, ...] = ()) -> Tracer:
        return Tracer(self.index, self.program_of, self.flow, known, indexed)

    def _indexed_inputs(self, asserted: Asserted) -> tuple[int, ...]:
        """Positions of the inputs that the checked index walks, the nearest access first."""
        launch = asserted.launch
        found: dict[int, None] = {}
        for access in indexed_accesses(asserted.program, asserted.found):
            argument = launch.argument(access.pointer) if launch is not None else None
            if launch is None or argument is None or argument.tensor is None:
                continue
            for storage in self.flow.storages(argument.tensor.base, self.flow.before(launch)):
                given = self.index.input_named(storage.name)
                if given is not None:
                    found[given.position] = None
        return tuple(found)

    def _bound(self, asserted: Asserted, known: Known, evidence: Evidence) -> ValueProvenance:
        found = asserted.found
        tree = bound_tree(self.tracer(known, self._indexed_inputs(asserted)), asserted)
        value: int | float | None = evidence.bound
        if value is None:
            value = _bound_value(asserted, known)
        if value is not None:
            tree = replace(tree, value=value)
        sources = sources_of(tree)
        size = None if value is None else int(value)
        also = same_sizes(self.index, known, sources, size)
        return ValueProvenance(
            found.upper or found.lower or "", None, tree, sources, value, may_also_name=also
        )

    def _index(self, asserted: Asserted, known: Known) -> ValueProvenance:
        tree = index_tree(self.tracer(known), asserted)
        found = asserted.found
        raw = raw_index(asserted.program, found)
        return ValueProvenance(found.index or "", raw, tree, sources_of(tree))


def _bound_value(asserted: Asserted, known: Known) -> int | float | None:
    """The bound's value from known symbols; None where a name of it is not known."""
    if asserted.found.upper is None or asserted.launch is None:
        return None
    values: dict[str, int | float] = {}
    for argument in asserted.launch.arguments:
        given = argument.value.known_int(known.symbols) if argument.value is not None else None
        if given is not None:
            values[argument.parameter] = given
    return read_python(asserted.found.upper).known(values)


def _question(
    asserted: Asserted, bound: ValueProvenance, index: ValueProvenance, confirm_with: str
) -> Question:
    found = asserted.found
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
        access_masks=access_masks(asserted.program, found),
        lost_masks=lost_masks(asserted.program, found),
        confirm_command=confirm_with,
    )


def _reach(span: Interval, condition: Condition) -> Interval:
    """Between which values the index lies, whatever the data: by its arithmetic, and by what it
    is made of (a modulo, an argmax, a search)."""
    low, high = span.low, span.high
    if condition.index is not None and is_never_negative(condition.index):
        low = max(low or 0, 0)
    if condition.reach_value is not None:
        high = condition.reach_value if high is None else min(high, condition.reach_value)
    return Interval(low, high)


def _nan_inputs(index: ValueProvenance, evidence: Evidence, known: Known) -> tuple[int, ...]:
    """Inputs that hold NaN, where a NaN was seen on the way to the index."""
    if not any(" is nan" in note for note in evidence.notes):
        return ()
    positions = [s.position for s in index.sources if s.kind == "input" and s.position is not None]
    return tuple(p for p in positions if known.inputs.get(p, "").endswith(" nan"))


def _worst(cause: Cause, evidence: Evidence, bad: BadElements | None) -> int | None:
    """The index farthest out of range that was seen."""
    if not cause.confirmed or cause.code not in BAD_INDEX:
        return None
    down = cause.code == "index-too-negative"
    if evidence.fired and not evidence.made_up and evidence.raw_max is not None:
        return evidence.raw_min if down else evidence.raw_max
    if bad is None:
        return None
    return bad.smallest if down else bad.largest


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
        first = chosen is candidates[0]
        why = "launched first" if first else "the first that log and values do not rule out"
        notes.append(
            f"{len(candidates)} kernels fit the log; {chosen.kernel} is taken because it is "
            f"{why} and the first assert ends the process. Others: {others}"
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
