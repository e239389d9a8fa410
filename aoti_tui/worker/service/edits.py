"""An inputs file with some of its values changed: to try what a call would do with others."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from ..protocol.problems import bad_request
from .files import load_file


def edited(path: str, edits: list[dict[str, Any]]) -> tuple[bytes, list[dict[str, Any]]]:
    """What `torch.save` writes of the file's values with `edits`, in the same lists and dicts, and
    what each edit changed.

    An edit names a value by its `place` (the order in which they are flattened) and does one of
    `write` (an index and a value), `number`, `clamp` (the ends, either may be null), `resize` (a
    dimension and its size; what is there is cut or repeated, and zeros where nothing is).
    """
    import torch

    content = load_file(path)
    changes: list[dict[str, Any]] = []
    for edit in edits:
        place = int(edit["place"])
        value = next((one for at, one in enumerate(_leaves(content)) if at == place), None)
        if value is None:
            raise bad_request(f"{path} holds no value {place}")
        changed, told = _changed(value, edit, torch)
        content = _with(content, place, changed, [0])
        changes.append(told)
    written = io.BytesIO()
    torch.save(content, written)
    return written.getvalue(), changes


def _leaves(content: Any) -> Iterator[Any]:
    """The values in the order in which `flatten` of files.py has them."""
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, (tuple, list)):
        for part in content:
            yield from _leaves(part)
    else:
        yield content


def _with(content: Any, place: int, value: Any, at: list[int]) -> Any:
    if isinstance(content, dict):
        return {key: _with(part, place, value, at) for key, part in content.items()}
    if isinstance(content, (tuple, list)):
        parts = [_with(part, place, value, at) for part in content]
        return parts if isinstance(content, list) else tuple(parts)
    at[0] += 1
    return value if at[0] - 1 == place else content


def _changed(value: Any, edit: dict[str, Any], torch: Any) -> tuple[Any, dict[str, Any]]:
    if not isinstance(value, torch.Tensor):
        if "number" not in edit:
            raise bad_request("it is a number: only another number can be put in its place")
        return type(value)(edit["number"]), {"count": 1, "before": value, "after": edit["number"]}
    tensor = value.detach().clone()
    if "write" in edit:
        index, number = edit["write"]
        at = tuple(int(one) for one in index)
        if len(at) != tensor.dim() or any(
            not 0 <= one < size for one, size in zip(at, tensor.shape)
        ):
            raise bad_request(f"there is no element {list(at)} in shape {list(tensor.shape)}")
        before = tensor[at].item()
        tensor[at] = number
        return tensor, {"count": 1, "before": before, "after": tensor[at].item()}
    if "clamp" in edit:
        low, high = edit["clamp"]
        clamped = torch.nan_to_num(tensor) if tensor.is_floating_point() else tensor
        clamped = clamped.clamp(low, high)
        different = (clamped != tensor).nonzero()
        first = [
            {
                "index": one,
                "before": tensor[tuple(one)].item(),
                "after": clamped[tuple(one)].item(),
            }
            for one in different[:8].tolist()
        ]
        return clamped, {"count": len(different), "first": first}
    if "resize" in edit:
        dim, size = (int(one) for one in edit["resize"])
        if not 0 <= dim < tensor.dim() or size < 0:
            raise bad_request(f"{list(tensor.shape)} has no dimension {dim} to resize to {size}")
        have = tensor.shape[dim]
        if have:
            made = tensor.index_select(dim, torch.arange(size) % have)
        else:
            shape = list(tensor.shape)
            shape[dim] = size
            made = torch.zeros(shape, dtype=tensor.dtype)
        return made, {"count": 1, "before": list(tensor.shape), "after": list(made.shape)}
    raise bad_request("an edit writes, clamps or resizes")
