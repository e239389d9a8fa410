"""Where the elements of a tensor were before they were copied, cast or reshaped.

Scripts compare `out.cpu().float()`, not what the kernel wrote into. Views share its memory and
need nothing; for copies that keep the logical order of the elements it is noted what they are of.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ...engine.numbers.floats import Array
from .keeper import Keeper

_NAMES = """to cpu cuda float double half bfloat16 int long clone contiguous reshape flatten ravel
type squeeze unsqueeze"""
_COPYING = {getattr(torch.Tensor, name) for name in _NAMES.split()}
_COPYING |= {torch.clone, torch.reshape, torch.flatten, torch.ravel}
_ARRAYS = {torch.Tensor.numpy, torch.Tensor.__array__}
_MOST_ARRAYS = 256
FOLLOWED = _COPYING | _ARRAYS
"""The functions of torch whose results are followed."""


@dataclass(frozen=True)
class Spot:
    """One element in memory: its storage, the byte where it begins there, who wrote it last."""

    address: int
    byte: int
    launch: int | None


@dataclass(frozen=True)
class _Geometry:
    """How a tensor's elements lie; `launch` had written its storage last at that time."""

    address: int
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    size: int
    launch: int | None
    copied: _Copied | None

    def spot(self, position: int) -> Spot:
        """Where the element at a position of the logical order comes from."""
        index = np.unravel_index(position, self.shape) if self.shape else ()
        element = self.offset + sum(int(i) * step for i, step in zip(index, self.stride))
        byte = element * self.size
        if self.copied is not None:
            return self.copied.spot(byte)
        return Spot(self.address, byte, self.launch)


@dataclass(frozen=True)
class _Copied:
    """A storage filled from `source`, in the order of `target`, which lies in the storage."""

    target: _Geometry
    source: _Geometry

    def spot(self, byte: int) -> Spot:
        """Where what lies at a byte of the storage comes from."""
        rest = byte // self.target.size - self.target.offset
        order = sorted(range(len(self.target.shape)), key=lambda axis: -self.target.stride[axis])
        index = [0] * len(self.target.shape)
        for axis in order:
            step = self.target.stride[axis]
            if step and self.target.shape[axis] > 1:
                index[axis], rest = divmod(rest, step)
        position = int(np.ravel_multi_index(index, self.target.shape)) if index else 0
        return self.source.spot(position)


class Origins:
    """Follows what the script copies."""

    def __init__(self, keeper: Keeper) -> None:
        self.keeper = keeper
        self._copies: weakref.WeakKeyDictionary[Any, _Copied] = weakref.WeakKeyDictionary()
        self._arrays: dict[int, tuple[weakref.ref[Any], _Geometry]] = {}

    def called(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        """A function of torch gave a result."""
        if func in _COPYING and isinstance(result, torch.Tensor) and args:
            source = args[0]
            if isinstance(source, torch.Tensor) and source.numel() == result.numel():
                self._copied(source, result)
        elif func in _ARRAYS and isinstance(result, np.ndarray) and args:
            self._array(args[0])

    def _copied(self, source: Any, result: Any) -> None:
        with torch._C.DisableTorchFunction():
            if source.layout is not torch.strided or result.layout is not torch.strided:
                return
            here, there = source.untyped_storage(), result.untyped_storage()
            if here is there or here.data_ptr() == there.data_ptr():
                return
            geometry = self._geometry(source)
            if geometry.launch is None and geometry.copied is None:
                return
            self._copies[there] = _Copied(self._geometry(result), geometry)

    def _array(self, tensor: Any) -> None:
        with torch._C.DisableTorchFunction():
            storage = tensor.untyped_storage()
            held = (weakref.ref(storage), self._geometry(tensor))
            self._arrays[storage.data_ptr()] = held
            while len(self._arrays) > _MOST_ARRAYS:
                del self._arrays[next(iter(self._arrays))]

    def _geometry(self, tensor: Any) -> _Geometry:
        storage = tensor.untyped_storage()
        address = int(storage.data_ptr())
        return _Geometry(
            address,
            int(tensor.storage_offset()),
            tuple(int(n) for n in tensor.shape),
            tuple(int(n) for n in tensor.stride()),
            int(tensor.element_size()),
            self.keeper.launch_of(address),
            self._copies.get(storage),
        )

    def known(self, tensor: Any) -> bool:
        """Whether a tensor leads to a launch that wrote it."""
        if tensor.layout is not torch.strided:
            return False
        geometry = self._geometry(tensor)
        return geometry.launch is not None or geometry.copied is not None

    def spot(self, value: Any, index: tuple[int, ...]) -> Spot | None:
        """Where an element of a tensor or array comes from; None where that is not known."""
        if isinstance(value, torch.Tensor):
            with torch._C.DisableTorchFunction():
                if value.layout is not torch.strided:
                    return None
                geometry = self._geometry(value)
            position = int(np.ravel_multi_index(index, geometry.shape)) if index else 0
            return geometry.spot(position)
        return self._in_array(value, index)

    def _in_array(self, array: Array, index: tuple[int, ...]) -> Spot | None:
        start = int(array.__array_interface__["data"][0])
        at = start + sum(i * step for i, step in zip(index, array.strides))
        for address, (held, geometry) in self._arrays.items():
            storage = held()
            if storage is None or not address <= at < address + storage.nbytes():
                continue
            copied = geometry.copied
            if copied is not None:
                return copied.spot(at - address)
            return Spot(address, at - address, geometry.launch)
        return None
