"""A source's functions, compiled twice: as they run, and as they are recorded."""

from __future__ import annotations

import ast
import copy
from typing import Any, Callable

from ...source.rewrite import Rewriter
from ...source.source import Source
from ..findings.kernel_frames import MARK
from ..findings.recorder import Recorder, hooks
from ..language.language import Language


class Module:
    """One file's functions. Lines that they are attributed to are those of `source.file`."""

    def __init__(self, source: Source, language: Language) -> None:
        self.source = source
        self.language = language
        scope: dict[str, Any] = {"__builtins__": {}, MARK: source.file, **source.names}
        for name, builtin in language.builtins().items():
            scope.setdefault(name, builtin)
        scope.update(language.hooks())
        self._names = scope
        rewriter = Rewriter(source.file, recording=False)
        self.plain = self._run(rewriter, dict(scope))
        self._recorded: dict[str, Any] | None = None

    @property
    def recorded(self) -> dict[str, Any]:
        """The functions that call the recorder of the program that runs; made when first asked."""
        if self._recorded is None:
            rewriter = Rewriter(self.source.file, recording=True)
            recording = hooks(self._recorder, rewriter.sites)
            self._recorded = self._run(rewriter, {**self._names, **recording})
        return self._recorded

    def _recorder(self) -> Recorder:
        recorder = self.language.builder.run.recorder
        assert recorder is not None
        return recorder

    def _run(self, rewriter: Rewriter, scope: dict[str, Any]) -> dict[str, Any]:
        tree = ast.fix_missing_locations(rewriter.visit(copy.deepcopy(self.source.tree)))
        exec(compile(tree, self.source.file, "exec"), scope)
        return scope

    def exports(self) -> dict[str, Any]:
        """What other files can import: functions that run as what is going on asks, constants."""
        names = {node.name: Function(self, node.name) for node in self.source.functions}
        constants = {n: self.plain[n] for n in self.source.constants if n in self.plain}
        return {**constants, **names}


class Function:
    """A function: recorded while a recorder is on, else plain. `file` is what its lines are of."""

    def __init__(self, module: Module, name: str) -> None:
        self.module = module
        self.name = name
        self.language = module.language
        self.file = module.source.file
        self.plain: Callable[..., Any] = module.plain[name]

    @property
    def recorded(self) -> Callable[..., Any]:
        """The form that calls the recorder of the program that runs."""
        made: Callable[..., Any] = self.module.recorded[self.name]
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.language.builder.run.recorder is None:
            return self.plain(*args, **kwargs)
        return self.recorded(*args, **kwargs)

    @property
    def defaults(self) -> dict[str, Any]:
        """Default values by parameter."""
        code, values = self.plain.__code__, self.plain.__defaults__ or ()
        names = code.co_varnames[: code.co_argcount]
        found = dict(zip(names[len(names) - len(values) :], values))
        return {**found, **(self.plain.__kwdefaults__ or {})}
