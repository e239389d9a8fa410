"""``aoti-tui replay --element`` and ``--reference``: who wrote a wrong output element."""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.index.model import Launch
from aoti_tui.replay.questions.elements import element_by_hand, index_of
from aoti_tui.replay.questions.writers import (
    Writer,
    WrittenElement,
    WrongElement,
    find_wrong,
    nobody_writes,
    written_element,
)
from aoti_tui.replay.session import ReplaySession

CAPTURED = "captured"
"""What ``--reference`` says for the tensors of ``--tensors``."""
_SHOWN_WRITERS = 8


@dataclass(frozen=True, slots=True)
class Written:
    """The answer: ``written`` is None when the argument equals the reference everywhere.

    ``wrong`` is None for an element given by hand; ``index`` is the element's by dimensions.
    """

    argument: str
    written: WrittenElement | None
    wrong: WrongElement | None
    index: tuple[int, ...] | None


def ask_writers(
    session: ReplaySession, launch: Launch, arguments: argparse.Namespace
) -> Written | None:
    """Who wrote the element that the command line names; None when it names none.

    Raises ArtifactError or ReplayError, also when no program writes the element.
    """
    wrong: WrongElement | None = None
    if arguments.element is not None:
        argument, element = element_by_hand(session, launch, arguments.element)
        index = index_of(session, launch, argument, element)
    elif arguments.reference is not None:
        argument = arguments.argument or _only_output(session, launch)
        named = arguments.reference
        wrong = find_wrong(session, launch, argument, None if named == CAPTURED else Path(named))
        if wrong is None:
            return Written(argument, None, None, None)
        element, index = wrong.element, wrong.index
    else:
        return None
    written = written_element(session, launch, argument, element)
    if not written.writers:
        raise nobody_writes(launch, argument, element, written.after)
    return Written(argument, written, wrong, index)


def _only_output(session: ReplaySession, launch: Launch) -> str:
    names = session.flow.written_parameters(launch)
    if len(names) == 1:
        return names[0]
    raise ArtifactError(
        f"{launch.kernel} writes {'several arguments' if names else 'no argument'}",
        f"it writes {', '.join(names)}" if names else "none of its stores is understood",
        "Say which one the reference is for: --argument NAME.",
    )


def writers_json(answer: Written) -> dict[str, Any]:
    """``{"writers": […], "element": {…} or null}``, as `aoti-tui help json` describes it."""
    written, wrong = answer.written, answer.wrong
    if written is None:
        return {"writers": [], "element": None}
    element: dict[str, Any] = {
        "argument": written.argument,
        "element": written.element,
        "index": list(answer.index) if answer.index is not None else None,
        "value": _json_number(written.after),
        "before": _json_number(written.before),
        "writers": written.count,
        "depends_on_made_up": written.made_up,
    }
    expected: dict[str, Any] = {}
    if wrong is not None:
        expected = {"expected": _json_number(wrong.expected)}
        element |= {
            **expected,
            "different": wrong.different,
            "max_abs": _json_number(wrong.max_abs),
            "within_tolerance": wrong.within_tolerance,
        }
    return {
        "writers": [{**_writer_json(w), **expected} for w in written.writers],
        "element": element,
    }


def _writer_json(writer: Writer) -> dict[str, Any]:
    return {
        "argument": writer.argument,
        "element": writer.element,
        "program": list(writer.program),
        "lane": list(writer.lane),
        "kernel_line": writer.kernel_line,
        "access": writer.access,
        "value": _json_number(writer.value),
    }


def _json_number(value: float) -> float | str:
    """Infinities and NaN as text: JSON has none."""
    return value if math.isfinite(value) else str(value)


def writers_lines(answer: Written) -> list[str]:
    """The answer for people."""
    written, wrong = answer.written, answer.wrong
    if written is None:
        return [f"{answer.argument} equals the reference everywhere"]
    place = f"{written.argument}[{written.element}]"
    if answer.index is not None:
        place += f" (index {list(answer.index)})"
    said = f"{place} = {written.after}"
    if wrong is not None:
        said += f", expected {wrong.expected}; {wrong.different} elements differ, this one most"
        if wrong.within_tolerance:
            said += ", but no more than by rounding"
    if written.made_up:
        said += "  rests on made-up data"
    lines = [said]
    for writer in written.writers[:_SHOWN_WRITERS]:
        how = "changed by an atomic" if writer.access == "atomic" else "written"
        lines.append(
            f"  {how} by program {writer.program}, lane {writer.lane}, on kernel line "
            f"{writer.kernel_line}: {writer.value}"
        )
    more = written.count - len(lines) + 1
    if more > 0 and written.last is not None:
        lines.append(
            f"  and {more} more writes, the last by program {written.last.program}, lane "
            f"{written.last.lane}"
        )
    return lines
