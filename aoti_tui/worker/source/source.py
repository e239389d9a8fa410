"""The functions of one file, as the engine compiles them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Source:
    """`tree` holds functions and constants, its line numbers those of `file`; `names` is what
    they see beside themselves and Python's builtins."""

    file: str
    tree: ast.Module
    names: Mapping[str, Any]

    @property
    def functions(self) -> list[ast.FunctionDef]:
        return [node for node in self.tree.body if isinstance(node, ast.FunctionDef)]

    @property
    def constants(self) -> list[str]:
        """Names that the module gives a value to."""
        return [
            target.id
            for node in self.tree.body
            if isinstance(node, (ast.Assign, ast.AnnAssign))
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        ]

    def function(self, *names: str) -> ast.FunctionDef | None:
        """The first of these functions that is there; else the one that has all the decorators.

        Inductor puts one of its own on kernels and only `jit` on helpers.
        """
        for name in names:
            for definition in self.functions:
                if definition.name == name:
                    return definition
        decorated = [f for f in self.functions if len(f.decorator_list) > 1]
        candidates = decorated or self.functions
        return candidates[0] if len(candidates) == 1 else None
