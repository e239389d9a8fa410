"""How dynamo and the debug folder name the arguments of a graph, read as text.

``dynamo_output_graph`` of TORCH_TRACE and TORCH_LOGS=graph_code show the graph as dynamo made it,
whose placeholders are named after where they come from (``L_self_modules_lin_parameters_weight_``:
torch/_dynamo/variables/builder.py); AOTAutograd keeps their order. ``fx_graph_readable.py`` of
TORCH_COMPILE_DEBUG shows each op under the line of the model that it is of
(torch/fx/graph.py, ``verbose``).
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Literal

_SIGNATURE = re.compile(r"^\s*def forward\(self, (?P<arguments>[^\n]*)\):", re.M)
_ARGUMENT = re.compile(r'(\w+): "([^"]*)"')
_LIFTED = re.compile(
    r"^[Ll]_self_(?:modules_(?P<modules>.+?)_)?(?P<kind>parameters|buffers)_(?P<name>\w+?)_$"
)
_LOCAL = re.compile(r"^[Ll]_(?P<name>\w+?)_$")
_LINE = re.compile(
    r"^\s*# File: (?P<file>.+?):(?P<line>\d+) in (?P<function>\w+), code: (?P<code>.*)"
)
_OP = re.compile(r"= torch\.ops\.aten\.(?P<op>\w+)(?:\.\w+)?\((?P<arguments>.*?)\)(?:;|$)")
_NAME = re.compile(r"\b(?:arg\d+_1|primals_\d+)\b")

ArgumentKind = Literal["input", "parameter", "buffer", "number", "unknown"]


@dataclass(frozen=True, slots=True)
class NamedArgument:
    """An argument of a graph: what it is, by which name, and its sizes as they are written."""

    kind: ArgumentKind
    name: str
    sizes: str


def dynamo_arguments(text: str) -> tuple[NamedArgument, ...]:
    """The arguments of dynamo's graph in order; empty where the text shows none."""
    found = _SIGNATURE.search(text)
    if found is None:
        return ()
    return tuple(_named(name, said) for name, said in _ARGUMENT.findall(found["arguments"]))


def _named(name: str, said: str) -> NamedArgument:
    if said.startswith("Sym("):
        return NamedArgument("number", name, said)
    sizes = said[said.find("[") + 1 : said.find("]")] if "[" in said else ""
    lifted = _LIFTED.match(name)
    if lifted is not None:
        kind: ArgumentKind = "parameter" if lifted["kind"] == "parameters" else "buffer"
        modules = (lifted["modules"] or "").split("_modules_")
        return NamedArgument(kind, ".".join((*filter(None, modules), lifted["name"])), sizes)
    local = _LOCAL.match(name)
    if local is None or local["name"].startswith(("self_", "stack", "args_", "kwargs_")):
        return NamedArgument("unknown", "", sizes)
    return NamedArgument("input", local["name"], sizes)


@dataclass(frozen=True, slots=True)
class ModelLine:
    """A line of the model with the ops that the graph has of it."""

    file: str
    line: int
    function: str
    code: str
    ops: tuple[tuple[str, tuple[str, ...]], ...]
    """Each op and the arguments of the graph among its own."""


def model_lines(readable: str) -> tuple[ModelLine, ...]:
    """The lines of the model in a ``fx_graph_readable.py``."""
    found: list[ModelLine] = []
    ops: list[tuple[str, tuple[str, ...]]] = []
    place: re.Match[str] | None = None
    for line in (*readable.split("\n"), "# File: end:0 in end, code: "):
        match = _LINE.match(line)
        if match is None:
            op = _OP.search(line)
            if op is not None:
                ops.append((op["op"], tuple(_NAME.findall(op["arguments"]))))
            continue
        if place is not None:
            code = place["code"].strip()
            found.append(
                ModelLine(place["file"], int(place["line"]), place["function"], code, tuple(ops))
            )
        place, ops = match, []
    return tuple(found)


def arguments_by_line(lines: tuple[ModelLine, ...]) -> dict[str, NamedArgument]:
    """What arguments of a graph are, as far as a line of the model can mean only one thing: the
    weight of the one embedding that it calls, the weight and bias of its one linear layer."""
    found: dict[str, NamedArgument] = {}
    for line in lines:
        modules = _called_modules(line.code)
        ops = [op for op, _ in line.ops]
        for op, names in line.ops:
            if len(modules) == 1 and op == "embedding" and ops.count(op) == 1 and names:
                found.setdefault(names[0], NamedArgument("parameter", f"{modules[0]}.weight", ""))
            elif len(modules) == 1 and op in ("permute", "t") and ops.count(op) == 1 and names:
                if any(o in ("mm", "addmm") for o in ops):
                    weight = NamedArgument("parameter", f"{modules[0]}.weight", "")
                    found.setdefault(names[0], weight)
            elif len(modules) == 1 and op == "addmm" and ops.count(op) == 1 and names:
                found.setdefault(names[0], NamedArgument("parameter", f"{modules[0]}.bias", ""))
    return found


def _called_modules(code: str) -> list[str]:
    """Modules of the model's own that a line of code calls (``self.emb(ids)``)."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    called = (_attribute(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call))
    return list(dict.fromkeys(name for name in called if name))


def _attribute(node: ast.expr) -> str | None:
    """``layers.emb`` of ``self.layers.emb``; None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    is_own = isinstance(node, ast.Name) and node.id == "self"
    return ".".join(reversed(parts)) if is_own and parts else None
