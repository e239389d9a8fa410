"""Types that a script does not say, out of what its launch passed: a compiled kernel's parameters
tell their sizes, and an address lies in memory that the dump holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aoti_tui.artifacts.core_dump.model import CoreDump, KernelLaunch, Parameter
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.late import Late
from aoti_tui.index.model import Argument, Kernel, KernelParameter, Launch, WrapperIndex
from aoti_tui.replay.core_dump.passed import SCRATCH
from aoti_tui.replay.data.held_tensors import DTYPE_OF_SIGNATURE

_SIGNATURE_OF = {dtype: kind for kind, dtype in DTYPE_OF_SIGNATURE.items() if kind != "u1"}
_POINTER = "*"
"""A pointer to elements of a type that nothing tells."""
_LEAST_FLOAT = 1 << 23
"""An fp32 that is neither zero nor tiny has bits from here on, read as a whole number."""


def with_passed_types(index: WrapperIndex, dump: CoreDump) -> WrapperIndex:
    """The index with types for the kernels that the dump has and whose text tells none."""
    kernels, launches = dict(index.kernels), list(index.launches)
    for ran in dump.launches:
        kernel = kernels.get(ran.name)
        if kernel is None or all(p.type for p in kernel.parameters):
            continue
        own = [one for one in launches if one.kernel == kernel.name]
        typed = _typed(kernel, own, ran, dump, index)
        if typed is None:
            continue
        kernels[kernel.name] = typed
        types = {p.name: p.type for p in typed.parameters}
        launches = [
            replace(one, arguments=tuple(_with_tensor(a, types) for a in one.arguments))
            if one.kernel == kernel.name
            else one
            for one in launches
        ]
    return replace(index, kernels=kernels, launches=tuple(launches))


def _typed(
    kernel: Kernel, launches: list[Launch], ran: KernelLaunch, dump: CoreDump, index: WrapperIndex
) -> Kernel | None:
    declared = [p for p in kernel.parameters if p.type != "constexpr"]
    count = len(ran.parameters)
    for one in reversed(ran.parameters[-SCRATCH:]):
        count -= one.size == 8 and one.unsigned == 0 and count > len(declared) - len(ran.parameters)
    fixed: dict[str, object] = {}
    if count != len(declared):
        fixed = _specialised(launches)
        declared = [p for p in declared if p.name not in fixed]
    if not len(declared) <= len(ran.parameters) <= len(declared) + SCRATCH:
        return None
    types = {
        p.name: _type(p.name, given, launches, dump, index)
        for p, given in zip(declared, ran.parameters, strict=False)
    }
    parameters = tuple(
        KernelParameter(p.name, types.get(p.name, "constexpr")) for p in kernel.parameters
    )
    facts = replace(kernel.facts(), parameters=parameters, constants={**fixed, **kernel.constants})
    return replace(kernel, facts=Late.known(facts))


def _specialised(launches: list[Launch]) -> dict[str, object]:
    """What Triton compiles in: a one, or nothing at all."""
    found: dict[str, object] = {}
    for launch in launches:
        for argument in launch.arguments:
            literal = argument.value.literal if argument.value is not None else None
            if literal == 1 and isinstance(literal, int):
                found[argument.parameter] = 1
            elif argument.value is None and argument.tensor is None:
                found[argument.parameter] = None
    return found


def _type(
    name: str,
    given: Parameter,
    launches: list[Launch],
    dump: CoreDump,
    index: WrapperIndex,
) -> str:
    passed = [a for launch in launches if (a := launch.argument(name)) is not None]
    dtypes = {
        _dtype_of(index, a.tensor.base, launch.line)
        for launch in launches
        if (a := launch.argument(name)) is not None and a.tensor is not None
    }
    if given.size == 8 and (dtypes or dump.range_at(given.unsigned) is not None):
        return _POINTER + (_SIGNATURE_OF.get(dtypes.pop(), "") if len(dtypes) == 1 else "")
    if given.size == 4:
        literals = {type(a.value.literal) for a in passed if a.value is not None}
        is_float = literals == {float} or (literals != {int} and _looks_float(given))
        return "fp32" if is_float else "i32"
    return {8: "i64", 2: "i16", 1: "i1"}.get(given.size, "")


def _looks_float(given: Parameter) -> bool:
    return abs(int.from_bytes(given.data, "little", signed=True)) >= _LEAST_FLOAT


def _dtype_of(index: WrapperIndex, name: str, line: int) -> str:
    made = [b for b in index.buffers if b.name == name and b.line <= line]
    return (made[-1].dtype or "") if made else ""


def _with_tensor(argument: Argument, types: Mapping[str, str]) -> Argument:
    if not types.get(argument.parameter, "").startswith(_POINTER) or argument.tensor is not None:
        return argument
    return replace(argument, tensor=TensorView(argument.text), value=None)
