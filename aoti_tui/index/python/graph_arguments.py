"""What a graph's arguments are: dtypes, sizes over its symbols, example sizes.

Said in three places: the checks of ``call`` (torch/_inductor/codegen/wrapper.py,
codegen_input_size_asserts), the placeholders of the graph fragments (torch 2.9 and later), and the
example call, which names every argument whether the graph reads it or not
(``get_args``, ``benchmark_compiled_module``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Input, RuntimeCheck
from aoti_tui.index.python.expression import read_size

_PLACEHOLDER = re.compile(
    r"^#\s+%(?P<name>\w+) : (?:Tensor )?\"(?P<dtype>\w+)\[(?P<sizes>[^\]]*)\]"
    r"(?:\[(?P<strides>[^\]]*)\])?[^\n]*= PlaceHolder\[target=(?P=name)\]",
    re.M,
)
_DTYPES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "b8": "bool",
    "c64": "complex64",
    "c128": "complex128",
}
"""``dtype_abbrs`` of torch/utils/_dtype_abbrs.py."""


@dataclass(frozen=True, slots=True)
class Example:
    """What the example call passes for an argument."""

    dtype: str
    sizes: tuple[int, ...]


def examples_in(functions: Iterable[ast.FunctionDef]) -> dict[str, Example]:
    """The tensors of the example call, by argument: ``rand_strided((2, 50), (50, 1), …)``."""
    found: dict[str, Example] = {}
    for function in functions:
        for statement in function.body:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
                continue
            example = _example(statement.value)
            for target in statement.targets:
                if example is not None and isinstance(target, ast.Name):
                    found[target.id] = example
    return found


def _example(call: ast.Call) -> Example | None:
    if ast.unparse(call.func) != "rand_strided" or not call.args:
        return None
    dtype = next((ast.unparse(k.value) for k in call.keywords if k.arg == "dtype"), "")
    sizes = call.args[0]
    values = [getattr(e, "value", None) for e in getattr(sizes, "elts", ())]
    if not dtype.startswith("torch.") or not all(isinstance(v, int) for v in values):
        return None
    return Example(dtype.removeprefix("torch."), tuple(int(v) for v in values if v is not None))


def with_layouts(
    inputs: Iterable[Input],
    checks: Iterable[RuntimeCheck],
    text: str,
    examples: Mapping[str, Example],
) -> tuple[Input, ...]:
    """The arguments with all that is said of them."""
    layouts = {c.layout.base: c.layout for c in checks if c.layout is not None}
    told = {match["name"]: match for match in _PLACEHOLDER.finditer(text)}
    found = []
    for one in inputs:
        layout, match, example = layouts.get(one.name), told.get(one.name), examples.get(one.name)
        sizes, strides, dtype = one.sizes, one.strides, one.dtype
        if match is not None:
            sizes, dtype = _expressions(match["sizes"]), _DTYPES.get(match["dtype"])
            strides = _expressions(match["strides"]) if match["strides"] is not None else None
        if layout is not None:
            sizes, strides = layout.sizes, layout.strides
        if example is not None:
            dtype = example.dtype
        example_sizes = example.sizes if example is not None else None
        found.append(replace(one, dtype=dtype, sizes=sizes, strides=strides, example=example_sizes))
    return tuple(found)


def _expressions(text: str) -> tuple[Expr, ...] | None:
    """The sizes of a placeholder; None where they are not understood."""
    try:
        node = ast.parse(f"({text},)" if text.strip() else "()", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    elements = node.elts if isinstance(node, ast.Tuple) else []
    found = tuple(read_size(e, ast.unparse(e)) for e in elements)
    return None if any(e.problem for e in found) else found
