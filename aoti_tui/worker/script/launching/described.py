"""A launch's arguments as the interface shows them beside the parameters."""

from __future__ import annotations

from typing import Any

from ...protocol.encode import number_json
from ..binding.arguments import base_of, is_descriptor, is_tensor
from .call_site import CallSite

_LONGEST = 200


def described(
    values: dict[str, Any], constexprs: frozenset[str], site: CallSite, on_cuda: Any
) -> list[dict[str, Any]]:
    """`arguments` of a `launch` event; parts of tuples follow their tuple, by path."""
    result: list[dict[str, Any]] = []
    texts = dict(zip(values, site.texts)) | site.keywords
    for name, value in values.items():
        text = texts.get(name, "")
        one = {"name": name, "text": text, "user_name": text if text.isidentifier() else None}
        kind = "constexpr" if name in constexprs else None
        result += _one(one, value, kind, on_cuda)
    return result


def _one(head: dict[str, Any], value: Any, kind: str | None, on_cuda: Any) -> list[dict[str, Any]]:
    if kind is None and (is_tensor(value) or is_descriptor(value)):
        return [{**head, **_tensor(value, on_cuda)}]
    if kind is None and isinstance(value, (tuple, list)):
        fields = getattr(value, "_fields", None)
        parts = [{**head, "kind": "tuple", "value": f"tuple of {len(value)}"}]
        for index, part in enumerate(value):
            step = f".{fields[index]}" if fields else f"[{index}]"
            inner = {"name": head["name"] + step, "text": "", "user_name": None}
            parts += _one(inner, part, None, on_cuda)
        return parts
    return [{**head, "kind": kind or _kind(value), "value": _shown(value)}]


def _kind(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, (bool, int, float)):
        return "scalar"
    return "function" if callable(value) and not isinstance(value, type) else "constexpr"


def _shown(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float)):
        return number_json(value)
    jit = getattr(value, "fn", None)
    text = getattr(jit, "__name__", "") or str(value)
    return text[:_LONGEST]


def _tensor(value: Any, on_cuda: Any) -> dict[str, Any]:
    base = base_of(value.base if is_descriptor(value) else value)
    shown = value.base if is_descriptor(value) else value
    found = {
        "kind": "descriptor" if is_descriptor(value) else "tensor",
        "dtype": str(shown.dtype).rsplit(".", 1)[-1],
        "shape": list(shown.shape),
        "stride": list(shown.stride()),
        "offset": int(base.storage_offset()),
        "device": "cuda:0" if on_cuda(base) else str(base.device),
        "storage_bytes": int(base.untyped_storage().nbytes()),
    }
    if is_descriptor(value):
        found["block"] = [int(size) for size in value.block_shape]
    return found
