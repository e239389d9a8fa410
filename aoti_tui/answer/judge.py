"""A replay of what may have failed, as evidence for the cause.

Where several kernels or launches fit a log, each is replayed in the order of the wrapper, and the
first that fires is the one: on the GPU the first assert ends the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from aoti_tui.answer.trace import trace_failing
from aoti_tui.failure.cause.elements import SHOWN, valid_range
from aoti_tui.failure.cause.evidence import Evidence
from aoti_tui.failure.cause.not_finite import not_finite_words
from aoti_tui.failure.model import BadElement, BadElements, Candidate, Failure, Source
from aoti_tui.failure.prose.words import integer, plural, valid_words
from aoti_tui.failure.provenance.tree import walk
from aoti_tui.flow.storages import Memory
from aoti_tui.index.model import Launch, WrapperIndex
from aoti_tui.kernel.asserts import raw_index
from aoti_tui.kernel.model import KernelAssert, KernelProgram
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.questions.facts import (
    ReplayFacts,
    TruncatedSymbol,
    collect_facts,
    truncation_words,
)
from aoti_tui.replay.session import ReplaySession

Progress = Callable[[str, float], None]
_MOST_LAUNCHES = 24


@dataclass(frozen=True, slots=True)
class Judged:
    """The candidate and launch that fired (or the first, when none did) and what it showed."""

    candidate: Candidate
    launch: Launch
    evidence: Evidence
    notes: tuple[str, ...]


def judge(
    session: ReplaySession,
    memory: Memory,
    program_of: Callable[[str], KernelProgram],
    failure: Failure,
    progress: Progress | None = None,
) -> Judged | None:
    """Replays what fits the failure until its assert fires.

    None when nothing that fits is launched. Raises ReplayError when no launch could be replayed.
    """
    pairs = list(_pairs(memory.index, failure))
    last_error: ReplayError | None = None
    first: Judged | None = None
    notes: list[str] = []
    for number, (candidate, launch) in enumerate(pairs[:_MOST_LAUNCHES]):
        if progress is not None:
            progress(f"replaying {launch.kernel} (:{launch.line})", number / len(pairs))
        found = program_of(candidate.kernel).assert_at(candidate.kernel_line)
        if found is None:
            continue
        try:
            facts = collect_facts(
                session,
                launch,
                found.line,
                raw_index(program_of(candidate.kernel), found),
                found.index,
                found.upper,
            )
        except ReplayError as error:
            if error.kind in ("cancelled", "unavailable", "bad-inputs"):
                raise
            last_error = error
            notes.append(f"{launch.kernel} (:{launch.line}) was not replayed: {error.why}")
            continue
        program = program_of(candidate.kernel)
        evidence = evidence_of(facts, found, failure, program)
        if facts.fired and not facts.made_up and _needs_tracing(failure, candidate):
            evidence = traced_evidence(session, memory, launch, program, found, facts, evidence)
        judged = Judged(candidate, launch, evidence, ())
        if facts.fired:
            return Judged(
                candidate, launch, evidence, (*notes, *_agreement(failure, candidate, facts))
            )
        first = first or judged
    if first is None and last_error is not None:
        raise last_error
    if first is None:
        return None
    said = (
        "the replay with the given inputs did not make this assert fire: are they the inputs of "
        "the failed run?"
    )
    return Judged(first.candidate, first.launch, first.evidence, (*notes, said))


def _pairs(index: WrapperIndex, failure: Failure) -> Iterator[tuple[Candidate, Launch]]:
    found = [
        (candidate, launch)
        for candidate in failure.candidates
        for launch in index.launches_of(candidate.kernel)
    ]
    yield from sorted(found, key=lambda pair: (not pair[1].function.is_main, pair[1].line))


def evidence_of(
    facts: ReplayFacts, found: KernelAssert, failure: Failure, program: KernelProgram
) -> Evidence:
    """What the facts say of the failure, in the terms that a cause is judged by."""
    equal, above = facts.at_bound, facts.above_bound
    # Every examined lane failed: what is neither at nor above the bound is too small.
    below = facts.lanes_examined - equal - above if facts.raw_min is not None else 0
    notes: list[str] = []
    if facts.fired and not facts.complete:
        notes.append(
            f"{facts.lanes_examined} of {plural(facts.failing_lanes, 'failing lane')} were looked "
            f"at, in {facts.programs_examined} of {plural(len(facts.programs), 'program')}"
        )
    raw = raw_index(program, found)
    if raw is not None and facts.first_values:
        strange = not_finite_words(program, raw, found.order, facts.first_values)
        if strange is not None:
            notes.append(f"{strange}, which no integer can hold")
            notes.extend(
                f"dimension {s.dim} of input {s.position} ({s.name}) is 0"
                for s in failure.index.sources
                if s.kind == "input_dim" and _size(failure, s) == 0
            )
    overflow = next(
        (
            f"{o.name} is {o.got} where plain arithmetic gives {o.exact} (kernel line "
            f"{o.kernel_line})"
            for o in facts.overflows
        ),
        None,
    )
    bound = facts.bound
    if bound is None and failure.bound.value is not None:
        bound = int(failure.bound.value)
    return Evidence(
        bound=bound,
        failing=facts.lanes_examined,
        equal=equal,
        above=above,
        below=below,
        raw_min=facts.raw_min,
        raw_max=facts.raw_max,
        masked_out=facts.masked_from_accesses,
        truncated_symbol=_truncated(facts.truncated, failure),
        overflow=overflow,
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


def evidence_at(
    session: ReplaySession,
    memory: Memory,
    program: KernelProgram,
    launch: Launch,
    failure: Failure,
) -> Evidence:
    """What one launch shows of the failure's assert, whether or not it fires. Raises
    ReplayError."""
    found = program.assert_at(failure.kernel_line)
    if found is None:
        return Evidence()
    raw = raw_index(program, found)
    facts = collect_facts(session, launch, found.line, raw, found.index, found.upper)
    unknown = replace(failure, bound=replace(failure.bound, value=None))
    evidence = evidence_of(facts, found, unknown, program)
    if not facts.fired or facts.made_up:
        return evidence
    return traced_evidence(session, memory, launch, program, found, facts, evidence)


def _needs_tracing(failure: Failure, candidate: Candidate) -> bool:
    """Whether the inputs file alone did not name the wrong elements already."""
    return failure.bad is None or candidate.kernel != failure.kernel


def traced_evidence(
    session: ReplaySession,
    memory: Memory,
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
        traced = trace_failing(session, memory, launch, found.line, raw, facts.programs)
    except ReplayError as error:
        if error.kind in ("cancelled", "unavailable"):
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


def _agreement(failure: Failure, candidate: Candidate, facts: ReplayFacts) -> tuple[str, ...]:
    notes: list[str] = []
    if len(failure.candidates) > 1:
        notes.append(
            f"{len(failure.candidates)} kernels fit the log; the replay made {candidate.kernel} "
            "fire first"
        )
    if facts.made_up:
        notes.append("the replay rests on made-up data for what is not known: it confirms nothing")
        return tuple(notes)
    missing = set(failure.programs) - set(facts.programs)
    if failure.programs and missing:
        shown = ", ".join(str(p) for p in sorted(missing)[:4])
        notes.append(
            f"the log names {plural(len(missing), 'program')} that did not fail in the replay "
            f"({shown}): the inputs may not be those of the failed run"
        )
    elif failure.programs:
        count = len(failure.programs)
        which = "the program" if count == 1 else f"all {count} programs"
        notes.append(
            f"{which} of the log failed in the replay too ({len(facts.programs)} in all)"
            if len(facts.programs) != count
            else f"{which} of the log, and no other, failed in the replay too"
        )
    return tuple(notes)
