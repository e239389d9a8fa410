"""Numpy functions as functions of Triton tensors, each with the type rules of its kind."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ..numbers.casts import Flag, convert
from ..numbers.dtypes import BY_NAME, BY_TRITON
from ..numbers.floats import Array
from ..values.handle import Handle, plain
from ..values.scalars import Values

Function = Callable[..., Any]
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
    """Wraps numpy functions as functions of Triton tensors; `flag` tells of undefined results."""

    def __init__(self, values: Values, flag: Flag) -> None:
        self.values = values
        self.flag = flag

    def operands(self, values: tuple[Any, ...]) -> tuple[list[Handle], tuple[int, ...]]:
        """Handles of broadcast operands; Python numbers take the first tensor's type."""
        tl = self.values.tl
        tensors = [v for v in values if isinstance(v, tl.tensor)]
        like = tensors[0].dtype if tensors else None
        ready = []
        for value in values:
            if isinstance(value, tl.tensor):
                ready.append(value)
                continue
            bare = plain(value)
            same = like is not None and (like.is_floating() or isinstance(bare, int))
            ready.append(self.values.scalar(bare, like if same else None))
        shape: tuple[int, ...] = ()
        for value in ready:
            shape = np.broadcast_shapes(shape, value.handle.shape)
        handles = []
        for value in ready:
            handle = value.handle
            if len(handle.shape) < len(shape):
                ones = (1,) * (len(shape) - len(handle.shape))
                data = handle.lanes.reshape(handle.lanes.shape[0], *ones, *handle.lanes.shape[1:])
                handle = Handle(data, handle.dtype, shape)
            handles.append(handle)
        return handles, shape

    def give(self, data: Array, name: str, shape: tuple[int, ...]) -> Any:
        """A tensor of the torch-named type."""
        number = BY_NAME[name]
        settled = number.settled(np.asarray(data))
        return self.values.tensor(Handle(settled, self.values.dtype(number), shape))

    def floating(self, function: Function) -> Function:
        def call(*values: Any, **_: Any) -> Any:
            handles, shape = self.operands(values)
            lead = next((h for h in handles if h.dtype.is_floating()), handles[0])
            number = BY_TRITON[lead.dtype.name]
            if number.kind != "float":
                number = BY_NAME["float32"]
            with np.errstate(all="ignore"):
                wide = [h.lanes.astype(np.float64) for h in handles]
                return self.give(function(*wide), number.name, shape)

        return call

    def fixed(self, function: Function, result: str) -> Function:
        def call(*values: Any, **_: Any) -> Any:
            handles, shape = self.operands(values)
            with np.errstate(all="ignore"):
                return self.give(function(*[h.lanes for h in handles]), result, shape)

        return call

    def integer(self, function: Function) -> Function:
        """Functions whose result has the first operand's own type."""

        def call(*values: Any, **_: Any) -> Any:
            handles, shape = self.operands(values)
            number = BY_TRITON[handles[0].dtype.name]
            return self.give(function(*[h.lanes for h in handles]), number.name, shape)

        return call

    def bits(self, source: str, result: str) -> Function:
        def call(value: Any, **_: Any) -> Any:
            handles, shape = self.operands((value,))
            data = np.ascontiguousarray(handles[0].lanes.astype(BY_NAME[source].values))
            return self.give(data.view(BY_NAME[result].values), result, shape)

        return call

    def rounded(self, function: Function, mode: str) -> Function:
        def call(*values: Any, **_: Any) -> Any:
            handles, shape = self.operands(values)
            number = BY_TRITON[handles[0].dtype.name]
            wide = [h.lanes.astype(np.float64) for h in handles]
            return self.give(directed(function(*wide), mode, number.values), number.name, shape)

        return call

    def conversion(self, source: str, target: str, mode: str) -> Function:
        def call(value: Any, **_: Any) -> Any:
            handles, shape = self.operands((value,))
            data = handles[0].lanes.astype(BY_NAME[source].values)
            wanted = BY_NAME[target]
            if wanted.kind == "float":
                return self.give(
                    directed(data.astype(np.float64), mode, wanted.values), target, shape
                )
            whole = TO_WHOLE[mode](data)
            return self.give(convert(whole, BY_NAME[source], wanted, self.flag), target, shape)

        return call
