"""Random numbers "drawn on cuda": a generator of their own, as a GPU has one.

The numbers are not those of a GPU, but those drawn on the CPU are as if they had not been.
"""

from __future__ import annotations

from typing import Any

import torch

from .devices import CUDA, is_cuda

FLAG = "random numbers drawn on cuda are not those that a GPU draws"


def _names(owner: Any, *names: str) -> set[Any]:
    return {getattr(owner, name) for name in names if hasattr(owner, name)}


FACTORIES = _names(torch, "rand", "randn", "randint", "randperm", "normal")
IN_PLACE = _names(
    torch.Tensor,
    "uniform_",
    "normal_",
    "random_",
    "exponential_",
    "bernoulli_",
    "cauchy_",
    "geometric_",
    "log_normal_",
)
OF_A_TENSOR = _names(torch, "bernoulli", "multinomial", "poisson") | _names(
    torch.Tensor, "bernoulli", "multinomial"
)
"""Functions that draw with the generator they are given."""
WITHOUT_GENERATOR = _names(torch, "rand_like", "randn_like", "randint_like", "dropout") | _names(
    torch.nn.functional, "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout"
)
WITH_GENERATOR = FACTORIES | IN_PLACE | OF_A_TENSOR
DRAW = WITH_GENERATOR | WITHOUT_GENERATOR


def stand_in_generator() -> type:
    """A `torch.Generator` that can be one "on cuda"."""

    class Generator(torch._C.Generator):  # type: ignore[misc]
        _on_cuda = False

        def __new__(cls, device: Any = "cpu") -> Any:
            on_cuda = is_cuda(device)
            made = super().__new__(cls, device="cpu" if on_cuda else device)
            made._on_cuda = on_cuda
            return made

        @property
        def device(self) -> Any:
            return CUDA if self._on_cuda else super().device

    return Generator
