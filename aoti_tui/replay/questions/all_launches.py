"""Every launch in order with memory checks: what fails first, when no log tells?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aoti_tui.index.model import Launch
from aoti_tui.replay.client import Progress, Reply
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import ReplayResult
from aoti_tui.replay.plan.launching import Prepared
from aoti_tui.replay.questions.truncated import TruncatedSymbol, truncated_symbols
from aoti_tui.replay.recorded.results import decode_result
from aoti_tui.replay.session import ReplaySession


@dataclass(frozen=True, slots=True)
class LaunchOutcome:
    """``status``: ``ok``, ``assert``, ``fault``, ``skipped`` (an empty grid, or a branch that the
    values do not take), ``unsupported`` (``detail`` says why)."""

    launch: Launch
    status: str
    result: ReplayResult | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class AllLaunches:
    """Outcomes in the order of replay; ``first`` is the first that failed."""

    outcomes: tuple[LaunchOutcome, ...]
    first: LaunchOutcome | None
    notes: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    """Checks of the wrapper itself that do not hold: it would have stopped by itself."""
    truncated: tuple[TruncatedSymbol, ...] = ()
    """Sizes that came out wrong, which no launch has to fail for."""


def replay_all(
    session: ReplaySession,
    *,
    stop_at_first: bool = True,
    progress: Progress | None = None,
    on_outcome: Callable[[LaunchOutcome], None] | None = None,
) -> AllLaunches:
    """Replay the whole model, launch by launch, with asserts and memory checks.

    With ``stop_at_first`` nothing after the first failing launch runs, as on the GPU. Raises
    ReplayError when it is cancelled or the worker dies.
    """
    outcomes: list[LaunchOutcome] = []

    with session.whole_run() as execution:

        def after(launch: Launch, prepared: Prepared | None, reply: Reply | ReplayError) -> bool:
            if prepared is None or isinstance(reply, ReplayError):
                why = reply.why if isinstance(reply, ReplayError) else ""
                outcome = LaunchOutcome(launch, "unsupported", None, why)
            else:
                result = decode_result(reply, execution, prepared, session.kernels, "big")
                outcome = LaunchOutcome(launch, _status(result), result, _detail(result))
            outcomes.append(outcome)
            if on_outcome is not None:
                on_outcome(outcome)
            return stop_at_first and outcome.status in ("assert", "fault")

        events = session.flow.events(session.index.main)
        execution.run(events, None, progress, after)
        notes, checks = tuple(execution.notes), tuple(execution.broken_checks)
        symbols = tuple(execution.symbols.values.values())
        truncated = truncated_symbols(session.index, symbols)
    first = next((o for o in outcomes if o.status in ("assert", "fault")), None)
    if first is None or not stop_at_first:
        ran = {o.launch.id for o in outcomes}
        for launch in session.index.launches:
            if launch.function.is_main and launch.id not in ran:
                closed = (gate for gate in execution.gates_of(launch) if gate.opens is False)
                detail = next((gate.words for gate in closed), "not reached")
                outcomes.append(LaunchOutcome(launch, "skipped", None, detail))
    return AllLaunches(tuple(outcomes), first, notes, checks, truncated)


def replay_one(
    session: ReplaySession, launch: Launch, *, progress: Progress | None = None
) -> AllLaunches:
    """One launch with memory checks, as the only one: for data of the GPU that is of it alone.
    Raises ReplayError."""
    result = session.run(launch, progress=progress)
    outcome = LaunchOutcome(launch, _status(result), result, _detail(result))
    failed = outcome if outcome.status in ("assert", "fault") else None
    return AllLaunches(
        (outcome,),
        failed,
        result.notes,
        (),
        truncated_symbols(session.index, result.symbols),
    )


def _detail(result: ReplayResult) -> str:
    return f"its grid is empty ({'×'.join(map(str, result.grid))})" if 0 in result.grid else ""


def _status(result: ReplayResult) -> str:
    if 0 in result.grid:
        return "skipped"
    if result.asserts:
        return "assert"
    return "fault" if result.faults else "ok"
