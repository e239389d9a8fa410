"""Reads a command as it is typed, finds what it means, and does it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from aoti_tui.session import needs
from aoti_tui.session.language.asking import Asking
from aoti_tui.session.language.elsewhere import elsewhere
from aoti_tui.session.language.finding import Finding
from aoti_tui.session.language.frames import Frames
from aoti_tui.session.language.looking import LANE, Looking
from aoti_tui.session.language.parts import Parts
from aoti_tui.session.language.running import Running
from aoti_tui.session.language.stopping import Stopping
from aoti_tui.session.language.table import BY_WORD, COMMANDS, listing, proposed
from aoti_tui.session.language.trying import Trying

_WORD = re.compile(r"(?P<verb>[A-Za-z][\w-]*)(?P<rest>.*)", re.DOTALL)
DEEPEST = 8
"""Files of commands that name each other."""
_PLACE = re.compile(r"k?\d+|\S+:\d+")


class Language:
    """Does what is typed: the same for a key's command line, ``-ex`` and JSON."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.looking = Looking(parts)
        self.said: list[str] = []
        """The commands so far, oldest first."""
        self._depth = 0
        self.handlers: dict[str, Callable[[str], str]] = {
            "source": self._source,
            "history": self._history,
            "help": self._help,
            "quit": self._quit,
        }
        for room in (
            Running(parts),
            Stopping(parts),
            self.looking,
            Frames(parts),
            Asking(parts),
            Finding(parts),
            Trying(parts),
        ):
            self.handlers |= room.handlers()

    def do(self, text: str) -> str:
        """Do a command; a sentence when it could not be done."""
        self.parts.given.clear()
        self.parts.refused = False
        typed = text.strip().lstrip(":").strip()
        if not typed or typed.startswith("#"):
            return ""
        if not self._depth:
            self.said.append(typed)
        match = _WORD.fullmatch(typed)
        verb, rest = (match["verb"], match["rest"]) if match is not None else ("", "")
        known = BY_WORD.get(verb)
        if known is None or (rest and rest[0] not in " /\t"):
            return self._place(typed)
        unmet = needs.unmet(self.parts.state, known.needs)
        if unmet:
            return f"{known.name}: {unmet}"
        return self.handlers[known.name](rest.strip())

    def _place(self, typed: str) -> str:
        """A line, a lane or a name, exactly as it is called; else no command."""
        state = self.parts.state
        if state.incident is not None:
            lane = LANE.fullmatch(typed) if typed.startswith("[") else None
            if lane is not None:
                return self.handlers["lane"](typed)
            if not self.looking.go(typed):
                return ""
            if _PLACE.fullmatch(typed):
                return self.looking.go(typed)
        if self.parts.desk.act(typed):
            return ""
        other = elsewhere(typed)
        if other:
            return other
        near = proposed(typed.split()[0].lower())
        hint = f"Did you mean {' or '.join(near)}?" if near else "help lists the commands."
        return f"“{typed}” is no command and nothing is called so. {hint}"

    def _source(self, text: str) -> str:
        """The commands of a file, one after the other; the first that cannot be done ends it."""
        if not text:
            return "source does the commands of a file: source FILE."
        if self._depth >= DEEPEST:
            return f"source {text}: files of commands that name each other go no deeper."
        try:
            commands = commands_of(Path(text).expanduser())
        except OSError as error:
            return f"{text} cannot be read: {error.strerror or error}."
        self._later(commands, text)
        return ""

    def _later(self, commands: list[str], file: str) -> None:
        """Do a command, and the rest once what it set going has come to its end."""
        if not commands or self.parts.refused:
            return
        first, rest = commands[0], commands[1:]
        given = list(self.parts.given)
        self._depth += 1
        try:
            problem = self.do(first)
        finally:
            self._depth -= 1
        self.parts.given[:0] = given
        if problem:
            self.parts.refuse(f"{file}: {first}: {problem}")
            return
        self.parts.session.front.start(
            f"source {self._depth}", lambda tell: None, lambda done: self._later(rest, file)
        )

    def _history(self, text: str) -> str:
        rows = [{"number": at, "command": one} for at, one in enumerate(self.said, 1)]
        self.parts.tell("\n".join(f"{at:>4}  {one}" for at, one in enumerate(self.said, 1)), *rows)
        return ""

    def _help(self, text: str) -> str:
        if not text:
            self.parts.tell(
                "\n".join(listing()).strip(),
                *({"command": one.usage, "does": one.does, "gives": one.gives} for one in COMMANDS),
                title="Commands",
            )
            return ""
        one = BY_WORD.get(text)
        if one is None:
            other = elsewhere(text)
            if other:
                return other
            near = proposed(text)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            return f"There is no command {text}.{hint}"
        also = f" (also {', '.join(one.also)})" if one.also else ""
        told = f"{one.usage}{also}: {one.does}."
        self.parts.tell(told, {"command": one.usage, "does": one.does, "gives": one.gives})
        return ""

    def _quit(self, text: str) -> str:
        self.parts.desk.act("quit")
        return ""


def commands_of(path: Path) -> list[str]:
    """The commands of a file: a line each, without empty ones and comments. Raises OSError."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
