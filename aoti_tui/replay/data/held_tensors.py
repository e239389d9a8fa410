"""Tensors held in the worker, and how far their contents can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

DTYPE_OF_SIGNATURE = {
    "fp64": "float64",
    "fp32": "float32",
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp8e4nv": "float8_e4m3fn",
    "fp8e4b8": "float8_e4m3fnuz",
    "fp8e5": "float8_e5m2",
    "fp8e5b16": "float8_e5m2fnuz",
    "i1": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u1": "bool",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
}
"""Triton's names of element types (torch/_inductor/utils.py, ``_type_of``)."""

_TRUST = ("fixed", "constant", "captured", "gpu", "input", "replayed", "set", "made-up")


def weakest(sources: Iterable[str]) -> str:
    """The source of a value computed from values of these sources.

    One made-up part makes the whole made-up, a set symbol makes it a what-if; all else is
    replayed.
    """
    found = set(sources)
    if "made-up" in found:
        return "made-up"
    if "set" in found:
        return "set"
    if not found:
        return "fixed"
    return max(found, key=_TRUST.index)


def replayed_from(sources: Iterable[str]) -> str:
    """The source of data that a replayed launch or op wrote."""
    return "made-up" if "made-up" in set(sources) else "replayed"


@dataclass(slots=True)
class Storage:
    """Memory that several names can share, with where its contents come from."""

    source: str
    how: str
    input_position: int | None = None
    written: bool = False
    """Whether anything was written since it was allocated (else it is poison)."""
    guessed_size: bool = False
    """Its size is a guess: accesses outside of it prove nothing."""
    elements: int | None = None
    """How many elements it has, where that is known."""


@dataclass(frozen=True, slots=True)
class Held:
    """A tensor in the worker: ``handle`` is its name there; sizes and strides in elements."""

    handle: str
    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    storage: Storage = field(compare=False)


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides of a C-contiguous tensor."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(1, size)
    return tuple(reversed(strides))


def span(shape: Sequence[int], stride: Sequence[int]) -> int:
    """Elements from a tensor's first to its last, both included."""
    if 0 in shape:
        return 0
    return 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))


def is_integer(dtype: str) -> bool:
    return dtype.startswith(("int", "uint"))


def element_count(shape: Sequence[int]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count
