"""Who wrote a buffer: following reuse, views, pools, branches and loops."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import Expr, number
from aoti_tui.index.model import Argument, Buffer, ExternCall, Function, Launch, Scope, WrapperIndex

Storage = tuple[str, int]
"""A piece of memory: the name that allocated it and the line where it did."""

# A fallback call, then the RAII handle that names its result, stand on neighbouring lines.
_CALL_LINES = 4
_SHARES_MEMORY = frozenset({"reuse", "view", "alias"})
# Ops that change only part of their target, so that what stood there before still counts.
_PARTIAL_OPS = ("index_put", "scatter", "index_add", "index_copy", "index_fill", "masked_")


@dataclass(frozen=True, slots=True)
class Writer:
    """A launch argument or an extern call that writes to a storage."""

    launch: Launch | None
    argument: Argument | None
    extern: ExternCall | None
    line: int
    view: TensorView


class Memory:
    """Answers questions on the memory of one wrapper. Read-only; the index is walked once."""

    def __init__(self, index: WrapperIndex) -> None:
        self.index = index
        self._definitions: dict[tuple[Function, str], list[Buffer]] = {}
        for buffer in index.buffers:
            self._definitions.setdefault((buffer.function, buffer.name), []).append(buffer)
        self._kin = _kin(index)
        self._touches: dict[str, list[Writer]] = {}
        for launch in index.launches:
            for argument in launch.arguments:
                if argument.tensor is not None:
                    self._touch(
                        argument.tensor,
                        Writer(launch, argument, None, launch.line, argument.tensor),
                    )
        for extern in index.externs:
            for view in extern.writes:
                self._touch(view, Writer(None, None, extern, extern.line, view))

    def _touch(self, view: TensorView, writer: Writer) -> None:
        self._touches.setdefault(view.base, []).append(writer)

    def definitions(self, name: str, before: int, function: Function) -> list[Buffer]:
        """Definitions of a name that can reach line ``before``: the last one and, when that one
        stands in a branch, those of the other branches and the one before them."""
        found: list[Buffer] = []
        for buffer in reversed(self._definitions.get((function, name), [])):
            if buffer.line > before:
                continue
            found.append(buffer)
            if not any(s.kind in ("if", "else", "while") for s in buffer.scopes):
                break
        return [b for b in found if b.kind != "declaration"] or found

    def storages(self, name: str, before: int, function: Function) -> list[Storage]:
        """The storages that ``name`` can stand for at line ``before``."""
        found: dict[Storage, None] = {}
        pending = [(name, before)]
        seen: set[tuple[str, int]] = set()
        while pending:
            current, line = pending.pop()
            if (current, line) in seen:
                continue
            seen.add((current, line))
            definitions = self.definitions(current, line, function)
            shared = False
            for buffer in definitions:
                if buffer.kind in _SHARES_MEMORY and buffer.of is not None:
                    # A reuse in a loop names itself: look before its own line.
                    pending.append((buffer.of, buffer.line - (buffer.of == current)))
                    shared = True
                else:
                    found[(current, buffer.line)] = None
            if not definitions and not shared:
                found[(current, 0)] = None
        return list(found)

    def definition_of(self, storage: Storage, function: Function) -> Buffer | None:
        for buffer in self._definitions.get((function, storage[0]), []):
            if buffer.line == storage[1]:
                return buffer
        return None

    def touching(
        self, storage: Storage, before: int, scopes: tuple[Scope, ...], function: Function
    ) -> Iterator[Writer]:
        """Launches and externs that have the storage as an argument and run before line
        ``before`` (or later in a loop around it), newest first. Launches may only read it."""
        loop = next((s for s in scopes if s.kind == "while"), None)
        found: list[Writer] = []
        for name in self._kin.get(storage[0], {storage[0]}):
            for writer in self._touches.get(name, ()):
                if self._function_of(writer) != function or _excluded(scopes, _scopes(writer)):
                    continue
                earlier = writer.line < before
                around = loop is not None and loop in _scopes(writer)
                if not (earlier or around):
                    continue
                # The name of a result is only defined on the lines after the call that makes it.
                reached = writer.line if writer.extern is None else writer.line + _CALL_LINES
                if storage in self.storages(name, reached, function):
                    found.append(writer)
        yield from sorted(
            found, key=lambda w: (w.line >= before, -w.line if w.line < before else w.line)
        )

    @staticmethod
    def _function_of(writer: Writer) -> Function | None:
        if writer.launch is not None:
            return writer.launch.function
        return writer.extern.function if writer.extern is not None else None

    def sizes_of(
        self, view: TensorView, before: int, function: Function
    ) -> tuple[tuple[Expr, ...], tuple[Expr, ...]] | None:
        """Sizes and strides of a tensor argument; None when not said."""
        if view.sizes is not None and view.strides is not None:
            return view.sizes, view.strides
        constant = self.index.constant_named(view.base)
        if constant is not None:
            return tuple(map(number, constant.shape)), tuple(map(number, constant.stride))
        name, line = view.base, before
        for _ in range(64):
            definitions = self.definitions(name, line, function)
            if not definitions:
                return None
            buffer = definitions[0]
            if buffer.sizes is not None and buffer.strides is not None:
                return buffer.sizes, buffer.strides
            if buffer.of is None:
                return None
            constant = self.index.constant_named(buffer.of)
            if constant is not None:
                return tuple(map(number, constant.shape)), tuple(map(number, constant.stride))
            line = buffer.line - (buffer.of == name)
            name = buffer.of
        return None

    def is_part(self, writer: Writer, storage: Storage, function: Function) -> bool:
        """Whether a writer only reaches part of a storage: a view that is smaller than it."""
        view = writer.view
        if view.offset.literal != 0:
            return True
        definition = self.definition_of(storage, function)
        if definition is None or definition.sizes is None:
            return False
        own = self.sizes_of(view, writer.line, function)
        if own is None or (view.base == storage[0] and view.sizes is None):
            return False
        if self._has_offset(view.base, writer.line, function):
            return True
        return _product(own[0]) != _product(definition.sizes)

    def _has_offset(self, name: str, before: int, function: Function) -> bool:
        for _ in range(64):
            definitions = self.definitions(name, before, function)
            if not definitions:
                return False
            buffer = definitions[0]
            if buffer.offset.literal != 0:
                return True
            if buffer.of is None:
                return False
            before = buffer.line - (buffer.of == name)
            name = buffer.of
        return False


def _kin(index: WrapperIndex) -> dict[str, frozenset[str]]:
    """Names that can ever share memory, by name: those that reuse, view or alias each other."""
    groups: dict[str, set[str]] = {}
    for buffer in index.buffers:
        if buffer.of is None:
            continue
        joined = groups.get(buffer.name, {buffer.name}) | groups.get(buffer.of, {buffer.of})
        for name in joined:
            groups[name] = joined
    return {name: frozenset(group) for name, group in groups.items()}


def _product(sizes: tuple[Expr, ...]) -> tuple[int, tuple[str, ...]]:
    """A number of elements as a number times sorted factors, to compare shapes by."""
    parts = [size.factors() for size in sizes]
    return math.prod(n for n, _ in parts), tuple(sorted(f for _, fs in parts for f in fs))


def is_partial_op(extern: ExternCall) -> bool:
    """Whether an extern call leaves part of its target as it was."""
    return any(part in extern.op for part in _PARTIAL_OPS)


def _scopes(writer: Writer) -> tuple[Scope, ...]:
    if writer.launch is not None:
        return writer.launch.scopes
    return writer.extern.scopes if writer.extern is not None else ()


def _excluded(reader: tuple[Scope, ...], writer: tuple[Scope, ...]) -> bool:
    """Whether reader and writer stand in the two branches of one ``if``."""
    for mine in reader:
        for other in writer:
            same_test = mine.condition == other.condition and {mine.kind, other.kind} == {
                "if",
                "else",
            }
            if (
                same_test
                and mine.line != other.line
                and _depth(reader, mine) == _depth(writer, other)
            ):
                return True
    return False


def _depth(scopes: tuple[Scope, ...], scope: Scope) -> int:
    return scopes.index(scope)
