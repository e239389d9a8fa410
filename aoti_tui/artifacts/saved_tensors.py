"""Sizes, dtypes and small contents of a ``torch.save`` file, read without torch.

So that the first screen can speak of the given inputs at once, and on a machine without torch at
all. The format is torch/serialization.py's zip: a pickle that names storages, and one raw file
for each. The pickle is read with an allow-list: nothing of it is ever called but what is written
here.
"""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
import zlib
from array import array
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aoti_tui.artifacts.errors import ArtifactError

_STORAGES = {
    "FloatStorage": "float32",
    "DoubleStorage": "float64",
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "LongStorage": "int64",
    "IntStorage": "int32",
    "ShortStorage": "int16",
    "CharStorage": "int8",
    "ByteStorage": "uint8",
    "BoolStorage": "bool",
}
_READABLE = {
    "int64": "q",
    "int32": "i",
    "int16": "h",
    "int8": "b",
    "uint8": "B",
    "bool": "?",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "float32": "f",
    "float64": "d",
}
_LARGEST_SUMMARY = 1 << 20
_LARGEST_STORAGE = 1 << 26
_LARGEST_PICKLE = 1 << 26
_MOST_VALUES = 100_000
_DEEPEST = 100
_MOST_DIMENSIONS = 64
_WIDTHS = {"float16": 2, "bfloat16": 2, "complex32": 4, "complex64": 8, "complex128": 16}
"""Bytes of an element, of those dtypes that are not read here and have more than one."""


@dataclass(frozen=True, slots=True)
class SavedValue:
    """One tensor or number of the file. ``shape`` and ``stride`` count elements.

    ``value`` is the number, or the only element of a one-element tensor whose dtype is read here;
    ``words`` describes a tensor's contents (``all 0``, ``min 0  max 7``), ``""`` when not read.
    """

    key: str
    kind: str
    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    value: int | float | bool | None
    words: str
    span: tuple[int, int] | None = None
    """Smallest and largest element of an integer tensor that was read and is not empty."""
    elements: array[int] | None = None
    """All elements of an integer tensor that was read, in the order of its dimensions."""

    def as_reply(self) -> dict[str, Any]:
        """The value as the worker's ``load`` request lists it."""
        number = self.value if self.kind != "tensor" else None
        return {
            "key": self.key,
            "kind": self.kind,
            "value": number,
            "dtype": self.dtype,
            "shape": list(self.shape),
            "stride": list(self.stride),
        }


class _NotReadable(Exception):
    """The file holds something that only torch can load."""


class _Damaged(Exception):
    """The file cannot be what torch.save wrote; ``str()`` says why."""


_NO_DATA = ""
"""Key of the storage of a tensor on the ``meta`` device: sizes of one whose data is not there."""


@dataclass(frozen=True, slots=True)
class _Storage:
    key: str
    dtype: str


@dataclass(frozen=True, slots=True)
class _Tensor:
    storage: _Storage
    dtype: str
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Dtype:
    name: str


class _StorageType:
    def __init__(self, dtype: str) -> None:
        self.dtype = dtype


def read_saved(path: Path) -> tuple[SavedValue, ...] | None:
    """The file's values, flattened in order; None when only torch can read it.

    Raises :class:`ArtifactError` when the file does not exist or is no ``torch.save`` file.
    """
    if not path.exists():
        raise ArtifactError(
            f"the inputs file {path} was not found",
            "no file of that name exists",
            "Save the model's arguments with torch.save(tuple(inputs), FILE).",
        )
    if not path.is_file():
        raise ArtifactError(
            f"the inputs file {path} is no file",
            "it is a folder, a pipe or a device",
            "Save the model's arguments with torch.save(tuple(inputs), FILE).",
        )
    if not _is_zip(path):
        head = path.open("rb").read(2)
        if head[:1] == b"\x80":
            return None  # the pickle form of torch before 1.6, which torch still loads
        raise ArtifactError(
            f"the inputs file {path} is not a torch.save file",
            "it is neither a zip nor a pickle",
            "Save the model's arguments with torch.save(tuple(inputs), FILE).",
        )
    try:
        with zipfile.ZipFile(path) as package:
            return _read(package)
    except (_NotReadable, pickle.UnpicklingError, KeyError, ValueError, struct.error):
        return None
    except _DAMAGE as error:
        raise ArtifactError(
            f"the inputs file {path} is damaged",
            str(error) or type(error).__name__,
            "Save it again with torch.save.",
        ) from error


_DAMAGE = (
    _Damaged,
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    AttributeError,
    TypeError,
    IndexError,
    OverflowError,
    MemoryError,
)
"""What reading a damaged file raises; a RecursionError is a RuntimeError."""


def _is_zip(path: Path) -> bool:
    try:
        return zipfile.is_zipfile(path)
    except (zipfile.BadZipFile, OSError):
        # is_zipfile() itself stumbles over some ends of a file.
        return True


def _read(package: zipfile.ZipFile) -> tuple[SavedValue, ...]:
    names = package.namelist()
    member = next((n for n in names if n.endswith("/data.pkl")), None)
    if member is None:
        raise ArtifactError(
            f"{package.filename} is not a torch.save file",
            "it is a zip without data.pkl (a package or a plain archive?)",
            "Save the model's arguments with torch.save(tuple(inputs), FILE).",
        )
    root = member.removesuffix("data.pkl")
    if package.getinfo(member).file_size > _LARGEST_PICKLE:
        raise _Damaged(f"its list of tensors has {package.getinfo(member).file_size} bytes")
    little = f"{root}byteorder" not in names or package.read(f"{root}byteorder") == b"little"
    content = _Unpickler(io.BytesIO(package.read(member))).load()
    leaves: list[tuple[str, Any]] = []
    for leaf in _flatten("", content):
        leaves.append(leaf)
        if len(leaves) > _MOST_VALUES:
            raise _Damaged(f"it holds more than {_MOST_VALUES} values")
    return tuple(_describe(package, root, little, key, one) for key, one in leaves)


def storage_types(package: zipfile.ZipFile) -> dict[str, str]:
    """The dtype of each storage of a ``torch.save`` file, by its member's name. Raises ValueError
    for what only torch can read."""
    member = next((n for n in package.namelist() if n.endswith("/data.pkl")), None)
    if member is None:
        raise ValueError("it has no data.pkl")
    root = member.removesuffix("data.pkl")
    try:
        content = _Unpickler(io.BytesIO(package.read(member))).load()
    except (_NotReadable, pickle.UnpicklingError) as error:
        raise ValueError(str(error)) from error
    tensors = (one for _, one in _flatten("", content) if isinstance(one, _Tensor))
    return {f"{root}data/{one.storage.key}": one.dtype for one in tensors}


class _Unpickler(pickle.Unpickler):
    """Builds our own descriptions; any other name in the pickle ends the reading."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _CALLS:
            return _CALLS[(module, name)]
        if module in ("torch", "torch.storage") and name in _STORAGES:
            return _StorageType(_STORAGES[name])
        if (module, name) == ("torch.storage", "UntypedStorage"):
            return _StorageType("")
        if module == "torch" and (name in _READABLE or name.startswith(("float", "bfloat"))):
            return _Dtype(name)
        raise _NotReadable(f"{module}.{name}")

    def persistent_load(self, pid: Any) -> _Storage:
        if not (isinstance(pid, tuple) and len(pid) >= 3 and pid[0] == "storage"):
            raise _NotReadable("a reference that is no storage")
        if not isinstance(pid[1], _StorageType):
            raise _NotReadable("a storage of unknown type")
        return _Storage(str(pid[2]), pid[1].dtype)


def _rebuild_v2(storage: _Storage, offset: int, shape: Any, stride: Any, *_: Any) -> _Tensor:
    return _Tensor(storage, storage.dtype, offset, tuple(shape), tuple(stride))


def _rebuild_v3(
    storage: _Storage, offset: int, shape: Any, stride: Any, _grad: Any, _hooks: Any, *rest: Any
) -> _Tensor:
    dtype = rest[0].name if rest and isinstance(rest[0], _Dtype) else storage.dtype
    return _Tensor(storage, dtype, offset, tuple(shape), tuple(stride))


def _rebuild_meta(dtype: _Dtype, shape: Any, stride: Any, *_: Any) -> _Tensor:
    return _Tensor(_Storage(_NO_DATA, dtype.name), dtype.name, 0, tuple(shape), tuple(stride))


def _parameter(data: _Tensor, *_: Any) -> _Tensor:
    return data


def _size(values: Any) -> tuple[int, ...]:
    return tuple(values)


_CALLS: dict[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_v2,
    ("torch._utils", "_rebuild_tensor_v3"): _rebuild_v3,
    ("torch._utils", "_rebuild_meta_tensor_no_storage"): _rebuild_meta,
    ("torch._utils", "_rebuild_parameter"): _parameter,
    ("torch", "Size"): _size,
    ("collections", "OrderedDict"): OrderedDict,
}


def _flatten(key: str, content: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    if depth > _DEEPEST:
        raise _Damaged(f"it holds lists more than {_DEEPEST} deep")
    if isinstance(content, dict):
        for name, value in content.items():
            yield from _flatten(f"{key}.{name}" if key else str(name), value, depth + 1)
    elif isinstance(content, (tuple, list)):
        for position, value in enumerate(content):
            yield from _flatten(f"{key}[{position}]" if key else str(position), value, depth + 1)
    else:
        yield key or "0", content


def _check_layout(package: zipfile.ZipFile, root: str, key: str, tensor: _Tensor) -> None:
    """Raise :class:`_Damaged` for a tensor that reaches beyond the bytes saved for it."""
    shape, stride = tensor.shape, tensor.stride
    if len(shape) != len(stride) or len(shape) > _MOST_DIMENSIONS:
        raise _Damaged(f"tensor {key} has {len(shape)} sizes and {len(stride)} strides")
    if any(type(number) is not int or number < 0 for number in (tensor.offset, *shape, *stride)):
        raise _Damaged(f"tensor {key} has a size, stride or offset that no tensor has")
    if 0 in shape:
        return
    code = _READABLE.get(tensor.dtype)
    width = struct.calcsize(f"<{code}") if code else _WIDTHS.get(tensor.dtype, 1)
    name = f"{root}data/{tensor.storage.key}"
    there = package.getinfo(name).file_size // width if name in package.NameToInfo else 0
    reach = tensor.offset + 1 + sum((n - 1) * s for n, s in zip(shape, stride, strict=True))
    if reach > there:
        said = str(reach) if reach < 1 << 63 else f"2^{reach.bit_length() - 1}"
        raise _Damaged(f"tensor {key} reaches to element {said} of a storage that has {there}")


def _describe(package: zipfile.ZipFile, root: str, little: bool, key: str, one: Any) -> SavedValue:
    if isinstance(one, _Tensor) and one.storage.key == _NO_DATA:
        said = f"{_words(one, None)}, its data is not recorded"
        return SavedValue(key, "tensor", one.dtype, one.shape, one.stride, None, said)
    if isinstance(one, _Tensor):
        _check_layout(package, root, key, one)
        values = _contents(package, root, little, one)
        only = values[0] if values is not None and len(values) == 1 else None
        words = _words(one, values)
        span = elements = None
        if values and isinstance(values[0], int) and one.dtype != "bool":
            span = (int(min(values)), int(max(values)))
            code = "Q" if one.dtype == "uint64" else "q"
            elements = array(code, (int(value) for value in values))
        return SavedValue(
            key, "tensor", one.dtype, one.shape, one.stride, only, words, span, elements
        )
    for kind, of in (("bool", bool), ("int", int), ("float", float)):
        if isinstance(one, of):
            return SavedValue(key, kind, kind, (), (), one, str(one))
    if one is None:
        return SavedValue(key, "none", "none", (), (), None, "None")
    raise _NotReadable(type(one).__name__)


def _contents(
    package: zipfile.ZipFile, root: str, little: bool, tensor: _Tensor
) -> list[int | float | bool] | None:
    """Elements in order, for tensors small enough to look at; None otherwise."""
    count = 1
    for size in tensor.shape:
        count *= size
    code = _READABLE.get(tensor.dtype)
    if code is None or count > _LARGEST_SUMMARY:
        return None
    if count == 0:
        return []
    entry = package.getinfo(f"{root}data/{tensor.storage.key}")
    if entry.file_size > _LARGEST_STORAGE:
        return None
    data = package.read(entry)
    width = struct.calcsize(f"<{code}")
    order = "<" if little else ">"
    flat = struct.unpack(f"{order}{len(data) // width}{code}", data[: len(data) // width * width])
    contiguous = 1
    for size, stride in zip(reversed(tensor.shape), reversed(tensor.stride), strict=True):
        if size != 1 and stride != contiguous:
            return _strided(flat, tensor)
        contiguous *= size
    return list(flat[tensor.offset : tensor.offset + count])


def _strided(flat: tuple[Any, ...], tensor: _Tensor) -> list[int | float | bool]:
    places = [tensor.offset]
    for size, stride in zip(tensor.shape, tensor.stride, strict=True):
        places = [place + step * stride for place in places for step in range(size)]
    return [flat[place] for place in places]


def _words(tensor: _Tensor, values: list[int | float | bool] | None) -> str:
    shape = ", ".join(map(str, tensor.shape))
    said = f"{tensor.dtype}[{shape}]"
    if values is None:
        return said
    if not values:
        return f"{said}, empty"
    numbers = [v for v in values if v == v]  # a NaN equals nothing, and has no place in an order
    if len(values) == 1:
        return f"{said} = {_short(values[0])}"
    if not numbers:
        return f"{said}, all nan"
    low, high = min(numbers), max(numbers)
    strange = f", {len(values) - len(numbers)} nan" if len(numbers) < len(values) else ""
    if low == high and not strange:
        return f"{said}, all {_short(low)}"
    return f"{said}, min {_short(low)}, max {_short(high)}{strange}"


def _short(value: int | float | bool) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
