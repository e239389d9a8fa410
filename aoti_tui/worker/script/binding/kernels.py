"""A user's jit function as a kernel of the engine, and as the interface is told of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...engine.language.language import Language
from ...engine.programs.kernel import Kernel
from ...engine.programs.live import LiveFunction, LiveFunctions
from ...source.facts import Waiting, facts_of


@dataclass(frozen=True)
class ScriptKernel:
    """`key` names it towards the interface; `annotated` has triton's type by parameter where the
    source gives one; `helpers` are the user's functions that its text reaches."""

    key: str
    kernel: Kernel
    function: LiveFunction
    helpers: tuple[LiveFunction, ...]
    annotated: dict[str, str]

    def described(self) -> dict[str, Any]:
        """The `kernel` event."""
        text = self.function.written
        return {
            "key": self.key,
            "name": text.name,
            "file": text.file,
            "line": text.line,
            "end_line": text.end_line,
            "source": text.text,
            "parameters": [
                {"name": name, "constexpr": name in self.kernel.constexprs}
                for name in self.kernel.parameters
            ],
            "helpers": [
                {
                    "name": helper.written.name,
                    "file": helper.written.file,
                    "line": helper.written.line,
                    "end_line": helper.written.end_line,
                    "source": helper.written.text,
                }
                for helper in self.helpers
            ],
        }


class Kernels:
    """Every kernel that was launched, by its jit function."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.functions = LiveFunctions(language)
        self.by_key: dict[str, ScriptKernel] = {}
        self._by_function: dict[int, ScriptKernel] = {}

    def of(self, jit: Any) -> ScriptKernel:
        """The kernel of a jit function, made at its first launch."""
        found = self._by_function.get(id(jit))
        if found is None:
            found = self._made(jit)
            self._by_function[id(jit)] = found
            self.by_key[found.key] = found
        return found

    def _made(self, jit: Any) -> ScriptKernel:
        function = self.functions.function(jit)
        reached = self.functions.reached(function)
        constexprs = frozenset(p.name for p in jit.params if p.is_constexpr)
        kernel = Kernel(
            name=function.name,
            function=function,
            parameters=tuple(p.name for p in jit.params),
            constexprs=constexprs,
            defaults=function.defaults,
            facts=facts_of([one.written.source for one in reached], Waiting()),
        )
        return ScriptKernel(
            f"k{len(self.by_key)}",
            kernel,
            function,
            tuple(reached[1:]),
            {p.name: p.annotation_type for p in jit.params if p.annotation_type},
        )
