"""Commands for breakpoints and watchpoints."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from aoti_tui.replay.recorded.breakpoints import Breakpoint
from aoti_tui.session.kept.stops import Numbered
from aoti_tui.session.language.naming import named_line
from aoti_tui.session.language.parts import Parts

_BREAK = re.compile(r"(?P<where>(?!if\b)\S+)?(?:\s*\bif\s+(?P<condition>.+))?")


class Stopping:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def handlers(self) -> dict[str, Callable[[str], str]]:
        return {
            "break": lambda text: self._break(text, once=False),
            "tbreak": lambda text: self._break(text, once=True),
            "watch": self._watch,
            "delete": self._delete,
            "disable": lambda text: self._able(text, enabled=False),
            "enable": lambda text: self._able(text, enabled=True),
            "condition": self._condition,
            "ignore": self._ignore,
        }

    # -- setting ------------------------------------------------------------------------------

    def _break(self, text: str, *, once: bool) -> str:
        match = _BREAK.fullmatch(text)
        if match is None:
            return "b sets a breakpoint: b k46, b 1344, b tmp10, b tmp10 if tmp10 < 0."
        found = named_line(self.parts.session, match["where"]) if match["where"] else self._here()
        if isinstance(found, str):
            return found
        problem = self.parts.breakpoints.set_at(*found, match["condition"] or "", once=once)
        if not problem:
            self._give(self.parts.session.stops.number_at(*found))
        return problem

    def _here(self) -> tuple[str, int] | str:
        state = self.parts.state
        if state.recording is not None and state.position >= 0:
            step = state.recording.steps[state.position]
            return step.file, step.kernel_line
        line = state.place.line
        return self.parts.session.source_line(line) or (
            f"Line {line} is in no kernel: b k46 or b tmp10 says where."
        )

    def _watch(self, text: str) -> str:
        if not text:
            return "watch stops where a value changes: watch tmp4, watch tmp4 - ks0."
        problem = self.parts.watches.unknown(text)
        if problem:
            return problem
        number = self.parts.session.stops.watch(text)
        self.parts.session.stops_changed()
        self.parts.tell(
            f"Watchpoint {number}: {text}. c stops where its value changes in any lane.",
            {"number": number, "expression": text},
        )
        return ""

    # -- changing -----------------------------------------------------------------------------

    def _chosen(self, text: str) -> list[Numbered] | str:
        """Breakpoints and watchpoints by their numbers, or by a place."""
        stops, found = self.parts.session.stops, []
        for word in re.split(r"[\s,]+", text.strip()):
            number = int(word) if word.isdigit() else 0
            if not number:
                at = named_line(self.parts.session, word)
                if isinstance(at, str):
                    return at
                number = stops.number_at(*at)
            one = stops.numbered().get(number)
            if one is None:
                return f"There is no breakpoint {word}{self._known()}."
            found.append(one)
        return found

    def _known(self) -> str:
        numbers = ", ".join(map(str, self.parts.session.stops.numbered()))
        return f"; there is {numbers}" if numbers else "; none is set"

    def _delete(self, text: str) -> str:
        stops = self.parts.session.stops
        if not text:
            cleared = stops.clear_all()
            self.parts.session.stops_changed()
            self.parts.tell(cleared)
            return ""
        found = self._chosen(text)
        if isinstance(found, str):
            return found
        told = [stops.remove(one) for one in found]
        self.parts.session.stops_changed()
        self.parts.tell("\n".join(told))
        return ""

    def _able(self, text: str, *, enabled: bool) -> str:
        stops = self.parts.session.stops
        found = self._chosen(text) if text else list(stops.numbered().values())
        if isinstance(found, str):
            return found
        if not found:
            return "No breakpoint is set."
        told = [stops.able(one, enabled) for one in found]
        self.parts.session.stops_changed()
        self.parts.tell("\n".join(told))
        return ""

    def _condition(self, text: str) -> str:
        number, _, condition = text.partition(" ")
        one = self._one(number)
        if isinstance(one, str):
            return one
        assert one.at is not None
        at = one.at
        problem = self.parts.breakpoints.set_at(one.source, at.kernel_line or 0, condition.strip())
        if not problem:
            self._give(one.number)
        return problem

    def _ignore(self, text: str) -> str:
        number, _, count = text.partition(" ")
        one = self._one(number)
        if isinstance(one, str):
            return one
        if not count.strip().isdigit():
            return "ignore lets hits pass: ignore 1 2 stops at the third hit of breakpoint 1."
        assert one.at is not None
        told = self.parts.session.stops.ignore(one, int(count))
        self.parts.session.stops_changed()
        self.parts.tell(told)
        self._give(one.number)
        return ""

    def _one(self, number: str) -> Numbered | str:
        one = self.parts.session.stops.numbered().get(int(number) if number.isdigit() else 0)
        if one is None or one.at is None:
            return f"There is no breakpoint {number or '…'}{self._known()}."
        return one

    # -- telling ------------------------------------------------------------------------------

    def _give(self, number: int) -> None:
        one = self.parts.session.stops.numbered().get(number)
        if one is not None:
            self.parts.given.append(stop_values(one))


def stop_values(one: Numbered) -> dict[str, Any]:
    """A breakpoint or watchpoint for a program that asks."""
    at = one.at or Breakpoint(enabled=one.enabled)
    return {
        "number": one.number,
        "kind": "watchpoint" if one.watch else "breakpoint",
        "source": one.source or None,
        "line": at.kernel_line,
        "expression": one.watch or None,
        "condition": at.condition or None,
        "ignore": at.ignore,
        "enabled": at.enabled,
        "once": at.once,
    }
