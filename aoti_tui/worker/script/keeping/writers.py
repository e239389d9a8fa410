"""Who wrote to a storage last: a launch, or an operation of torch and the script's line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ..frames_of_ours import is_ours

_TORCH = torch.__path__[0]
_MOST = 1 << 17


@dataclass(frozen=True)
class Writer:
    """Either a `launch` or an operation `op` with the place that called it."""

    launch: int | None = None
    op: str = ""
    file: str = ""
    line: int = 0


class Writers:
    """The last writer by address of the storage."""

    def __init__(self) -> None:
        self._last: dict[int, Writer] = {}

    def last(self, address: int) -> Writer | None:
        return self._last.get(address)

    def launched(self, address: int, launch: int) -> None:
        self._last[address] = Writer(launch)

    def operated(self, address: int, writer: Writer) -> None:
        if len(self._last) > _MOST:
            self._last.clear()
        self._last[address] = writer


class Operations(TorchDispatchMode):  # type: ignore[misc]
    """Sees every operation of torch: what it is about to overwrite, and what it has written."""

    def __init__(self, writers: Writers, changing: Callable[[int], None]) -> None:
        super().__init__()
        self.writers = writers
        self.changing = changing
        self._written: dict[Any, tuple[tuple[int | str, ...], bool]] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # torch would import all of its compiler for this class (utils/_python_dispatch.py, 2.9).
        return False

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Not a mode of the script's own."""
        return True

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        written, fresh = self._written.get(func) or self._read(func)
        addresses = []
        for at in written:
            value = kwargs.get(at) if isinstance(at, str) else args[at] if at < len(args) else None
            addresses += _addresses(value)
        for address in addresses:
            self.changing(address)
        result = func(*args, **kwargs)
        if fresh:
            addresses += _addresses(result)
        if addresses:
            writer = _writer(func)
            for address in addresses:
                self.writers.operated(address, writer)
        return result

    def _read(self, func: Any) -> tuple[tuple[int | str, ...], bool]:
        """The arguments that an operation writes to, and whether it makes new tensors."""
        schema = func._schema
        written: list[int | str] = []
        for index, argument in enumerate(schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                written.append(argument.name if argument.kwarg_only else index)
        fresh = any(one.alias_info is None for one in schema.returns)
        # A tensor that is only made holds nothing that anybody wrote.
        fresh = fresh and "empty" not in schema.name
        found = (tuple(written), fresh)
        self._written[func] = found
        return found


def _addresses(value: Any) -> list[int]:
    if isinstance(value, torch.Tensor):
        try:
            address = value.untyped_storage().data_ptr()
        except (RuntimeError, NotImplementedError):
            return []
        return [address] if address else []
    if isinstance(value, (list, tuple)):
        return [address for part in value for address in _addresses(part)]
    return []


_own: dict[str, bool] = {}


def _writer(func: Any) -> Writer:
    """The operation, and the innermost line outside of torch that led to it."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        own = _own.get(file)
        if own is None:
            own = _own[file] = not file.startswith(_TORCH) and not is_ours(file)
        if own:
            break
        frame = frame.f_back
    name = func._schema.name
    if frame is None:
        return Writer(op=name)
    return Writer(op=name, file=frame.f_code.co_filename, line=frame.f_lineno)
