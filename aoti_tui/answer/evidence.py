"""What the replay of one launch shows of a failure: evidence for its cause."""

from __future__ import annotations

import ast
from dataclasses import replace

from aoti_tui.answer.trace import trace_failing
from aoti_tui.failure.cause.elements import SHOWN, valid_range
from aoti_tui.failure.cause.evidence import Evidence
from aoti_tui.failure.cause.not_finite import NO_INTEGER, not_finite_effect, not_finite_words
from aoti_tui.failure.model import BadElement, BadElements, Failure, Source
from aoti_tui.failure.prose.words import input_words, integer, plural, valid_words
from aoti_tui.failure.provenance.tree import walk
from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.model import Launch
from aoti_tui.kernel.asserts import raw_index
from aoti_tui.kernel.model import KernelAssert, KernelProgram
from aoti_tui.kernel.slice import is_index_only
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import ReplayResult
from aoti_tui.replay.questions.facts import ReplayFacts, collect_facts
from aoti_tui.replay.questions.truncated import TruncatedSymbol, truncation_words
from aoti_tui.replay.session import ReplaySession


def evidence_of(
    session: ReplaySession,
    flow: DataFlow,
    program: KernelProgram,
    failure: Failure,
    launch: Launch,
    result: ReplayResult,
) -> Evidence:
    """What ``result``, a scan of ``launch``, shows of the failure's assert, whether or not it
    fired. ``failure`` is explained for this launch. Raises ReplayError."""
    found = program.assert_at(failure.kernel_line)
    if found is None:
        return Evidence()
    raw = raw_index(program, found)
    facts = collect_facts(
        session, launch, result, found.line, raw, found.index, found.upper, logged=failure.programs
    )
    evidence = _of_facts(facts, found, failure, program)
    if not facts.fired or facts.made_up or failure.bad is not None:
        # The inputs file alone may have named the wrong elements already.
        return evidence
    return _traced(session, flow, launch, program, found, facts, evidence)


def _of_facts(
    facts: ReplayFacts, found: KernelAssert, failure: Failure, program: KernelProgram
) -> Evidence:
    """What the facts say of the failure, in the terms that a cause is judged by."""
    equal, above = facts.at_bound, facts.above_bound
    # Every examined lane failed: what is neither at nor above the bound is too small.
    below = facts.lanes_examined - equal - above - facts.valid if facts.raw_min is not None else 0
    notes: list[str] = []
    chosen = not_held = ""
    if facts.fired and not facts.complete:
        notes.append(
            f"{facts.lanes_examined} of {plural(facts.failing_lanes, 'failing lane')} were looked "
            f"at, in {facts.programs_examined} of {plural(len(facts.programs), 'program')}"
        )
    raw = raw_index(program, found)
    if raw is not None and facts.first_values and not facts.beyond:
        strange = not_finite_words(program, raw, found.order, facts.first_values)
        if strange is not None:
            effect = not_finite_effect(program, raw, found.order, facts.first_values)
            told = f"{strange}, {effect}" if effect else strange
            notes.append(told)
            chosen = told if " takes " in effect else ""
            not_held = told if effect == NO_INTEGER else ""
            notes.extend(
                f"dimension {s.dim} of {input_words(s)} is 0"
                for s in failure.index.sources
                if s.kind == "input_dim" and _size(failure, s) == 0
            )
    wrapped = next(iter(facts.overflows), None)
    overflow, of_data = None, False
    if wrapped is not None:
        overflow = (
            f"{wrapped.name} is {wrapped.got} where plain arithmetic gives {wrapped.exact} (kernel "
            f"line {wrapped.kernel_line})"
        )
        of_data = not is_index_only(program, ast.Name(wrapped.name), found.order)
    return Evidence(
        bound=facts.bound,
        failing=facts.lanes_examined,
        equal=equal,
        above=above,
        below=below,
        allowed=facts.valid,
        raw_min=facts.raw_min,
        raw_max=facts.raw_max,
        masked_out=facts.masked_from_accesses,
        beyond_axes="; ".join(one.words for one in facts.beyond),
        truncated_symbol=_truncated(facts.truncated, failure),
        overflow=overflow,
        own_arithmetic=of_data,
        chosen_by=chosen,
        not_held=not_held,
        made_up=facts.made_up,
        fired=facts.fired,
        programs=facts.programs,
        values=dict(facts.first_values or {}),
        notes=tuple(notes),
    )


def _size(failure: Failure, source: Source) -> int | None:
    """The known size of an input's dimension that the index comes from."""
    for node in walk(failure.index.tree):
        if node.source == source and node.value is not None:
            return int(node.value)
    return None


def _traced(
    session: ReplaySession,
    flow: DataFlow,
    launch: Launch,
    program: KernelProgram,
    found: KernelAssert,
    facts: ReplayFacts,
    evidence: Evidence,
) -> Evidence:
    """The evidence with where the failing lanes' index comes from, element by element."""
    raw = raw_index(program, found)
    bound = facts.bound
    if raw is None or not raw.isidentifier() or bound is None or bound <= 0:
        return evidence
    try:
        traced = trace_failing(session, flow, launch, found.line, raw, facts.programs)
    except ReplayError as error:
        if error.is_final:
            raise
        return evidence
    lowest, highest = valid_range(found, raw, bound)
    values = [one.value for one in traced.elements]
    outside = [v for v in values if v > highest or (lowest is not None and v < lowest)]
    if values and len(outside) == len(values):
        first = traced.elements[0]
        bad = BadElements(
            name=first.name,
            position=first.position,
            shape=first.shape,
            first=tuple(
                BadElement(one.index, one.element, one.value) for one in traced.elements[:SHOWN]
            ),
            count=len(values),
            lowest=lowest,
            highest=highest,
            smallest=min(values),
            largest=max(values),
            equal=sum(v == bound for v in values),
            above=sum(v > bound for v in values),
            below=sum(v < bound for v in values),
            found_by="replay",
            complete=traced.complete,
        )
        return replace(evidence, bad=bad)
    seen = traced.first
    if seen is None:
        return evidence
    said = f"{raw} = {integer(seen.value)} in lane {list(seen.lane)} of program {seen.program}"
    said += f", {valid_words(lowest, highest)}"
    if seen.loaded:
        said += f"; loaded from {seen.loaded}"
        said += f", computed by {seen.computed_by}" if seen.computed_by else ""
    return replace(evidence, traced=said)


def _truncated(symbols: tuple[TruncatedSymbol, ...], failure: Failure) -> str | None:
    """The truncated symbol on the path of this failure's bound or index, in words."""
    on_path = {
        node.name
        for tree in (failure.bound.tree, failure.index.tree)
        for node in walk(tree)
        if node.kind == "symbol"
    }
    for symbol in symbols:
        if symbol.name in on_path:
            return truncation_words(symbol)
    return None
