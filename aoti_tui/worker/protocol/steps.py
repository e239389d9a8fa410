"""A recorder's notes as the protocol's steps."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..engine.findings.recorder import Note, Pending, Touched
from ..engine.numbers.dtypes import BY_TRITON
from ..engine.numbers.floats import Array
from ..engine.values.handle import Handle, plain, spread
from . import encode
from .frames import Blobs
from .problems import where
from .reports import fault_json

StepKind = Literal["assign", "store", "atomic", "assert", "return"]
Key = tuple[str, str, int, str]
# What `_add` is given where the step's value is put in by its caller.
NO_VALUE = object()


class Steps:
    """Encodes notes; a block of more than `limit` lanes is left out, its summary is not."""

    def __init__(self, blobs: Blobs, limit: int) -> None:
        self.blobs = blobs
        self.limit = limit
        self.steps: list[dict[str, Any]] = []
        self.last: dict[Key, Any] = {}
        self.waiting: list[tuple[dict[str, Any], Array]] = []
        self.seen: dict[int, tuple[Handle, Array]] = {}
        self.encoded: dict[int, tuple[Array, dict[str, Any]]] = {}

    def build(self, notes: list[Note]) -> list[dict[str, Any]]:
        for note in notes:
            if note.kind == "unpack":
                self._unpacked(note, note.site.names, note.value, note.pending)
            elif note.kind == "effect":
                self._effects(note)
            else:
                names = note.site.names
                kind: StepKind = note.kind
                if kind == "assign" and _has_atomic(note.pending):
                    kind = "atomic"
                self._add(note, names[0] if names else "", kind, note.value, note.pending)
        found = encode.summaries([values for _, values in self.waiting])
        for (step, _), summary in zip(self.waiting, found):
            step["summary"] = summary
        return self.steps

    def _unpacked(self, note: Note, names: Any, value: Any, pending: Pending | None) -> None:
        for name, part in zip(names, spread(value)):
            if isinstance(name, tuple):
                self._unpacked(note, name, part, pending)
            else:
                self._add(note, name, "assign", part, pending)
            pending = None

    def _effects(self, note: Note) -> None:
        pending = note.pending or Pending()
        for message, held in pending.asserts:
            step = self._add(note, message, "assert", NO_VALUE, None)
            step["value"] = {"text": message}
            step["failing"] = encode.booleans(~held.full()[0], self.blobs)
        writes = _writes(pending)
        rest: Pending | None = Pending(
            [one for one in pending.touched if one.access.kind == "load"], [], pending.faults
        )
        for one in writes:
            kind: StepKind = "atomic" if one.access.kind == "atomic" else "store"
            step = self._add(note, one.access.name, kind, one.value, rest)
            step["active"] = self._active(one)
            step["target"] = self._target(one)
            rest = None
        if rest and not writes and not pending.asserts:
            self._add(note, "", "assign", note.value, rest)
        elif rest and pending.asserts and not writes:
            last = self.steps[-1]
            last["loads"] = self._loads(rest)
            last["faults"] = [fault_json(fault) for fault in rest.faults]

    def _add(
        self, note: Note, name: str, kind: StepKind, value: Any, pending: Pending | None
    ) -> dict[str, Any]:
        site = note.site
        step: dict[str, Any] = {
            **where(site.place),
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
            masked = [one for one in pending.touched if one.mask is not None]
            if masked:
                step["active"] = self._active(masked[-1])
            writes = _writes(pending)
            if writes:
                step["active"] = self._active(writes[-1])
                step["target"] = self._target(writes[-1])
        if value is not NO_VALUE:
            self._value(step, value, (site.place.file, site.function, note.depth, name), kind)
        self.steps.append(step)
        return step

    def _value(self, step: dict[str, Any], value: Any, key: Key, kind: StepKind) -> None:
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

    def _changed(self, key: Key, value: Any) -> bool:
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
        return [self._target(one) for one in pending.touched if one.access.kind == "load"]

    def _target(self, one: Touched) -> dict[str, Any]:
        whole = np.broadcast_to(one.access.elements[0], one.access.shape)
        return {"argument": one.access.name, "elements": encode.indices(whole, self.blobs)}

    def _active(self, one: Touched) -> dict[str, Any]:
        shape = one.access.shape
        if one.mask is None:
            return encode.booleans(np.ones(shape, dtype=bool), self.blobs)
        return encode.booleans(np.broadcast_to(one.mask.lanes[0], shape), self.blobs)


def _writes(pending: Pending) -> list[Touched]:
    return [one for one in pending.touched if one.access.kind != "load"]


def _has_atomic(pending: Pending | None) -> bool:
    return pending is not None and any(t.access.kind == "atomic" for t in pending.touched)


def _text_or_number(value: Any) -> dict[str, Any]:
    bare = plain(value)
    if isinstance(bare, (bool, int, float)):
        return {"number": bare}
    if isinstance(value, (tuple, list)):
        return {"text": f"tuple of {len(value)}"}
    return {"text": str(bare)}
