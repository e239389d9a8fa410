"""What a kernel's own source says about it: decorator, signature, compile-time values.

Format: torch/_inductor/codegen/triton.py (codegen_kernel) and
torch/_inductor/runtime/triton_heuristics.py. Read with Python's ``ast``, nothing is run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from aoti_tui.index.model import KernelParameter

_REDUCING = ("reduction", "scan")


@dataclass(frozen=True, slots=True)
class KernelMetadata:
    """The facts of one kernel source; every field is empty when the source does not say."""

    function: str = ""
    heuristic: str = ""
    parameters: tuple[KernelParameter, ...] = ()
    size_hints: Mapping[str, int] = field(default_factory=dict)
    triton_meta: Mapping[str, object] = field(default_factory=dict)
    inductor_meta: Mapping[str, object] = field(default_factory=dict)
    constants: Mapping[str, object] = field(default_factory=dict)
    body_blocks: Mapping[str, int] = field(default_factory=dict)
    """Block sizes the source itself fixes (``R0_BLOCK: tl.constexpr = 64``)."""
    mutated: tuple[str, ...] = ()
    annotated: frozenset[str] = frozenset()
    """The parameters that the function itself annotates as constexpr."""
    num_warps: int | None = None


def read_metadata(source: str, function: str) -> KernelMetadata | None:
    """The metadata of the kernel ``function`` in ``source``; None when it is not valid Python."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    definition = _definition(module, function)
    if definition is None:
        return KernelMetadata()
    heuristic, keywords = _decorator(definition)
    triton_meta = _mapping(keywords.get("triton_meta"))
    inductor_meta = _mapping(keywords.get("inductor_meta"))
    names = [a.arg for a in (*definition.args.posonlyargs, *definition.args.args)]
    constexpr = {
        a.arg
        for a in definition.args.args
        if a.annotation is not None and ast.unparse(a.annotation).endswith("constexpr")
    }
    types = _by_name(_mapping(triton_meta.get("signature")), names)
    constants = _by_name(_mapping(triton_meta.get("constants")), names)
    constants.update(_reassigned(definition, names))
    warps = keywords.get("num_warps")
    return KernelMetadata(
        function=definition.name,
        heuristic=heuristic,
        parameters=tuple(
            KernelParameter(n, "constexpr" if n in constexpr else str(types.get(n, "")))
            for n in names
        ),
        size_hints=_size_hints(keywords.get("size_hints"), heuristic),
        triton_meta=triton_meta,
        inductor_meta=inductor_meta,
        constants=constants,
        body_blocks=_body_blocks(definition, constants),
        mutated=_strings(inductor_meta.get("mutated_arg_names")),
        annotated=frozenset(constexpr),
        num_warps=warps if isinstance(warps, int) else None,
    )


_DECORATED = re.compile(r"\s*@(?:\w+\.)*triton_heuristics\.(\w+)\(")


def heuristic_in(lines: Iterable[str]) -> str:
    """The name of the decorator in a kernel's source, without parsing it; ``""`` without one."""
    for line in lines:
        found = _DECORATED.match(line) if "@" in line else None
        if found is not None:
            return found[1]
    return ""


def _definition(module: ast.Module, function: str) -> ast.FunctionDef | None:
    functions = [n for n in module.body if isinstance(n, ast.FunctionDef)]
    for node in functions:
        if _heuristic(node) is not None:
            return node
    named = [n for n in functions if n.name == function]
    candidates = named or functions
    return candidates[-1] if candidates else None


def _heuristic(definition: ast.FunctionDef) -> ast.Call | None:
    """The ``@triton_heuristics.….(…)`` decorator."""
    for decorator in definition.decorator_list:
        if (
            isinstance(decorator, ast.Call)
            and isinstance(decorator.func, ast.Attribute)
            and "triton_heuristics" in ast.unparse(decorator.func.value)
        ):
            return decorator
    return None


def _decorator(definition: ast.FunctionDef) -> tuple[str, dict[str, object]]:
    decorator = _heuristic(definition)
    if decorator is None or not isinstance(decorator.func, ast.Attribute):
        return "", {}
    return decorator.func.attr, {k.arg: literal(k.value) for k in decorator.keywords if k.arg}


def literal(node: ast.expr) -> object:
    """The value of a literal expression; what is not literal (a call, a name) as its text."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Dict):
        return {_key(k): literal(v) for k, v in zip(node.keys, node.values, strict=True) if k}
    if isinstance(node, ast.List):
        return [literal(e) for e in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple(literal(e) for e in node.elts)
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ast.unparse(node)
    return value


def _key(node: ast.expr) -> object:
    value = literal(node)
    try:
        hash(value)
    except TypeError:
        return ast.unparse(node)
    return value


def _mapping(value: object) -> dict[str, object]:
    return dict(value) if isinstance(value, Mapping) else {}


def _strings(value: object) -> tuple[str, ...]:
    return tuple(str(v) for v in value) if isinstance(value, (list, tuple)) else ()


def _by_name(values: Mapping[str, object], names: list[str]) -> dict[str, object]:
    """torch 2.5 keys signature and constants by position, later versions by name."""
    named: dict[str, object] = {}
    for key, value in values.items():
        position: object = key[0] if isinstance(key, tuple) and len(key) == 1 else key
        if isinstance(position, int):
            if 0 <= position < len(names):
                named[names[position]] = value
        else:
            named[str(key)] = value
    return named


def _size_hints(value: object, heuristic: str) -> dict[str, int]:
    if isinstance(value, Mapping):
        return {str(k): v for k, v in value.items() if isinstance(v, int)}
    if not isinstance(value, (list, tuple)):
        return {}
    # torch 2.5 lists the outermost dimension first (y, x) and a reduction last (x, r).
    reducing = any(word in heuristic for word in _REDUCING)
    inner_first = "rxyz" if reducing else "xyz"
    sizes = [v for v in value if isinstance(v, int)]
    return dict(zip(inner_first, reversed(sizes), strict=False))


def _reassigned(definition: ast.FunctionDef, names: list[str]) -> dict[str, object]:
    """``xnumel = 1`` in the body: the parameter has that value whatever the launch passes."""
    values: dict[str, object] = {}
    for node in definition.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if (
                isinstance(target, ast.Name)
                and target.id in names
                and isinstance(node.value, ast.Constant)
            ):
                values[target.id] = node.value.value
    return values


def _body_blocks(definition: ast.FunctionDef, constants: Mapping[str, object]) -> dict[str, int]:
    blocks = {k: v for k, v in constants.items() if _is_block(k) and type(v) is int}
    disputed: set[str] = set()
    for node in _assignments(definition.body):
        if (
            isinstance(node.target, ast.Name)
            and _is_block(node.target.id)
            and isinstance(node.value, ast.Constant)
            and type(node.value.value) is int
        ):
            name, value = node.target.id, node.value.value
            if blocks.setdefault(name, value) != value:
                # The branches of a combo kernel may each have their own.
                disputed.add(name)
    return {k: v for k, v in blocks.items() if k not in disputed}


def _assignments(body: Sequence[ast.stmt]) -> Iterator[ast.AnnAssign]:
    for node in body:
        if isinstance(node, ast.AnnAssign):
            yield node
        elif isinstance(node, ast.If):
            yield from _assignments(node.body)
            yield from _assignments(node.orelse)


def default_blocks(inductor_meta: Mapping[str, object]) -> dict[str, int]:
    """Block sizes a combo kernel is compiled with unless its config says otherwise."""
    combo = inductor_meta.get("combo_grid_meta")
    config = combo.get("default_config") if isinstance(combo, Mapping) else None
    if not isinstance(config, Mapping):
        return {}
    return {str(k): v for k, v in config.items() if type(v) is int}


def _is_block(name: str) -> bool:
    return "BLOCK" in name or name.startswith("RSPLIT")
