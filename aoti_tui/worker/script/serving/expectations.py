"""`expect` and `precision` of a launch of the script."""

from __future__ import annotations

import ast
from typing import Any

from ...protocol.problems import bad_request
from ..expected.expectation import Expectation, compare, read
from ..expected.precision import precision
from ..expected.temporaries import Program
from ..keeping.held import Revived
from ..keeping.kept import KeptLaunch
from .replays import Replays


class Expectations:
    """Compares values of one program of a kept launch with what they should be."""

    def __init__(self, replays: Replays) -> None:
        self.replays = replays

    def expect(self, request: dict[str, Any]) -> dict[str, Any]:
        """One expression for one name, or several `expectations` (`NAME = EXPR` each); with
        `strict` false, what fits another kernel is no error."""
        kept = self.replays.kept(request)
        wanted = [read(text) for text in request.get("expectations") or ()]
        if "name" in request:
            wanted.append(Expectation(str(request["name"]), str(request["expression"])))
        arguments = Revived(kept.values).values
        language = self.replays.language
        program = _program(request, kept)
        strict = bool(request.get("strict", True))
        return compare(lambda: kept.launch(language), arguments, program, wanted, strict)

    def precision(self, request: dict[str, Any]) -> dict[str, Any]:
        """The program beside itself in float64."""
        kept = self.replays.kept(request)
        language = self.replays.language
        trees: dict[str, list[ast.FunctionDef]] = {}
        for function in (kept.kernel.function, *kept.kernel.helpers):
            trees.setdefault(function.file, []).append(function.written.tree)
        return precision(lambda: kept.launch(language), trees, _program(request, kept))


def _program(request: dict[str, Any], kept: KeptLaunch) -> Program:
    x, y, z = (int(n) for n in request["program"])
    if not all(0 <= at < size for at, size in zip((x, y, z), kept.grid)):
        raise bad_request(f"program {[x, y, z]} is outside the grid {list(kept.grid)}")
    return x, y, z
