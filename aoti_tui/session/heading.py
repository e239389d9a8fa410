"""What stands on top of the screen: the verdict on the open failure, or what there is without."""

from __future__ import annotations

from dataclasses import replace

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.script import ScriptIncident
from aoti_tui.answer.script_words import script_heading
from aoti_tui.answer.traced_fault import traced_headline
from aoti_tui.failure.log.autotuning import autotuning_words
from aoti_tui.failure.log.loading import LOADING_HEADLINE, loading_remedy, loading_why
from aoti_tui.failure.model import Failure
from aoti_tui.failure.prose.headline import Heading, Row, heading_of
from aoti_tui.failure.prose.words import plural
from aoti_tui.index.model import WrapperIndex
from aoti_tui.replay.questions.truncated import (
    TruncatedSymbol,
    truncation_warning,
    truncation_words,
)
from aoti_tui.session.state import State

_NOTES = 3


def heading(state: State) -> Heading:
    """The verdict that a state shows: of the failure, of a trial, or of a wrapper without one."""
    incident, failure, trial = state.incident, state.failure, state.trial
    if incident is None:
        return Heading()
    if isinstance(incident, ScriptIncident):
        return trial.heading if trial is not None else script_heading(incident.run)
    if failure is None:
        return trial.heading if trial is not None else _without_failure(incident)
    if trial is None:
        return _of_failure(incident, failure, state.failure_number or 0)
    if state.shown is failure:
        # The trial was of another failure: what it found there says nothing here.
        told = f"WHAT IF {trial.settings} is set: c runs this one too — = takes it back"
        return Heading("", told, (), trial.fails)
    return trial.heading


def _of_failure(incident: Incident, failure: Failure, number: int) -> Heading:
    told = heading_of(
        failure,
        given=incident.can_diagnose,
        number=number + 1,
        count=len(incident.failures),
        notes=_beside(incident),
    )
    tuned = incident.log.autotuning if incident.log is not None else None
    if tuned is None or tuned.kind == "configs" or failure.cause.confirmed:
        return told
    # Random data fail such asserts as a matter of course: that comes before any other reason.
    words = autotuning_words(tuned)
    rows = (row for row in told.rows if row.text != words)
    return replace(told, rows=(Row("but", words), *rows))


def _beside(incident: Incident) -> tuple[Row, ...]:
    """What else is known of the call: sizes that came out wrong, then notes."""
    sizes = [Row("size", _warning(s), truncation_words(s)) for s in incident.truncated[:1]]
    return (*sizes, *_notes(incident, 1))


def _warning(symbol: TruncatedSymbol) -> str:
    return truncation_warning(symbol).removeprefix("a size came out wrong: ")


def _notes(incident: Incident, most: int) -> tuple[Row, ...]:
    said = {truncation_warning(symbol) for symbol in incident.truncated}
    told = [note for note in incident.notes if note not in said]
    return tuple(Row("note", note, aside=True) for note in told[:most])


def _without_failure(incident: Incident) -> Heading:
    if incident.truncated:
        return _wrong_size(incident, incident.truncated[0])
    if incident.only_memory_faults:
        return _memory_fault(incident)
    loading = incident.loading_error
    if loading is not None:
        rows = (
            Row("why", loading.error),
            Row("", loading_why(loading)),
            Row("next", loading_remedy(loading)),
            *_notes(incident, 1),
        )
        return Heading("", LOADING_HEADLINE, rows, True)
    index = incident.index
    counts = (
        plural(len(index.kernels), "kernel"),
        plural(len(index.launches), "launch", "launches"),
        plural(len(index.inputs), "input"),
    )
    keys = (
        "p pastes a log, o reads one from a file, c runs the launch under the cursor, d replays "
        "the whole model to its first bad access"
    )
    rows = (*_notes(incident, _NOTES), Row("next", keys))
    return Heading("", f"{', '.join(counts)}. No failure is open", rows)


def _wrong_size(incident: Incident, symbol: TruncatedSymbol) -> Heading:
    """A size that the generated code worked out wrong: nothing asserts, and rows are lost."""
    dims = [_dimension(incident.index, name, value) for name, value in symbol.of]
    guilty = "the generated code" if symbol.missed_whole else "the size"
    with_size = f", with {', '.join(dims)}" if dims else ""
    rows = (
        Row("guilty", f"{guilty}{with_size}"),
        Row("why", _warning(symbol), truncation_words(symbol)),
        Row("sure", "worked out exactly from the given sizes; nothing has to run for it"),
        *_notes(incident, _NOTES),
    )
    said = f"{symbol.name} came out wrong: {symbol.got} instead of {symbol.exact:g}"
    return Heading("", said, rows, True)


def _dimension(index: WrapperIndex, name: str, value: int | float) -> str:
    """``input 0 (arg3_1), dimension 0 = 49``."""
    symbol = index.symbol(name)
    if symbol is None or symbol.position is None or symbol.dim is None:
        return f"{name} = {value:g}"
    owner = index.inputs[symbol.position].name
    return f"input {symbol.position} ({owner}), dimension {symbol.dim} = {value:g}"


def _memory_fault(incident: Incident) -> Heading:
    """A log that ends in a bad address: it names no kernel, a replay of the model does."""
    given = "with the given inputs"
    if not incident.can_diagnose:
        given = "O reads the inputs of the failed call first: made-up ones prove nothing"
    traced = incident.traced
    unknown = "which access and input" if traced else "which kernel, launch and input"
    rows = (
        Row(
            "next", f"d replays the whole model up to its first access outside of a tensor, {given}"
        ),
        Row("sure", f"not replayed yet: {unknown} did it is not known"),
        *_notes(incident, 1),
    )
    said = traced_headline(traced) if traced else "the log reports a memory fault, and no assert"
    return Heading("", said, rows, True)
