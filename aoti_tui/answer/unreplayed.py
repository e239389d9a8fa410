"""Which launch of several it was, as far as the log, sizes and conditions tell before a replay."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aoti_tui.answer.gates import (
    behind_condition,
    gate_words,
    known_gate,
    known_grid,
    outside_words,
)
from aoti_tui.answer.judge import pairs_of
from aoti_tui.answer.reasons import Disagreement, reasons, tuned_on_random_data
from aoti_tui.failure.cause.evidence import Evidence
from aoti_tui.failure.explain import Explainer
from aoti_tui.failure.model import Autotuning, Candidate, Failure, Rival
from aoti_tui.failure.prose.words import elements_words, source_words
from aoti_tui.failure.provenance.known import Known
from aoti_tui.index.model import Launch
from aoti_tui.replay.model import Gate, GivenInput, Program

_DETAILED = 8
"""Rivals of which it is worked out what decides them."""


def unreplayed(
    explainer: Explainer,
    failures: tuple[Failure, ...],
    known: Known,
    given: tuple[GivenInput, ...] = (),
    autotuning: Autotuning | None = None,
) -> tuple[Failure, ...]:
    """The failures of a log, each of the likeliest launch, with the rivals that only a replay can
    rule out.

    What the given inputs alone establish stays confirmed only where one launch fits, nothing can
    lead past it, its grid has the programs of the log, and nothing that the log names beside it
    cannot have failed. Where they disagree, the reasons that fit are the causes.
    """
    asked = _Asked(explainer, known, given, autotuning)
    told = tuple(_told(asked, failure, ()) for failure in failures)
    against = [_holds_beside(failure, told) for failure in told]
    return tuple(
        _told(asked, failure, said) if said else one
        for failure, one, said in zip(failures, told, against, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What all failures of a log are told by."""

    explainer: Explainer
    known: Known
    given: tuple[GivenInput, ...]
    autotuning: Autotuning | None


def _told(asked: _Asked, failure: Failure, beside: tuple[str, ...]) -> Failure:
    """One failure; ``beside`` is what the log's other asserts say against it."""
    explainer, known = asked.explainer, asked.known
    views = [_View(explainer, c, la, known, failure) for c, la in pairs_of(failure)]
    if not views:
        return failure
    chosen = min(views, key=lambda view: view.against)
    shown = failure
    if failure.launch != chosen.launch or failure.kernel != chosen.candidate.kernel:
        shown = explainer.explain(
            chosen.candidate, failure.candidates, failure.logged, known, fired=chosen.launch.id
        )
    contradictions = tuple(chosen.contradictions) or tuple(_refuted(shown))
    contradictions = (*contradictions, *beside)
    rivals = tuple(
        _rival(view, number < _DETAILED, chosen)
        for number, view in enumerate(v for v in views if v is not chosen and not any(v.against))
    )
    evidence = Evidence(contradictions=contradictions)
    if contradictions:
        found = chosen.disagreement(shown, bool(beside))
        raw, launches = shown.index.raw or shown.index.text, explainer.index.launches
        why = reasons(found, raw, launches, asked.given, asked.autotuning)
        if not known.dims:
            why = tuple(cause for cause in why if cause.code != "other-inputs")
        evidence = replace(evidence, reasons=why)
    elif asked.autotuning is not None and not shown.cause.confirmed:
        evidence = replace(evidence, reasons=tuple(tuned_on_random_data(asked.autotuning)))
    if shown.cause.confirmed:
        evidence = replace(evidence, undecided=tuple(chosen.undecided(rivals)))
    explained = explainer.explain(
        chosen.candidate,
        failure.candidates,
        failure.logged,
        known,
        evidence,
        chosen.launch.id,
    )
    ruled_out = [v for v in views if v is not chosen and v.closed is not None]
    notes = [f"{chosen.name} fits, {said}" for said in chosen.candidate.conflicts]
    notes += [f"{v.name} is not reached: {v.closed_words}" for v in ruled_out[:_DETAILED]]
    return replace(
        explained,
        programs=failure.programs,
        threads=failure.threads,
        rivals=rivals,
        notes=(*explained.notes, *notes),
    )


def _refuted(shown: Failure) -> list[str]:
    """What the values of the given inputs say against an assert that the log names."""
    said = []
    if shown.holds:
        said.append(f"this assert cannot fail with what is given: {shown.holds}")
    if shown.bad is not None and shown.bad.in_logged is False:
        said.append(
            f"{elements_words(shown.bad)} would fail in other programs than those the log names"
        )
    return said


def _holds_beside(failure: Failure, others: tuple[Failure, ...]) -> tuple[str, ...]:
    """Asserts of the same launch that the log names in the same programs, and that cannot fail
    with what is given."""
    return tuple(
        f"the log names `{other.message}` of this launch too, which cannot fail with "
        "what is given: are these the inputs of the failed run?"
        for other in others
        if other.holds
        and other.launch is not None
        and other.launch == failure.launch
        and other.kernel_line != failure.kernel_line
        and set(other.programs) & set(failure.programs)
    )


class _View:
    """One launch that fits a log, with what is known of it before it is replayed."""

    def __init__(
        self,
        explainer: Explainer,
        candidate: Candidate,
        launch: Launch,
        known: Known,
        failure: Failure,
    ) -> None:
        self.explainer = explainer
        self.candidate = candidate
        self.launch = launch
        self.known = known
        self.failure = failure
        self.gates = [known_gate(scope, known) for scope in launch.scopes]
        self.grid: Program | None = known_grid(explainer.index, launch, known)

    @property
    def name(self) -> str:
        return f"{self.launch.kernel} (:{self.launch.line})"

    @property
    def closed(self) -> Gate | None:
        return next((gate for gate in self.gates if gate.closed), None)

    @property
    def closed_words(self) -> str:
        assert self.closed is not None
        return gate_words(self.explainer, self.closed, self.launch)

    @property
    def outside(self) -> str:
        if self.grid is None or 0 in self.grid:
            return ""
        return outside_words(self.failure.programs, self.grid)

    @property
    def against(self) -> tuple[bool, bool, bool, bool]:
        """What speaks against the launch, the gravest first."""
        empty = self.grid is not None and 0 in self.grid
        return bool(self.candidate.conflicts), self.closed is not None, empty, bool(self.outside)

    @property
    def contradictions(self) -> list[str]:
        said = []
        if self.closed is not None:
            said.append(f"not reached: {self.closed_words}")
        if self.grid is not None and 0 in self.grid:
            grid = "×".join(map(str, self.grid))
            said.append(f"with these inputs the grid is {grid}: the wrapper skips this launch")
        return [*said, *([self.outside] if self.outside else [])]

    def disagreement(self, shown: Failure, beside: bool) -> Disagreement:
        """How what is given disagrees with the log, for :func:`reasons`."""
        empty = self.grid is not None and 0 in self.grid
        return Disagreement(
            self.launch,
            self.closed_words if self.closed is not None else "",
            "×".join(map(str, self.grid or ())) if empty else "",
            silent=bool(shown.holds) and self.closed is None and not empty,
            elsewhere=beside or (shown.bad is not None and shown.bad.in_logged is False),
            outside=bool(self.outside),
        )

    def undecided(self, rivals: tuple[Rival, ...]) -> list[str]:
        """What only a replay can tell."""
        said = [
            f"whether it runs is open: {gate_words(self.explainer, gate, self.launch)}"
            for gate in self.gates
            if gate.opens is None
        ]
        if self.grid is None:
            said.append("how many programs it has is known by a replay only")
        if rivals:
            said.append(f"{len(rivals)} more fit the log: a replay tells which of them fired")
        return said


def _rival(view: _View, detailed: bool, chosen: _View) -> Rival:
    candidate, launch = view.candidate, view.launch
    said = "the values that it indexes with"
    if detailed:
        said = _branch(view, chosen) or _values(view)
    return Rival(candidate.kernel, candidate.kernel_line, launch, said)


def _branch(view: _View, chosen: _View) -> str:
    """The branch or loop that one of the two stands in and the other does not."""
    for one, other in ((view, chosen), (chosen, view)):
        for scope, gate in zip(one.launch.scopes, one.gates, strict=False):
            if scope in other.launch.scopes or gate.opens is True:
                continue
            behind = behind_condition(one.explainer, gate, one.launch.function)
            what = gate.words
            return f"{behind} ({what})" if behind else what
    return ""


def _values(view: _View) -> str:
    shown = view.explainer.explain(
        view.candidate,
        view.failure.candidates,
        view.failure.logged,
        view.known,
        fired=view.launch.id,
    )
    sources = dict.fromkeys((*shown.index.sources, *shown.bound.sources))
    words = [source_words(s) for s in sources if s.kind != "literal"]
    return " and ".join(words) or "values that could not be followed"
