"""Which launch made the assert of a log fire: the one search that all front ends ask.

The launches whose assert fits the log are replayed in the order in which the GPU comes to them.
The values decide whether the wrapper comes to a launch at all, the log which programs must fail,
and the order the rest: the first launch that fails ends the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

from aoti_tui.answer.bad_access import beyond_by_sizes
from aoti_tui.answer.evidence import evidence_of
from aoti_tui.answer.gates import gate_words, outside_words
from aoti_tui.answer.reasons import Disagreement, more_data, reasons
from aoti_tui.failure.cause.evidence import Evidence
from aoti_tui.failure.explain import Explainer
from aoti_tui.failure.model import Autotuning, Candidate, Cause, Failure, Program, Rival
from aoti_tui.failure.prose.words import plural
from aoti_tui.failure.provenance.known import Known
from aoti_tui.index.model import Launch, LaunchId
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import FiredAssert, Gate, GivenInput, ReplayResult
from aoti_tui.replay.questions.dropped_offset import DroppedOffset, dropped_offset
from aoti_tui.replay.recorded.results import rests_on_made_up
from aoti_tui.replay.session import ReplaySession

Progress = Callable[[str, float], None]
MOST_LAUNCHES = 24
"""Launches that are replayed in search of the one that fired."""
_SHOWN = 8
_MADE_UP = "the replay rests on made-up data for what is not known: it confirms nothing"
FATAL = ("cancelled", "unavailable", "bad-inputs")
"""Kinds of errors that end the search: no other launch would fare better."""


class Standing(IntEnum):
    """How a launch stands after its replay, the likeliest first."""

    AGREES = 0
    """Its assert fires in every program that the log names."""
    PARTLY = 1
    """In some of them."""
    GUESSED = 2
    """It fires on made-up data, or behind a condition that such data decide."""
    ELSEWHERE = 3
    """It fires, but in no program of the log."""
    OPEN = 4
    """It was not replayed, or made-up data keep it silent."""
    SILENT = 5
    """It runs and its assert holds."""
    EMPTY = 6
    """Its grid has no program."""
    UNREACHED = 7
    """The values lead past it."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One launch that fits the log, and what its replay showed."""

    candidate: Candidate
    launch: Launch
    standing: Standing
    result: ReplayResult | None = None
    fired: FiredAssert | None = None
    closed: Gate | None = None
    """What leads past the launch."""
    problem: str = ""
    """Why it was not replayed."""

    @property
    def name(self) -> str:
        return f"{self.launch.kernel} (:{self.launch.line})"

    def agrees(self, programs: Sequence[Program]) -> bool:
        """Whether the values lead to it and its assert fires in all of these programs."""
        fired = set(self.fired.programs) if self.fired is not None else None
        return fired is not None and self.closed is None and fired.issuperset(programs)


@dataclass(frozen=True, slots=True)
class Judged:
    """The launch that fired, or else the likeliest, with what speaks for and against it.

    ``result`` is the scan of its whole grid, None when it could not be replayed. ``agrees`` is
    whether its assert fired in every program that the log names. ``rivals`` is what stays open.
    """

    candidate: Candidate
    launch: Launch
    result: ReplayResult | None
    standing: Standing
    agrees: bool
    evidence: Evidence
    rivals: tuple[Rival, ...]
    notes: tuple[str, ...]


@dataclass
class Search:
    """One failure's search. ``scanned`` are results at hand: such a launch is not run again.
    ``only`` limits it to some launches."""

    session: ReplaySession
    explainer: Explainer
    failure: Failure
    only: frozenset[LaunchId] | None = None
    progress: Progress | None = None
    given: tuple[GivenInput, ...] = ()
    autotuning: Autotuning | None = None
    beside: tuple[Failure, ...] = ()
    """The log's other failures."""
    scanned: dict[LaunchId, ReplayResult] = field(default_factory=dict)

    def attempts(self) -> list[Attempt]:
        """Replays launch after launch until one agrees with the log. Raises ReplayError when none
        could be replayed."""
        found: list[Attempt] = []
        error: ReplayError | None = None
        endless: set[str] = set()
        pairs = pairs_of(self.failure, self.only)
        for number, (candidate, launch) in enumerate(pairs):
            if launch.kernel in endless:
                problem = "it was not replayed: the same kernel took too long elsewhere"
                found.append(Attempt(candidate, launch, Standing.OPEN, problem=problem))
                continue
            if len(found) >= MOST_LAUNCHES:
                problem = f"it was not replayed: only {MOST_LAUNCHES} launches are tried"
                found.append(Attempt(candidate, launch, Standing.OPEN, problem=problem))
                continue
            if self.progress is not None:
                self.progress(f"replaying {launch.kernel} (:{launch.line})", number / len(pairs))
            try:
                attempt = self.attempt(candidate, launch)
            except ReplayError as failed:
                if failed.kind in FATAL:
                    raise
                if failed.kind == "timeout":
                    endless.add(launch.kernel)
                error = failed
                problem = f"it was not replayed: {failed.why}"
                attempt = Attempt(candidate, launch, Standing.OPEN, problem=problem)
            found.append(attempt)
            if attempt.standing is Standing.AGREES:
                break
        if error is not None and all(a.result is None for a in found):
            raise error
        return found

    def attempt(self, candidate: Candidate, launch: Launch) -> Attempt:
        """One launch, replayed. Raises ReplayError."""
        result = self.scanned.get(launch.id)
        if result is None:
            result = self.scanned[launch.id] = self.session.run(launch)
        fired = next((a for a in result.asserts if a.kernel_line == candidate.kernel_line), None)
        closed = next((gate for gate in result.gates if gate.closed), None)
        standing = self._standing(candidate, result, fired, closed)
        return Attempt(candidate, launch, standing, result, fired, closed)

    def logged_programs(self, result: ReplayResult | None) -> tuple[Program, ...]:
        """The programs of the log; none where the replay's are other ones, since it chose the
        size of their blocks."""
        chosen = result is not None and result.grid_is_chosen
        return () if chosen else self.failure.programs

    def _standing(
        self,
        candidate: Candidate,
        result: ReplayResult,
        fired: FiredAssert | None,
        closed: Gate | None,
    ) -> Standing:
        if closed is not None:
            return Standing.UNREACHED
        if 0 in result.grid:
            invented = any(a.source == "made-up" for a in result.arguments if a.value is not None)
            return Standing.OPEN if invented else Standing.EMPTY
        guessed = not all(gate.open for gate in result.gates)
        if fired is None:
            program = self.explainer.program_of(candidate.kernel)
            guessed |= rests_on_made_up(candidate.kernel_line, program, result.arguments)
            return Standing.OPEN if guessed else Standing.SILENT
        if guessed or fired.depends_on_made_up:
            return Standing.GUESSED
        logged = set(self.logged_programs(result))
        if logged.issubset(fired.programs):
            return Standing.AGREES
        return Standing.ELSEWHERE if logged.isdisjoint(fired.programs) else Standing.PARTLY


def judge(search: Search, known: Known) -> Judged | None:
    """The launch that made a failure's assert fire.

    None when nothing that fits is launched. Raises ReplayError when no launch could be replayed.
    """
    failure, explainer = search.failure, search.explainer
    attempts = search.attempts()
    if not attempts:
        return None
    chosen = min(
        attempts,
        key=lambda a: (
            a.standing,
            bool(a.candidate.conflicts),
            not a.agrees(search.logged_programs(a.result)),
        ),
    )
    evidence = Evidence()
    if chosen.result is not None:
        shown = explainer.explain(
            chosen.candidate, failure.candidates, failure.logged, known, fired=chosen.launch.id
        )
        evidence = evidence_of(
            search.session,
            explainer.flow,
            explainer.program_of(chosen.candidate.kernel),
            shown,
            chosen.launch,
            chosen.result,
        )
    rivals = tuple(_rivals(search, chosen, attempts))
    against = tuple(_contradictions(search, chosen, attempts))
    fault = _CompilerFault()
    if chosen.standing is Standing.SILENT:
        fault = _compiler_fault(search, chosen, known)
    undecided = tuple(_undecided(search, chosen, rivals))
    return Judged(
        chosen.candidate,
        chosen.launch,
        chosen.result,
        chosen.standing,
        chosen.agrees(search.logged_programs(chosen.result)),
        replace(
            evidence,
            confirm_with=more_data(search.session),
            contradictions=against,
            undecided=undecided,
            reasons=_reasons(search, chosen, against, undecided, fault),
        ),
        rivals,
        tuple(_notes(search, chosen, attempts)),
    )


def pairs_of(
    failure: Failure, only: frozenset[LaunchId] | None = None
) -> list[tuple[Candidate, Launch]]:
    """What fits the log, in the order in which the GPU comes to it; what the log itself speaks
    against comes last."""
    found = [
        (candidate, launch)
        for candidate in failure.candidates
        for launch in candidate.launches
        if only is None or launch.id in only
    ]
    return sorted(found, key=_order)


def _order(pair: tuple[Candidate, Launch]) -> tuple[bool, bool, LaunchId]:
    candidate, launch = pair
    return bool(candidate.conflicts), not launch.function.is_main, launch.id


# -- what stays open --------------------------------------------------------------------------


def _rivals(search: Search, chosen: Attempt, attempts: Sequence[Attempt]) -> Iterator[Rival]:
    for other in attempts:
        if other is chosen or other.candidate.conflicts:
            continue
        decided_by = _decided_by(search, other)
        if decided_by:
            candidate = other.candidate
            yield Rival(candidate.kernel, candidate.kernel_line, other.launch, decided_by)


def _decided_by(search: Search, other: Attempt) -> str:
    """What would tell whether a launch is the one; ``""`` where the values ruled it out."""
    if other.problem:
        return other.problem
    if other.result is None or other.standing >= Standing.SILENT:
        return ""
    if other.standing in (Standing.PARTLY, Standing.ELSEWHERE):
        count = plural(len(other.fired.programs if other.fired else ()), "program")
        return f"its assert fires too with these inputs, in {count}, not in all that the log names"
    gate = next((gate for gate in other.result.gates if not gate.open), None)
    if gate is not None:
        return gate_words(search.explainer, gate, other.launch)
    return f"data that is made up: {', '.join(_made_up(other.result))}"


def _made_up(result: ReplayResult) -> list[str]:
    return [a.expression or a.name for a in result.arguments if a.source == "made-up"]


# -- for and against --------------------------------------------------------------------------


def _reasons(
    search: Search,
    chosen: Attempt,
    against: Sequence[str],
    undecided: Sequence[str],
    fault: _CompilerFault,
) -> tuple[Cause, ...]:
    """Why the log and the given inputs disagree; nothing where they do not."""
    result = chosen.result
    if result is None or not (against or undecided):
        return ()
    standing = chosen.standing
    unreached = ""
    if chosen.closed is not None:
        unreached = gate_words(search.explainer, chosen.closed, chosen.launch)
    guessed = standing in (Standing.GUESSED, Standing.OPEN)
    logged = search.logged_programs(result)
    found = Disagreement(
        chosen.launch,
        unreached,
        "×".join(map(str, result.grid)) if standing is Standing.EMPTY else "",
        silent=standing is Standing.SILENT,
        elsewhere=bool(against) and standing <= Standing.ELSEWHERE,
        outside=0 not in result.grid and bool(outside_words(logged, result.grid)),
        made_up=tuple(dict.fromkeys(_made_up(result))) if guessed else (),
        more_data=more_data(search.session),
        dropped=fault.dropped,
        beyond=fault.beyond,
    )
    index = search.failure.index
    launches = search.explainer.index.launches
    return reasons(found, index.raw or index.text, launches, search.given, search.autotuning)


@dataclass(frozen=True, slots=True)
class _CompilerFault:
    """What of the generated code explains an assert that holds in the replay, in words."""

    dropped: str = ""
    beyond: str = ""


def _compiler_fault(search: Search, chosen: Attempt, known: Known) -> _CompilerFault:
    result, line = chosen.result, chosen.candidate.kernel_line
    assert result is not None
    own = [(chosen.launch, fault) for fault in result.faults if fault.kernel_line < line]
    for launch, fault in (*result.faults_before, *own):
        beyond = beyond_by_sizes(search.session, search.explainer, launch, fault, known)
        if beyond:
            return _CompilerFault(beyond=beyond)
    logged = search.logged_programs(result)
    dropped = dropped_offset(search.session, chosen.launch, line, logged)
    return _CompilerFault("" if dropped is None else _dropped_words(dropped, logged))


def _dropped_words(dropped: DroppedOffset, logged: Sequence[Program]) -> str:
    """What the replay without an offset shows."""
    which = "the program" if len(logged) == 1 else f"all {len(logged)} programs"
    where = f"in {which} of the log" if logged else "too"
    if logged and len(dropped.fired.programs) == len(logged):
        where += ", and in no other"
    return f"without {dropped.words}, the replay makes this assert fire {where}"


def _silent_beside(search: Search, chosen: Attempt) -> Iterator[str]:
    """Asserts of the same launch that the log names in the same programs, and that hold."""
    result = chosen.result
    if result is None or chosen.fired is None:
        return
    fired = {one.kernel_line for one in result.asserts}
    for other in search.beside:
        same = other.kernel == chosen.candidate.kernel and len(other.candidates) == 1
        together = set(other.programs) & set(search.failure.programs)
        if same and together and len(other.launches) == 1 and other.kernel_line not in fired:
            yield (
                f"the log names `{other.message}` of this launch too, which holds with these "
                "inputs: are they the inputs of the failed run?"
            )


def _contradictions(search: Search, chosen: Attempt, attempts: Sequence[Attempt]) -> Iterator[str]:
    """What the log or the values say against the chosen launch."""
    result = chosen.result
    if result is None:
        return
    if chosen.closed is not None:
        yield f"not reached: {gate_words(search.explainer, chosen.closed, chosen.launch)}"
    elif chosen.standing is Standing.EMPTY:
        grid = "×".join(map(str, result.grid))
        yield f"no program runs: with these inputs the grid is {grid}, the launch is skipped"
    elif chosen.standing is Standing.SILENT:
        yield (
            "the replay with the given inputs did not make this assert fire: are they the inputs "
            "of the failed run?"
        )
    if 0 not in result.grid:
        logged = search.logged_programs(result)
        outside = outside_words(logged, result.grid)
        yield from [outside] if outside else []
        if chosen.standing is Standing.ELSEWHERE and chosen.fired is not None and not outside:
            yield from _missing(logged, chosen.fired.programs)
    yield from _silent_beside(search, chosen)
    for before in result.failed_before:
        yield f"with these inputs {before} fails before it, which the log does not name"
    for other in attempts:
        if other is chosen or other.launch.id >= chosen.launch.id or other.result is None:
            continue
        if other.closed is None and any(not a.depends_on_made_up for a in other.result.asserts):
            yield f"with these inputs {other.name} fails before it, in other programs"


def _missing(logged: Sequence[Program], fired: Sequence[Program]) -> Iterator[str]:
    missing = sorted(set(logged) - set(fired))
    if missing:
        shown = ", ".join(str(p) for p in missing[:4])
        yield (
            f"the log names {plural(len(missing), 'program')} that did not fail in the replay "
            f"({shown}): the inputs may not be those of the failed run"
        )


def _undecided(search: Search, chosen: Attempt, rivals: Sequence[Rival]) -> Iterator[str]:
    """What must be known before anything can be confirmed."""
    if chosen.problem:
        yield f"{chosen.name}: {chosen.problem}"
    if chosen.result is not None and chosen.standing in (Standing.GUESSED, Standing.OPEN):
        gate = next((gate for gate in chosen.result.gates if not gate.open), None)
        if gate is not None:
            yield f"whether it runs is open: {gate_words(search.explainer, gate, chosen.launch)}"
        elif rivals:
            yield f"{len(rivals) + 1} launches fit the log, and {_MADE_UP}"
        else:
            yield f"{_MADE_UP} ({', '.join(_made_up(chosen.result))})"
    for rival in rivals:
        if rival.launch.id < chosen.launch.id:
            yield f"{rival.kernel} (:{rival.launch.line}) comes before it: {rival.decided_by}"


def _notes(search: Search, chosen: Attempt, attempts: Sequence[Attempt]) -> Iterator[str]:
    failure = search.failure
    yield from (f"{chosen.name} fits, {said}" for said in chosen.candidate.conflicts)
    ruled_out = [a for a in attempts if a is not chosen and a.standing >= Standing.SILENT]
    for other in ruled_out[:_SHOWN]:
        if other.closed is not None:
            why = gate_words(search.explainer, other.closed, other.launch)
            yield f"{other.name} is not reached: {why}"
        elif other.standing is Standing.EMPTY:
            yield f"{other.name} runs no program: its grid is empty with these inputs"
        else:
            yield f"{other.name} does not make the assert fire with these inputs"
    if len(ruled_out) > _SHOWN:
        yield f"and {len(ruled_out) - _SHOWN} more launches that the values rule out"
    if chosen.fired is None or chosen.standing > Standing.PARTLY:
        return
    if len(failure.candidates) > 1:
        yield (
            f"{len(failure.candidates)} kernels fit the log; the replay made "
            f"{chosen.candidate.kernel} fire first"
        )
    if chosen.result is not None and chosen.result.grid_is_chosen:
        yield (
            "the wrapper does not say the tuned block sizes, so the replay's programs are not "
            "those that the log names"
        )
    else:
        yield from _agreement(failure.programs, chosen.fired.programs)


def _agreement(logged: Sequence[Program], fired: Sequence[Program]) -> Iterator[str]:
    yield from _missing(logged, fired)
    if not logged or not set(logged).issubset(fired):
        return
    which = "the program" if len(logged) == 1 else f"all {len(logged)} programs"
    yield (
        f"{which} of the log failed in the replay too ({len(fired)} in all)"
        if len(fired) != len(logged)
        else f"{which} of the log, and no other, failed in the replay too"
    )
