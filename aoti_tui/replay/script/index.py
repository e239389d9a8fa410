"""The index of a script's run: its launched kernels and launches as a wrapper's are."""

from __future__ import annotations

import os

from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import Expr, number
from aoti_tui.index.late import Late
from aoti_tui.index.model import (
    Argument,
    Function,
    Kernel,
    KernelFacts,
    KernelParameter,
    Launch,
    WrapperIndex,
)
from aoti_tui.index.nodes import Number
from aoti_tui.replay.model import ArgumentValue
from aoti_tui.replay.script.model import LaunchSeen, Passed, ScriptRun, SeenKernel
from aoti_tui.replay.script.sources import Sources

SCRIPT = Function("main", "the script")
_SIGNATURE = {
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "bool": "i1",
    "uint8": "u8",
}


def index_of(
    run: ScriptRun, script: str, sources: Sources, before: WrapperIndex | None
) -> WrapperIndex:
    """Kernels and launches of a run, in the order in which they happened.

    ``script`` is the file that was named, or ``""``; what an index ``before`` this moment has of
    the same run is taken from there.
    """
    known = {} if before is None else before.kernels
    kernels = {
        name: known[name]
        if name in known and _has_types(known[name])
        else _kernel(one, _first_launch(run, name), sources)
        for name, one in run.kernels.items()
    }
    launches = () if before is None else before.launches
    later = run.launches[len(launches) :]
    return WrapperIndex(
        path=script,
        lines=sources.lines(script) or () if script else (),
        kernels=kernels,
        launches=(*launches, *(_launch(one) for one in later)),
        inputs=(),
        symbols=(),
        guards=(),
        checks=(),
        constants=(),
        buffers=(),
        externs=(),
        outputs=(),
        found_gaps=Late.known(()),
        main=SCRIPT,
        is_script=True,
    )


def _has_types(kernel: Kernel) -> bool:
    """Whether its first launch was there to tell the types of its parameters."""
    return any(parameter.type not in ("", "constexpr") for parameter in kernel.parameters)


def _first_launch(run: ScriptRun, kernel: str) -> LaunchSeen | None:
    return next((one for one in run.launches if one.kernel == kernel), None)


def _kernel(seen: SeenKernel, launch: LaunchSeen | None, sources: Sources) -> Kernel:
    function = seen.function
    lines = sources.lines(function.file) or ()
    passed = {one.parameter: one for one in launch.arguments} if launch is not None else {}
    parameters = tuple(
        KernelParameter(name, "constexpr" if constexpr else _type(passed.get(name)))
        for name, constexpr in seen.parameters
    )
    return Kernel(
        name=seen.name,
        line=function.line,
        source_line=1,
        source_path=function.file,
        # A kernel's lines end with one that closes its source: a file has none.
        lines=(*lines, ""),
        heuristic="",
        call_parameters=tuple(name for name, _ in seen.parameters),
        facts=Late.known(KernelFacts(function.name, parameters)),
        span=(function.line, function.end_line),
    )


def _type(passed: Passed | None) -> str:
    """``*fp32``, ``i32``: Triton's type of what the first launch passes."""
    if passed is None:
        return ""
    if passed.kind == "tensor":
        return f"*{_SIGNATURE.get(passed.dtype, passed.dtype.replace('int', 'i'))}"
    if passed.kind != "scalar":
        return passed.kind
    if passed.dtype:
        return _SIGNATURE.get(passed.dtype, passed.dtype.replace("int", "i"))
    return {bool: "i1", int: "i32", float: "fp32"}.get(type(passed.value), "")


def _launch(seen: LaunchSeen) -> Launch:
    function = seen.stack[0].function if seen.stack else ""
    return Launch(
        id=seen.id,
        kernel=seen.kernel,
        site=seen.site,
        function=Function("main", function or SCRIPT.name),
        arguments=tuple(_argument(one) for one in seen.arguments),
        grid=tuple(number(size) for size in seen.grid),
        model_frames=seen.stack,
    )


def _argument(passed: Passed) -> Argument:
    text = passed.text or passed.user_name or _said(passed.value)
    if passed.kind == "tensor":
        return Argument(passed.parameter, text, tensor=TensorView(passed.user_name or text))
    value = passed.value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Argument(
        passed.parameter,
        text,
        value=Expr(_said(value), Number(value)) if is_number else None,  # type: ignore[arg-type]
    )


def argument_values(launch: LaunchSeen, settings: dict[str, float]) -> tuple[ArgumentValue, ...]:
    """What a launch was given, as the panes show it; ``settings`` are tried values by name."""
    return tuple(_value(one, settings.get(one.parameter)) for one in launch.arguments)


def _value(passed: Passed, tried: float | None) -> ArgumentValue:
    value = passed.value if tried is None else tried
    shown = value if isinstance(value, int | float) else None
    return ArgumentValue(
        name=passed.parameter,
        expression=passed.text or passed.user_name,
        source="set" if tried is not None else "script",
        dtype=passed.dtype or passed.kind,
        shape=passed.shape,
        value=shown,
        how=how_words(passed),
        tensor=passed.parameter if _is_tensor(passed) else None,
        part=part_words(passed) if _is_tensor(passed) else "",
    )


def _is_tensor(passed: Passed) -> bool:
    return passed.kind == "tensor"


def held_elements(passed: Passed) -> int:
    """How many elements from the data pointer on a tensor reaches over, gaps included."""
    if 0 in passed.shape:
        return 0
    reach = zip(passed.shape, passed.stride, strict=False)
    return 1 + sum((size - 1) * abs(step) for size, step in reach)


def part_words(passed: Passed) -> str:
    """``whole``, or ``part`` of its storage."""
    size = _SIZES.get(passed.dtype, 0)
    if not size or not passed.storage_bytes:
        return ""
    whole = passed.offset == 0 and held_elements(passed) * size >= passed.storage_bytes
    return "whole" if whole else "part"


def how_words(passed: Passed) -> str:
    """``stride [1], elements 768…1535 of the 6144 in its storage, cpu, called q``."""
    if not _is_tensor(passed):
        return ""
    parts = [f"stride [{', '.join(map(str, passed.stride))}]"]
    size = _SIZES.get(passed.dtype, 0)
    if size and passed.storage_bytes:
        count = passed.storage_bytes // size
        last = passed.offset + held_elements(passed) - 1
        span = f"elements {passed.offset}…{last} of the {count} in its storage"
        parts.append("all of its storage" if part_words(passed) == "whole" else span)
    if passed.device:
        parts.append(passed.device)
    if passed.user_name and passed.user_name != passed.text:
        parts.append(f"called {passed.user_name}")
    return ", ".join(parts)


_SIZES = {
    "float64": 8,
    "int64": 8,
    "uint64": 8,
    "float32": 4,
    "int32": 4,
    "uint32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int16": 2,
    "uint16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "float8_e4m3fnuz": 1,
    "float8_e5m2fnuz": 1,
}
"""Bytes of an element, by torch's name of its type."""


def _said(value: object) -> str:
    return "" if value is None else str(value)


def place_words(file: str, line: int) -> str:
    """``main.py:38``."""
    return f"{os.path.basename(file)}:{line}"
