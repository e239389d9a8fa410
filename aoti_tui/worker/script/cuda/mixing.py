"""Tensors of two devices in one computation: what raises on a GPU raises here."""

from __future__ import annotations

from typing import Any

import torch

from .storages import Storages

_NAMES = """
    add sub mul div true_divide floor_divide remainder pow matmul mm bmm mv dot addmm
    addmv baddbmm maximum minimum fmod eq ne lt le gt ge isclose allclose equal cat
    concat stack hstack vstack logical_and logical_or logical_xor bitwise_and bitwise_or
    bitwise_xor
"""
_OPERATORS = """
    add sub mul truediv floordiv mod pow matmul eq ne lt le gt ge and or xor
"""


def _computations() -> set[Any]:
    names = _NAMES.split()
    found = {getattr(torch, name, None) for name in names}
    methods = [*names, *(f"{name}_" for name in names)]
    for name in _OPERATORS.split():
        methods += [f"__{name}__", f"__r{name}__", f"__i{name}__"]
    found |= {getattr(torch.Tensor, name, None) for name in methods}
    found |= {torch.nn.functional.linear, torch.nn.functional.layer_norm}
    return found - {None}


COMPUTATIONS = _computations()


def refuse_mixed(func: Any, given: list[Any], storages: Storages) -> None:
    """Raise torch's own RuntimeError where a GPU refuses a tensor of the CPU.

    A tensor of one number and no dimensions may come from the CPU.
    """
    if func not in COMPUTATIONS:
        return
    if any(one.dim() > 0 and not storages.holds(one) for one in given):
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            "cuda:0 and cpu!"
        )
