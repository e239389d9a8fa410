"""Functions numpy lacks, from torch's own CPU kernels."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .floats import Array


def through_torch(name: str) -> Callable[..., Array]:
    """`torch.special.<name>` (or `torch.<name>`) over numpy arrays, calculated in float64."""

    def function(*values: Array) -> Array:
        import torch

        implementation: Any = getattr(torch.special, name, None) or getattr(torch, name)
        arrays = np.broadcast_arrays(*[np.asarray(v, dtype=np.float64) for v in values])
        tensors = [torch.from_numpy(np.ascontiguousarray(a)) for a in arrays]
        result: Array = implementation(*tensors).numpy()
        return result.reshape(arrays[0].shape)

    return function


erf = through_torch("erf")
