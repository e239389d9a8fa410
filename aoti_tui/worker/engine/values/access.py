"""A load, store or atomic on one argument, as it happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..numbers.dtypes import Number
from ..numbers.floats import Array
from .arguments import Argument
from .handle import Handle

AccessKind = Literal["load", "store", "atomic"]


@dataclass(frozen=True)
class Access:
    """`pointer`: where each lane points, in elements of `number` from the argument's data
    pointer. `size` is how many elements exist from the data pointer on.

    Without `argument` the pointers lead into no tensor, and are byte addresses.
    """

    kind: AccessKind
    argument: Argument | None
    number: Number
    pointer: Handle
    size: int

    @property
    def elements(self) -> Array:
        """Where the lanes point, (programs or 1, *block); axes of length 1 stand for all."""
        return self.pointer.lanes

    @property
    def shape(self) -> tuple[int, ...]:
        """The block's."""
        return self.pointer.shape

    @property
    def name(self) -> str:
        """The parameter through which it happens."""
        return self.argument.name if self.argument is not None else ""
