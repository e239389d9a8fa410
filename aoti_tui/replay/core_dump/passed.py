"""The values that the failing kernel was called with, by the wrapper's names."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from aoti_tui.artifacts.core_dump.model import KernelLaunch, Parameter
from aoti_tui.index.model import Kernel, KernelParameter

_INTEGERS = {"i64": 8, "u64": 8, "i32": 4, "u32": 4, "i16": 2, "u16": 2, "i8": 1, "u8": 1, "i1": 1}
_FLOATS = {"fp64": "<d", "fp32": "<f", "fp16": "<e"}
SCRATCH = 2
"""Pointers that Triton adds after a kernel's own parameters: to scratch memory, and to a profiler's
(one in Triton 3.3, none before)."""


@dataclass(frozen=True, slots=True)
class Passed:
    """One parameter: ``value`` is an address for a pointer; None for a type that is not read."""

    name: str
    type: str
    """Triton's: ``*i64``, ``i32``, …"""
    value: int | float | None

    @property
    def is_pointer(self) -> bool:
        return self.type.startswith("*")


def passed_of(kernel: Kernel, launch: KernelLaunch) -> tuple[Passed, ...] | None:
    """Every parameter that the compiled kernel takes, in order.

    None when the dump's are others: it is of another version of the kernel, or does not say how
    its parameters lie.
    """
    declared = [p for p in kernel.parameters if p.type != "constexpr"]
    # Up to torch 2.6 a value that is fixed when compiled stands in the signature all the same.
    left = [p for p in declared if p.name not in kernel.constants]
    taken = next((ps for ps in (declared, left) if _fits(ps, launch.parameters)), None)
    if taken is None:
        return None
    return tuple(
        Passed(p.name, p.type, _value(p.type, given))
        for p, given in zip(taken, launch.parameters, strict=False)
    )


def _fits(taken: Sequence[KernelParameter], given: Sequence[Parameter]) -> bool:
    if not len(taken) <= len(given) <= len(taken) + SCRATCH:
        return False
    sizes = (_size(p.type) for p in taken)
    return all(size in (None, g.size) for size, g in zip(sizes, given, strict=False))


def _size(kind: str) -> int | None:
    if kind.startswith("*"):
        return 8
    if kind in _FLOATS:
        return struct.calcsize(_FLOATS[kind])
    return _INTEGERS.get(kind)


def _value(kind: str, given: Parameter) -> int | float | None:
    if kind.startswith("*"):
        return given.unsigned
    if kind in _FLOATS:
        (number,) = struct.unpack(_FLOATS[kind], given.data)
        return float(number)
    if kind in _INTEGERS:
        return int.from_bytes(given.data, "little", signed=kind.startswith("i"))
    return None
