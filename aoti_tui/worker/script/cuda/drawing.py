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


_MOST_STATES = 4096


def _signed(seed: int) -> int:
    """As the int64 that a tensor holds."""
    return seed - 2**64 if seed >= 2**63 else seed


def stand_in_generator() -> type:
    """A `torch.Generator` that can be one "on cuda"."""

    class Generator(torch._C.Generator):  # type: ignore[misc]
        """What a state tells is a GPU's: eight bytes of seed, eight of how much was drawn."""

        _on_cuda = False

        def __new__(cls, device: Any = "cpu") -> Any:
            on_cuda = is_cuda(device)
            made = super().__new__(cls, device="cpu" if on_cuda else device)
            made._on_cuda = on_cuda
            made._offset = 0
            made._states = {}
            return made

        def get_state(self) -> Any:
            own = super().get_state()
            if not self._on_cuda:
                return own
            last = self._states.get((self.initial_seed(), self._offset))
            if last is not None and not torch.equal(last, own):
                self._offset += 4
            self._states[self.initial_seed(), self._offset] = own
            if len(self._states) > _MOST_STATES:
                del self._states[next(iter(self._states))]
            told = [_signed(self.initial_seed()), self._offset]
            return torch.tensor(told, dtype=torch.int64).view(torch.uint8)

        def set_state(self, state: Any) -> Any:
            if not self._on_cuda or state.numel() != 16:
                return super().set_state(state)
            seed, offset = (int(word) for word in state.cpu().contiguous().view(torch.int64))
            known = self._states.get((seed % 2**64, offset))
            super().manual_seed(seed)
            self._offset = offset
            if known is not None:
                super().set_state(known)
            elif offset:
                # Not the same numbers as for another offset, and the same each time.
                torch.empty(offset % 1021 + 1).uniform_(generator=self)
            return self

        def manual_seed(self, seed: int) -> Any:
            self._offset = 0
            return super().manual_seed(seed)

        @property
        def device(self) -> Any:
            return CUDA if self._on_cuda else super().device

    return Generator
