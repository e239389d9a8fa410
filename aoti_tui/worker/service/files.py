"""Reading tensors from files users have: torch.save output of any shape and age."""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from ..protocol.problems import bad_request
from .room import room
from .saved_layout import SIZES, check_layout, layout_problem

# What torch.load raises on files that are damaged in one way or another.
_UNREADABLE = (
    RuntimeError,
    EOFError,
    ValueError,
    OSError,
    KeyError,
    AttributeError,
    TypeError,
    IndexError,
    AssertionError,
    OverflowError,
    RecursionError,
    struct.error,
    zlib.error,
)
_MOST_VALUES = 100_000
_DEEPEST = 100


@contextlib.contextmanager
def _checked_tensors(torch: Any) -> Iterator[None]:
    """The form that torch had before 1.6 has no sizes of storages beside its pickle: there each
    tensor is looked at when torch makes it."""
    make = torch._utils._rebuild_tensor

    def checked(storage: Any, offset: Any, shape: Any, stride: Any) -> Any:
        size = SIZES.get(str(storage.dtype).replace("torch.", ""), 1)
        room_bytes = storage._untyped_storage.nbytes()
        problem = layout_problem(room_bytes, size, offset, shape, stride)
        if problem:
            raise ValueError(f"a tensor {problem}")
        return make(storage, offset, shape, stride)

    torch._utils._rebuild_tensor = checked
    try:
        yield
    finally:
        torch._utils._rebuild_tensor = make


def load_file(path: str) -> Any:
    """`torch.load(path, weights_only=True, map_location="cpu")`, or a bad-request that says
    what the file is, why it cannot be read and what to do."""
    import torch

    if not os.path.exists(path):
        raise bad_request(f"{path} does not exist")
    if os.path.isdir(path):
        raise bad_request(f"{path} is a folder; a file written by torch.save is expected")
    check_layout(path)
    if os.path.getsize(path) > room():
        raise bad_request(f"{path} is larger than the memory that this process may have")
    try:
        with _checked_tensors(torch):
            return torch.load(path, weights_only=True, map_location="cpu")
    except pickle.UnpicklingError as error:
        raise bad_request(_pickle_problem(path, str(error))) from error
    except _UNREADABLE as error:
        raise bad_request(_other_problem(path, error)) from error


def _pickle_problem(path: str, text: str) -> str:
    first = text.strip().splitlines()[0] if text.strip() else "it cannot be unpickled"
    if "UInt" in text or "uint" in text:
        return _unsigned_problem(path)
    with open(path, "rb") as file:
        start = file.read(4)
    # torch.save writes a zip file, and before torch 1.6 a pickle.
    if start.startswith((b"PK", b"\x80")):
        return (
            f"{path} holds objects other than tensors and numbers, which are not loaded because "
            f"they could run code ({first}). Save a tuple, list or dict of tensors and numbers "
            "with torch.save"
        )
    return f"{path} is not a file written by torch.save: {first}"


def _unsigned_problem(path: str) -> str:
    import torch

    return (
        f"{path} holds tensors of an unsigned type that torch {torch.__version__} cannot load. "
        "Save them as int64 (`t.to(torch.int64)`), or name a Python with another torch"
    )


def _other_problem(path: str, error: Exception) -> str:
    text = str(error).strip().splitlines()
    first = text[0] if text else type(error).__name__
    if "UInt" in str(error) or "uint" in str(error).lower():
        return _unsigned_problem(path)
    try:
        names = zipfile.ZipFile(path).namelist() if zipfile.is_zipfile(path) else None
    except (zipfile.BadZipFile, OSError):
        return f"{path} is a damaged zip file"
    if names is not None:
        if not any(name.endswith("data.pkl") for name in names):
            return f"{path} is a zip file, but torch.save did not write it (no data.pkl in it)"
        return f"{path} cannot be loaded: {first}"
    if not os.path.getsize(path):
        return f"{path} is empty"
    return f"{path} is not a file written by torch.save: {first}"


def flatten(value: Any) -> list[tuple[str, Any]]:
    """Tensors and numbers of nested tuples, lists and dicts, in order, each with its path.

    A bad request for more of them, or deeper, than any model takes: a file of a few bytes can
    name one list many times over.
    """
    found: list[tuple[str, Any]] = []
    _flatten("", value, 0, found)
    return found


def _flatten(path: str, value: Any, depth: int, found: list[tuple[str, Any]]) -> None:
    if isinstance(value, dict):
        parts = [(str(key), part) for key, part in value.items()]
    elif isinstance(value, (tuple, list)):
        parts = [(str(index), part) for index, part in enumerate(value)]
    else:
        found.append((path, value))
        if len(found) > _MOST_VALUES:
            raise bad_request(f"the file holds more than {_MOST_VALUES} values")
        return
    if depth > _DEEPEST:
        raise bad_request(f"the file holds lists more than {_DEEPEST} deep")
    for key, part in parts:
        _flatten(f"{path}.{key}" if path else key, part, depth + 1, found)
