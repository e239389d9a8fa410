"""How kernels take a tensor: the dtype that they declare, its address or its one element."""

from __future__ import annotations

from aoti_tui.index.model import Function, Kernel, WrapperIndex
from aoti_tui.replay.data.held_tensors import DTYPE_OF_SIGNATURE


def dtype_in_launches(index: WrapperIndex, name: str, function: Function) -> str | None:
    """Dtype of a function's tensor as the first kernel that takes it declares it."""
    for launch in index.launches:
        if launch.function != function:
            continue
        kernel: Kernel | None = index.kernels.get(launch.kernel)
        if kernel is None:
            continue
        types = {p.name: p.type for p in kernel.parameters}
        for argument in launch.arguments:
            if argument.tensor is not None and argument.tensor.base == name:
                found = DTYPE_OF_SIGNATURE.get(types.get(argument.parameter, "").removeprefix("*"))
                if found is not None:
                    return found
    return None


def is_passed_by_value(index: WrapperIndex, name: str) -> bool:
    """Whether a kernel takes a tensor's one element instead of its address."""
    for launch in index.launches:
        kernel = index.kernels.get(launch.kernel)
        by_value = {p.name for p in kernel.parameters if p.is_value} if kernel else set()
        for argument in launch.arguments:
            if argument.tensor is not None and argument.tensor.base == name:
                return argument.parameter in by_value
    return False
