"""What each PTX instruction makes of its operands, over numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..numbers.casts import convert, cut
from ..numbers.dtypes import BY_NAME, Number
from ..numbers.floats import Array
from ..numbers.integers import high_half
from ..numbers.stored import decode, encode
from . import libdevice_bits as bits

Read = Callable[[str], Array]
Flag = Callable[[str], None]

# Instructions that only order threads or memory: within a program all is in order here.
NOTHING = frozenset(
    ["griddepcontrol", "membar", "fence", "nanosleep", "prefetch", "prefetchu", "discard", "bar"]
)
TYPES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "e4m3": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
    **{f"s{n}": f"int{n}" for n in (8, 16, 32, 64)},
    **{f"{letter}{n}": f"uint{n}" for letter in "ub" for n in (8, 16, 32, 64)},
}
PACKED = ("f16x2", "bf16x2", "e4m3x2", "e5m2x2")
ROUNDED_AWAY = 13
"""Bits that tf32 lacks of float32."""


class NotUnderstood(Exception):
    """An instruction that has no meaning for values alone, or that is not known here."""


def size_of(kind: str) -> int:
    """Bits of a PTX type."""
    if kind == "pred":
        return 1
    if kind == "tf32":
        return 32
    if kind in PACKED:
        return 2 * size_of(kind[:-2])
    return BY_NAME[TYPES[kind]].size * 8


def half_names() -> tuple[str, ...]:
    return ("f16", "bf16", *PACKED)


def _rule(function: Callable[..., Any]) -> Callable[..., Array]:
    def call(*values: Array) -> Array:
        with np.errstate(all="ignore"):
            result: Array = function(*[v.astype(np.float64) for v in values])
        return result

    return call


# Of floats: calculated in float64, rounded once.
FLOATS: dict[str, Callable[..., Array]] = {
    "add": _rule(np.add),
    "sub": _rule(np.subtract),
    "mul": _rule(np.multiply),
    "div": _rule(np.divide),
    "fma": _rule(lambda a, b, c: a * b + c),
    "mad": _rule(lambda a, b, c: a * b + c),
    "min": _rule(np.fmin),
    "max": _rule(np.fmax),
    "abs": _rule(np.abs),
    "neg": _rule(np.negative),
    "sqrt": _rule(np.sqrt),
    "rsqrt": _rule(lambda a: 1 / np.sqrt(a)),
    "rcp": _rule(lambda a: 1 / a),
    "ex2": _rule(np.exp2),
    "lg2": _rule(np.log2),
    "sin": _rule(np.sin),
    "cos": _rule(np.cos),
    "tanh": _rule(np.tanh),
    "copysign": _rule(lambda a, b: np.copysign(b, a)),
}
INTEGERS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "min": np.minimum,
    "max": np.maximum,
    "abs": np.abs,
    "neg": np.negative,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not": np.invert,
    "popc": bits.population,
    "clz": bits.leading_zeros,
    "brev": bits.reversed_bits,
}
COMPARED: dict[str, Callable[..., Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}


def calculate(base: str, mods: list[str], read: Sequence[Read], flag: Flag) -> list[Array]:
    """What the instruction puts into its targets. Raises NotUnderstood."""
    if base == "cvt":
        return [_converted(mods, read, flag)]
    kind = mods[-1] if mods else ""
    if base == "setp":
        return _predicates(mods, read)
    if base == "selp":
        left, right = read[0](kind), read[1](kind)
        return [np.where(read[2]("pred"), left, right)]
    if base == "mov":
        return [read[0](kind)]
    if kind in PACKED:
        return [_of_both_halves(base, mods, read, flag)]
    if kind == "pred":
        function = {"and": np.logical_and, "or": np.logical_or, "not": np.logical_not}[base]
        return [function(*[one("pred") for one in read])]
    number = BY_NAME[TYPES[kind]]
    if number.kind == "float":
        values = [_values(one(kind), number) for one in read]
        return [_bits(_of_floats(base, mods, values, number, flag), number)]
    return [_of_integers(base, mods, read, kind)]


def _bits(values: Array, number: Number) -> Array:
    return np.ascontiguousarray(encode(values, number)).view(f"u{number.size}")


def _values(data: Array, number: Number) -> Array:
    """Values of unsigned bits."""
    return decode(np.ascontiguousarray(data).view(number.stored), number)


def _of_floats(
    base: str, mods: list[str], values: list[Array], number: Number, flag: Flag
) -> Array:
    if "approx" in mods or base in ("ex2", "lg2", "sin", "cos", "tanh"):
        flag(f"{base}.approx is calculated exactly here, the GPU approximates it")
    if "ftz" in mods:
        values = [_flushed(value, number) for value in values]
    result = FLOATS[base](*values)
    if "sat" in mods:
        result = np.where(np.isnan(result), 0.0, np.clip(result, 0.0, 1.0))
    if "NaN" in mods:
        result = np.where(np.isnan(values[0]) | np.isnan(values[1]), np.nan, result)
    ready = cut(result, number) if "rz" in mods else number.settled(result)
    return _flushed(ready, number) if "ftz" in mods else ready


def _flushed(values: Array, number: Number) -> Array:
    tiny = np.finfo(number.values).tiny
    return np.where(np.abs(values) < tiny, np.copysign(values.dtype.type(0), values), values)


def _of_integers(base: str, mods: list[str], read: Sequence[Read], kind: str) -> Array:
    number = BY_NAME[TYPES[kind]]
    width = number.size * 8
    if base in ("shl", "shr"):
        count = read[1]("u32").astype(np.int64)
        value = read[0](kind).view(number.stored)
        safe = np.minimum(count, width - 1).astype(value.dtype)
        moved = value << safe if base == "shl" else value >> safe
        gone = value >> value.dtype.type(width - 1) if number.kind == "int" else value & 0
        rest = gone if base == "shr" else np.zeros_like(value)
        return np.asarray(np.where(count < width, moved, rest), value.dtype)
    if base == "prmt":
        return bits.permuted(read[0]("b32"), read[1]("b32"), read[2]("b32"))
    if base == "fns":
        return bits.nth_set(read[0]("b32"), read[1]("b32"), read[2]("b32"))
    if base == "lop3":
        return _by_table([one("b32") for one in read[:3]], int(read[3]("b32")[0]))
    if base == "bfe":
        start, count = (one("u32").astype(np.int64) & 0xFF for one in read[1:3])
        value = read[0](kind).view(number.stored).astype(np.int64) >> start
        mask = (1 << count) - 1
        sign = (value >> np.maximum(count - 1, 0)) & (1 if number.kind == "int" else 0)
        return np.asarray(np.where(sign != 0, value | ~mask, value & mask), number.stored)
    values = [one(kind).view(number.stored) for one in read]
    if base in ("mul", "mad"):
        return _multiplied(mods, values, read, number)
    if base in ("div", "rem"):
        rest = np.fmod(values[0], values[1])
        return np.asarray(rest if base == "rem" else (values[0] - rest) // values[1])
    counts = base in ("popc", "clz")
    return np.asarray(INTEGERS[base](*values), np.uint32 if counts else number.stored)


def _multiplied(
    mods: list[str], values: list[Array], read: Sequence[Read], number: Number
) -> Array:
    if "wide" in mods:
        wide = np.dtype(f"{'i' if number.kind == 'int' else 'u'}{number.size * 2}")
        product: Array = values[0].astype(wide) * values[1].astype(wide)
        if len(read) > 2:
            product = product + read[2](f"{number.signature[0]}{number.size * 16}").view(wide)
        return product
    if "hi" in mods:
        product = (
            bits.high(values[0], values[1]) if number.kind == "int" else high_half(*values[:2])
        )
    else:
        product = values[0] * values[1]
    return product + values[2] if len(values) > 2 else product


def _by_table(values: list[Array], table: int) -> Array:
    a, b, c = values
    result = np.zeros_like(a)
    for row in range(8):
        if table >> row & 1:
            result |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
    return result


def _predicates(mods: list[str], read: Sequence[Read]) -> list[Array]:
    kind = mods[-1]
    number = BY_NAME[TYPES[kind]]
    left, right = (_values(one(kind), number) for one in read[:2])
    comparison = mods[0]
    unordered = comparison.endswith("u") and comparison[:-1] in COMPARED
    held = COMPARED[comparison[:-1] if unordered else comparison](left, right)
    if unordered:
        held = held | (left != left) | (right != right)
    elif number.kind == "float":
        held = held & (left == left) & (right == right)
    return [held, ~held]


def _of_both_halves(base: str, mods: list[str], read: Sequence[Read], flag: Flag) -> Array:
    kind = mods[-1]
    results = []
    for shift in (0, 16):

        def half(one: Read, shift: int = shift) -> Read:
            return lambda _: (one("b32") >> np.uint32(shift)).astype(np.uint16)

        part = [half(one) for one in read]
        results.append(calculate(base, [*mods[:-1], kind[:-2]], part, flag)[0].astype(np.uint32))
    return results[0] | (results[1] << np.uint32(16))


def _converted(mods: list[str], read: Sequence[Read], flag: Flag) -> Array:
    """`cvt.….TO.FROM`; two operands make a pair, the first in its upper half."""
    to, origin = mods[-2:]
    if to == "tf32":
        return _to_tf32(read[0]("b32"))
    if to in PACKED and origin == "f32":
        high, low = (_one(one("f32"), to[:-2], "f32", mods, flag) for one in read[:2])
        return _joined(low, high)
    if to in PACKED and origin in PACKED:
        pair = read[0](f"b{size_of(origin)}")
        part = size_of(origin) // 2
        kind = f"u{part // 8}"
        low, high = pair.astype(kind), (pair >> pair.dtype.type(part)).astype(kind)
        return _joined(*(_one(x, to[:-2], origin[:-2], mods, flag) for x in (low, high)))
    return _one(read[0](origin), to, origin, mods, flag)


def _joined(low: Array, high: Array) -> Array:
    whole = np.dtype(f"u{low.dtype.itemsize * 2}")
    joined: Array = low.astype(whole) | (high.astype(whole) << whole.type(whole.itemsize * 4))
    return joined


def _one(data: Array, to: str, origin: str, mods: list[str], flag: Flag) -> Array:
    source, wanted = BY_NAME[TYPES[origin]], BY_NAME[TYPES[to]]
    values = _values(data, source)
    if "relu" in mods:
        values = np.where(np.isnan(values), values, np.maximum(values, 0))
    if source.kind == "float" and wanted.kind == "float":
        if "rz" in mods:
            return _bits(cut(values, wanted), wanted)
    elif source.kind == "float":
        values = _whole(values, mods)
    elif "sat" in mods and wanted.kind != "float":
        limits = np.iinfo(wanted.values)
        values = np.clip(values.astype(object), limits.min, limits.max).astype(wanted.values)
    if source.kind == wanted.kind == "float" and source.name == wanted.name:
        values = _whole(values, mods)
    return _bits(convert(values, source, wanted, flag), wanted)


def _whole(values: Array, mods: list[str]) -> Array:
    for mode, function in (
        ("rni", np.rint),
        ("rzi", np.trunc),
        ("rmi", np.floor),
        ("rpi", np.ceil),
    ):
        if mode in mods:
            return np.asarray(function(values), values.dtype)
    return values


def _to_tf32(data: Array) -> Array:
    """Nearest, ties away from zero (`cvt.rna`)."""
    half = np.uint32(1 << (ROUNDED_AWAY - 1))
    rounded = (data + half) & np.uint32(0xFFFFFFFF << ROUNDED_AWAY & 0xFFFFFFFF)
    finite = (data & np.uint32(0x7F800000)) != np.uint32(0x7F800000)
    return np.where(finite, rounded, data)
