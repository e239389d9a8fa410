"""A failing assert in the program that was recorded: its first failing lane and its values."""

from __future__ import annotations

from dataclasses import replace

from aoti_tui.index.expression import ExpressionError
from aoti_tui.index.python.expression import parse_python
from aoti_tui.replay.model import FiredAssert, Recording, Step
from aoti_tui.replay.recorded.recording import failing_lanes, lane_value, last_step


def fired_in(fired: FiredAssert, recording: Recording) -> FiredAssert | None:
    """The assert with lane and values of the recorded program; None where it holds there."""
    if recording.program == fired.first_program:
        return fired
    for step in recording.steps:
        if step.kind == "assert" and step.kernel_line == fired.kernel_line and step.failing:
            lane = next(iter(failing_lanes(step)), None)
            if lane is not None:
                found = {name: number_at(recording, step, name, lane) for name in fired.values}
                values = {name: value for name, value in found.items() if value is not None}
                return replace(
                    fired, first_program=recording.program, first_lane=lane, values=values
                )
    return None


def number_at(
    recording: Recording, step: Step, text: str, lane: tuple[int, ...]
) -> int | float | None:
    """Value of a name or expression of the kernel in one lane, just before ``step``."""
    made = last_step(recording, text, step.position, step)
    if made is not None:
        value = lane_value(made, lane)
        return None if isinstance(value, str) else value
    if text in recording.scalars:
        return recording.scalars[text]
    try:
        expression = parse_python(text)
        values: dict[str, int | float] = {}
        for name in expression.names():
            inner = number_at(recording, step, name, lane) if name != text else None
            if inner is None:
                return None
            values[name] = inner
        return expression.evaluate(values)
    except ExpressionError:
        return None
