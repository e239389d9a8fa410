"""Memory that nobody wrote yet: what torch.empty and its like give is marked.

The marks are values that no calculation gives (a NaN of its own, or 0xAB in all bytes). One byte
holds its mark by chance too often, so tensors of 8-bit types are left as they are.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch

from ...engine.numbers.dtypes import BY_NAME, Number

# Filling more would touch memory that the script itself perhaps never does.
MOST_FILLED = 1 << 28

MAKERS = {
    torch.empty,
    torch.empty_like,
    torch.empty_strided,
    torch.empty_permuted,
    torch.Tensor.new_empty,
    torch.Tensor.new_empty_strided,
}


class Unwritten:
    """The storages that are marked."""

    def __init__(self) -> None:
        self._marked: dict[int, tuple[weakref.ref[Any], Number]] = {}

    def mark(self, tensor: Any) -> None:
        """Fill a tensor that was just made and whose values nobody may rely on."""
        number = BY_NAME.get(str(tensor.dtype).rsplit(".", 1)[-1])
        if number is None or number.size == 1 or tensor.layout is not torch.strided:
            return
        with torch._C.DisableTorchFunction():
            storage = tensor.untyped_storage()
            if not 0 < storage.nbytes() <= MOST_FILLED or tensor.is_meta:
                return
            flat = torch.empty(0, dtype=torch.uint8).set_(storage).numpy()
            whole = len(flat) // number.size * number.size
            flat[:whole].view(f"u{number.size}")[:] = number.poison
        address = storage.data_ptr()
        self._marked[address] = (weakref.ref(storage), number)
        if len(self._marked) > 4096:
            self._forget()

    def _forget(self) -> None:
        self._marked = {at: held for at, held in self._marked.items() if held[0]() is not None}

    def numbers(self) -> dict[int, Number]:
        """The type of what is marked, by the address of the storage."""
        return {at: number for at, (held, number) in self._marked.items() if held() is not None}
