"""The names that a kernel may use, module by module.

Lists of functions, types and numbers, over the triton releases from 3.2 on: what a release brings
beside them (its own imports, decorators, classes that can be walked) is not there for a kernel.
"""

from __future__ import annotations

from typing import Any

_TYPES = """
bfloat16 float16 float32 float64 float8e4b15 float8e4b8 float8e4nv float8e5 float8e5b16
int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 pi32_t void block_type const constexpr
pointer_type
"""
_FUNCTIONS = """
abs add advance arange argmax argmin associative_scan assume atomic_add atomic_and atomic_cas
atomic_max atomic_min atomic_or atomic_xchg atomic_xor bitonic_merge broadcast broadcast_to cast cat
cdiv ceil clamp cos cumprod cumsum debug_barrier device_assert device_print div_rn dot dot_scaled
erf exp exp2 expand_dims experimental_descriptor_load experimental_descriptor_store fdiv flip floor
fma full gather histogram inline_asm_elementwise interleave join load load_tensor_descriptor log
log2 make_block_ptr make_tensor_descriptor map_elementwise max max_constancy max_contiguous maximum
min minimum mul multiple_of num_programs permute program_id range ravel reduce reduce_or reshape
rsqrt sigmoid sin softmax sort split sqrt sqrt_rn squeeze static_assert static_print static_range
store store_tensor_descriptor sub sum swizzle2d topk to_tensor trans tuple umulhi unsqueeze view
where xor_sum zeros zeros_like
"""
_RANDOM = """
pair_uniform_to_normal philox philox_impl rand rand4x randint randint4x randn randn4x
uint_to_uniform_float
"""
_NUMBERS = "PropagateNan TRITON_MAX_TENSOR_NUMEL"
LANGUAGE = tuple(f"{_TYPES} {_FUNCTIONS} {_RANDOM} {_NUMBERS}".split())
"""Of triton.language, and of its core, standard and random, which Inductor treats as one."""

_MATH = "abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi"
LANGUAGE_MATH = tuple(_MATH.split())
"""Of triton.language.math, some of which stood in triton.language alone."""

PYTHON_MATH = ("pi", "e", "inf", "nan", "tau", "log", "log2", "sqrt", "exp", "ceil", "floor")
"""Of Python's own math, which gives numbers."""

HELPERS = frozenset(["pack_value_flag", "unpack_flag", "unpack_value", "rand_eager_kernel"])
"""Of the installed torch's triton_helpers, beside those that the worker brings itself."""


def only(names: tuple[str, ...], *modules: Any) -> dict[str, Any]:
    """These members by name, each from the first of the modules that has it."""
    found: dict[str, Any] = {}
    for name in names:
        for module in modules:
            if hasattr(module, name):
                found[name] = getattr(module, name)
                break
    return found
