"""Writing what ``torch.save`` writes, without torch: the zip of torch/serialization.py.

A tensor whose data was not recorded is written as one on the ``meta`` device: sizes and strides
without data, so that nobody takes made-up numbers for recorded ones.
"""

from __future__ import annotations

import io
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

_STORAGES = {
    "float32": "FloatStorage",
    "float64": "DoubleStorage",
    "float16": "HalfStorage",
    "bfloat16": "BFloat16Storage",
    "int64": "LongStorage",
    "int32": "IntStorage",
    "int16": "ShortStorage",
    "int8": "CharStorage",
    "uint8": "ByteStorage",
    "bool": "BoolStorage",
    "complex64": "ComplexFloatStorage",
    "complex128": "ComplexDoubleStorage",
}
_WIDTHS = {
    "float32": 4, "float64": 8, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "int16": 2,
    "int8": 1, "uint8": 1, "bool": 1, "complex64": 8, "complex128": 16,
}  # fmt: skip


@dataclass(frozen=True)
class KeptTensor:
    """A tensor to write; ``data`` are its bytes from its first element to its last, None where
    they are not known."""

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    data: bytes | None


Value = KeptTensor | int | float | bool | str | None


def write_values(target: Path | BinaryIO, values: Sequence[Value]) -> None:
    """Write a tuple of values, as ``torch.save(tuple(values), target)`` would. Raises OSError."""
    write_object(target, tuple(values))


def write_object(target: Path | BinaryIO, content: Any) -> None:
    """Write lists, tuples and dicts of values, as ``torch.save(content, target)`` would. Raises
    OSError."""
    stream = io.BytesIO()
    pickler = _Pickler(stream, protocol=2)
    pickler.dump(_with_tensors(content))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as packed:
        put_member(packed, "archive/data.pkl", stream.getvalue())
        put_member(packed, "archive/byteorder", b"little")
        for key, data in pickler.storages.items():
            put_member(packed, f"archive/data/{key}", data)
        put_member(packed, "archive/version", b"3\n")


def _with_tensors(content: Any) -> Any:
    if isinstance(content, KeptTensor):
        return _Tensor(content)
    if isinstance(content, dict):
        return {name: _with_tensors(one) for name, one in content.items()}
    if isinstance(content, (list, tuple)):
        return type(content)(_with_tensors(one) for one in content)
    return content


def put_member(packed: zipfile.ZipFile, name: str, data: bytes) -> None:
    """A member whose data begins on a multiple of 64 bytes, as torch aligns them."""
    entry = zipfile.ZipInfo(name)
    begins = packed.fp.tell() + 30 + len(name.encode()) if packed.fp is not None else 0
    missing = -(begins + 4) % 64
    entry.extra = b"FB" + missing.to_bytes(2, "little") + b"Z" * missing
    packed.writestr(entry, data)


class _Named:
    """Something that is pickled as a name of another module's, which is not imported for it."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name


class _Storage:
    def __init__(self, dtype: str, data: bytes) -> None:
        self.dtype, self.data = dtype, data


class _Tensor:
    def __init__(self, kept: KeptTensor) -> None:
        self.kept = kept


_PythonPickler: Any = vars(pickle)["_Pickler"]
"""The one written in Python: it alone can be told how a name that is not imported is saved."""


class _Pickler(_PythonPickler):  # type: ignore[misc]
    dispatch: ClassVar[dict[type, Callable[..., None]]] = dict(_PythonPickler.dispatch)

    def __init__(self, stream: io.BytesIO, protocol: int) -> None:
        super().__init__(stream, protocol)
        self.storages: dict[str, bytes] = {}

    def persistent_id(self, one: Any) -> Any:
        if not isinstance(one, _Storage):
            return None
        key = str(len(self.storages))
        self.storages[key] = one.data
        width = _WIDTHS[one.dtype] if one.dtype in _STORAGES else 1
        name = _STORAGES.get(one.dtype, "UntypedStorage")
        module = "torch" if one.dtype in _STORAGES else "torch.storage"
        return ("storage", _Named(module, name), key, "cpu", len(one.data) // width)

    def save_named(self, one: _Named) -> None:
        self.write(pickle.GLOBAL + f"{one.module}\n{one.name}\n".encode())

    def save_tensor(self, one: _Tensor) -> None:
        kept = one.kept
        if kept.data is None:
            self.save_named(_Named("torch._utils", "_rebuild_meta_tensor_no_storage"))
            self.save((_Named("torch", kept.dtype), kept.shape, kept.stride, False))
        elif kept.dtype in _STORAGES:
            self.save_named(_Named("torch._utils", "_rebuild_tensor_v2"))
            storage = _Storage(kept.dtype, kept.data)
            self.save((storage, 0, kept.shape, kept.stride, False, OrderedDict()))
        else:
            self.save_named(_Named("torch._utils", "_rebuild_tensor_v3"))
            storage = _Storage(kept.dtype, kept.data)
            dtype = _Named("torch", kept.dtype)
            self.save((storage, 0, kept.shape, kept.stride, False, OrderedDict(), dtype))
        self.write(pickle.REDUCE)

    dispatch[_Named] = save_named
    dispatch[_Tensor] = save_tensor
