"""Reads a command as it is typed, finds what it means, and does it."""

from __future__ import annotations

import re
from collections.abc import Callable

from aoti_tui.session import needs
from aoti_tui.session.language.asking import Asking
from aoti_tui.session.language.looking import LANE, Looking
from aoti_tui.session.language.parts import Parts
from aoti_tui.session.language.running import Running
from aoti_tui.session.language.stopping import Stopping
from aoti_tui.session.language.table import BY_WORD, COMMANDS, listing, proposed
from aoti_tui.session.language.trying import Trying

_WORD = re.compile(r"(?P<verb>[A-Za-z][\w-]*)(?P<rest>.*)", re.DOTALL)
_PLACE = re.compile(r"k?\d+|\S+:\d+")


class Language:
    """Does what is typed: the same for a key's command line, ``-ex`` and JSON."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.looking = Looking(parts)
        rooms = (Running(parts), Stopping(parts), self.looking, Asking(parts), Trying(parts))
        self.handlers: dict[str, Callable[[str], str]] = {"help": self._help, "quit": self._quit}
        for room in rooms:
            self.handlers |= room.handlers()

    def do(self, text: str) -> str:
        """Do a command; a sentence when it could not be done."""
        self.parts.given.clear()
        self.parts.refused = False
        typed = text.strip().lstrip(":").strip()
        if not typed or typed.startswith("#"):
            return ""
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
        near = proposed(typed.split()[0].lower())
        hint = f"Did you mean {' or '.join(near)}?" if near else "help lists the commands."
        return f"“{typed}” is no command and nothing is called so. {hint}"

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
