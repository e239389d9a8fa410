"""What a Triton tensor holds here: values of one block in each of the programs run together.

`lanes` has one axis more than the block: axis 0 counts programs. An axis along which all values
are equal (all programs, or a broadcast) may have length 1, so constants and row indices stay
small until something needs every lane.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numbers.floats import Array
from .arguments import Argument


class Handle:
    """A block of numbers (or, with `argument`, of pointers as element indices into it)."""

    __slots__ = ("argument", "attr", "dtype", "lanes", "shape")

    def __init__(
        self,
        lanes: Array,
        dtype: Any,
        shape: tuple[int, ...],
        argument: Argument | None = None,
    ) -> None:
        self.lanes = lanes
        self.dtype = dtype
        self.shape = shape
        self.argument = argument
        self.attr: dict[str, Any] | None = None

    def full(self) -> Array:
        """The values of every lane, (programs or 1, *block); a view where it can be."""
        wanted = (self.lanes.shape[0], *self.shape)
        return self.lanes if self.lanes.shape == wanted else np.broadcast_to(self.lanes, wanted)

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
