"""Whether the tensors of a torch.save file lie inside of the bytes that are saved for them.

torch.load makes a storage larger when a shape asks for more than there is: memory that was never
saved, in sizes that a damaged file makes up. So shapes, strides and offsets are read first, by an
unpickler that calls nothing of the file (the format is torch/serialization.py's zip).
"""

from __future__ import annotations

import io
import math
import pickle
import zipfile
from typing import Any

from ..protocol.problems import bad_request
from .room import room

LARGEST_PICKLE = 64 << 20
_MOST_DIMENSIONS = 64
_STORED = "the file is damaged or was not written by torch.save: save it again"


def check_layout(path: str) -> None:
    """Raise a bad request for a tensor that reaches beyond its storage, or a file that unpacks to
    more than it holds. Files that are no zip, and damaged ones, are left to torch.load."""
    try:
        with zipfile.ZipFile(path) as package:
            _check(package, path)
    except (zipfile.BadZipFile, OSError, EOFError, KeyError):
        return


def _check(package: zipfile.ZipFile, path: str) -> None:
    entries = {info.filename: info for info in package.infolist()}
    member = next((name for name in entries if name.endswith("/data.pkl")), None)
    if member is None:
        return
    unpacked = sum(info.file_size for info in entries.values())
    if unpacked > room() or entries[member].file_size > LARGEST_PICKLE:
        raise bad_request(f"{path} would take {unpacked / 2**30:.1f} GiB: {_STORED}")
    if any(info.compress_type != zipfile.ZIP_STORED for info in entries.values()):
        raise bad_request(f"{path} is compressed, which torch.save never does: {_STORED}")
    folder = f"{member[: -len('data.pkl')]}data/"
    sizes = {
        name[len(folder) :]: info.file_size
        for name, info in entries.items()
        if name.startswith(folder)
    }
    reader = _Reader(io.BytesIO(package.read(member)), sizes, path)
    try:
        reader.load()
    except (pickle.UnpicklingError, ValueError, TypeError, AttributeError, IndexError, EOFError):
        return
    except (OverflowError, MemoryError, RecursionError) as error:
        raise bad_request(f"{path}: {_STORED}") from error


class _Anything:
    """Stands for every name of the file; called, built and filled without doing anything."""

    def __new__(cls, *_: Any, **__: Any) -> Any:
        return object.__new__(cls)

    def __call__(self, *_: Any, **__: Any) -> Any:
        return _Anything()

    def __setstate__(self, _: Any) -> None:
        return

    def __setitem__(self, *_: Any) -> None:
        return

    def append(self, _: Any) -> None:
        return

    def extend(self, _: Any) -> None:
        return


class _Storage:
    def __init__(self, key: str) -> None:
        self.key = key


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, sizes: dict[str, int], path: str) -> None:
        super().__init__(file)
        self.sizes = sizes
        self.path = path

    def find_class(self, module: str, name: str) -> Any:
        if module == "torch._utils" and name in ("_rebuild_tensor_v2", "_rebuild_tensor_v3"):
            return self._rebuild
        if module in ("torch", "torch.storage") and name.endswith("Storage"):
            return name
        if (module, name) == ("torch", "Size"):
            return tuple
        if module == "torch":
            return _Dtype(name)
        return _Anything

    def persistent_load(self, pid: Any) -> Any:
        if not isinstance(pid, tuple) or len(pid) < 3:
            return _Anything()
        storage = _Storage(str(pid[2]))
        storage_type = pid[1] if isinstance(pid[1], str) else ""
        storage_size = _STORAGES.get(storage_type, 1)
        return (storage, storage_size)

    def _rebuild(self, stored: Any, offset: Any, shape: Any, stride: Any, *more: Any) -> Any:
        if not isinstance(stored, tuple):
            return _Anything()
        storage, size = stored
        dtypes = [one for one in more if isinstance(one, _Dtype)]
        if dtypes:
            size = SIZES.get(dtypes[0].name, 1)
        problem = layout_problem(self.sizes.get(storage.key, 0), size, offset, shape, stride)
        if problem:
            raise bad_request(f"{self.path} holds a tensor that {problem}: {_STORED}")
        return _Anything()


class _Dtype:
    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_: Any) -> Any:
        return _Anything()


SIZES = {
    **dict.fromkeys(("float64", "int64", "uint64", "complex64"), 8),
    **dict.fromkeys(("float32", "int32", "uint32", "complex32"), 4),
    **dict.fromkeys(("float16", "bfloat16", "int16", "uint16"), 2),
    "complex128": 16,
}
"""Bytes of an element; those that are not here have one."""

_STORAGES = {
    **dict.fromkeys(("DoubleStorage", "LongStorage", "ComplexFloatStorage"), 8),
    **dict.fromkeys(("FloatStorage", "IntStorage", "QInt32Storage"), 4),
    **dict.fromkeys(("HalfStorage", "BFloat16Storage", "ShortStorage"), 2),
    "ComplexDoubleStorage": 16,
}


def layout_problem(room_bytes: int, size: int, offset: Any, shape: Any, stride: Any) -> str:
    """What is wrong with a tensor over so many bytes of storage; empty when nothing is."""
    numbers = [offset, *shape, *stride]
    if len(shape) != len(stride) or len(shape) > _MOST_DIMENSIONS:
        return f"has {len(shape)} sizes and {len(stride)} strides"
    if any(type(number) is not int or number < 0 for number in numbers):
        return "has a negative size, stride or offset, or one that is no whole number"
    if 0 in shape:
        return ""
    reach = offset + 1 + sum((n - 1) * step for n, step in zip(shape, stride))
    if reach * size > room_bytes:
        there = room_bytes // size
        return f"reaches to element {_short(reach)} of a storage that has {there}"
    if math.prod(shape) * size > room():
        return f"has {_short(math.prod(shape))} elements, more than fit into memory"
    return ""


def _short(number: int) -> str:
    return str(number) if number < 1 << 63 else f"2^{number.bit_length() - 1}"
