"""What if: other values for an argument's element or a scalar of a launch that is run again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...protocol.problems import bad_request
from ..binding.arguments import base_of, is_descriptor, is_tensor


@dataclass(frozen=True)
class Setting:
    """`element` counts from the argument's first one; None sets the whole of a scalar."""

    argument: str
    element: int | None
    value: Any


def apply(settings: Sequence[Setting], values: dict[str, Any]) -> dict[str, Any]:
    """Values with the settings on them; tensors are copied before they are changed."""
    result = dict(values)
    for one in settings:
        if one.argument not in result:
            raise bad_request(f"the launch has no argument {one.argument}")
        old = result[one.argument]
        if one.element is None:
            if is_tensor(old) or is_descriptor(old):
                raise bad_request(f"{one.argument} is a tensor: name an element of it")
            result[one.argument] = one.value
        else:
            result[one.argument] = _with_element(old, one)
    return result


def _with_element(tensor: Any, one: Setting) -> Any:
    import torch

    if not is_tensor(tensor):
        raise bad_request(f"{one.argument} is no tensor")
    base = base_of(tensor)
    untyped = base.untyped_storage().clone()
    flat = torch.empty(0, dtype=base.dtype)
    flat.set_(untyped, base.storage_offset(), (untyped.nbytes() // base.element_size(),), (1,))
    count = untyped.nbytes() // base.element_size() - base.storage_offset()
    if not 0 <= (one.element or 0) < count:
        raise bad_request(f"{one.argument} has elements 0..{count - 1}, not {one.element}")
    flat = flat[:count]
    flat[one.element] = one.value
    return torch.empty(0, dtype=base.dtype).set_(
        untyped, base.storage_offset(), tuple(base.shape), tuple(base.stride())
    )
