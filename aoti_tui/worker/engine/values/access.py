"""A load, store or atomic on one argument, as it happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..numbers.dtypes import Number
from ..numbers.floats import Array
from .arguments import Argument

AccessKind = Literal["load", "store", "atomic"]


@dataclass(frozen=True)
class Access:
    """`elements`: where each lane points, in elements of `number` from the argument's data
    pointer, (programs or 1, *block); axes of length 1 stand for all. `shape` is the block's,
    `size` how many elements exist from the data pointer on.

    Without `argument` the pointers lead into no tensor, and `elements` are byte addresses.
    """

    kind: AccessKind
    argument: Argument | None
    number: Number
    elements: Array
    shape: tuple[int, ...]
    size: int

    @property
    def name(self) -> str:
        """The parameter through which it happens."""
        return self.argument.name if self.argument is not None else ""
