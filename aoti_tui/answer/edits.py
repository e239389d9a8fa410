"""Other inputs than those given: edited element by element, and the smallest change that helps."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aoti_tui.answer.incident import Incident, Progress
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.failure.model import Failure, Source
from aoti_tui.failure.prose.headline import guilty_sources
from aoti_tui.failure.prose.words import plural
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.questions.all_launches import AllLaunches, replay_all

ROUNDS = 6
"""Failures that are cured one after the other."""
TRIES = 8
"""Changes that are tried for one failure."""
MOST_SIZE = 1 << 14


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of an input; ``position`` is the model's. Exactly one of the others is set."""

    position: int
    write: tuple[tuple[int, ...], int | float] | None = None
    number: int | float | None = None
    clamp: tuple[int | float | None, int | float | None] | None = None
    resize: tuple[int, int] | None = None

    def request(self, place: int) -> dict[str, Any]:
        known: dict[str, Any] = {"place": place}
        for name in ("write", "number", "clamp", "resize"):
            if getattr(self, name) is not None:
                known[name] = getattr(self, name)
        return known


@dataclass(frozen=True, slots=True)
class Change:
    """What an edit did, as a line of a diff."""

    edit: Edit
    text: str
    count: int
    """Elements or sizes that are others now."""


@dataclass
class Inputs:
    """The inputs file of an incident and edited ones, kept as long as the session."""

    folder: tempfile.TemporaryDirectory[str] = field(
        default_factory=lambda: tempfile.TemporaryDirectory(prefix="aoti-tui-inputs-")
    )
    made: int = 0

    def edited(self, incident: Incident, edits: Sequence[Edit]) -> tuple[Incident, list[Change]]:
        """The incident with edited inputs. Raises ReplayError, ArtifactError."""
        path = incident.given.inputs
        if path is None or not incident.inputs:
            raise ReplayError(
                "bad-inputs",
                "No input can be edited",
                "no inputs are given",
                "Give the model's inputs with --inputs FILE.pt",
            )
        sent = [one.request(self._place(incident, one.position)) for one in edits]
        client = incident.session().client
        try:
            reply = client.request(
                "edit", doing="editing the inputs", path=str(path.resolve()), edits=sent
            )
        except ReplayError as error:
            if error.kind not in ("bad-request", "python"):
                raise
            # What was asked for fits the file badly: that is no fault of ours.
            raise ReplayError(
                "bad-inputs",
                "The inputs cannot be changed so",
                error.why,
                "info inputs lists them with their shapes",
            ) from error
        self.made += 1
        stem = path.name.removesuffix(".pt").partition(".edited")[0]
        file = Path(self.folder.name) / f"{stem}.edited{self.made}.pt"
        file.write_bytes(reply.blobs[int(reply["file"])])
        told = [_told(incident, one, raw) for one, raw in zip(edits, reply["changes"], strict=True)]
        words = ", ".join(filter(None, (incident.edited, *(one.text for one in told))))
        return incident.with_inputs(file, words), told

    def _place(self, incident: Incident, position: int) -> int:
        found = next((one for one in incident.inputs if one.position == position), None)
        if found is None or found.place is None:
            raise ReplayError(
                "bad-inputs",
                f"Input {position} cannot be edited",
                "the inputs file does not hold it",
                "info inputs lists those that it holds",
            )
        return found.place


def _told(incident: Incident, edit: Edit, raw: dict[str, Any]) -> Change:
    name = incident.index.inputs[edit.position].name
    who = f"inputs[{edit.position}] ({name})"
    if edit.write is not None:
        text = f"{who}{list(edit.write[0])}: {raw['before']} → {raw['after']}"
    elif edit.clamp is not None:
        first = ", ".join(f"{o['index']}: {o['before']} → {o['after']}" for o in raw["first"][:4])
        more = f" and {raw['count'] - 4} more" if raw["count"] > 4 else ""
        text = f"{who} {first}{more}"
    elif edit.resize is not None:
        text = f"{who}.shape: {raw['before']} → {raw['after']}"
    else:
        text = f"{who}: {raw['before']} → {raw['after']}"
    return Change(edit, text, int(raw["count"]))


@dataclass(frozen=True, slots=True)
class Minimal:
    """The smallest change that was found. ``clean``: no assert of the whole model fires with it
    and no access is outside of its tensor; ``left`` says what still fails or could not run."""

    incident: Incident
    changes: tuple[Change, ...]
    clean: bool
    left: str
    tried: int
    guard: str = ""
    """A line of Python that would have refused the original call."""


def minimal_change(inputs: Inputs, incident: Incident, progress: Progress | None) -> Minimal:
    """Cure one failure after the other, each by the smallest change that moves the model past it.

    The whole model is replayed after each. Raises ReplayError where it cannot be.
    """
    say = progress or (lambda text, share: None)
    say("replaying the model", 0.0)
    done = replay_all(incident.session())
    changes: list[Change] = []
    tried, guards = 0, []
    for _ in range(ROUNDS):
        failure = _failure(incident, done)
        if failure is None:
            break
        guards += [fix.requires for fix in failure.fixes if fix.requires is not None][:1]
        better = None
        for edits in _candidates(incident, failure):
            if tried >= ROUNDS * TRIES:
                break
            tried += 1
            say(f"trying another input ({tried})", 0.5)
            better = _try(inputs, incident, edits, done)
            if better is not None:
                break
        if better is None:
            break
        incident, done, told = better
        changes += told
    left = _left(done)
    guard = " and ".join(
        f"({one})" if len(set(guards)) > 1 else one for one in dict.fromkeys(guards)
    )
    return Minimal(
        incident, tuple(changes), done.first is None and not done.checks, left, tried, guard
    )


def _failure(incident: Incident, done: AllLaunches) -> Failure | None:
    """The first failure of a whole replay, with its evidence."""
    failure = incident.failure_of(done)
    if failure is None or failure.access is not None or done.first is None:
        return failure
    try:
        return incident.judge(failure, scanned=done.first.result).failure
    except ReplayError:
        return failure


def _try(
    inputs: Inputs, incident: Incident, edits: Sequence[Edit], before: AllLaunches
) -> tuple[Incident, AllLaunches, list[Change]] | None:
    """The incident with edits that bring the model further; None for those that do not."""
    try:
        after, told = inputs.edited(incident, edits)
        done = replay_all(after.session())
    except (ReplayError, ArtifactError) as error:
        if isinstance(error, ReplayError) and error.kind in ("cancelled", "died"):
            raise
        return None
    if not any(one.count for one in told) or _progress(done) <= _progress(before):
        return None
    return after, done, told


def _progress(done: AllLaunches) -> tuple[int, int, int]:
    """How far the model gets: checks that hold, launches that run clean, and how little fails at
    the first that does not."""
    clean = sum(1 for one in done.outcomes if one.status == "ok")
    if done.first is None:
        return (-len(done.checks), len(done.outcomes) + 1, 0)
    result = done.first.result
    bad = 0
    if result is not None:
        bad = sum(one.failing_lanes for one in result.asserts)
        bad += sum(one.count for one in result.faults)
    return (-len(done.checks), clean, -bad)


def _left(done: AllLaunches) -> str:
    parts = []
    if done.first is not None:
        first = done.first
        fired = first.result.asserts[0].message if first.result and first.result.asserts else ""
        what = fired or "an access is outside of its tensor"
        parts.append(f"{first.launch.kernel} (:{first.launch.line}) still fails: {what}")
    parts += [f"a check of the wrapper does not hold: {one}" for one in done.checks[:2]]
    skipped = [one for one in done.outcomes if one.status == "unsupported"]
    if skipped:
        parts.append(f"{plural(len(skipped), 'launch', 'launches')} could not be replayed")
    return "; ".join(parts)


# -- what could help ----------------------------------------------------------------------------


def _candidates(incident: Incident, failure: Failure) -> Iterator[tuple[Edit, ...]]:
    """Changes of inputs that could cure a failure, the smallest first."""
    bad = failure.bad
    if bad is not None and bad.position is not None:
        low = bad.lowest if bad.lowest is not None else None
        if bad.highest >= (low if low is not None else 0):
            own = _given(incident, bad.position)
            if own is not None and own.kind != "tensor":
                yield (Edit(bad.position, number=min(max(own.value or 0, low or 0), bad.highest)),)
            elif bad.count == 1 and len(bad.first) == 1:
                one = bad.first[0]
                value = max(low if low is not None else one.value, min(one.value, bad.highest))
                yield (Edit(bad.position, write=(tuple(one.index), value)),)
            yield (Edit(bad.position, clamp=(low, bad.highest)),)
    sources = dict.fromkeys(
        (*guilty_sources(failure), *failure.bound.sources, *failure.index.sources)
    )
    # A size is one change; floats that feed an index are many.
    for source in sorted(sources, key=lambda one: _is_float(incident, one)):
        yield from _of_source(incident, failure, source)


def _is_float(incident: Incident, source: Source) -> bool:
    own = _given(incident, source.position) if source.position is not None else None
    return source.kind == "input" and own is not None and "float" in own.dtype


def _of_source(incident: Incident, failure: Failure, source: Source) -> Iterator[tuple[Edit, ...]]:
    position = source.position
    own = _given(incident, position) if position is not None else None
    if own is None or position is None:
        return
    if source.kind == "input_dim" and source.dim is not None and source.dim < len(own.shape):
        sharing = _sharing(failure, source)
        for size in _sizes(incident, failure, source, own.shape[source.dim]):
            yield tuple(Edit(at, resize=(dim, size)) for at, dim in sharing)
    elif source.kind in ("input", "input_value") and own.kind != "tensor":
        for number in _numbers(failure, own.value):
            yield (Edit(position, number=number),)
    elif source.kind in ("input", "input_value"):
        bound = failure.bound.value
        if isinstance(bound, int) and bound > 0:
            yield (Edit(position, clamp=(-bound, bound - 1)),)
            yield (Edit(position, clamp=(0, bound - 1)),)
        yield (Edit(position, clamp=(0, 1)),)
        yield (Edit(position, clamp=(0, 0)),)


def _sharing(failure: Failure, source: Source) -> list[tuple[int, int]]:
    """The dimension, and those of other inputs that must have its size."""
    found = [(source.position or 0, source.dim or 0)]
    if source in failure.bound.sources:
        for other in failure.bound.may_also_name:
            if other.position is not None and other.dim is not None:
                found.append((other.position, other.dim))
    return list(dict.fromkeys(found))


def _sizes(incident: Incident, failure: Failure, source: Source, have: int) -> Iterator[int]:
    """Sizes to try, nearest first."""
    least, most = 0, MOST_SIZE
    for guard in incident.index.guards_of(source.position or 0, source.dim):
        text = str(guard.value).strip()
        if text.isdigit() and guard.check == "min":
            least = int(text)
        elif text.isdigit() and guard.check == "max":
            most = min(most, int(text))
    bound = failure.bound.value
    tries = [least, have + 1, have - 1, *([bound] if isinstance(bound, int) else [])]
    bad = failure.bad
    if bad is not None:
        tries.insert(0, max(bad.largest + 1, -bad.smallest))
    value = failure.index.value
    if isinstance(value, int):
        tries.append(value + 1)
    tries += [have * 2, have // 2, 2, 1]
    allowed = [one for one in dict.fromkeys(tries) if max(least, 0) <= one <= most and one != have]
    yield from sorted(allowed, key=lambda one: abs(one - have))[:TRIES]


def _numbers(failure: Failure, have: Any) -> Iterator[int | float]:
    bound = failure.bound.value
    tries = [bound - 1] if isinstance(bound, int) and bound > 0 else []
    yield from (one for one in dict.fromkeys((*tries, 0, 1)) if one != have)


def _given(incident: Incident, position: int) -> Any:
    return next((one for one in incident.inputs if one.position == position), None)
