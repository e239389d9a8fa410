"""Commands that try other values."""

from __future__ import annotations

from collections.abc import Callable

from aoti_tui.session.language.parts import Parts


class Trying:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def handlers(self) -> dict[str, Callable[[str], str]]:
        return {"set": self._set}

    def _set(self, text: str) -> str:
        return self.parts.symbols.set_by_text(text)
