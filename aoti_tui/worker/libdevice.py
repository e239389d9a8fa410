"""CUDA's libdevice as numpy and torch functions: every name Triton's libdevice has.

Results are calculated in float64 and rounded once, so float32 results are the nearest ones;
the GPU's may differ by the few units in the last place that CUDA's manual states.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np

from .arithmetic import high_half
from .casts import convert
from .dtypes import BY_NAME, BY_TRITON
from .floats import Array, round_to
from .handle import Handle, plain
from .language import Language
from .special import through_torch

Function = Callable[..., Any]


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
TO_WHOLE: dict[str, Function] = {"rd": np.floor, "ru": np.ceil, "rz": np.trunc, "rn": np.rint}


def directed(values: Array, mode: str, dtype: Any) -> Array:
    """float64 values in `dtype`, rounded down (rd), up (ru), to zero (rz) or nearest (rn)."""
    nearest: Array = values.astype(dtype)
    if mode == "rn" or dtype == np.float64:
        return nearest
    back = nearest.astype(np.float64)
    down, up = dtype.type(-np.inf), dtype.type(np.inf)
    too_high = back > values
    too_low = back < values
    if mode == "rz":
        too_high, too_low = too_high & (values > 0), too_low & (values < 0)
    nearest = np.where(too_high & (mode != "ru"), np.nextafter(nearest, down), nearest)
    return np.where(too_low & (mode != "rd"), np.nextafter(nearest, up), nearest)


class Library:
    """Wraps numpy functions as functions of Triton tensors."""

    def __init__(self, lang: Language) -> None:
        self.lang = lang

    def operands(self, values: tuple[Any, ...]) -> tuple[list[Handle], tuple[int, ...]]:
        """Handles of broadcast operands; Python numbers take the first tensor's type."""
        tl = self.lang.tl
        tensors = [v for v in values if isinstance(v, tl.tensor)]
        like = tensors[0].dtype if tensors else None
        ready = []
        for value in values:
            if isinstance(value, tl.tensor):
                ready.append(value)
                continue
            bare = plain(value)
            same = like is not None and (like.is_floating() or isinstance(bare, int))
            ready.append(self.lang.scalar(bare, like if same else None))
        shape: tuple[int, ...] = ()
        for value in ready:
            shape = np.broadcast_shapes(shape, value.handle.shape)
        handles = []
        for value in ready:
            handle = value.handle
            if len(handle.shape) < len(shape):
                ones = (1,) * (len(shape) - len(handle.shape))
                data = handle.data.reshape(handle.data.shape[0], *ones, *handle.data.shape[1:])
                handle = Handle(data, handle.dtype, shape)
            handles.append(handle)
        return handles, shape

    def give(self, data: Array, name: str, shape: tuple[int, ...]) -> Any:
        """A tensor of the torch-named type."""
        number = BY_NAME[name]
        dtype = next(
            getattr(self.lang.tl, n)
            for n in (number.triton, _tl_name(number.triton))
            if hasattr(self.lang.tl, n)
        )
        data = np.asarray(data)
        if number.small is not None:
            data = round_to(data, number.small)
        return self.lang.tensor(Handle(data.astype(number.values), dtype, shape))

    def floating(self, function: Function) -> Function:
        def call(*values: Any, **_: Any) -> Any:
            handles, shape = self.operands(values)
            lead = next((h for h in handles if h.dtype.is_floating()), handles[0])
            number = BY_TRITON[lead.dtype.name]
            if number.kind != "float":
                number = BY_NAME["float32"]
            with np.errstate(all="ignore"):
                wide = [h.data.astype(np.float64) for h in handles]
                return self.give(function(*wide), number.name, shape)

        return call

    def fixed(self, function: Function, result: str) -> Function:
        def call(*values: Any, **_: Any) -> Any:
            handles, shape = self.operands(values)
            with np.errstate(all="ignore"):
                return self.give(function(*[h.data for h in handles]), result, shape)

        return call

    def integer(self, function: Function) -> Function:
        """Functions whose result has the first operand's own type."""

        def call(*values: Any, **_: Any) -> Any:
            handles, shape = self.operands(values)
            number = BY_TRITON[handles[0].dtype.name]
            return self.give(function(*[h.data for h in handles]), number.name, shape)

        return call

    def bits(self, source: str, result: str) -> Function:
        def call(value: Any, **_: Any) -> Any:
            handles, shape = self.operands((value,))
            data = np.ascontiguousarray(handles[0].data.astype(BY_NAME[source].values))
            return self.give(data.view(BY_NAME[result].values), result, shape)

        return call

    def rounded(self, function: Function, mode: str) -> Function:
        def call(*values: Any, **_: Any) -> Any:
            handles, shape = self.operands(values)
            number = BY_TRITON[handles[0].dtype.name]
            wide = [h.data.astype(np.float64) for h in handles]
            return self.give(directed(function(*wide), mode, number.values), number.name, shape)

        return call

    def conversion(self, source: str, target: str, mode: str) -> Function:
        def call(value: Any, **_: Any) -> Any:
            handles, shape = self.operands((value,))
            data = handles[0].data.astype(BY_NAME[source].values)
            wanted = BY_NAME[target]
            if wanted.kind == "float":
                return self.give(
                    directed(data.astype(np.float64), mode, wanted.values), target, shape
                )
            whole = TO_WHOLE[mode](data)
            findings = self.lang.builder.run.findings
            return self.give(convert(whole, BY_NAME[source], wanted, findings), target, shape)

        return call


def _tl_name(short: str) -> str:
    names = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
    return names.get(short, short.replace("fp8", "float8"))


def _leading_zeros(x: Array) -> Array:
    wide = x.view(np.dtype(f"u{x.dtype.itemsize}"))
    count = np.zeros(x.shape, np.int32)
    for bit in range(x.dtype.itemsize * 8):
        count = np.where(wide >> wide.dtype.type(bit) != 0, bit + 1, count)
    return x.dtype.itemsize * 8 - count


def _population(x: Array) -> Array:
    wide = x.view(np.dtype(f"u{x.dtype.itemsize}"))
    one = wide.dtype.type(1)
    count = np.zeros(x.shape, np.int32)
    for bit in range(x.dtype.itemsize * 8):
        count += ((wide >> wide.dtype.type(bit)) & one).astype(np.int32)
    return count


def _first_set(x: Array) -> Array:
    return np.where(x == 0, 0, x.dtype.itemsize * 8 - _leading_zeros(x & -x))


def _reversed_bits(x: Array) -> Array:
    wide = x.view(np.dtype(f"u{x.dtype.itemsize}"))
    size = x.dtype.itemsize * 8
    one = wide.dtype.type(1)
    result = np.zeros_like(wide)
    for b in range(size):
        result |= ((wide >> wide.dtype.type(b)) & one) << wide.dtype.type(size - 1 - b)
    return result.view(x.dtype)


def _permuted(x: Array, y: Array, selector: Array) -> Array:
    both = (y.astype(np.uint64) & np.uint64(0xFFFFFFFF)) << np.uint64(32)
    both = both | (x.astype(np.uint64) & np.uint64(0xFFFFFFFF))
    result = np.zeros(np.broadcast_shapes(x.shape, y.shape, selector.shape), np.uint64)
    for place in range(4):
        pick = (selector.astype(np.uint64) >> np.uint64(4 * place)) & np.uint64(7)
        result |= ((both >> (pick * np.uint64(8))) & np.uint64(0xFF)) << np.uint64(8 * place)
    return result.astype(np.uint32).astype(x.dtype)


def _high(x: Array, y: Array) -> Array:
    if x.dtype.kind == "i" and x.dtype.itemsize == 4:
        return ((x.astype(np.int64) * y.astype(np.int64)) >> 32).astype(x.dtype)
    if x.dtype.kind == "i":
        high = high_half(x, y)
        return high - np.where(x < 0, y, 0) - np.where(y < 0, x, 0)
    return high_half(x, y)


def functions(lang: Language) -> dict[str, Function]:
    """Every libdevice function by name, as functions of Triton tensors."""
    library = Library(lang)
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
            "brev": library.integer(_reversed_bits),
            "byte_perm": library.integer(_permuted),
            "clz": library.fixed(_leading_zeros, "int32"),
            "ffs": library.fixed(_first_set, "int32"),
            "popc": library.fixed(_population, "int32"),
            "hadd": library.integer(lambda x, y: ((x.astype(np.int64) + y) >> 1).astype(x.dtype)),
            "rhadd": library.integer(
                lambda x, y: ((x.astype(np.int64) + y + 1) >> 1).astype(x.dtype)
            ),
            "mul24": library.integer(_multiply_24),
            "mulhi": library.integer(_high),
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


def _multiply_24(x: Array, y: Array) -> Array:
    def low(v: Array) -> Array:
        return (v.astype(np.int64) << 40) >> 40

    return (low(x) * low(y)).astype(x.dtype)


def _either_abs(library: Library) -> Function:
    whole, fraction = library.integer(np.abs), library.floating(np.abs)

    def call(value: Any, **_: Any) -> Any:
        handles, _shape = library.operands((value,))
        return (fraction if handles[0].dtype.is_floating() else whole)(value)

    return call
