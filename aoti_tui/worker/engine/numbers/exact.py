"""Calculating as if floats had no limits: every float is a float64 until it is stored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Exact:
    """Whether the engine does so at the moment; one engine a process, so one for all."""

    on = False


@contextmanager
def exactly() -> Iterator[None]:
    """A context in which results keep the precision of a float64 instead of their type's."""
    before, Exact.on = Exact.on, True
    try:
        yield
    finally:
        Exact.on = before
