"""A ``call_<kernel>`` function: what a launch passes, the grid, the embedded source.

Format: torch/_inductor/codegen/cpp_wrapper_gpu.py (DeferredTritonCallWrapper, torch 2.7 and
later) and torch/_inductor/runtime/triton_heuristics.py (GridExpr).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aoti_tui.index.cpp.calls import checked_call, closing, split_arguments
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.cpp.outline import Block
from aoti_tui.index.cpp.statements import Statement, parse_body
from aoti_tui.index.expression import Expr
from aoti_tui.index.kernel_sources import SOURCE_MARK, KernelSource, embedded_sources
from aoti_tui.index.late import Late

_PARAMETER = re.compile(r"([A-Za-z_]\w*)\s*(?:=.*)?$", re.S)
_GRID = re.compile(r"^(?:uint32_t|int64_t|auto)\s+(\w+)\s*=\s*(.+)$", re.S)
_NOT_PASSED = frozenset({"device_idx_", "stream_", "kernels_", "cubin_dir_"})
_UNDERSTOOD = re.compile(
    r"""^(?:
        (?:CUdeviceptr|hipDeviceptr_t|void\s*\*|sycl::\w+|auto|u?int(?:8|16|32|64)_t|int|float
          |double|bool|half|at::\w+|bfloat16)\s*\*?\s*\w+(?:\s*=.*)?
      | (?:kernels_?\.)?\w+\s*=\s*loadKernel\(.*
      | void\s*\*\s*kernel_args_\[\]\s*=.*
      | (?:torch::aot_inductor::)?(?:RAII\w+|C10IValueHandle|AtenTensorHandle)\b.*
      | std::(?:unordered_map|vector|string|optional)<.*
      | kwargs_\w+\.emplace\(.*
      | \w+_input(?:s_info|_names)_?.*
      | \w*record\w*\b.*
      | (?:AOTI_TORCH_ERROR_CODE_CHECK\()?aoti_torch_\w+\(.*
      | return
    )$""",
    re.S | re.X,
)


Problem = tuple[int, str, str]
"""Line, text and reason of what was not understood."""


@dataclass(frozen=True, slots=True)
class LauncherBody:
    """What the statements of a ``call_…`` function say."""

    grid: tuple[Expr, ...] = ()
    num_warps: int | None = None
    shared_memory: int | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Launcher:
    """The facts of one ``call_…`` function."""

    kernel: str
    line: int
    parameters: tuple[str, ...]
    """What a launch fills, in order, without device index, stream, kernels and cubin folder."""
    pointers: frozenset[str]
    """The parameters that take a tensor."""
    source: KernelSource | None
    body: Late[LauncherBody]
    """Parsed when it is first asked for: a launch needs the parameters alone."""

    @property
    def grid(self) -> tuple[Expr, ...]:
        return self.body().grid


def is_launcher(block: Block) -> bool:
    """Whether a top-level block is a ``call_…`` function that launches a kernel."""
    return block.name.startswith("call_") and (
        "kernels_" in block.header or "stream_" in block.header
    )


def read_launcher(block: Block) -> Launcher:
    """The facts of a ``call_…`` function."""
    parameters: list[str] = []
    pointers: set[str] = set()
    opened = block.header.find("(", block.header.find(block.name))
    listed = block.header[opened + 1 : closing(block.header, opened)]
    for text in split_arguments(listed):
        match = _PARAMETER.search(text)
        if match and match.group(1) not in _NOT_PASSED:
            parameters.append(match.group(1))
            if "_type_" in text:
                pointers.add(match.group(1))
    return Launcher(
        kernel=block.name.removeprefix("call_"),
        line=block.line,
        parameters=tuple(parameters),
        pointers=frozenset(pointers),
        source=_source(block),
        body=Late(lambda: _read_body(block)),
    )


def _source(block: Block) -> KernelSource | None:
    """The kernel's source, which stands in a comment; one that the file cuts off is cut off too."""
    body = block.body
    at = body.find(SOURCE_MARK)
    closed = body.find("*/", at)
    if at >= 0 and closed >= 0 and body.rfind("/*", 0, at) >= 0:
        start = body.rfind("\n", 0, at) + 1
        line = block.body_line + body.count("\n", 0, start)
        found = next(embedded_sources(body[start:closed], None, line), None)
        if found is not None:
            return found
    if block.cut:
        return next(embedded_sources(block.cut, None, block.cut_line), None)
    return None


def _read_body(block: Block) -> LauncherBody:
    problems: list[Problem] = []
    locals_: dict[str, str] = {}
    launch: Sequence[str] = ()
    for statement in _flat(parse_body(block.body, block.body_line), problems):
        if statement.kind == "comment":
            continue
        text = statement.text
        grid = _GRID.match(text)
        call = checked_call(text)
        if grid and (grid.group(1).startswith(("grid_", "y_grid")) or "grid" in grid.group(1)):
            locals_[grid.group(1)] = _inlined(grid.group(2), locals_)
        elif call is not None and call.name.endswith("launchKernel"):
            launch = call.arguments
        elif not _UNDERSTOOD.match(text):
            problems.append((statement.line, text, "unknown statement of a kernel's call function"))
    return LauncherBody(
        grid=tuple(read(locals_[g]) for g in ("grid_0", "grid_1", "grid_2") if g in locals_),
        num_warps=_integer(launch, 4),
        shared_memory=_integer(launch, 5),
        problems=tuple(problems),
    )


def _flat(statements: Sequence[Statement], problems: list[Problem]) -> list[Statement]:
    flat: list[Statement] = []
    for statement in statements:
        if statement.kind == "nested":
            problems.append((statement.line, statement.text.strip(), "unexpected construct"))
        if statement.kind in ("simple", "comment"):
            flat.append(statement)
        else:
            flat.extend(_flat((*statement.body, *statement.orelse), problems))
    return flat


def _inlined(expression: str, locals_: dict[str, str]) -> str:
    """``expression`` with the grid's own temporaries (``y_grid_raw_``) written out."""
    expression = " ".join(expression.split())
    for name, value in locals_.items():
        if name in expression:
            expression = re.sub(rf"\b{re.escape(name)}\b", _grouped(value), expression)
    return expression


def _grouped(expression: str) -> str:
    if re.fullmatch(r"\w+", expression):
        return expression
    if expression.startswith("(") and closing(expression, 0) == len(expression) - 1:
        return expression
    return f"({expression})"


def _integer(arguments: Sequence[str], position: int) -> int | None:
    if position >= len(arguments):
        return None
    match = re.fullmatch(r"(\d{1,18})[uUlL]*", arguments[position])
    return int(match.group(1)) if match else None
