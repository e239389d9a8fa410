"""Commands that look at values, sources and what there is."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from aoti_tui.replay.model import Block
from aoti_tui.replay.recorded.conditions import ConditionError, parse_condition
from aoti_tui.session import words
from aoti_tui.session.language import reading, topics
from aoti_tui.session.language.naming import KERNEL_LINE, current_kernel, named_line
from aoti_tui.session.language.parts import Parts
from aoti_tui.session.listed.everything import listed
from aoti_tui.session.shown import shown_lanes
from aoti_tui.session.text import number
from aoti_tui.session.values.temporaries import Temporary, temporaries
from aoti_tui.session.values.watches import evaluator, watched

LANE = re.compile(r"\[?\s*(\d+(?:\s*,\s*\d+)*)\s*\]?")
_X = re.compile(r"(?:/(?P<count>\d*)(?P<format>[a-z]{0,2})\s+)?(?P<what>.+)")
_FORMAT = re.compile(r"/(?P<letter>\w+)\s+")
_SPAN = re.compile(r"(?P<first>\d+)\s*,\s*(?P<last>\d*)")
_DECIMAL = "dfuwgbh"
"""Letters of a format that change nothing: decimal, and how wide an element is."""
_ONLY_DECIMAL = "Values are shown in decimal, as their dtype is: p tmp4, x/8 buf0[0,2]."
LISTED = 5
"""Lines before and after the one that is listed."""


class Looking:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._listed: tuple[str, int, int, tuple[object, ...]] = ("", 0, 0, ())
        """What was listed last, and where it stood then."""

    def handlers(self) -> dict[str, Callable[[str], str]]:
        return {
            "print": self._print,
            "x": self._elements,
            "info": self._info,
            "list": self._list,
            "lane": self._lane,
            "display": self._display,
            "undisplay": self._undisplay,
            "goto": self._goto,
        }

    # -- values -------------------------------------------------------------------------------

    def _print(self, text: str) -> str:
        if not text:
            return "p prints an expression: p tmp4 - ks0, p arg5_1[1,1], p s22."
        letter = _FORMAT.match(text)
        if letter is not None and set(letter["letter"]) - set(_DECIMAL):
            return _ONLY_DECIMAL
        if letter is not None:
            text = text[letter.end() :]
        state = self.parts.state
        recording = state.recording
        problem = ""
        try:
            condition = parse_condition(text)
            problem = evaluator(recording).unknown(text) if recording is not None else "–"
        except ConditionError as error:
            return self._outside(text, str(error))
        if problem or recording is None:
            kernel, incident = current_kernel(self.parts.session), self.parts.incident
            program = incident.kernel_program(kernel.name) if kernel is not None else None
            own = {*program.by_name, *program.constexprs} if program is not None else set()
            if recording is None and own.intersection(condition.names()):
                return f"{text} has no value yet: c runs the kernel."
            return self._outside(text, "" if recording is None else problem)
        row = watched(recording, state.position, state.lane, (text,))[0]
        told = f"{text} = {row.value}"
        if row.block is not None and len(row.block) > 1:
            masked = ", which is masked out" if row.masked else ""
            told += f" in lane {words.lane(state.lane)}{masked}; {row.shape} {row.summary}"
        self.parts.tell(told, {"expression": text, **value_of(row), "lane": list(state.lane)})
        return ""

    def _outside(self, text: str, problem: str) -> str:
        """An expression of more than the kernel's names: what it means is asked of the worker."""
        incident, state = self.parts.incident, self.parts.state
        recording = state.recording
        found = temporaries(recording, state.position, state.lane) if recording is not None else ()
        known = {one.name: one.raw for one in found}
        known |= {**recording.scalars, **recording.blocks} if recording is not None else {}
        launch = state.launch

        def ask(tell: object) -> reading.Answer | str:
            try:
                symbols = incident.replayer().symbols_of(launch)
                return reading.evaluated(incident, launch, text, symbols, known)
            except reading.Unknown as error:
                return problem or str(error)

        self.parts.session.front.start("ask", ask, self._asked)
        return ""

    def _asked(self, found: reading.Answer | str) -> None:
        if isinstance(found, str):
            self.parts.refuse(found)
        else:
            self.parts.tell(found[0], *found[1])

    def _elements(self, text: str) -> str:
        match = _X.fullmatch(text)
        if match is None:
            return "x shows the elements of a tensor: x in_ptr0, x/8 buf0[0,2], x arg0_1."
        if set(match["format"] or "") - set(_DECIMAL):
            return _ONLY_DECIMAL
        what, incident, launch = match["what"].strip(), self.parts.incident, self.parts.state.launch
        count = max(1, int(match["count"] or reading.SHOWN))
        if not match["count"] and self.parts.desk.look_at(what):
            pass

        def ask(tell: object) -> reading.Answer | str:
            try:
                return reading.elements(incident, launch, what, count)
            except reading.Unknown as error:
                return str(error)

        self.parts.session.front.start("ask", ask, self._asked)
        return ""

    def _display(self, text: str) -> str:
        problem = self.parts.watches.add(text)
        if not problem:
            self.parts.given.append({"expression": text, "number": len(self.parts.state.watches)})
        return problem

    def _undisplay(self, text: str) -> str:
        shown = self.parts.state.watches
        if not shown:
            return "Nothing is displayed."
        if not text:
            for one in shown:
                self.parts.watches.remove(one)
            return ""
        at = int(text) - 1 if text.isdigit() else shown.index(text) if text in shown else -1
        if not 0 <= at < len(shown):
            return f"{text} is not displayed; there is {', '.join(shown)}."
        self.parts.watches.remove(shown[at])
        return ""

    # -- what there is ------------------------------------------------------------------------

    def _info(self, text: str) -> str:
        topic = topics.topic_of(text)
        if topic is None:
            return f"info knows {', '.join(topics.TOPICS)}."
        group = topic.capitalize() if topic != "watches" else ""
        title = "" if self.parts.desk.show_group(group) else f"info {topic}"

        def told(found: topics.Told) -> None:
            self.parts.tell("\n".join(found.lines), *found.values, title=title)

        slow = topics.slow(self.parts, topic)
        if slow is None:
            told(topics.told(self.parts, topic))
        else:
            self.parts.session.front.start("ask", lambda tell: slow(), told)
        return ""

    def _list(self, text: str) -> str:
        """The source around a place. It moves the cursor, and never the step: the arrow stays."""
        session = self.parts.session
        span = _SPAN.fullmatch(text)
        if span is not None:
            document = session.document
            first, last = int(span["first"]), int(span["last"] or int(span["first"]) + 2 * LISTED)
            if first > last or first > document.last:
                return f"There are no lines {text}: the source has {document.last}."
            return self._lines(first, last)
        if text in ("", "-") and self._goes_on():
            path, first, last, _ = self._listed
            if session.state.place.path == path:
                size = 2 * LISTED
                if text:
                    return self._lines(first - size - 1, first - 1)
                return self._lines(last + 1, last + 1 + size)
        elif text and text != "-":
            problem = self.go(text)
            if problem:
                return problem
        line = self.parts.state.place.line
        return self._lines(line - LISTED, line + LISTED)

    def _goes_on(self) -> bool:
        """Whether nothing has moved since what was listed last, so that the next lines follow."""
        return self._listed[3] == self._at()

    def _at(self) -> tuple[object, ...]:
        state = self.parts.state
        return state.place.path, state.place.line, state.position, state.launch

    def _lines(self, first: int, last: int) -> str:
        session = self.parts.session
        document = session.document
        first, last = max(document.first, first), min(document.last, last)
        if first > last:
            end = "beginning" if last < document.first else "end"
            lines_there = f"{document.first} to {document.last}"
            return f"This is the {end} of the source: it has lines {lines_there}."
        stands = self._stands()
        rows, lines = [], []
        for at in range(first, last + 1):
            kernel = document.kernel_at(at)
            own = kernel.kernel_line(at) if kernel is not None else None
            mark = "→" if at == stands else " "
            label = f"{at}" + (f" k{own}" if own else "")
            lines.append(f"{mark} {label:<10} {document.text(at)}")
            rows.append({"line": at, "kernel_line": own, "text": document.text(at)})
        self._listed = (self.parts.state.place.path, first, last, self._at())
        self.parts.tell("\n".join(lines), *rows)
        return ""

    def _stands(self) -> int | None:
        """The line of the step where the program stands; that of the cursor before it was run."""
        session, state = self.parts.session, self.parts.state
        if state.recording is None or state.position < 0:
            return state.place.line
        step = state.recording.steps[state.position]
        place = session.place_of(step.file, step.kernel_line)
        return place.line if place is not None and place.path == state.place.path else None

    # -- going --------------------------------------------------------------------------------

    def _lane(self, text: str) -> str:
        if text in ("", "next", "previous"):
            if self.parts.state.recording is None:
                return "There are no lanes yet: c runs the kernel."
            self.parts.values.select_failing(-1 if text == "previous" else 1)
            return ""
        match = LANE.fullmatch(text)
        if match is None:
            return f"“{text}” is no lane: lane [3,1], or lane next for the next failing one."
        lane = tuple(int(part) for part in match[1].split(","))
        grid = shown_lanes(self.parts.state)
        if grid is None:
            return "There are no lanes yet: c runs the kernel."
        shape = grid.block.shape
        fits = len(lane) == len(shape)
        if not fits or any(at >= size for at, size in zip(lane, shape, strict=True)):
            return f"{grid.name} has no lane {words.lane(lane)}: its block is {list(shape)}."
        self.parts.values.select_lane(lane)
        return ""

    def _goto(self, text: str) -> str:
        return self.go(text) if text else "goto goes to a place: goto 1344, goto k46, goto tmp4."

    def go(self, text: str) -> str:
        """Put the cursor on a place that is named exactly; a sentence where nothing is."""
        session = self.parts.session
        if text.isdigit():
            session.go(self.parts.state.place.at(int(text)))
            return ""
        digits, kernel = KERNEL_LINE.fullmatch(text), current_kernel(session)
        if digits is not None and kernel is not None:
            session.go_kernel_line(kernel.name, int(digits[1]))
            return ""
        if kernel is not None and self._go_name(kernel.name, text):
            return ""
        if ":" in text:
            found = named_line(session, text)
            if isinstance(found, str):
                return found
            session.go_source_line(*found)
            return ""
        fits = (entry for entry in listed(self.parts.incident) if entry.label == text)
        entry = next(fits, None)
        if entry is None:
            return f"Nothing is called “{text}”: info kernels, inputs, symbols … list names."
        self.parts.places.choose(entry)
        return ""

    def _go_name(self, kernel: str, name: str) -> bool:
        """To the assignment of a name of the kernel, and its step where it was run."""
        made = self.parts.incident.kernel_program(kernel).by_name.get(name, ())
        if not made:
            return False
        self.parts.session.go_kernel_line(kernel, made[0].line, name)
        recording = self.parts.state.recording
        if recording is not None and recording.kernel == kernel:
            self.parts.values.pick(name)
        return True


def value_of(row: Temporary) -> dict[str, Any]:
    """A value for a program that asks: that of the lane, and of all lanes where they are few."""
    block = row.block
    told: dict[str, Any] = {"value": reading.plain(row.raw)}
    if row.raw is None and block is None:
        told["problem"] = row.value
    if isinstance(block, Block):
        summary = row.statistics.summary
        told |= {"dtype": block.dtype, "shape": list(block.shape), "masked": row.masked}
        if summary is not None:
            told["summary"] = {
                "min": reading.plain(summary.min),
                "max": reading.plain(summary.max),
                "nan": summary.nan,
                "distinct": summary.distinct,
                "count": summary.count,
            }
        if len(block) <= reading.MOST:
            told["lanes"] = [reading.plain(value) for value in block.values]
    else:
        told["text"] = number(row.raw) if row.raw is not None else row.value
    return told
