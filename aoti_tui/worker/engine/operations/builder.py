"""The builder Triton's language layer talks to: instead of IR it calculates at once.

Signatures take what triton 3.2 to 3.9 pass: argument orders that changed are told apart here.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ..errors import Unsupported
from ..findings.kernel_frames import kernel_place
from ..memory.addresses import absolute, of_arguments
from ..memory.atomics import BY_OPERATION, atomic, compare_and_swap
from ..memory.loads_stores import load, store
from ..numbers.casts import cut
from ..numbers.dtypes import BY_TRITON
from ..numbers.stored import decode, encode
from ..values.handle import Handle
from ..values.terms import summed
from .arithmetic import Arithmetic
from .block_pointers import BlockPointers
from .products import Products
from .shapes import Shapes

TYPES = {
    "get_half_ty": "float16",
    "get_fp16_ty": "float16",
    "get_bf16_ty": "bfloat16",
    "get_float_ty": "float32",
    "get_double_ty": "float64",
    "get_int1_ty": "int1",
    "get_fp8e4nv_ty": "float8e4nv",
    "get_fp8e4b15_ty": "float8e4b15",
    "get_fp8e4b8_ty": "float8e4b8",
    "get_fp8e5_ty": "float8e5",
    "get_fp8e5b16_ty": "float8e5b16",
    "get_void_ty": "void",
}
TYPES.update(
    {f"get_{sign}int{n}_ty": f"{sign}int{n}" for sign in ("", "u") for n in (8, 16, 32, 64)}
)
CONSTANTS = {
    "get_int1": "int1",
    "get_fp16": "float16",
    "get_fp32": "float32",
    "get_fp64": "float64",
}
CONSTANTS.update(
    {f"get_{sign}int{n}": f"{sign}int{n}" for sign in ("", "u") for n in (8, 16, 32, 64)}
)
CONSTANTS["get_bf16"] = "bfloat16"


class Options:
    """What triton's semantic layer asks of the builder's options (InterpreterOptions)."""

    extern_libs = None
    debug = True
    # Inductor compiles with debug=True but without overflow checks: i32 wraps on the GPU too.
    sanitize_overflow = False
    arch = None
    supported_fp8_dtypes = ("fp8e5", "fp8e5b16", "fp8e4nv", "fp8e4b8", "fp8e4b15")
    deprecated_fp8_dtypes: tuple[str, ...] = ()
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision = "tf32"
    allowed_dot_input_precisions = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default = 0
    backend_name = "interpreter"

    def __init__(self, builder: Builder) -> None:
        self._builder = builder

    @property
    def num_warps(self) -> int:
        """Of the launch that runs."""
        return self._builder.run.num_warps


class Builder(Arithmetic, Products, Shapes, BlockPointers):
    """Blocks are Handles; `run` says which programs are running and what they may touch."""

    def __init__(self, tl: Any, ir: Any) -> None:
        super().__init__(tl)
        self.ir = ir
        self.arch = None
        self.extern_functions: dict[str, Callable[[list[Handle], Any], Handle]] = {}
        self.options = Options(self)
        self.codegen_fns: dict[str, Callable[..., Any]] = {
            "convert_custom_types": self._convert_custom_types,
            "min_dot_size": lambda left, right: (1, 1, 1),
        }

    def __getattr__(self, name: str) -> Any:
        if name in TYPES:
            kind = getattr(self.tl, TYPES[name])
            return lambda: kind
        if name in CONSTANTS:
            dtype = getattr(self.tl, CONSTANTS[name])
            number = BY_TRITON[dtype.name]
            return lambda value: Handle(number.settled(np.array([value])), dtype, ())
        if name.startswith("create_"):
            raise Unsupported(f"this triton's {name[7:]} has no counterpart on a CPU")
        raise AttributeError(name)

    # types and constants

    def get_ptr_ty(self, element: Any, space: int) -> Any:
        return self.tl.pointer_type(element, space)

    def get_block_ty(self, dtype: Any, shape: Any) -> Any:
        return self.tl.block_type(dtype, shape)

    def get_null_value(self, kind: Any) -> Handle:
        scalar = kind.scalar
        if scalar.is_ptr():
            return Handle(np.zeros(1, np.int64), scalar, ())
        return Handle(np.zeros(1, BY_TRITON[scalar.name].values), scalar, ())

    def get_all_ones_value(self, kind: Any) -> Handle:
        scalar = kind.scalar
        values = BY_TRITON[scalar.name].values
        ones = np.ones(1, values) if values == np.bool_ else np.array([-1]).astype(values)
        return Handle(ones, scalar, ())

    def get_cache_policy(self, *_: Any) -> None:
        """Since triton 3.9 loads and stores carry one object for both cache hints."""

    # programs

    def create_get_program_id(self, axis: int) -> Handle:
        return Handle(self.run.programs[:, axis], self.int32, ())

    def create_get_num_programs(self, axis: int) -> Handle:
        return Handle(np.array([self.run.grid[axis]], dtype=np.int32), self.int32, ())

    # memory

    def create_load(self, pointer: Handle, *hints: Any) -> Handle:
        return load(self.run, pointer, None, None, _volatile(hints))

    def create_store(self, pointer: Handle, value: Handle, *_: Any) -> None:
        store(self.run, pointer, value, None)

    def create_masked_load(
        self, pointer: Handle, mask: Handle, other: Handle | None, *hints: Any
    ) -> Handle:
        return load(self.run, pointer, mask, other, _volatile(hints))

    def create_masked_store(self, pointer: Handle, value: Handle, mask: Handle, *_: Any) -> None:
        store(self.run, pointer, value, mask)

    def create_atomic_cas(
        self, pointer: Handle, expected: Handle, value: Handle, *_: Any
    ) -> Handle:
        return atomic(
            self.run,
            pointer,
            [expected, value],
            None,
            compare_and_swap,
        )

    def create_atomic_rmw(
        self, operation: Any, pointer: Handle, value: Handle, mask: Handle, *_: Any
    ) -> Handle:
        name = operation.name.upper()
        if name == "FADD":
            self.run.findings.flag(
                "float atomic: the GPU adds in no fixed order, so last digits may differ"
            )
        return atomic(self.run, pointer, [value], mask, BY_OPERATION[name])

    def create_atomic_load(self, pointer: Handle, mask: Handle | None, *_: Any) -> Handle:
        return load(self.run, pointer, mask, None, volatile=True)

    def create_atomic_store(
        self, pointer: Handle, value: Handle, mask: Handle | None, *_: Any
    ) -> None:
        store(self.run, pointer, value, mask)

    def create_addptr(self, pointer: Handle, offset: Handle) -> Handle:
        if pointer.argument is None:
            size = BY_TRITON[pointer.dtype.scalar.element_ty.name].size
            moved = pointer.lanes + offset.lanes.astype(np.int64) * np.int64(size)
            return Handle(moved, pointer.dtype, pointer.shape)
        steps = self.create_int_cast(offset, self.tl.int64)
        found = summed(pointer, steps)
        if found is not None:
            return found
        return Handle(pointer.lanes + steps.lanes, pointer.dtype, pointer.shape, pointer.argument)

    # bits

    def create_bitcast(self, value: Handle, target: Any) -> Handle:
        target = target.scalar
        if value.dtype.is_ptr():
            return self._retype(value, target)
        source, wanted = BY_TRITON[value.dtype.name], BY_TRITON[target.name]
        bits = np.ascontiguousarray(encode(value.lanes, source))
        return Handle(decode(bits.view(wanted.stored), wanted), target, value.shape)

    def _retype(self, pointer: Handle, target: Any) -> Handle:
        """A pointer to another element type; off-size ones become absolute addresses."""
        if not target.is_ptr():
            return Handle(absolute(pointer).astype(np.int64), target, pointer.shape)
        have = BY_TRITON[pointer.dtype.scalar.element_ty.name].size
        want = BY_TRITON[target.element_ty.name].size
        if pointer.argument is None or have == want:
            return Handle(pointer.lanes, target, pointer.shape, pointer.argument)
        position = pointer.lanes * np.int64(have)
        if (position % want).any():
            return Handle(absolute(pointer), target, pointer.shape)
        return Handle(position // want, target, pointer.shape, pointer.argument)

    create_ptr_to_int = create_bitcast

    def create_int_to_ptr(self, value: Handle, target: Any) -> Handle:
        addresses = of_arguments(self.run, value.lanes.astype(np.int64))
        return Handle(addresses, target.scalar, value.shape)

    def _convert_custom_types(self, value: Any, target: Any, rounding: Any, **_: Any) -> Any:
        """To and from fp8e4b15, by way of float16 cut towards zero (convert_custom_float8)."""
        if value.dtype.name == "fp32":
            half = self.tl.float16
            lanes = cut(value.handle.lanes, BY_TRITON[half.name])
            kind = target.with_element_ty(half) if target.is_block() else half
            value = self.tl.tensor(Handle(lanes, half, value.handle.shape), kind)
        return self.tl.tensor(self.create_fp_to_fp(value.handle, target, rounding), target)

    # what has no result

    def create_barrier(self, *_: Any) -> None:
        """Within a program everything happens in order."""

    create_grid_dependency_wait = create_grid_dependency_launch_dependents = create_barrier

    def create_assume(self, condition: Handle) -> None:
        if not condition.lanes.all():
            self.run.findings.flag("tl.assume is false here: the GPU's code may do anything")

    def create_extern_elementwise(
        self, library: str, path: str, symbol: str, operands: list[Handle], kind: Any, *_: Any
    ) -> Handle:
        function = self.extern_functions.get(symbol)
        if function is None:
            raise Unsupported(
                f"{symbol} of {path or library or 'a GPU library'} is no function "
                f"of libdevice: it cannot run on a CPU",
                kernel_place(),
            )
        return function(operands, kind)


def _volatile(hints: tuple[Any, ...]) -> bool:
    """Whether a load's hints end in `is_volatile`, which stands last where there is one."""
    return bool(hints) and hints[-1] is True
