"""What stands at the top of an ``output_code.py``: kernels, functions, partitions.

Format: torch/_inductor/codegen/wrapper.py (PythonWrapperCodegen), torch/_inductor/async_compile.py.
A kernel's text can hold a ``call`` and launches of its own (``benchmark_kernel``), so only what
the parser gives counts, never what a search finds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aoti_tui.index.kernel_sources import KernelSource
from aoti_tui.index.model import Gap
from aoti_tui.index.python.graph_arguments import Example, examples_in

_EXAMPLES = frozenset({"get_args", "benchmark_compiled_module"})


@dataclass(frozen=True, slots=True)
class Variants:
    """Several kernels for one launch, of which the run picks the fastest (``multi_kernel``)."""

    kernels: tuple[str, ...]
    slices: tuple[tuple[int | None, int | None], ...]
    """Which of the launch's arguments each of them gets."""


@dataclass(slots=True)
class Outline:
    """The parts of a wrapper; ``main`` is the function that runs the graph."""

    sources: dict[str, KernelSource] = field(default_factory=dict)
    variants: dict[str, Variants] = field(default_factory=dict)
    compiled: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """C++ kernels for the CPU, with the C types of their parameters."""
    main: ast.FunctionDef | None = None
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    partitions: tuple[str, ...] = ()
    numbers: frozenset[str] = frozenset()
    """Arguments for which the example call passes a number."""
    examples: dict[str, Example] = field(default_factory=dict)
    """The tensors that the example call passes."""
    gaps: list[Gap] = field(default_factory=list)
    arg_slices: dict[str, tuple[tuple[int | None, int | None], ...]] = field(default_factory=dict)


def outline(module: ast.Module, lines: Sequence[str]) -> Outline:
    """The parts of a parsed wrapper, whose lines are ``lines``."""
    found = Outline()
    for statement in module.body:
        if isinstance(statement, ast.FunctionDef):
            _function(found, statement)
        elif isinstance(statement, ast.ClassDef):
            for member in statement.body:
                if isinstance(member, ast.FunctionDef) and member.name == "call":
                    found.main = member
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            _assigned(found, statement, lines)
    return found


def _function(found: Outline, function: ast.FunctionDef) -> None:
    if function.name == "call":
        found.main = function
    elif function.name in _EXAMPLES:
        found.numbers |= frozenset(_example_numbers(function))
        found.examples |= examples_in([function])
    else:
        found.functions[function.name] = function


def _example_numbers(function: ast.FunctionDef) -> Iterator[str]:
    for statement in function.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id


def _assigned(found: Outline, statement: ast.Assign, lines: Sequence[str]) -> None:
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Name):
        return
    if isinstance(value, ast.Dict):
        found.arg_slices[target.id] = _slices(value)
    if not isinstance(value, ast.Call):
        return
    made_by = ast.unparse(value.func)
    if made_by == "async_compile.triton":
        source = _source(target.id, statement, value, lines)
        if source is None:
            text = lines[statement.lineno - 1]
            found.gaps.append(Gap(statement.lineno, text, f"the source of {target.id} is no text"))
        else:
            found.sources[target.id] = source
    elif made_by == "async_compile.multi_kernel" and len(value.args) > 1:
        found.variants[target.id] = _variants(found, value)
    elif made_by in ("async_compile.cpp_pybinding", "async_compile.cpp") and value.args:
        types = value.args[0]
        names = types.elts if isinstance(types, ast.List) else ()
        found.compiled[target.id] = tuple(
            str(n.value) for n in names if isinstance(n, ast.Constant)
        )
    elif made_by == "Runner":
        for keyword in value.keywords:
            if keyword.arg == "partitions" and isinstance(keyword.value, ast.List):
                found.partitions = tuple(ast.unparse(e) for e in keyword.value.elts)


def _source(
    name: str, statement: ast.Assign, call: ast.Call, lines: Sequence[str]
) -> KernelSource | None:
    """The kernel whose text stands in ``call``; its line 1 is that of the opening quotes."""
    texts = [a for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if not texts or texts[-1].end_lineno is None:
        return None
    text = texts[-1]
    first, last = text.lineno, texts[-1].end_lineno
    written = list(lines[first - 1 : last])
    meant = str(text.value).split("\n")
    if len(meant) == len(written):
        # Escapes in the text are read by Python before Triton sees the lines.
        written[1:-1] = meant[1:-1]
    function = texts[0].value if len(texts) > 1 else name
    return KernelSource(name, str(function), None, first, tuple(written))


def _slices(value: ast.Dict) -> tuple[tuple[int | None, int | None], ...]:
    """``{0: [slice(0, 3, None)], 1: […]}``: which arguments each variant takes."""
    found: list[tuple[int | None, int | None]] = []
    for one in value.values:
        part = one.elts[0] if isinstance(one, ast.List) and one.elts else one
        ends = part.args if isinstance(part, ast.Call) else []
        numbers = [e.value if isinstance(e, ast.Constant) else None for e in ends]
        whole = [n if isinstance(n, int) else None for n in numbers]
        found.append((whole[0], whole[1]) if len(whole) > 1 else (None, None))
    return tuple(found)


def _variants(found: Outline, call: ast.Call) -> Variants:
    listed = call.args[1]
    names = listed.elts if isinstance(listed, (ast.List, ast.Tuple)) else []
    slices: tuple[tuple[int | None, int | None], ...] = ()
    for keyword in call.keywords:
        if keyword.arg == "arg_index":
            slices = found.arg_slices.get(ast.unparse(keyword.value), ())
    return Variants(tuple(ast.unparse(n) for n in names), slices)
