"""Notes every value that one program makes, in the order in which it makes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Literal

from ...source.rewrite import Site
from ..numbers.floats import Array
from ..values.access import Access
from ..values.handle import Handle, spread
from .findings import Fault, fault_at
from .notices import Program

NoteKind = Literal["assign", "unpack", "effect", "return"]


@dataclass
class Touched:
    """An access within one statement, with the value it wrote and the lanes it touched."""

    access: Access
    value: Handle | None
    mask: Handle | None


@dataclass
class Pending:
    """What happened in a statement before its own step is noted."""

    touched: list[Touched] = field(default_factory=list)
    asserts: list[tuple[str, Handle]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.touched or self.asserts or self.faults)


@dataclass
class Note:
    """One step as it happened; it is looked at only after the run."""

    site: Site
    kind: NoteKind
    value: Any
    iteration: tuple[int, ...]
    depth: int
    pending: Pending | None


class Recorder:
    """What recording functions call (`hooks`), and what the builder tells beside them.

    `settle` is the language's: numbers become tensors. While `quiet` is above zero nothing is
    noted.
    """

    def __init__(self, settle: Callable[[Any], Any], program: Program) -> None:
        self.settle = settle
        self.program = program
        self.notes: list[Note] = []
        self.pending = Pending()
        self.outer: list[tuple[Pending, tuple[int, ...], int]] = []
        self.iteration: tuple[int, ...] = ()
        self.depth = -1
        self.quiet = 0

    # from the builder

    def touched(self, access: Access, value: Handle | None, mask: Handle | None) -> None:
        self.pending.touched.append(Touched(access, value, mask))

    def asserted(self, message: str, held: Handle) -> None:
        self.pending.asserts.append((message, held))

    def fault(self, access: Access, bad: Array) -> None:
        self.pending.faults.append(fault_at(access, bad, self.program))

    # from the kernel

    def _note(self, site: Site, kind: NoteKind, value: Any) -> None:
        if self.quiet:
            return
        pending: Pending | None = None
        if self.pending:
            pending, self.pending = self.pending, Pending()
        self.notes.append(Note(site, kind, value, self.iteration, self.depth, pending))

    def set(self, site: Site, value: Any) -> Any:
        value = self.settle(value)
        self._note(site, "assign", value)
        return value

    def unpack(self, site: Site, value: Any) -> Any:
        parts = tuple(self.settle(part) for part in spread(value))
        self._note(site, "unpack", parts)
        return parts

    def keep(self, site: Site, value: Any) -> Any:
        self._note(site, "assign", value)
        return value

    def loop(self) -> None:
        self.iteration = (*self.iteration, -1)

    def tick(self, site: Site, value: Any) -> None:
        self.iteration = (*self.iteration[:-1], self.iteration[-1] + 1)
        if value is not None:
            self._note(site, "assign", value)

    def loop_end(self) -> None:
        self.iteration = self.iteration[:-1]

    def done(self, site: Site, value: Any) -> None:
        if self.pending:
            self._note(site, "effect", value)

    def returned(self, site: Site, value: Any) -> Any:
        self._note(site, "return", value)
        return value

    def enter(self) -> None:
        self.outer.append((self.pending, self.iteration, self.depth))
        self.pending = Pending()
        self.iteration = ()
        self.depth += 1

    def leave(self) -> None:
        self.pending, self.iteration, self.depth = self.outer.pop()


def hooks(recorder: Callable[[], Recorder], sites: list[Site]) -> dict[str, Any]:
    """What functions rewritten for recording call; they name their site by its number.

    `recorder` gives the one of the program that runs at the moment.
    """

    def at(name: str) -> Callable[[int, Any], Any]:
        return lambda site, value: getattr(recorder(), name)(sites[site], value)

    def plain(name: str) -> Callable[[], Any]:
        return lambda: getattr(recorder(), name)()

    return {
        "__set": lambda site, value: recorder().set(sites[site], value),
        "__unpack": at("unpack"),
        "__keep": at("keep"),
        "__tick": at("tick"),
        "__done": at("done"),
        "__return": at("returned"),
        "__loop": plain("loop"),
        "__loop_end": plain("loop_end"),
        "__enter": plain("enter"),
        "__leave": plain("leave"),
    }
