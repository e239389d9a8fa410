"""Ways around triton's own checks where their outcome is plain, since each costs as much as an
operation on a small block: types and shapes that were made before, operands that already agree.
"""

from __future__ import annotations

from typing import Any

from ..values.handle import Handle, plain
from ..values.terms import each

# Operands of one of these types stay as they are in every operation but / and %.
_SETTLED = frozenset(["fp32", "fp64", "fp16", "bf16", "int1", "int8", "int16", "int32", "int64"])
_OFFSETS = frozenset(["int32", "int64"])


class _Literal(str):
    """A text as the compiler passes it, which wraps literals and up to 3.7 unwraps it late."""

    @property
    def value(self) -> str:
        return str(self)


def remember_shapes(tl: Any) -> None:
    """Make the type and the shape of a block once: triton checks and wraps them for each value."""
    block_type, tensor = tl.block_type, tl.tensor
    make_type, make_tensor = block_type.__init__, tensor.__init__
    types: dict[tuple[Any, ...], dict[str, Any]] = {}
    sizes: dict[tuple[Any, ...], Any] = {}
    shapes: dict[int, tuple[Any, Any]] = {}

    def init_type(block: Any, element: Any, shape: Any) -> None:
        try:
            # By name, since pointer types have no hash.
            key = (element.name, getattr(element, "address_space", 0), *shape)
            known = types.get(key)
        except TypeError:
            # Some shapes hold constexprs, which have none either.
            make_type(block, element, shape)
            return
        if known is None:
            make_type(block, element, shape)
            block.shape = sizes.setdefault(tuple(block.shape), block.shape)
            types[key] = dict(vars(block))
        else:
            vars(block).update(known)

    def init_tensor(value: Any, handle: Any, kind: Any) -> None:
        # A block's shape is one and the same object for all blocks of that shape.
        which = id(kind.shape) if kind.is_block() else 0
        known = shapes.get(which)
        if known is None:
            make_tensor(value, handle, kind)
            if not which or sizes.get(tuple(kind.shape)) is kind.shape:
                shapes[which] = (value.shape, value.numel)
            return
        value.handle = handle
        value.type = kind
        value.dtype = kind.scalar
        value.shape, value.numel = known

    block_type.__init__ = init_type
    tensor.__init__ = init_tensor


def semantic(kind: Any, tl: Any) -> Any:
    """A subclass of triton's TritonSemantic that asks it only where operands differ."""
    tensor, block_type = tl.tensor, tl.block_type

    class Semantic(kind):  # type: ignore[misc]
        def binary_op_type_checking_impl(
            self,
            lhs: Any,
            rhs: Any,
            allow_lhs_ptr: bool = False,
            allow_rhs_ptr: bool = False,
            arithmetic_check: bool = True,
            div_or_mod: bool = False,
        ) -> Any:
            if isinstance(lhs, tensor) and isinstance(rhs, tensor) and not div_or_mod:
                left, right = lhs.dtype.name, rhs.dtype.name
                same = left == right and left in _SETTLED
                if same or (allow_lhs_ptr and right in _OFFSETS and lhs.dtype.is_ptr()):
                    return self.broadcast_impl_value(lhs, rhs)
            return super().binary_op_type_checking_impl(
                lhs, rhs, allow_lhs_ptr, allow_rhs_ptr, arithmetic_check, div_or_mod
            )

        def broadcast_impl_value(self, lhs: Any, rhs: Any) -> Any:
            left, right = lhs.type, rhs.type
            if left.is_block():
                if not right.is_block():
                    return lhs, _splat(rhs, left)
                if left.shape is right.shape:
                    return lhs, rhs
                if len(left.shape) == len(right.shape):
                    whole = [max(m, n) for m, n in zip(left.shape, right.shape)]
                    if all(
                        m in (1, w) and n in (1, w)
                        for m, n, w in zip(left.shape, right.shape, whole)
                    ):
                        return _grown(lhs, whole), _grown(rhs, whole)
            elif right.is_block():
                return _splat(lhs, right), rhs
            else:
                return lhs, rhs
            return super().broadcast_impl_value(lhs, rhs)

        def dot_scaled(
            self,
            lhs: Any,
            lhs_scale: Any,
            lhs_format: Any,
            rhs: Any,
            rhs_scale: Any,
            rhs_format: Any,
            *rest: Any,
        ) -> Any:
            formats = [_Literal(plain(one)) for one in (lhs_format, rhs_format)]
            return super().dot_scaled(lhs, lhs_scale, formats[0], rhs, rhs_scale, formats[1], *rest)

    def _splat(value: Any, like: Any) -> Any:
        handle = value.handle
        lanes = handle.lanes.reshape(-1, *(1,) * len(like.shape))
        shape = tuple(like.shape)
        return tensor(
            Handle(lanes, handle.dtype, shape, handle.argument),
            block_type(value.type.scalar, like.shape),
        )

    def _grown(value: Any, whole: list[int]) -> Any:
        if list(value.type.shape) == whole:
            return value
        handle = each(value.handle, lambda lanes: lanes, tuple(whole))
        return tensor(handle, block_type(value.type.scalar, whole))

    return Semantic
