"""Wrapper text to :class:`~aoti_tui.index.model.WrapperIndex`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal, Protocol, TypeVar

from aoti_tui.artifacts.graph_ids import graph_id
from aoti_tui.index.arguments import Result, TensorView
from aoti_tui.index.cpp.body import read_function
from aoti_tui.index.cpp.constructor import Declarations, read_constructor, read_kernel_fields
from aoti_tui.index.cpp.guards import is_check, read_guards
from aoti_tui.index.cpp.kernels import Known, assemble_kernel, gaps_of, known_of, passed_parameters
from aoti_tui.index.cpp.launchers import Launcher, is_launcher, read_launcher
from aoti_tui.index.cpp.outline import Block, blocks, program_text
from aoti_tui.index.cpp.reading import Reading
from aoti_tui.index.cpp.tensors import Made
from aoti_tui.index.kernel_sources import KernelSource, embedded_sources
from aoti_tui.index.late import Late
from aoti_tui.index.model import (
    ExternCall,
    Function,
    Gap,
    Guard,
    Input,
    Kernel,
    Launch,
    LaunchId,
    WrapperIndex,
)
from aoti_tui.index.versions import guess_version

Progress = Callable[[float], None]


class _HasLine(Protocol):
    @property
    def line(self) -> int: ...


_Fact = TypeVar("_Fact", bound=_HasLine)

_FOLDED = re.compile(r'folded_constants_map\["(\w+)"\] = output_handles\[(\d{1,9})\];')
_ROLES: dict[str, Literal["main", "constants"]] = {
    "run_impl": "main",
    "_const_run_impl": "constants",
    "inductor_entry_impl": "main",
}
_ENTRY = "inductor_entry_impl"
"""The function that torch.compile calls."""
_MAIN = Function("main", "run_impl")
_OUTLINE_SHARE = 0.3
"""Part of the work that is finding the functions, for the progress reports."""


@dataclass(slots=True)
class _Parts:
    launchers: dict[str, Launcher] = field(default_factory=dict)
    fields: dict[str, int] = field(default_factory=dict)
    declarations: Declarations = field(default_factory=Declarations)
    guards: list[Guard] = field(default_factory=list)
    gaps: list[Gap | Launcher] = field(default_factory=list)
    """A call function stands for the gaps in it, which are found when they are asked for."""
    bodies: list[Block] = field(default_factory=list)
    folded: dict[int, str] = field(default_factory=dict)
    """Folded constants by the output of ``_const_run_impl`` that makes them."""


def read_wrapper(
    text: str, path: str, kernel_sources: Mapping[str, KernelSource], report: Progress
) -> WrapperIndex:
    """The index of a C++ wrapper; see :func:`aoti_tui.index.reader.read_wrapper`."""
    text = text.replace("\r\n", "\n")
    program = program_text(text)
    if program is not text:
        own = {source.name: source for source in embedded_sources(text, None)}
        kernel_sources = {**kernel_sources, **own}
    found = list(blocks(program, lambda share: report(share * _OUTLINE_SHARE)))
    parts = _Parts()
    for position, block in enumerate(found):
        _sort(block, parts)
        if position % 64 == 0:
            report(_OUTLINE_SHARE + (1 - _OUTLINE_SHARE) * position / len(found) * 0.8)
    readings = _bodies(parts, kernel_sources)
    _name_folded(parts, readings)
    kernels, gaps = _kernels(parts, readings, kernel_sources)
    report(1.0)
    return _index(text, path, parts, readings, kernels, gaps)


def _sort(block: Block, parts: _Parts) -> None:
    if block.cut_line:
        what = block.name or "a block"
        parts.gaps.append(Gap(block.cut_line, block.cut, f"the file ends inside of {what}"))
    method = block.name.rpartition("::")
    if is_launcher(block):
        launcher = read_launcher(block)
        parts.launchers[launcher.kernel] = launcher
        parts.gaps.append(launcher)
    elif is_check(block):
        guards, gaps = read_guards(block)
        parts.guards.extend(guards)
        parts.gaps.extend(gaps)
    elif (method[2] in _ROLES and method[0]) or block.name == _ENTRY:
        parts.bodies.append(block)
    elif method[2] == "const_run_impl":
        parts.folded.update((int(m[2]), m[1]) for m in _FOLDED.finditer(block.body))
    elif block.is_type and block.name.endswith("ModelKernels"):
        parts.fields.update(read_kernel_fields(block))
    elif (method[0] and method[0] == method[2]) or "inputs_info_[" in block.body:
        parts.declarations = read_constructor(block)
        parts.gaps.extend(parts.declarations.gaps)


def _bodies(parts: _Parts, sources: Mapping[str, KernelSource]) -> list[Reading]:
    @cache
    def parameters(kernel: str) -> tuple[str, ...]:
        return passed_parameters(known_of(None, sources.get(kernel), (None, None)).metadata())

    return [
        read_function(block, _function(block.name), parts.launchers, parameters)
        for block in parts.bodies
    ]


def _function(method: str) -> Function:
    name = method.rpartition("::")[2]
    return Function(_ROLES[name], name)


def _name_folded(parts: _Parts, readings: list[Reading]) -> None:
    """Ties each folded constant to the buffer that ``_const_run_impl`` hands out for it."""
    for reading in readings:
        if reading.function.role == "constants":
            for output in reading.outputs:
                name = parts.folded.get(output.position)
                if name is not None:
                    reading.buffer(name, output.line, Made("alias", TensorView(output.name)))


def _kernels(
    parts: _Parts, readings: list[Reading], sources: Mapping[str, KernelSource]
) -> tuple[dict[str, Kernel], Callable[[], Iterator[Gap]]]:
    lines: dict[str, int] = dict(parts.fields)
    by_kernel: dict[str, list[Launch]] = {}
    for reading in readings:
        for launch in reading.launches:
            lines.setdefault(launch.kernel, launch.line)
            by_kernel.setdefault(launch.kernel, []).append(launch)
    for launcher in parts.launchers.values():
        lines[launcher.kernel] = launcher.line
    symbols = [s for r in readings for s in r.symbols]
    kernels: dict[str, Kernel] = {}
    all_known: dict[str, Known] = {}
    for name, line in sorted(lines.items(), key=lambda item: item[1]):
        warps = next((r.warps[name] for r in readings if name in r.warps), (None, None))
        known = known_of(parts.launchers.get(name), sources.get(name), warps)
        all_known[name] = known
        kernels[name] = assemble_kernel(name, line, known, by_kernel.get(name, ()), symbols)
    return kernels, lambda: (
        g for name, known in all_known.items() for g in gaps_of(name, lines[name], known)
    )


def _inputs(parts: _Parts, readings: list[Reading]) -> tuple[Input, ...]:
    by_position: dict[int, Input] = {}
    for position, name, line in parts.declarations.inputs:
        by_position[position] = Input(position, name, line)
    for reading in readings:
        for one in reading.inputs:
            by_position[one.position] = one
    return tuple(by_position[p] for p in sorted(by_position))


def _numbered(path: str, launches: Iterable[Launch]) -> tuple[Launch, ...]:
    return tuple(
        replace(launch, id=LaunchId(number), site=replace(launch.site, file=path))
        for number, launch in enumerate(_by_line(launches))
    )


def _index(
    text: str,
    path: str,
    parts: _Parts,
    readings: list[Reading],
    kernels: dict[str, Kernel],
    of_kernels: Callable[[], Iterator[Gap]],
) -> WrapperIndex:
    after = [g for r in readings for g in r.gaps]
    main = [r for r in readings if r.function.is_main]
    if not main:
        after.append(Gap(text.count("\n") + 1, "", f"{_MAIN.name} is not in the file"))
    function = main[0].function if main else _MAIN
    embedded = any(k.lines and k.source_path is None for k in kernels.values())
    return WrapperIndex(
        path=path,
        lines=tuple(text.split("\n")),
        kernels=kernels,
        launches=_numbered(path, (la for r in readings for la in r.launches)),
        inputs=_inputs(parts, main),
        symbols=_by_line(s for r in readings for s in r.symbols),
        guards=_by_line(parts.guards),
        checks=_by_line(c for r in readings for c in r.checks),
        constants=parts.declarations.constants,
        buffers=_by_line(b for r in readings for b in r.buffers),
        externs=_by_line(_with_parts(r, _with_operator(r, e)) for r in readings for e in r.externs),
        outputs=_by_line(o for r in main for o in r.outputs),
        found_gaps=Late(lambda: _by_line((*_gaps(parts.gaps), *of_kernels(), *after))),
        main=function,
        graph=graph_id(text, path),
        scopes=_by_line(s for r in readings for s in r.all_scopes),
        torch_version=guess_version(text, embedded, bool(parts.launchers)),
        device=_device(text, kernels),
    )


def _gaps(found: Iterable[Gap | Launcher]) -> Iterator[Gap]:
    for one in found:
        if isinstance(one, Gap):
            yield one
        else:
            yield from (Gap(*problem) for problem in one.body().problems)


def _with_operator(reading: Reading, extern: ExternCall) -> ExternCall:
    """A call without an operator's name, with the one that a check of its result tells (torch
    2.13) or that stands among the operators of its node and is not PyTorch's own."""
    if extern.named or extern.custom:
        return extern
    told = next((reading.made_by[r.name] for r in extern.results if r.name in reading.made_by), "")
    path = told.removeprefix("torch.ops.")
    if path.startswith("aten."):
        return replace(extern, aten=(path,))
    others = [name for name in extern.aten if not name.startswith(("aten.", "prims."))]
    return replace(extern, custom=path or (others[-1] if others else ""))


def _with_parts(reading: Reading, extern: ExternCall) -> ExternCall:
    """A call with one name for several results (torch 2.5): as many as are taken out of it."""
    results: list[Result] = []
    for one in extern.results:
        taken = [b.part for b in reading.buffers if b.part and b.of == one.name]
        results += [one, *(Result(one.name, part) for part in range(1, max(taken, default=0) + 1))]
    return replace(extern, results=tuple(results)) if len(results) > len(extern.results) else extern


def _by_line(facts: Iterable[_Fact]) -> tuple[_Fact, ...]:
    return tuple(sorted(facts, key=lambda fact: fact.line))


def _device(text: str, kernels: Mapping[str, Kernel]) -> str:
    """``hip`` and ``xpu`` builds differ from ``cuda`` in types and include only."""
    if "aoti_include/xpu.h" in text or "sycl::queue" in text:
        return "xpu"
    if "hipFunction_t" in text or "hipStream_t" in text:
        return "hip"
    if kernels or "aoti_include/cuda.h" in text or "CUfunction" in text:
        return "cuda"
    return "cpu"
