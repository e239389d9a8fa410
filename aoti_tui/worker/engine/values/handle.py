"""What a Triton tensor holds here: values of one block in each of the programs run together.

`lanes` has one axis more than the block: axis 0 counts programs. An axis along which all values
are equal (all programs, or a broadcast) may have length 1, so constants and row indices stay
small until something needs every lane. Indices go further: a large block that is the sum of small
ones (`row * stride + column`) is kept as its `terms`, and added up when a lane is asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numbers.floats import Array
from .arguments import Argument


class Handle:
    """A block of numbers (or, with `argument`, of pointers as element indices into it)."""

    __slots__ = ("_extremes", "_lanes", "argument", "attr", "dtype", "shape", "terms")

    def __init__(
        self,
        lanes: Array | None,
        dtype: Any,
        shape: tuple[int, ...],
        argument: Argument | None = None,
        terms: tuple[Array, ...] = (),
        extremes: tuple[int, int, int] | None = None,
    ) -> None:
        self._lanes = lanes
        self.terms = terms
        self.dtype = dtype
        self.shape = shape
        self.argument = argument
        self.attr: dict[str, Any] | None = None
        self._extremes = extremes

    @property
    def lanes(self) -> Array:
        """The values, (programs or 1, *block); axes of length 1 stand for all."""
        lanes = self._lanes
        if lanes is None:
            lanes = self.terms[0]
            for term in self.terms[1:]:
                lanes = lanes + term
            self._lanes = lanes
        return lanes

    @property
    def parts(self) -> tuple[Array, ...]:
        """Arrays of integers whose sum, broadcast, is `lanes`."""
        return self.terms or (self.lanes,)

    @property
    def extremes(self) -> tuple[int, int, int]:
        """Bounds of some integers as far as their terms tell, the lowest and the highest, and of
        the magnitude that a sum of some of the terms can have."""
        found = self._extremes
        if found is None:
            low = high = magnitude = 0
            for part in self.parts:
                if part.size == 1:
                    least = most = int(part.item())
                elif part.size:
                    least, most = int(part.min()), int(part.max())
                else:
                    least = most = 0
                low, high, magnitude = low + least, high + most, magnitude + max(-least, most)
            found = self._extremes = (low, high, magnitude)
        return found

    def full(self) -> Array:
        """The values of every lane, (programs or 1, *block); a view where it can be."""
        lanes = self.lanes
        wanted = (lanes.shape[0], *self.shape)
        return lanes if lanes.shape == wanted else np.broadcast_to(lanes, wanted)

    @property
    def data(self) -> Array:
        """What `x.handle.data` of Triton's documentation gives in a kernel: the block alone.

        Read-only. Only while several programs run together their axis stays in front.
        """
        full = self.full()
        shown = full[0] if full.shape[0] == 1 and self.shape else full
        shown = shown.view()
        shown.flags.writeable = False
        return shown

    def get_element_ty(self) -> Any:
        kind = self.dtype
        while hasattr(kind, "element_ty"):
            kind = kind.element_ty
        return kind

    def clone(self) -> Handle:
        return self

    def set_attr(self, key: str, value: Any) -> None:
        if self.attr is None:
            self.attr = {}
        self.attr[key] = value

    def __bool__(self) -> bool:
        return bool(self.lanes.all())


def plain(value: Any) -> Any:
    """What a tl.constexpr stands for; anything else as it is."""
    return getattr(value, "value", value)


def spread(value: Any) -> Any:
    """The parts of what a tuple assignment takes apart."""
    inner = getattr(value, "values", None)
    return inner if isinstance(inner, (tuple, list)) else value


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Tensors given one by one, as a Python tuple or as triton's own tuple type."""
    parts = spread(value)
    return tuple(parts) if isinstance(parts, (tuple, list)) else (parts,)
