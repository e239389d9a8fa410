"""Does a replay agree with a log, and which of several kernels that fit a log really fired?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aoti_tui.index.model import Launch
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import FiredAssert, Program, ReplayResult
from aoti_tui.replay.session import ReplaySession


@dataclass(frozen=True, slots=True)
class Candidate:
    """A launch that may be the one of the log, and the assert the log names."""

    launch: Launch
    kernel_line: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What one candidate did. ``agrees``: its assert fired in every program that the log names
    (logs are often cut, so more may have); None when it could not be replayed, with ``problem``."""

    candidate: Candidate
    fired: FiredAssert | None
    agrees: bool | None
    result: ReplayResult | None = None
    problem: str = ""


def agrees(result: ReplayResult, kernel_line: int, programs: Iterable[Program]) -> bool:
    """Whether the assert of a log fired first in the replay, in all programs of the log."""
    fired = next((a for a in result.asserts if a.kernel_line == kernel_line), None)
    return fired is not None and set(programs) <= set(fired.programs)


def which_fired(
    session: ReplaySession, candidates: Sequence[Candidate], programs: Iterable[Program]
) -> tuple[Answer, ...]:
    """Replay every candidate, in the wrapper's order; those that agree with the log come first.

    The GPU stops at its first failing launch, so of several that agree the earliest is the one.
    Raises ReplayError when it is cancelled or no Python can replay.
    """
    logged = frozenset(programs)
    answers: list[Answer] = []
    for candidate in sorted(candidates, key=lambda c: c.launch.id):
        try:
            result = session.run(candidate.launch)
        except ReplayError as error:
            if error.kind in ("cancelled", "unavailable", "bad-inputs"):
                raise
            answers.append(Answer(candidate, None, None, None, f"{error.what}: {error.why}"))
            continue
        fired = next((a for a in result.asserts if a.kernel_line == candidate.kernel_line), None)
        fits = agrees(result, candidate.kernel_line, logged)
        answers.append(Answer(candidate, fired, fits, result))
    answers.sort(key=lambda a: (not a.agrees, a.fired is None, a.candidate.launch.id))
    return tuple(answers)
