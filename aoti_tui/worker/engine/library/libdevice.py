"""CUDA's libdevice as numpy and torch functions: every name Triton's libdevice has.

Results are calculated in float64 and rounded once, so float32 results are the nearest ones;
the GPU's may differ by the few units in the last place that CUDA's manual states.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..numbers.casts import Flag
from ..numbers.floats import Array
from ..numbers.special import through_torch
from ..values.scalars import Values
from . import libdevice_bits as bits
from .libdevice_calls import Function, Library


def _round_half_away(x: Array) -> Array:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _pow(x: Array, y: Array) -> Array:
    with np.errstate(all="ignore"):
        result: Array = np.power(x, y)
        # C's pow gives 1 for pow(-1, ±inf) and pow(1, NaN), as numpy does.
        return result


def _normal_quantile(p: Array) -> Array:
    return through_torch("ndtri")(p)


def _gamma(x: Array) -> Array:
    magnitude = np.exp(through_torch("gammaln")(x))
    odd = (x < 0) & (np.floor(x) % 2 != 0)
    result = np.where(odd, -magnitude, magnitude)
    return np.where((x < 0) & (np.floor(x) == x), np.nan, result)


def _bessel_n(first: str) -> Function:
    """jn and yn by the recurrence from orders 0 and 1."""
    zero, one = through_torch(f"bessel_{first}0"), through_torch(f"bessel_{first}1")

    def function(n: Array, x: Array) -> Array:
        order = int(np.max(n)) if n.size else 0
        before, now = zero(x), one(x)
        results = [before, now]
        for k in range(1, order):
            before, now = now, 2 * k / x * now - before
            results.append(now)
        stacked = np.stack(results[: order + 1])
        whole = np.broadcast_to(n, stacked.shape[1:]).astype(np.int64)
        chosen = np.take_along_axis(stacked, np.clip(whole, 0, order)[None], axis=0)
        result: Array = chosen[0]
        return result

    return function


def _ldexp(x: Array, n: Array) -> Array:
    result: Array = np.ldexp(x, np.clip(n, -5000, 5000).astype(np.int32))
    return result


def _ilogb(x: Array) -> Array:
    exponent = np.frexp(x)[1].astype(np.int64) - 1
    exponent = np.where((x == 0) | np.isnan(x), -(2**31), exponent)
    result: Array = np.where(np.isinf(x), 2**31 - 1, exponent)
    return result


def _remainder(x: Array, y: Array) -> Array:
    # IEEE remainder: numpy's own is a floored modulo.
    result: Array = x - np.rint(x / y) * y
    return result


# name: function of float64 arrays; the result has the first operand's float type
FLOATS: dict[str, Function] = {
    "abs": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "copysign": np.copysign,
    "cos": np.cos,
    "cosh": np.cosh,
    "cospi": lambda x: np.cos(math.pi * np.fmod(x, 2.0)),
    "cyl_bessel_i0": through_torch("i0"),
    "cyl_bessel_i1": through_torch("i1"),
    "div_rn": np.divide,
    "erf": through_torch("erf"),
    "erfc": through_torch("erfc"),
    "erfcinv": lambda x: -_normal_quantile(x / 2) / math.sqrt(2.0),
    "erfcx": through_torch("erfcx"),
    "erfinv": through_torch("erfinv"),
    "exp": np.exp,
    "exp10": lambda x: np.power(10.0, x),
    "exp2": np.exp2,
    "expm1": np.expm1,
    "fabs": np.abs,
    "fast_cosf": np.cos,
    "fast_dividef": np.divide,
    "fast_exp10f": lambda x: np.power(10.0, x),
    "fast_expf": np.exp,
    "fast_log10f": np.log10,
    "fast_log2f": np.log2,
    "fast_logf": np.log,
    "fast_powf": _pow,
    "fast_sinf": np.sin,
    "fast_tanf": np.tan,
    "fast_tanhf": np.tanh,
    "fdim": lambda x, y: np.where(np.isnan(x) | np.isnan(y), np.nan, np.maximum(x - y, 0.0)),
    "floor": np.floor,
    "fma": lambda x, y, z: x * y + z,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "fmod": np.fmod,
    "hypot": np.hypot,
    "j0": through_torch("bessel_j0"),
    "j1": through_torch("bessel_j1"),
    "jn": _bessel_n("j"),
    "ldexp": _ldexp,
    "lgamma": through_torch("gammaln"),
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "logb": lambda x: np.where(np.isinf(x), np.inf, np.where(x == 0, -np.inf, _ilogb(x) * 1.0)),
    "max": np.fmax,
    "min": np.fmin,
    "nearbyint": np.rint,
    "norm3d": lambda x, y, z: np.sqrt(x * x + y * y + z * z),
    "norm4d": lambda x, y, z, w: np.sqrt(x * x + y * y + z * z + w * w),
    "normcdf": through_torch("ndtr"),
    "normcdfinv": _normal_quantile,
    "pow": _pow,
    "rcbrt": lambda x: 1.0 / np.cbrt(x),
    "remainder": _remainder,
    "rhypot": lambda x, y: 1.0 / np.hypot(x, y),
    "rint": np.rint,
    "rnorm3d": lambda x, y, z: 1.0 / np.sqrt(x * x + y * y + z * z),
    "rnorm4d": lambda x, y, z, w: 1.0 / np.sqrt(x * x + y * y + z * z + w * w),
    "round": _round_half_away,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "rsqrt_rn": lambda x: 1.0 / np.sqrt(x),
    "saturatef": lambda x: np.where(np.isnan(x), 0.0, np.clip(x, 0.0, 1.0)),
    "scalbn": _ldexp,
    "sin": np.sin,
    "sinh": np.sinh,
    "sinpi": lambda x: np.sin(math.pi * np.fmod(x, 2.0)),
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "tgamma": _gamma,
    "trunc": np.trunc,
    "y0": through_torch("bessel_y0"),
    "y1": through_torch("bessel_y1"),
    "yn": _bessel_n("y"),
}
# Results of these are i32, whatever the operand.
TO_INT: dict[str, Function] = {
    "finitef": np.isfinite,
    "isfinited": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "signbit": np.signbit,
    "ilogb": _ilogb,
}
# The same, i64.
TO_LONG: dict[str, Function] = {"llrint": np.rint, "llround": _round_half_away}
EXACT: dict[str, Function] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "fma": lambda x, y, z: x * y + z,
    "sqrt": np.sqrt,
    "rcp": lambda x: 1.0 / x,
}
KINDS = {
    "double": "float64",
    "float": "float32",
    "int": "int32",
    "uint": "uint32",
    "ll": "int64",
    "ull": "uint64",
}


def functions(values: Values, flag: Flag) -> dict[str, Function]:
    """Every libdevice function by name, as functions of Triton tensors."""
    library = Library(values, flag)
    found: dict[str, Function] = {n: library.floating(f) for n, f in FLOATS.items()}
    found.update({n: library.fixed(f, "int32") for n, f in TO_INT.items()})
    found.update({n: library.fixed(f, "int64") for n, f in TO_LONG.items()})
    for name, function in EXACT.items():
        for mode in ("rn", "rd", "ru", "rz"):
            found[f"{name}_{mode}"] = library.rounded(function, mode)
    for source, source_type in KINDS.items():
        for target, target_type in KINDS.items():
            for mode in ("rn", "rd", "ru", "rz"):
                if "float" in (source, target) or "double" in (source, target):
                    found[f"{source}2{target}_{mode}"] = library.conversion(
                        source_type, target_type, mode
                    )
    found.update(
        {
            "abs": _either_abs(library),
            "brev": library.integer(bits.reversed_bits),
            "byte_perm": library.integer(bits.permuted),
            "clz": library.fixed(bits.leading_zeros, "int32"),
            "ffs": library.fixed(bits.first_set, "int32"),
            "popc": library.fixed(bits.population, "int32"),
            "hadd": library.integer(lambda x, y: ((x.astype(np.int64) + y) >> 1).astype(x.dtype)),
            "rhadd": library.integer(
                lambda x, y: ((x.astype(np.int64) + y + 1) >> 1).astype(x.dtype)
            ),
            "mul24": library.integer(bits.multiply_24),
            "mulhi": library.integer(bits.high),
            "sad": library.integer(
                lambda x, y, z: (np.abs(x.astype(np.int64) - y) + z).astype(x.dtype)
            ),
            "nextafter": library.integer(np.nextafter),
            "float_as_int": library.bits("float32", "int32"),
            "float_as_uint": library.bits("float32", "uint32"),
            "int_as_float": library.bits("int32", "float32"),
            "uint_as_float": library.bits("uint32", "float32"),
            "double_as_longlong": library.bits("float64", "int64"),
            "longlong_as_double": library.bits("int64", "float64"),
            "double2hiint": library.fixed(
                lambda x: np.ascontiguousarray(x).view(np.int64) >> 32, "int32"
            ),
            "double2loint": library.fixed(
                lambda x: np.ascontiguousarray(x).view(np.int64).astype(np.int32), "int32"
            ),
            "hiloint2double": library.fixed(
                lambda high, low: (
                    (high.astype(np.int64) << 32) | low.astype(np.uint32).astype(np.int64)
                ).view(np.float64),
                "float64",
            ),
            "rcp64h": library.floating(lambda x: 1.0 / x),
        }
    )
    return found


def _either_abs(library: Library) -> Function:
    whole, fraction = library.integer(np.abs), library.floating(np.abs)

    def call(value: Any, **_: Any) -> Any:
        handles, _shape = library.operands((value,))
        return (fraction if handles[0].dtype.is_floating() else whole)(value)

    return call
