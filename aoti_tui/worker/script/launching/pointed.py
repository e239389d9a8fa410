"""The tensors behind addresses: scripts keep `x.data_ptr()` in tensors, or pass it as a number."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import torch

from ...engine.numbers.dtypes import Number
from ...engine.numbers.floats import Array
from ...engine.values.arguments import Argument, Storage
from ..keeping.kept import Keeping, KeptLaunch
from .storages import LiveStorage

# What is lower is no address of a tensor: masked lanes and empty tensors give 0.
_LOWEST = 1 << 16


class Tensors:
    """The script's living tensors by their addresses."""

    def __init__(self) -> None:
        self._found: dict[int, weakref.ref[Any]] = {}

    def at(self, address: int) -> Any | None:
        """The tensor that begins at an address, or one whose storage spans it."""
        reference = self._found.get(address)
        known = reference() if reference is not None else None
        if known is not None and known.data_ptr() == address:
            return known
        around = None
        for one in gc.get_objects():
            if not issubclass(type(one), torch.Tensor):
                continue
            try:
                starts = one.data_ptr()
                untyped = one.untyped_storage()
                first, size = untyped.data_ptr(), untyped.nbytes()
            except (RuntimeError, NotImplementedError):
                continue
            if starts == address and size:
                self._found[address] = weakref.ref(one)
                return one
            if first <= address < first + size:
                around = one
        return around


class Pointed:
    """Puts the tensors that a kernel makes pointers to among a launch's arguments."""

    def __init__(
        self,
        tensors: Tensors,
        arguments: dict[str, Argument],
        keeping: Keeping,
        kept: KeptLaunch,
        given: dict[str, Any],
        poisoned: dict[int, Number],
    ) -> None:
        self.tensors = tensors
        self.arguments = arguments
        self.keeping = keeping
        self.kept = kept
        self.given = given
        self.poisoned = poisoned
        self._asked: set[int] = set()

    def __call__(self, addresses: Array) -> None:
        """Addresses of which pointers are made."""
        for address in np.unique(addresses).tolist():
            if address >= _LOWEST and address not in self._asked:
                self._asked.add(address)
                self._ask(address)

    def _ask(self, address: int) -> None:
        for one in self.arguments.values():
            inside = -one.offset <= address - one.address < len(one.storage.data) - one.offset
            if inside or one.spans(address):
                return
        tensor = self.tensors.at(address)
        if tensor is None:
            return
        name = self._name(address)
        memory = self.keeping.point(self.kept, name, tensor, self.poisoned)
        offset = int(tensor.data_ptr()) - memory.address
        made = Argument(name, self._storage(memory), offset, len(self.arguments))
        made.lies_at = int(tensor.data_ptr())
        marked = self.poisoned.get(memory.address)
        made.poison = marked if marked is not None and marked.size > 1 else None
        self.arguments[name] = made

    def _storage(self, memory: Any) -> Storage:
        for one in self.arguments.values():
            if isinstance(one.storage, LiveStorage) and one.storage.memory is memory:
                return one.storage
        return LiveStorage(memory.data, memory)

    def _name(self, address: int) -> str:
        """By what the script passed: `*x` of a number, `*pointers[2]` of a tensor's element."""
        for name, value in self.given.items():
            if isinstance(value, int) and value == address:
                return f"*{name}"
            if isinstance(value, torch.Tensor) and value.dtype in (torch.int64, torch.uint64):
                at = np.flatnonzero(value.detach().numpy().reshape(-1).view(np.int64) == address)
                if len(at):
                    return f"*{name}[{int(at[0])}]"
        return f"*{address:#x}"
