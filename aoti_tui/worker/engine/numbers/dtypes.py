"""One number type under its four names: torch's, Triton's, numpy's, and the signature's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .exact import Exact
from .floats import (
    BFLOAT16,
    FLOAT8_E4M3B15,
    FLOAT8_E4M3FN,
    FLOAT8_E4M3FNUZ,
    FLOAT8_E5M2,
    FLOAT8_E5M2FNUZ,
    Array,
    SmallFloat,
    round_to,
)

Kind = Literal["float", "int", "uint", "bool"]
POISON = {
    "float64": 0x7FFBABABABABABAB,
    "float32": 0x7FEBABAB,
    "float16": 0x7EAB,
    "bfloat16": 0x7FEB,
    "float8_e4m3fn": 0x7F,
    "float8_e5m2": 0x7F,
    "float8_e4m3fnuz": 0x80,
    "float8_e5m2fnuz": 0x80,
    "bool": 1,
}


@dataclass(frozen=True)
class Number:
    """`values`: the numpy type blocks are calculated in; `stored`: the bits in memory."""

    name: str
    triton: str
    signature: str
    values: Any
    stored: Any
    kind: Kind
    small: SmallFloat | None = None

    @property
    def size(self) -> int:
        """Bytes per element in memory."""
        return int(self.stored.itemsize)

    def settled(self, values: Array) -> Array:
        """Numbers in the type they must have; small floats rounded to representable values."""
        if Exact.on and self.kind == "float":
            return values.astype(np.float64, copy=False)
        return self.rounded(values)

    def rounded(self, values: Array) -> Array:
        """Numbers as this type can hold them, even while the engine calculates exactly."""
        if self.small is not None:
            return round_to(values, self.small)
        return values if values.dtype == self.values else values.astype(self.values)

    @property
    def poison(self) -> int:
        """Bits that mark an element as never written: a NaN of its own, or 0xAB in all bytes."""
        return POISON.get(self.name, int.from_bytes(b"\xab" * self.size, "little"))


def _number(
    name: str,
    triton: str,
    signature: str,
    values: Any,
    kind: Kind,
    stored: Any = None,
    small: SmallFloat | None = None,
) -> Number:
    return Number(
        name, triton, signature, np.dtype(values), np.dtype(stored or values), kind, small
    )


NUMBERS = (
    _number("float32", "fp32", "fp32", np.float32, "float"),
    _number("float16", "fp16", "fp16", np.float16, "float"),
    _number("bfloat16", "bf16", "bf16", np.float32, "float", np.uint16, BFLOAT16),
    _number("float64", "fp64", "fp64", np.float64, "float"),
    _number("float8_e4m3fn", "fp8e4nv", "fp8e4nv", np.float32, "float", np.uint8, FLOAT8_E4M3FN),
    _number("float8_e5m2", "fp8e5", "fp8e5", np.float32, "float", np.uint8, FLOAT8_E5M2),
    _number(
        "float8_e4m3b15", "fp8e4b15", "fp8e4b15", np.float32, "float", np.uint8, FLOAT8_E4M3B15
    ),
    _number(
        "float8_e4m3fnuz", "fp8e4b8", "fp8e4b8", np.float32, "float", np.uint8, FLOAT8_E4M3FNUZ
    ),
    _number(
        "float8_e5m2fnuz", "fp8e5b16", "fp8e5b16", np.float32, "float", np.uint8, FLOAT8_E5M2FNUZ
    ),
    _number("int8", "int8", "i8", np.int8, "int"),
    _number("int16", "int16", "i16", np.int16, "int"),
    _number("int32", "int32", "i32", np.int32, "int"),
    _number("int64", "int64", "i64", np.int64, "int"),
    _number("uint8", "uint8", "u8", np.uint8, "uint"),
    _number("uint16", "uint16", "u16", np.uint16, "uint"),
    _number("uint32", "uint32", "u32", np.uint32, "uint"),
    _number("uint64", "uint64", "u64", np.uint64, "uint"),
    _number("bool", "int1", "i1", np.bool_, "bool", np.uint8),
)
BY_NAME = {number.name: number for number in NUMBERS}
BY_TRITON = {number.triton: number for number in NUMBERS}
# Signatures spell some types in more ways than one (triton/_utils.py, type_canonicalisation_dict).
BY_SIGNATURE = {number.signature: number for number in NUMBERS}
BY_SIGNATURE.update(
    {
        "f32": BY_NAME["float32"],
        "f16": BY_NAME["float16"],
        "f64": BY_NAME["float64"],
        "fp8e4nv": BY_NAME["float8_e4m3fn"],
        "u1": BY_NAME["bool"],
        "B": BY_NAME["bool"],
    }
)
