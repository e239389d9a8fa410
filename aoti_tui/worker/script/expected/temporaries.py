"""The values that a program assigns to names, in the order in which it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine.findings.recorder import Note, Recorder
from ...engine.numbers.dtypes import BY_TRITON, Number
from ...engine.numbers.floats import Array
from ...engine.programs.launch import Launch
from ...engine.programs.recording import record_program
from ...engine.values.handle import Handle, spread
from ...source.place import Place

Program = tuple[int, int, int]


@dataclass(frozen=True)
class Temporary:
    """One assignment; `occurrence` counts those of the name at that place."""

    name: str
    place: Place
    iteration: tuple[int, ...]
    occurrence: int
    number: Number
    values: Array


def temporaries(launch: Launch, program: Program) -> list[Temporary]:
    """Every number and block of numbers that one program of a launch assigns."""
    recorder = Recorder(launch.language.values.settle, program)
    record_program(launch, recorder, lambda done, total: None)
    found: list[Temporary] = []
    counts: dict[tuple[str, Place], int] = {}
    for note in recorder.notes:
        for name, handle in _assigned(note):
            number = BY_TRITON.get(getattr(handle.dtype, "name", ""))
            if number is None or handle.argument is not None:
                continue
            key = (name, note.site.place)
            at = counts.get(key, 0)
            counts[key] = at + 1
            values = handle.full()[0]
            found.append(Temporary(name, note.site.place, note.iteration, at, number, values))
    return found


def _assigned(note: Note) -> Iterator[tuple[str, Handle]]:
    if note.kind == "unpack":
        yield from _unpacked(note.site.names, note.value)
    elif note.kind == "assign":
        handle = getattr(note.value, "handle", None)
        if isinstance(handle, Handle) and note.site.names:
            yield str(note.site.names[0]), handle


def _unpacked(names: Iterable[Any], values: Any) -> Iterator[tuple[str, Handle]]:
    for name, value in zip(names, spread(value=values)):
        if isinstance(name, tuple):
            yield from _unpacked(name, value)
            continue
        handle = getattr(value, "handle", None)
        if isinstance(handle, Handle):
            yield str(name), handle


def index_of(position: int, shape: tuple[int, ...]) -> list[int]:
    """A lane by its position in the order of a block."""
    return [int(i) for i in np.unravel_index(position, shape)] if shape else []
