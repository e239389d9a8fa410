"""Input checks: ``check_input_N`` (torch 2.8 and later) and ``__check_inputs_outputs`` (2.7).

They run only when AOTI_RUNTIME_CHECK_INPUTS is set.
Format: torch/_inductor/codegen/cpp_wrapper_cpu.py (generate_input_output_runtime_checks).
"""

from __future__ import annotations

import re

from aoti_tui.index.cpp.outline import Block
from aoti_tui.index.cpp.statements import Statement, parse_body
from aoti_tui.index.cpp.tensors import dtype_name
from aoti_tui.index.model import RUNTIME_CHECKS, Gap, Guard, GuardCheck

_HANDLE = re.compile(
    r"^ConstantHandle (\w+) = ConstantHandle\((input|output)_handles\[(\d{1,9})\]\)$"
)
_EXPECTED = re.compile(r"^int32_t (\w+)_expected_(dtype|device_type) = (.+)$")
_EQUALS = re.compile(r"^(\S+) != (\w+)_(size|stride)\[(\d{1,9})\]$")
_RANGE = re.compile(r"^(\w+)_size\[(\d{1,9})\] (<|>) (\S+)$")
_SAME = re.compile(r"^(\w+)_expected_(dtype|device_type) != \1_\2$")
_DEVICE = re.compile(r'"\d+\((\w+)\), "')
_ROUTINE = re.compile(
    r"""^(?:
        int32_t\ \w+_(?:dtype|device_type)
      | AOTI_TORCH_ERROR_CODE_CHECK\(aoti_torch_get_(?:dtype|device_type)\(.*\)\)
      | auto\ \w+_(?:size|stride)\ =\ \w+\.(?:sizes|strides)\(\)
      | check_(?:input|output)_\d+\(.*\)
      | return
      | (?:const\ static|static\ const)\ .*
    )$""",
    re.S | re.X,
)


def is_check(block: Block) -> bool:
    """Whether a top-level block is one of the functions that check inputs."""
    return re.fullmatch(r"check_input_\d+|__check_inputs_outputs", block.name) is not None


def read_guards(block: Block) -> tuple[list[Guard], list[Gap]]:
    """The guards of one check function, and what was not understood in it."""
    guards: list[Guard] = []
    gaps: list[Gap] = []
    handles: dict[str, tuple[bool, int]] = {}
    expected: dict[tuple[str, str], str] = {}
    for statement in parse_body(block.body, block.body_line):
        text = statement.text
        if statement.kind == "comment" or _ROUTINE.match(text):
            continue
        handle = _HANDLE.match(text)
        if handle:
            name, what, position = handle.groups()
            handles[name] = (what == "input", int(position))
            continue
        value = _EXPECTED.match(text)
        if value:
            expected[(value.group(1), value.group(2))] = value.group(3)
            continue
        if statement.kind == "if":
            if "_check_aoti_runtime_check_inputs_env" in statement.condition:
                continue
            found = _guard(statement, expected)
            if found is not None and found[0] in handles:
                name, check, dim, wanted = found
                is_input, position_ = handles[name]
                if is_input:
                    guards.append(
                        Guard(position_, name, check, dim, wanted, statement.line, RUNTIME_CHECKS)
                    )
                continue
            text = f"if ({statement.condition})"
        gaps.append(Gap(statement.line, text, "unknown input check"))
    return guards, gaps


def _guard(
    statement: Statement, expected: dict[tuple[str, str], str]
) -> tuple[str, GuardCheck, int | None, str] | None:
    """(name, check, dim, value) of an ``if`` that throws."""
    condition = statement.condition
    equals = _EQUALS.match(condition)
    if equals:
        value, name, what, dim = equals.groups()
        return name, "equals" if what == "size" else "stride", int(dim), value.rstrip("L")
    limit = _RANGE.match(condition)
    if limit:
        name, dim, sign, value = limit.groups()
        return name, "min" if sign == "<" else "max", int(dim), value.rstrip("L")
    same = _SAME.match(condition)
    if same:
        name, what = same.groups()
        value = expected.get((name, what), "")
        if what == "dtype":
            return name, "dtype", None, dtype_name(value) or value
        device = next((m for s in statement.body if (m := _DEVICE.search(s.text))), None)
        return name, "device", None, device.group(1) if device else value
    return None
