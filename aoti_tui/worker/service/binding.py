"""A request's `args`, `blocks` and `grid`, bound to a kernel's parameters."""

from __future__ import annotations

from typing import Any

from ..engine.language.language import Language, language
from ..engine.numbers.dtypes import BY_NAME, BY_SIGNATURE
from ..engine.programs.launch import Launch, pointer_to
from ..engine.values.arguments import Argument, arguments_of
from ..protocol.problems import bad_request
from .kernels import SentKernel
from .session_tensors import SessionTensors, short_name


def bind(sent: SentKernel, request: dict[str, Any], tensors: SessionTensors) -> Launch:
    """The launch that a request asks for; a parameter without a value is a bad request."""
    binder = _Binder(sent, request, tensors)
    grid = request["grid"]
    shape = [int(n) for n in grid] + [1] * (3 - len(grid))
    if any(n < 0 for n in shape):
        raise bad_request(f"the grid {grid} has a negative size")
    return Launch(
        sent.kernel,
        (shape[0], shape[1], shape[2]),
        {name: binder.value(name) for name in sent.kernel.parameters},
        binder.arguments,
        binder.language,
    )


def blocks_of(request: dict[str, Any]) -> dict[str, int]:
    """Block sizes by parameter."""
    return {name: int(value) for name, value in (request.get("blocks") or {}).items()}


class _Binder:
    def __init__(self, sent: SentKernel, request: dict[str, Any], tensors: SessionTensors) -> None:
        self.sent = sent
        self.given: dict[str, Any] = request.get("args") or {}
        self.blocks = blocks_of(request)
        self.language: Language = language()
        self.tensors: dict[str, Any] = {}
        for name in sent.kernel.parameters:
            value = self.given.get(name)
            if isinstance(value, dict) and "tensor" in value:
                self.tensors[name] = _tensor(tensors.named, value["tensor"], name)
        self.arguments: dict[str, Argument] = arguments_of(self.tensors, tensors.poisoned)

    def value(self, name: str) -> Any:
        """What the kernel is called with for a parameter."""
        sent = self.sent
        kind = sent.signature.get(name, "")
        if name in self.tensors:
            return self._pointer(kind, name)
        raw: Any
        if name in self.given:
            raw = _number(self.given[name])
        elif name in self.blocks:
            raw = self.blocks[name]
        elif name in sent.constants:
            raw = sent.constants[name]
        elif name in sent.kernel.defaults:
            raw = sent.kernel.defaults[name]
        else:
            raise bad_request(f"parameter {name} of {sent.kernel.name} has no value")
        if name in sent.constexprs or not isinstance(raw, (bool, int, float)):
            return raw
        number = BY_SIGNATURE.get(kind)
        if number is None:
            return self.language.values.scalar(raw)
        if number.kind in ("int", "uint", "bool") and isinstance(raw, float):
            raise bad_request(f"parameter {name} is {kind}, but its value is {raw}")
        return self.language.values.scalar(raw, self.language.values.dtype(number))

    def _pointer(self, kind: str, name: str) -> Any:
        element = kind.lstrip("*")
        if kind.startswith("*k"):
            element = element.replace("k", "", 1)
        dtype = self.tensors[name].dtype
        number = BY_SIGNATURE.get(element) or BY_NAME.get(short_name(dtype))
        if number is None:
            raise bad_request(f"argument {name} has type {dtype}, which kernels lack")
        return pointer_to(self.arguments[name], number, self.language)


def _tensor(tensors: dict[str, Any], name: str, parameter: str) -> Any:
    found = tensors.get(name)
    if found is None:
        raise bad_request(f"argument {parameter} names the tensor {name}, which does not exist")
    return found


def _number(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    for key in ("int", "float", "bool"):
        if key in value:
            return value[key]
    return None
