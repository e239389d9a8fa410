"""Ops outside of kernels, run by torch on the CPU under the names wrappers call them by."""

from __future__ import annotations

from typing import Any, Optional

from .problems import unsupported
from .tensors import Tensors


def call_extern(
    tensors: Tensors, op: str, aten: Optional[str], args: list[Any], outputs: list[str]
) -> dict[str, Any]:
    raise unsupported(f"{op} is not replayed")
