"""Reading tensors from files users have: torch.save output of any shape and age."""

from __future__ import annotations

import os
import pickle
import zipfile
from typing import Any

from .problems import bad_request


def load_file(path: str) -> Any:
    """`torch.load(path, weights_only=True, map_location="cpu")`, or a bad-request that says
    what the file is, why it cannot be read and what to do."""
    import torch

    if not os.path.exists(path):
        raise bad_request(f"{path} does not exist")
    if os.path.isdir(path):
        raise bad_request(f"{path} is a folder; a file written by torch.save is expected")
    try:
        return torch.load(path, weights_only=True, map_location="cpu")
    except pickle.UnpicklingError as error:
        raise bad_request(_pickle_problem(path, str(error))) from error
    except (RuntimeError, EOFError, ValueError, OSError, KeyError, AttributeError) as error:
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
    if zipfile.is_zipfile(path):
        try:
            names = zipfile.ZipFile(path).namelist()
        except zipfile.BadZipFile:
            return f"{path} is a damaged zip file"
        if not any(name.endswith("data.pkl") for name in names):
            return f"{path} is a zip file, but torch.save did not write it (no data.pkl in it)"
        return f"{path} cannot be loaded: {first}"
    if not os.path.getsize(path):
        return f"{path} is empty"
    return f"{path} is not a file written by torch.save: {first}"


def flatten(value: Any) -> list[tuple[str, Any]]:
    """Tensors and numbers of nested tuples, lists and dicts, in order, each with its path."""
    if isinstance(value, dict):
        parts = [(str(key), part) for key, part in value.items()]
    elif isinstance(value, (tuple, list)):
        parts = [(str(index), part) for index, part in enumerate(value)]
    else:
        return [("", value)]
    found = []
    for key, part in parts:
        for inner, leaf in flatten(part):
            found.append((f"{key}.{inner}" if inner else key, leaf))
    return found
