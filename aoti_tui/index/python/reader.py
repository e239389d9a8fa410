"""The text of an ``output_code.py`` to :class:`~aoti_tui.index.model.WrapperIndex`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from aoti_tui.artifacts.graph_ids import graph_id
from aoti_tui.index.arguments import Result
from aoti_tui.index.expression import Expr
from aoti_tui.index.kernel_sources import KernelSource
from aoti_tui.index.late import Late
from aoti_tui.index.model import (
    Buffer,
    ExternCall,
    Function,
    Gap,
    Kernel,
    Launch,
    LaunchId,
    Symbol,
    WrapperIndex,
)
from aoti_tui.index.nodes import Name
from aoti_tui.index.nodes import Reading as Element
from aoti_tui.index.python.body import read_main
from aoti_tui.index.python.checks import layouts_checked
from aoti_tui.index.python.comments import read_annotations
from aoti_tui.index.python.graph_arguments import with_layouts
from aoti_tui.index.python.kernels import kernel_of
from aoti_tui.index.python.outline import Outline, outline
from aoti_tui.index.python.reading import Reading

Progress = Callable[[float], None]


class _HasLine(Protocol):
    @property
    def line(self) -> int: ...


_Fact = TypeVar("_Fact", bound=_HasLine)
_MAIN = Function("main", "call")
_PLACEHOLDER = re.compile(
    r"^#\s+%(\w+) : (?:Tensor )?\"\w+\[([^\]]*)\].*= PlaceHolder\[target=\1\]", re.M
)
_PARSED_SHARE, _KERNELS_SHARE = 0.2, 0.8
_MARKS = (
    ("assert_size_stride_grouped(", "2.14+"),
    ("copy_if_misaligned", "2.13+"),
    ("class Runner", "2.9+"),
    ("triton_heuristics import start_graph, end_graph", "2.7-2.8"),
    ("triton_heuristics import grid,", "2.5-2.6"),
)


def read_wrapper(
    text: str, path: str, kernel_sources: Mapping[str, KernelSource], report: Progress
) -> WrapperIndex:
    """The index of a Python wrapper; see :func:`aoti_tui.index.reader.read_wrapper`."""
    text = text.replace("\r\n", "\n")
    lines = tuple(text.split("\n"))
    gaps: list[Gap] = []
    found = Outline()
    try:
        found = outline(ast.parse(text), lines)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        said = lines[min(line, len(lines)) - 1]
        gaps.append(Gap(line, said, f"the file is not valid Python: {error}"))
    report(_PARSED_SHARE)
    kernels = _kernels(found, kernel_sources, gaps)
    report(_KERNELS_SHARE)
    main = found.main
    reading = Reading(
        found,
        lines,
        kernels,
        read_annotations(lines, 1, len(lines)),
        _dimensions(found, text),
        _MAIN,
    )
    if main is None:
        gaps.append(Gap(len(lines), "", "call is not in the file"))
    else:
        read_main(reading, main)
    report(1.0)
    return _index(text, path, lines, kernels, reading, [*found.gaps, *gaps])


def with_graph_arguments(index: WrapperIndex, text: str) -> WrapperIndex:
    """The index of a program that a Python file holds (``cpp_wrapper``), with what the file says of
    the graph's arguments around it: layouts, example sizes, and whose size a number is."""
    try:
        found = outline(ast.parse(text), index.lines)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return index
    dimensions = _dimensions(found, text)
    return replace(
        index,
        inputs=with_layouts(index.inputs, index.checks, text, found.examples),
        symbols=tuple(_sized(index, symbol, dimensions) for symbol in index.symbols),
    )


def _sized(
    index: WrapperIndex, symbol: Symbol, dimensions: Mapping[str, Sequence[tuple[str, int]]]
) -> Symbol:
    """``s77 = arg0_1`` as the size that the number is, where a tensor is said to have it."""
    root = symbol.expression.root
    given = {one.name: one for one in index.inputs}
    number = given.get(root.name) if isinstance(root, Name) else None
    places = [(given[name], dim) for name, dim in dimensions.get(symbol.name, ()) if name in given]
    if symbol.kind != "expression" or number is None or not number.is_scalar or not places:
        return symbol
    tensor, dim = min(
        places, key=lambda place: (place[0].position < number.position, place[0].position, place[1])
    )
    element = Element(tensor.name, "size", dim)
    return replace(
        symbol,
        kind="input_dim",
        expression=Expr(element.name, element),
        position=tensor.position,
        dim=dim,
        tensor=tensor.name,
        number=number.position,
    )


def _kernels(
    found: Outline, others: Mapping[str, KernelSource], gaps: list[Gap]
) -> dict[str, Kernel]:
    kernels: dict[str, Kernel] = {}
    for name, source in {**others, **found.sources}.items():
        if name in found.sources or _is_used(found, name):
            kernels[name], gap = kernel_of(source)
            if gap is not None:
                gaps.append(gap)
    return dict(sorted(kernels.items(), key=lambda item: item[1].line))


def _is_used(found: Outline, name: str) -> bool:
    """Whether a kernel whose source another file gives is launched here."""
    functions = [f for f in (found.main, *found.functions.values()) if f is not None]
    return any(
        isinstance(node, ast.Name) and node.id == name for f in functions for node in ast.walk(f)
    )


def _dimensions(found: Outline, text: str) -> dict[str, tuple[tuple[str, int], ...]]:
    """The inputs' dimensions by the symbol that they are checked to have; where nothing checks
    them, those that a graph fragment says they have (torch 2.9 and later)."""
    checked: dict[str, list[tuple[str, int]]] = {}
    functions = [f for f in (found.main, *found.functions.values()) if f is not None]
    for function in functions:
        for node in ast.walk(function):
            for tensor, sizes, _ in layouts_checked(node) if isinstance(node, ast.Call) else ():
                for dim, size in enumerate(getattr(sizes, "elts", ())):
                    if isinstance(size, ast.Name) and isinstance(tensor, ast.Name):
                        checked.setdefault(size.id, []).append((tensor.id, dim))
    told: dict[str, list[tuple[str, int]]] = {}
    for match in _PLACEHOLDER.finditer(text):
        for dim, size in enumerate(part.strip() for part in match[2].split(",")):
            if size.isidentifier():
                told.setdefault(size, []).append((match[1], dim))
    return {name: tuple(places) for name, places in {**told, **checked}.items()}


def _index(
    text: str,
    path: str,
    lines: tuple[str, ...],
    kernels: dict[str, Kernel],
    reading: Reading,
    gaps: list[Gap],
) -> WrapperIndex:
    index = WrapperIndex(
        path=path,
        lines=lines,
        kernels=kernels,
        launches=(),
        inputs=with_layouts(reading.inputs, reading.checks, text, reading.outline.examples),
        symbols=_by_line(reading.symbols),
        guards=_by_line(reading.guards),
        checks=_by_line(reading.checks),
        constants=(),
        buffers=_by_line(reading.buffers),
        externs=_by_line(_with_parts(reading.buffers, e) for e in reading.externs),
        outputs=tuple(reading.outputs),
        found_gaps=Late.known(_by_line([*gaps, *reading.gaps])),
        main=_MAIN,
        scopes=_by_line(reading.all_scopes),
        graph=graph_id(text, path),
        torch_version=next((release for mark, release in _MARKS if mark in text), ""),
        bodies=tuple(reading.bodies),
        device=_device(text),
    )
    return replace(index, launches=_numbered(index, reading.launches))


def _with_parts(buffers: Iterable[Buffer], extern: ExternCall) -> ExternCall:
    """A call with one name for several results: as many as are taken out of it."""
    results: list[Result] = []
    for one in extern.results:
        taken = [b.part for b in buffers if b.part and b.of == one.name]
        results += [one, *(Result(one.name, part) for part in range(1, max(taken, default=0) + 1))]
    return replace(extern, results=tuple(results)) if len(results) > len(extern.results) else extern


def _numbered(index: WrapperIndex, launches: Iterable[Launch]) -> tuple[Launch, ...]:
    """The launches in the order in which they run."""
    ordered = sorted(launches, key=lambda launch: index.place(launch.line))
    return tuple(
        replace(launch, id=LaunchId(number), site=replace(launch.site, file=index.path))
        for number, launch in enumerate(ordered)
    )


def _by_line(facts: Iterable[_Fact]) -> tuple[_Fact, ...]:
    return tuple(sorted(facts, key=lambda fact: fact.line))


def _device(text: str) -> str:
    if "DeviceProperties(type='hip'" in text:
        return "hip"
    if "device_str='xpu'" in text or "torch.xpu._DeviceGuard" in text:
        return "xpu"
    if "async_compile.triton(" in text or "torch.cuda._DeviceGuard" in text:
        return "cuda"
    return "cpu"
