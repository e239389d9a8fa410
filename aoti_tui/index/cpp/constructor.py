"""Names of inputs and outputs, constants and kernels a wrapper declares.

Format: torch/_inductor/codegen/cpp_wrapper_cpu.py (codegen_model_constructor,
codegen_model_kernels).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from aoti_tui.index.cpp.calls import braced, string_literal
from aoti_tui.index.cpp.outline import Block
from aoti_tui.index.cpp.tensors import dtype_name
from aoti_tui.index.model import Constant, Gap

_INPUT = re.compile(r'^\s*inputs_info_\[(\d{1,9})\]\.name = "([^"]*)";', re.M)
_CONSTANT = re.compile(
    r"^\s*constants_info_\[(\d{1,9})\]\.(\w+) = (R\"\(.*?\)\"|\"(?:\\.|[^\"\\])*\"|[^;]*);",
    re.M | re.S,
)
_KERNEL = re.compile(r"^\s*(?:CUfunction|hipFunction_t|std::unique_ptr<sycl::kernel>) (\w+)\b")
_NUMBER = re.compile(r"^-?\d{1,18}[LlUu]*$")


@dataclass(frozen=True, slots=True)
class Declarations:
    """What the constructor says; lines are wrapper lines."""

    inputs: tuple[tuple[int, str, int], ...] = ()
    """(position, name, line)"""
    constants: tuple[Constant, ...] = ()
    gaps: tuple[Gap, ...] = ()


@dataclass(slots=True)
class _Fields:
    line: int
    values: dict[str, str] = field(default_factory=dict)


def read_constructor(block: Block) -> Declarations:
    """Inputs and constants out of the model's constructor."""
    line = block.body_line
    counted = 0
    inputs: list[tuple[int, str, int]] = []
    for match in _INPUT.finditer(block.body):
        at = match.start(1)
        line += block.body.count("\n", counted, at)
        counted = at
        inputs.append((int(match.group(1)), match.group(2), line))
    line, counted = block.body_line, 0
    fields: dict[int, _Fields] = {}
    for match in _CONSTANT.finditer(block.body):
        at = match.start(1)
        line += block.body.count("\n", counted, at)
        counted = at
        entry = fields.setdefault(int(match.group(1)), _Fields(line))
        entry.values[match.group(2)] = match.group(3).strip()
    gaps: list[Gap] = []
    constants = tuple(_constant(index, entry, gaps) for index, entry in sorted(fields.items()))
    return Declarations(tuple(inputs), constants, tuple(gaps))


def _constant(index: int, entry: _Fields, gaps: list[Gap]) -> Constant:
    values = entry.values
    name = string_literal(values.get("name", "")) or ""
    dtype = dtype_name(values.get("dtype", ""))
    if dtype is None and "dtype" in values:
        dtype = _legacy_dtype(values["dtype"])
    if not name or dtype is None:
        gaps.append(Gap(entry.line, f"constants_info_[{index}]", "constant without name or dtype"))
    return Constant(
        name=name,
        index=index,
        line=entry.line,
        dtype=dtype or "",
        shape=_numbers(values.get("shape", "{}")),
        stride=_numbers(values.get("stride", "{}")),
        fqn=string_literal(values.get("original_fqn", "")) or "",
        folded=values.get("from_folded") == "true",
    )


def _legacy_dtype(text: str) -> str | None:
    """``static_cast<int32_t>(at::kFloat)`` and the like."""
    match = re.search(r"(at::k\w+|cached_torch_dtype_\w+|aoti_torch_dtype_\w+)", text)
    return dtype_name(match.group(1)) if match else None


def _numbers(text: str) -> tuple[int, ...]:
    parts = braced(text) or ()
    return tuple(int(p.rstrip("LlUu")) for p in parts if _NUMBER.match(p))


def read_kernel_fields(block: Block) -> dict[str, int]:
    """The GPU kernels that ``class AOTInductorModelKernels`` declares, with their lines."""
    found: dict[str, int] = {}
    for offset, text in enumerate(block.body.split("\n")):
        match = _KERNEL.match(text)
        if match:
            found.setdefault(match.group(1), block.body_line + offset)
    return found
