"""What if a symbol had another value: the failure as it is then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from aoti_tui.answer.evidence import evidence_of
from aoti_tui.answer.incident import Incident
from aoti_tui.failure.model import Cause, Failure
from aoti_tui.failure.prose.equations import equations
from aoti_tui.failure.prose.headline import Heading, Row, heading_of, short_assert
from aoti_tui.failure.prose.words import plural
from aoti_tui.failure.provenance.known import Known
from aoti_tui.index.model import Launch
from aoti_tui.replay.model import FiredAssert, ReplayResult


@dataclass(frozen=True, slots=True)
class Trial:
    """A replay with symbols set."""

    settings: str
    """``s7 = 3``."""
    verdict: str
    """``no assert fails (was: fails in 4 programs)``."""
    fails: bool
    failure: Failure | None = None
    """The open failure with the values of the trial."""
    made_up: tuple[str, ...] = ()
    """Arguments whose data are invented."""
    back: str = "= takes it back"

    @property
    def first_line(self) -> str:
        return f"WHAT IF {self.settings}: {self.verdict}"

    @property
    def heading(self) -> Heading:
        """What stands on top of the screen while the symbols are set."""
        rows = []
        if self.made_up:
            rows.append(Row("data", f"rests on MADE-UP data: {', '.join(self.made_up)}"))
        if self.failure is not None and self.fails:
            # How sure the answer is was said of the real run.
            told = heading_of(self.failure, given=True).rows
            rows.extend(row for row in told if row.label in ("guilty", "suspect", "why"))
        elif self.failure is not None:
            rows.append(Row("size", equations(self.failure.bound)))
        return Heading("", f"{self.first_line} — {self.back}", tuple(rows), self.fails)


def set_words(settings: Mapping[str, float], given: Mapping[str, float]) -> str:
    """``s7 = 3, s20 = 10``: what was set since the incident was opened."""
    changed = {name: value for name, value in settings.items() if given.get(name) != value}
    taken = [f"{name} as the inputs have it" for name in given if name not in settings]
    return ", ".join([*(f"{name} = {value:g}" for name, value in changed.items()), *taken])


def tried(
    incident: Incident, failure: Failure | None, launch: Launch, result: ReplayResult
) -> Trial | None:
    """What a replay of a launch showed with the session's symbols; None when none is set.

    Slow, like a replay. Raises ReplayError.
    """
    symbols = set_words(incident.replayer().settings_for(launch), incident.given.settings)
    words = ", ".join(filter(None, (incident.edited, symbols)))
    if not words:
        return None
    fired = sorted(result.asserts, key=lambda one: one.order)
    own = next((a for a in fired if failure and a.kernel_line == failure.kernel_line), None)
    verdict = _verdict(failure, own or next(iter(fired), None), result)
    invented = tuple(a.expression or a.name for a in result.arguments if a.source == "made-up")
    then = (
        _then(incident, failure, launch, result)
        if failure is not None and failure.access is None
        else None
    )
    back = "inputs original takes it back" if incident.edited else "= takes it back"
    return Trial(words, verdict, bool(fired or result.faults), then, invented, back)


def _verdict(failure: Failure | None, fired: FiredAssert | None, result: ReplayResult) -> str:
    count = len(failure.programs) if failure is not None else 0
    was = f" (was: fails in {plural(count, 'program')})" if count else ""
    if fired is not None:
        where = plural(len(fired.programs), "program")
        return f"{short_assert(fired.message)} fails in {where}{was}"
    if result.faults:
        return f"no assert fails, an access is outside of {result.faults[0].argument}{was}"
    return f"no assert fails{was}"


def _then(incident: Incident, failure: Failure, launch: Launch, result: ReplayResult) -> Failure:
    """The failure with the values of the trial."""
    explainer = incident.workshop.explainer
    candidate = next(c for c in failure.candidates if c.kernel == failure.kernel)
    program = incident.kernel_program(failure.kernel)
    shown = explainer.explain(
        candidate, failure.candidates, failure.logged, _known(incident, result), fired=launch.id
    )
    evidence = evidence_of(incident.session(), explainer.flow, program, shown, launch, result)
    known = replace(_known(incident, result), names=evidence.values)
    then = explainer.explain(
        candidate, failure.candidates, failure.logged, known, evidence, launch.id
    )
    then = replace(then, programs=evidence.programs, threads=0)
    if evidence.fired:
        return then
    holds = Cause("holds", "the assert holds", confirmed=not evidence.made_up)
    return replace(then, cause=holds, possible_causes=(), fixes=(), bad=None, traced="")


def _known(incident: Incident, result: ReplayResult) -> Known:
    """What is known while symbols are set. Inputs whose size changed hold something else then."""
    symbols = {s.name: s.value for s in result.symbols}
    dims = dict(incident.known.dims)
    for symbol in incident.index.symbols:
        place = (symbol.position, symbol.dim)
        if symbol.kind == "input_dim" and symbol.name in symbols and None not in place:
            dims[symbol.position or 0, symbol.dim or 0] = int(symbols[symbol.name])
    names = {i.name: i.position for i in incident.index.inputs}
    changed = {p for (p, d), size in dims.items() if incident.known.dims.get((p, d)) != size}
    changed |= {
        names[a.expression]
        for a in result.arguments
        if a.expression in names and a.source == "made-up"
    }
    words = {p: said for p, said in incident.known.inputs.items() if p not in changed}
    data = {n: one for n, one in incident.known.data.items() if one.position not in changed}
    return Known(symbols=symbols, dims=dims, inputs=words, data=data)
