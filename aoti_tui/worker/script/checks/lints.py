"""The lint of a kernel as it is launched: itself and the functions that it calls."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ...engine.programs.live import LiveFunction
from ...source.lint import ABSENT, Called, Lint, lint


def lints_of(
    kernel: LiveFunction,
    helpers: tuple[LiveFunction, ...],
    values: Mapping[str, Any],
    constexprs: frozenset[str],
) -> list[Lint]:
    """What the compiler would refuse, by file and line; `values` are those of the launch."""
    known = {n: v for n, v in values.items() if n in constexprs or v is None}
    tensors = [name for name in values if name not in known]
    found: dict[Lint, None] = {}
    by_name = {helper.name: helper for helper in helpers}
    waiting = [(kernel, known, tuple(tensors))]
    seen = set()
    while waiting:
        function, consts, certain = waiting.pop()
        if (function.name, certain) in seen:
            continue
        seen.add((function.name, certain))
        tree = function.written.tree
        lookup = _Lookup(function)
        lines, called = lint(tree, function.file, lookup, consts, certain)
        found.update(dict.fromkeys(lines))
        for call in called:
            helper = by_name.get(call.name)
            if helper is not None:
                waiting.append((helper, {}, _certain(helper.written.tree, call)))
    return sorted(found, key=lambda one: one.place)


class _Lookup:
    """What a name stands for outside of a function: in its closure or its module."""

    def __init__(self, function: LiveFunction) -> None:
        python = function.jit.fn
        cells = python.__closure__ or ()
        self.cells = dict(zip(python.__code__.co_freevars, cells))
        self.names: dict[str, Any] = python.__globals__

    def __call__(self, name: str) -> Any:
        cell = self.cells.get(name)
        if cell is None:
            return self.names.get(name, ABSENT)
        try:
            return cell.cell_contents
        except ValueError:
            return ABSENT


def _certain(tree: ast.FunctionDef, call: Called) -> tuple[str, ...]:
    """The parameters of a helper to which a call gives tensors."""
    names = [one.arg for one in (*tree.args.posonlyargs, *tree.args.args)]
    given = [names[i] for i in call.positions if i < len(names)]
    return tuple(sorted({*given, *call.keywords}))
