"""A kernel that can be launched: its function, its parameters, how its programs must run."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...source.facts import Facts, Waiting, facts_of
from .functions import Function, Module


@dataclass(frozen=True)
class Kernel:
    """`constexprs`: parameters that stay Python values."""

    name: str
    function: Function
    parameters: tuple[str, ...]
    constexprs: frozenset[str]
    defaults: dict[str, Any]
    facts: Facts


def kernel_of(
    module: Module, definition: ast.FunctionDef, others: Sequence[Module], waiting: Waiting
) -> Kernel:
    """One function of a module as a kernel; `others` hold the helpers that it imports."""
    function = Function(module, definition.name)
    arguments = definition.args
    parameters = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    constexprs = frozenset(
        a.arg
        for a in parameters
        if a.annotation is not None and ast.unparse(a.annotation).strip("'\"").endswith("constexpr")
    )
    sources = [one.source for one in (module, *others)]
    return Kernel(
        name=definition.name,
        function=function,
        parameters=tuple(a.arg for a in parameters),
        constexprs=constexprs,
        defaults=function.defaults,
        facts=facts_of(sources, waiting),
    )
