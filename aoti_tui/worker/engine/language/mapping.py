"""tl.map_elementwise: a function of scalars, called for all elements at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numbers.floats import Array
from ..operations.arithmetic import rounded
from ..operations.builder import Builder
from ..values.handle import Handle, as_tuple, plain
from ..values.scalars import Values
from .control import Divergence


class Mapping:
    """Elements are run together as programs are, and part ways as those do."""

    def __init__(self, values: Values, builder: Builder) -> None:
        self.values = values
        self.builder = builder

    def map_elementwise(self, scalar_fn: Any, *args: Any, pack: Any = 1, **_: Any) -> Any:
        """`scalar_fn` gets `pack` neighbours of each block, one block after the other."""
        width = int(plain(pack))
        blocks = self._broadcast(args)
        shape = blocks[0].shape[1:]
        dtypes = [arg.dtype for arg in args]
        columns = [block.reshape(-1, width)[:, i] for block in blocks for i in range(width)]
        kinds = [dtype for dtype in dtypes for _ in range(width)]
        run = self.builder.run
        if run.recorder is not None:
            run.recorder.quiet += 1
        try:
            results, types, alone = self._called(scalar_fn, columns, kinds)
        finally:
            if run.recorder is not None:
                run.recorder.quiet -= 1
        joined = [
            self.values.tensor(
                Handle(
                    np.stack(results[at : at + width], axis=-1).reshape(-1, *shape),
                    types[at],
                    tuple(shape),
                )
            )
            for at in range(0, len(results), width)
        ]
        return joined[0] if alone else tuple(joined)

    def _broadcast(self, args: tuple[Any, ...]) -> list[Array]:
        tl = self.values.tl
        shape: tuple[int, ...] = np.broadcast_shapes(*[arg.handle.shape for arg in args])
        whole = [tl.broadcast_to(arg, list(shape)) if shape else arg for arg in args]
        blocks = [arg.handle.full() for arg in whole]
        programs = max(block.shape[0] for block in blocks)
        return [np.broadcast_to(block, (programs, *shape)) for block in blocks]

    def _called(
        self, function: Any, columns: list[Array], kinds: list[Any]
    ) -> tuple[list[Array], list[Any], bool]:
        """Results, their types and whether the function gives one alone, over all elements."""
        count = len(columns[0])
        operands = [
            self.values.tensor(Handle(np.ascontiguousarray(column), kind, ()))
            for column, kind in zip(columns, kinds)
        ]
        try:
            given = function(*operands)
        except Divergence as parting:
            return self._parted(function, columns, kinds, parting.groups)
        alone = isinstance(given, self.values.tl.tensor)
        results = [self.values.settle(value) for value in as_tuple(given)]
        types = [result.dtype for result in results]
        data = [
            np.broadcast_to(rounded(result.handle.lanes, kind), (count,))
            for result, kind in zip(results, types)
        ]
        return data, types, alone

    def _parted(
        self, function: Any, columns: list[Array], kinds: list[Any], groups: Array
    ) -> tuple[list[Array], list[Any], bool]:
        whole: list[Array] = []
        types: list[Any] = []
        alone = True
        for group in range(int(groups.max()) + 1):
            here = groups == group
            data, types, alone = self._called(function, [c[here] for c in columns], kinds)
            if not whole:
                whole = [np.zeros(len(groups), part.dtype) for part in data]
            for target, part in zip(whole, data):
                target[here] = part
        return whole, types, alone
