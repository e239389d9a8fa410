"""The one error for input that cannot be used."""

from __future__ import annotations


class ArtifactError(Exception):
    """Something the user gave cannot be used.

    Every message answers three questions in this order: what happened (``what``),
    what was found instead or why (``why``), and what to do next (``do``).
    """

    def __init__(self, what: str, why: str, do: str) -> None:
        super().__init__(f"{what}: {why}. {do}")
        self.what = what
        self.why = why
        self.do = do
