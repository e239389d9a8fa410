"""One launch: argument values bound to a kernel's parameters, on copies of the tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .arguments import Argument, arguments_of
from .dtypes import BY_NAME, BY_SIGNATURE, Number
from .floats import Array
from .handle import Handle
from .kernel import Kernel
from .language import Language, language
from .problems import bad_request
from .run import Execution, Run
from .tensors import Tensors

MAX_PROGRAMS = 1 << 31


@dataclass
class Launch:
    """Values by parameter name and the arguments whose storages they point into."""

    kernel: Kernel
    grid: tuple[int, int, int]
    blocks: dict[str, int]
    values: dict[str, Any]
    arguments: dict[str, Argument]
    language: Language

    def execution(self, function: Any) -> Execution:
        run = Run(self.grid, self.arguments)
        run.reads_atomics = self.kernel.ordered
        for flag in self.kernel.flags:
            run.findings.flag(flag["text"], flag["kernel_line"])
        return Execution(self.language, function, self.values, run)

    def programs(self) -> Array:
        """Every program of the grid, (n, 3), x slowest: the order in which they run."""
        x, y, z = self.grid
        count = x * y * z
        if count >= MAX_PROGRAMS:
            raise bad_request(f"a grid of {count} programs is too large to run")
        index = np.arange(count, dtype=np.int64)
        columns = (index // (y * z), index // z % y, index % z)
        return np.stack(columns, axis=1).astype(np.int32)

    def commit(self) -> None:
        """Write what the run stored back into the tensors themselves."""
        for argument in self.arguments.values():
            argument.storage.commit()


def bind(
    kernel: Kernel,
    given: dict[str, Any],
    blocks: dict[str, int],
    grid: list[int],
    tensors: Tensors,
) -> Launch:
    """Bind a request's `args` and `blocks`; a parameter without a value is a bad request."""
    lang = language()
    pointers = {}
    for name in kernel.parameters:
        value = given.get(name)
        if isinstance(value, dict) and "tensor" in value:
            pointers[name] = _tensor(tensors.named, value["tensor"], name)
    arguments = arguments_of(pointers, tensors.poisoned)
    values: dict[str, Any] = {}
    for name in kernel.parameters:
        values[name] = _value(kernel, name, given, blocks, pointers, arguments, lang)
    shape = [int(n) for n in grid] + [1] * (3 - len(grid))
    if any(n < 0 for n in shape):
        raise bad_request(f"the grid {grid} has a negative size")
    return Launch(kernel, (shape[0], shape[1], shape[2]), blocks, values, arguments, lang)


def _tensor(tensors: dict[str, Any], name: str, parameter: str) -> Any:
    found = tensors.get(name)
    if found is None:
        raise bad_request(f"argument {parameter} names the tensor {name}, which does not exist")
    return found


def _value(
    kernel: Kernel,
    name: str,
    given: dict[str, Any],
    blocks: dict[str, int],
    pointers: dict[str, Any],
    arguments: dict[str, Argument],
    lang: Language,
) -> Any:
    kind = kernel.signature.get(name, "")
    if name in pointers:
        return _pointer(kind, pointers[name], arguments[name], lang)
    raw: Any
    if name in given:
        raw = _number(given[name])
    elif name in blocks:
        raw = blocks[name]
    elif name in kernel.constants:
        raw = kernel.constants[name]
    elif name in kernel.defaults:
        raw = kernel.defaults[name]
    else:
        raise bad_request(f"parameter {name} of {kernel.name} has no value")
    if name in kernel.constexprs or raw is None or kind == "constexpr":
        return raw
    if not isinstance(raw, (bool, int, float)):
        return raw
    number = BY_SIGNATURE.get(kind)
    if number is None:
        return lang.scalar(raw)
    if number.kind in ("int", "uint", "bool") and isinstance(raw, float):
        raise bad_request(f"parameter {name} is {kind}, but its value is {raw}")
    return lang.scalar(raw, scalar_type(lang, number))


def _number(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    for key in ("int", "float", "bool"):
        if key in value:
            return value[key]
    return None


def scalar_type(lang: Language, number: Number) -> Any:
    """The Triton dtype of a number type."""
    names = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "fp64": "float64"}
    short = number.triton
    return getattr(lang.tl, names.get(short, short.replace("fp8", "float8")))


def _pointer(kind: str, tensor: Any, argument: Argument, lang: Language) -> Any:
    element = kind.lstrip("*").replace("k", "", 1) if kind.startswith("*k") else kind.lstrip("*")
    number = BY_SIGNATURE.get(element)
    if number is None:
        number = BY_NAME.get(str(tensor.dtype).replace("torch.", ""))
    if number is None:
        raise bad_request(f"argument {argument.name} has type {tensor.dtype}, which kernels lack")
    dtype = lang.tl.pointer_type(scalar_type(lang, number))
    return lang.tl.tensor(Handle(np.zeros(1, np.int64), dtype, (), argument), dtype)
