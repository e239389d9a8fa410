"""The tensors a kernel may touch, each with its own bounds, copied when first written.

A pointer is an element index into one argument, so a far or negative offset is only a number:
no access reaches memory before it has been checked.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ..numbers.dtypes import Number
from ..numbers.floats import Array
from .reach import Reach

# Where pointers of different arguments meet in one block, they become absolute addresses, as
# far apart as a 64-bit offset of a realistic kernel can reach.
SPACING = 1 << 44


PAGE = 1 << 20


class Storage:
    """The bytes behind one or more tensors; `fork` before writing keeps the original intact.

    `paged`: whether `fork` wants to know the pages (of PAGE bytes) that are about to be written.
    """

    paged = False

    def __init__(self, data: Array) -> None:
        self.original = data
        self.data = data
        self.version = 0

    @property
    def written(self) -> bool:
        return self.data is not self.original

    def fork(self, pages: list[int] | None = None) -> None:
        """Something is about to be written, in these pages alone where they are given."""
        if self.data is self.original:
            self.data = self.original.copy()
            self.version += 1

    def commit(self) -> None:
        """Make what was written the tensors' own values."""
        if self.data is not self.original:
            self.original[:] = self.data


class Argument:
    """A pointer argument: a storage and the byte its data pointer stands at.

    `reach`: the elements of the tensor, where they are fewer than the storage's and that counts;
    `lies_at`: where it lies in the process, for a tensor whose address the kernel came by.
    """

    __slots__ = (
        *("_version", "_views", "address", "lies_at", "name", "offset", "poison", "reach"),
        "storage",
    )

    def __init__(self, name: str, storage: Storage, offset: int, position: int) -> None:
        self.name = name
        self.storage = storage
        self.offset = offset
        self.address = (position + 1) * SPACING
        self.poison: Number | None = None
        self.reach: Reach | None = None
        self.lies_at: int | None = None
        self._views: dict[str, Array] = {}
        self._version = storage.version

    def view(self, stored: Any) -> Array:
        """The whole storage as elements of `stored`, aligned with the data pointer."""
        if self._version != self.storage.version:
            self._views = {}
            self._version = self.storage.version
        key = stored.str
        found = self._views.get(key)
        if found is None:
            data = self.storage.data
            start = self.offset % stored.itemsize
            count = (len(data) - start) // stored.itemsize
            found = data[start : start + max(count, 0) * stored.itemsize].view(stored)
            self._views[key] = found
        return found

    def spans(self, address: int) -> bool:
        """Whether a byte of the process is one of the storage's."""
        if self.lies_at is None:
            return False
        first = self.lies_at - self.offset
        return first <= address < first + len(self.storage.data)

    def before(self, size: int) -> int:
        """Elements of `size` bytes that lie before the data pointer."""
        return self.offset // size

    def count(self, size: int) -> int:
        """Elements of `size` bytes from the data pointer to the storage's end."""
        return max(len(self.storage.data) - self.offset, 0) // size


def pages_of(starts: Array, length: int) -> list[int]:
    """The pages that hold so many bytes from each of some positions on."""
    if not starts.size:
        return []
    first = int(starts.min()) // PAGE
    last = (int(starts.max()) + length - 1) // PAGE
    if last - first < 2:
        return list(range(first, last + 1))
    touched = np.zeros(last - first + 1, dtype=bool)
    for end in range(0, length, PAGE):
        touched[(starts + end) // PAGE - first] = True
    touched[(starts + (length - 1)) // PAGE - first] = True
    return [first + int(page) for page in np.flatnonzero(touched)]


def arguments_of(
    tensors: dict[str, Any],
    poisoned: dict[int, Number],
    make: Callable[[Any, Array], Storage] = lambda _, data: Storage(data),
) -> dict[str, Argument]:
    """An Argument per torch tensor; tensors on one storage share its bytes.

    `make(untyped, data)` gives the Storage of a torch storage and of its bytes.
    """
    import torch

    storages: dict[int, Storage] = {}
    result = {}
    for position, (name, tensor) in enumerate(tensors.items()):
        untyped = tensor.untyped_storage()
        key = untyped.data_ptr() if untyped.nbytes() else -1 - position
        storage: Storage | None = storages.get(key)
        if storage is None:
            if untyped.nbytes():
                flat = torch.empty(0, dtype=torch.uint8).set_(untyped)
                storage = make(untyped, flat.numpy())
            else:
                storage = Storage(np.empty(0, dtype=np.uint8))
            storages[key] = storage
        result[name] = Argument(
            name, storage, tensor.storage_offset() * tensor.element_size(), position
        )
        marked = poisoned.get(key)
        if marked is not None and marked.size > 1:
            # One byte holds the mark by chance too often to mean anything.
            result[name].poison = marked
    return result
