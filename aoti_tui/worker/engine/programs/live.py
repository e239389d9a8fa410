"""A user's own functions: compiled under their own file and lines, in their own live names."""

from __future__ import annotations

import ast
import builtins
import copy
import importlib
from collections.abc import Mapping
from types import FunctionType
from typing import Any, Callable

from ...source.rewrite import Rewriter
from ...source.written import Written, written
from ..findings.kernel_frames import MARK
from ..findings.recorder import Recorder, hooks
from ..language.language import Language
from .functions import Function


class Scope(dict[str, Any]):
    """What a function sees: our hooks, its closure, its module as it is now, Triton's builtins.

    A dict subclass, since Python asks `__missing__` for names that a function's globals lack.
    """

    def __init__(self, own: Mapping[str, Any], function: Any, triton: Mapping[str, Any]) -> None:
        super().__init__(own)
        cells = function.__closure__ or ()
        self._cells = dict(zip(function.__code__.co_freevars, cells))
        self._globals: dict[str, Any] = function.__globals__
        self._triton = triton

    def __missing__(self, name: str) -> Any:
        if name in self._cells:
            return self._cells[name].cell_contents
        if name in self._globals:
            return self._globals[name]
        return self._triton[name]


class LiveFunction(Function):
    """One triton.jit function of the user's, compiled twice: to run, and to be recorded."""

    def __init__(self, jit: Any, language: Language) -> None:
        self.jit = jit
        self.language = language
        self.written: Written = written(jit)
        self.name = self.written.name
        self.file = self.written.file
        self.scope = self._scope()
        self.plain = self._compiled(Rewriter(self.file, recording=False), self.scope)
        self._recorded: Callable[..., Any] | None = None

    def _scope(self) -> Scope:
        own = {"__builtins__": vars(builtins), MARK: self.file, **self.language.hooks()}
        return Scope(own, self.jit.fn, self.language.builtins())

    @property
    def recorded(self) -> Callable[..., Any]:
        if self._recorded is None:
            rewriter = Rewriter(self.file, recording=True)
            scope = self._scope()
            self._recorded = self._compiled(rewriter, scope)
            scope.update(hooks(self._recorder, rewriter.sites))
        return self._recorded

    def _recorder(self) -> Recorder:
        recorder = self.language.builder.run.recorder
        assert recorder is not None
        return recorder

    def _compiled(self, rewriter: Rewriter, scope: Scope) -> Callable[..., Any]:
        tree = copy.deepcopy(self.written.tree)
        # Default values are the function's own: their text may mean something else by now.
        nothing: list[ast.expr] = [ast.Constant(None) for _ in tree.args.defaults]
        tree.args.defaults = nothing
        tree.args.kw_defaults = [d and ast.Constant(None) for d in tree.args.kw_defaults]
        module = ast.Module(body=[rewriter.visit(tree)], type_ignores=[])
        exec(compile(ast.fix_missing_locations(module), self.file, "exec"), scope)
        made = scope.pop(self.name)
        assert isinstance(made, FunctionType)
        made.__defaults__ = self.jit.fn.__defaults__
        made.__kwdefaults__ = self.jit.fn.__kwdefaults__
        return made

    def named(self, expression: ast.expr) -> Any | None:
        """What a name or attribute of the text stands for now; None where that is not known."""
        if isinstance(expression, ast.Name):
            try:
                return self.scope[expression.id]
            except (KeyError, ValueError):
                return None
        if isinstance(expression, ast.Attribute):
            owner = self.named(expression.value)
            return None if owner is None else getattr(owner, expression.attr, None)
        return None


class LiveFunctions:
    """Every user's function that ran so far, by its jit function; triton's own stay triton's."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._jit: Any = importlib.import_module("triton.runtime.jit")
        self._made: dict[int, LiveFunction] = {}
        language.compile = self._compile

    def _compile(self, jit: Any) -> Callable[..., Any]:
        if is_users(jit):
            return self.function(jit)
        return self.language.library_function(jit)

    def function(self, jit: Any) -> LiveFunction:
        """The compiled form of a user's jit function."""
        found = self._made.get(id(jit))
        if found is None:
            found = LiveFunction(jit, self.language)
            self._made[id(jit)] = found
        return found

    def reached(self, start: LiveFunction) -> list[LiveFunction]:
        """A function and the user's functions that its text names, and theirs."""
        found = {id(start.jit): start}
        waiting = [start]
        while waiting:
            function = waiting.pop()
            for node in ast.walk(function.written.tree):
                if not isinstance(node, (ast.Name, ast.Attribute)):
                    continue
                named = function.named(node)
                if isinstance(named, self._jit.JITFunction) and is_users(named):
                    other = self.function(named)
                    if id(named) not in found:
                        found[id(named)] = other
                        waiting.append(other)
        return list(found.values())


def is_users(jit: Any) -> bool:
    """Whether a jit function is not one of triton's own library."""
    module = str(jit.fn.__module__)
    return module != "triton" and not module.startswith("triton.")
