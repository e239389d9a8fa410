"""Notes every value one program makes, and turns the notes into the protocol's steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

from . import encode
from .dtypes import BY_TRITON
from .findings import Fault, fault_json, kernel_line
from .floats import Array
from .frames import Blobs
from .handle import Handle, plain
from .rewrite import Site, spread


@dataclass
class Access:
    """A load, store or atomic within one statement; `elements` index the argument."""

    kind: str
    argument: str
    elements: Array
    shape: tuple[int, ...]
    value: Handle | None = None
    mask: Handle | None = None


@dataclass
class Pending:
    """What happened in a statement before its own step is noted."""

    accesses: list[Access] = field(default_factory=list)
    asserts: list[tuple[str, Handle]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.accesses or self.asserts or self.faults)


@dataclass
class Note:
    """One step as it happened; encoding comes after the run."""

    site: int
    name: str
    kind: str
    value: Any
    iteration: tuple[int, ...]
    depth: int
    pending: Pending | None


class Recorder:
    """The hooks a recording kernel calls, and what the builder tells beside them."""

    def __init__(self, settle: Callable[[Any], Any], program: tuple[int, int, int]) -> None:
        self.settle = settle
        self.program = program
        self.notes: list[Note] = []
        self.pending = Pending()
        self.outer: list[tuple[Pending, tuple[int, ...], int]] = []
        self.iteration: tuple[int, ...] = ()
        self.depth = -1
        self.quiet = 0

    def hooks(self) -> dict[str, Any]:
        return {
            "__set": self._set,
            "__unpack": self._unpack,
            "__keep": self._keep,
            "__tick": self._tick,
            "__loop": self._loop,
            "__loop_end": self._loop_end,
            "__done": self._done,
            "__return": self._return,
            "__enter": self._enter,
            "__leave": self._leave,
        }

    # from the builder

    def loaded(
        self, argument: str, elements: Array, mask: Handle | None, shape: tuple[int, ...]
    ) -> None:
        access = Access("load", argument, elements, shape, None, mask)
        self.pending.accesses.append(access)

    def stored(
        self,
        kind: str,
        argument: str,
        elements: Array,
        value: Handle,
        mask: Handle | None,
        shape: tuple[int, ...],
    ) -> None:
        self.pending.accesses.append(Access(kind, argument, elements, shape, value, mask))

    def asserted(self, message: str, held: Handle) -> None:
        self.pending.asserts.append((message, held))

    def fault(self, access: str, argument: str, elements: Array, bad: Array, size: int) -> None:
        position = int(np.flatnonzero(bad)[0])
        element = int(np.broadcast_to(elements, bad.shape).reshape(-1)[position])
        lane = [int(i) for i in np.unravel_index(position, bad.shape)[1:]]
        self.pending.faults.append(
            Fault(
                kernel_line() or 0,
                access,
                argument,
                element,
                size,
                self.program,
                lane,
                int(bad.sum()),
            )
        )

    # from the kernel

    def _note(self, site: int, name: str, kind: str, value: Any) -> None:
        if self.quiet:
            return
        pending: Pending | None = None
        if self.pending:
            pending, self.pending = self.pending, Pending()
        self.notes.append(Note(site, name, kind, value, self.iteration, self.depth, pending))

    def _set(self, site: int, value: Any) -> Any:
        value = self.settle(value)
        self._note(site, "", "assign", value)
        return value

    def _unpack(self, site: int, value: Any) -> Any:
        parts = tuple(self.settle(part) for part in spread(value))
        self._note(site, "", "unpack", parts)
        return parts

    def _keep(self, site: int, value: Any) -> Any:
        self._note(site, "", "assign", value)
        return value

    def _loop(self) -> None:
        self.iteration = (*self.iteration, -1)

    def _tick(self, site: int, value: Any) -> None:
        self.iteration = (*self.iteration[:-1], self.iteration[-1] + 1)
        if value is not None:
            self._note(site, "", "assign", value)

    def _loop_end(self) -> None:
        self.iteration = self.iteration[:-1]

    def _done(self, site: int, value: Any) -> None:
        if self.pending:
            self._note(site, "", "effect", value)

    def _return(self, site: int, value: Any) -> Any:
        self._note(site, "", "return", value)
        return value

    def _enter(self, site: int) -> None:
        self.outer.append((self.pending, self.iteration, self.depth))
        self.pending = Pending()
        self.iteration = ()
        self.depth += 1

    def _leave(self) -> None:
        self.pending, self.iteration, self.depth = self.outer.pop()


class Steps:
    """Encodes notes as the protocol's steps."""

    def __init__(self, sites: list[Site], blobs: Blobs, limit: int) -> None:
        self.sites = sites
        self.blobs = blobs
        self.limit = limit
        self.steps: list[dict[str, Any]] = []
        self.last: dict[tuple[str, int, str], Any] = {}
        self.waiting: list[tuple[dict[str, Any], Array]] = []
        self.seen: dict[int, tuple[Handle, Array]] = {}
        self.encoded: dict[int, tuple[Array, dict[str, Any]]] = {}

    def build(self, notes: list[Note]) -> list[dict[str, Any]]:
        for note in notes:
            site = self.sites[note.site]
            if note.kind == "unpack":
                self._unpacked(note, site, site.names, note.value, note.pending)
            elif note.kind == "effect":
                self._effects(note, site)
            else:
                name = site.names[0] if site.names else ""
                kind = note.kind
                if kind == "assign" and _has_atomic(note.pending):
                    kind = "atomic"
                self._add(note, site, name, kind, note.value, note.pending)
        found = encode.summaries([values for _, values in self.waiting])
        for (step, _), summary in zip(self.waiting, found):
            step["summary"] = summary
        return self.steps

    def _unpacked(
        self, note: Note, site: Site, names: Any, value: Any, pending: Pending | None
    ) -> None:
        for name, part in zip(names, spread(value)):
            if isinstance(name, tuple):
                self._unpacked(note, site, name, part, pending)
            else:
                self._add(note, site, name, "assign", part, pending)
            pending = None

    def _effects(self, note: Note, site: Site) -> None:
        pending = note.pending or Pending()
        for message, held in pending.asserts:
            step = self._add(note, site, message, "assert", Ellipsis, None)
            step["value"] = {"text": message}
            step["failing"] = encode.booleans(~held.full()[0], self.blobs)
        writes = [access for access in pending.accesses if access.kind != "load"]
        rest: Pending | None = Pending(
            [access for access in pending.accesses if access.kind == "load"], [], pending.faults
        )
        for access in writes:
            step = self._add(note, site, access.argument, access.kind, access.value, rest)
            step["active"] = self._active(access)
            step["target"] = self._target(access)
            rest = None
        if rest and not writes and not pending.asserts:
            self._add(note, site, "", "assign", note.value, rest)
        elif rest and pending.asserts and not writes:
            last = self.steps[-1]
            last["loads"] = self._loads(rest)
            last["faults"] = [fault_json(fault) for fault in rest.faults]

    def _add(
        self,
        note: Note,
        site: Site,
        name: str,
        kind: str,
        value: Any,
        pending: Pending | None,
    ) -> dict[str, Any]:
        step: dict[str, Any] = {
            "kernel_line": site.line,
            "name": name,
            "function": site.function,
            "depth": note.depth,
            "iteration": list(note.iteration),
            "kind": kind,
            "value": None,
            "summary": None,
            "changed": False,
            "failing": None,
            "active": None,
            "loads": self._loads(pending),
            "faults": [fault_json(fault) for fault in pending.faults] if pending else [],
        }
        if pending is not None and kind in ("assign", "atomic"):
            masked = [access for access in pending.accesses if access.mask is not None]
            if masked:
                step["active"] = self._active(masked[-1])
            writes = [access for access in pending.accesses if access.kind != "load"]
            if writes:
                step["active"] = self._active(writes[-1])
                step["target"] = self._target(writes[-1])
        if value is not Ellipsis:
            self._value(step, value, (site.function, note.depth, name), kind)
        self.steps.append(step)
        return step

    def _value(
        self, step: dict[str, Any], value: Any, key: tuple[str, int, str], kind: str
    ) -> None:
        handle = value if isinstance(value, Handle) else getattr(value, "handle", None)
        if not isinstance(handle, Handle):
            step["value"] = _text_or_number(value)
            step["changed"] = self._changed(key, step["value"]) if kind == "assign" else False
            return
        data = self._values(handle)
        if kind in ("assign", "atomic"):
            step["changed"] = self._changed(key, data)
        if handle.dtype.is_ptr():
            step["value"] = {
                "dtype": "pointer",
                "shape": list(data.shape),
                "packed": "i8",
                "argument": handle.argument.name if handle.argument else "",
                "blob": self.blobs.add(np.ascontiguousarray(data, "<i8").tobytes()),
            }
            return
        name = BY_TRITON[handle.dtype.name].name
        self.waiting.append((step, data))
        if data.size > self.limit:
            step["value"] = {"dtype": name, "shape": list(data.shape), "omitted": True}
        else:
            step["value"] = self._block(data, name)

    def _values(self, handle: Handle) -> Array:
        """A handle's lanes; the same array object each time a handle is met."""
        known = self.seen.get(id(handle))
        if known is None:
            known = (handle, handle.full()[0])
            self.seen[id(handle)] = known
        return known[1]

    def _block(self, data: Array, name: str) -> dict[str, Any]:
        """The block of an array; one array under several names is sent once."""
        known = self.encoded.get(id(data))
        if known is None:
            known = (data, encode.block(data, name, self.blobs))
            self.encoded[id(data)] = known
        return known[1]

    def _changed(self, key: tuple[str, int, str], value: Any) -> bool:
        before = self.last.get(key, Ellipsis)
        self.last[key] = value
        if before is Ellipsis:
            return True
        if isinstance(value, np.ndarray) and isinstance(before, np.ndarray):
            if value is before:
                return False
            if value.shape != before.shape or value.dtype != before.dtype:
                return True
            same = value == before
            if value.dtype.kind == "f":
                same = same | ((value != value) & (before != before))
            return not bool(np.all(same))
        return type(value) is not type(before) or bool(value != before)

    def _loads(self, pending: Pending | None) -> list[dict[str, Any]]:
        if pending is None:
            return []
        return [
            {"argument": access.argument, "elements": self._elements(access)}
            for access in pending.accesses
            if access.kind == "load"
        ]

    def _elements(self, access: Access) -> dict[str, Any]:
        whole = np.broadcast_to(access.elements[0], access.shape)
        return encode.indices(whole, self.blobs)

    def _target(self, access: Access) -> dict[str, Any]:
        return {"argument": access.argument, "elements": self._elements(access)}

    def _active(self, access: Access) -> dict[str, Any]:
        if access.mask is None:
            return encode.booleans(np.ones(access.shape, dtype=bool), self.blobs)
        return encode.booleans(np.broadcast_to(access.mask.data[0], access.shape), self.blobs)


def _has_atomic(pending: Pending | None) -> bool:
    return pending is not None and any(a.kind == "atomic" for a in pending.accesses)


def _text_or_number(value: Any) -> dict[str, Any]:
    bare = plain(value)
    if isinstance(bare, (bool, int, float)):
        return {"number": bare}
    if isinstance(value, (tuple, list)):
        return {"text": f"tuple of {len(value)}"}
    return {"text": str(bare)}
