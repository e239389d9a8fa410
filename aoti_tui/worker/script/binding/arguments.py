"""A user's arguments as the engine takes them: pointers, scalars, tuples, descriptors."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Callable

import numpy as np
import torch
from triton.runtime.jit import TensorWrapper

from ...engine.errors import Unsupported
from ...engine.language.language import Language
from ...engine.numbers.dtypes import BY_NAME, BY_SIGNATURE, BY_TRITON, Number
from ...engine.numbers.floats import Array
from ...engine.programs.launch import pointer_to
from ...engine.values.arguments import Argument, Storage, arguments_of

MakeStorage = Callable[[Any, Array], Storage]


def number_of(tensor: Any) -> Number:
    """The type of a tensor's elements, or of what a TensorWrapper takes them for."""
    return number_of_type(tensor.dtype)


def number_of_type(dtype: Any) -> Number:
    """The type that torch or triton name so."""
    name = getattr(dtype, "name", None) or str(dtype).rsplit(".", 1)[-1]
    found = BY_NAME.get(name) or BY_TRITON.get(name)
    if found is None:
        raise Unsupported(f"tensors of {dtype} cannot be given to a kernel")
    return found


def base_of(tensor: Any) -> Any:
    """The torch tensor behind a TensorWrapper (triton.reinterpret), or the tensor itself.

    Of a package's own class that has a pointer of its own into a tensor (flag-gems'
    StridedBuffer) it is all of the storage from there on. Raises Unsupported for other memory.
    """
    while not isinstance(tensor, torch.Tensor):
        inner = getattr(tensor, "base", None)
        inner = getattr(tensor, "_base", None) if inner is None else inner
        if inner is None:
            raise Unsupported(f"whose memory a {type(tensor).__name__} points into is not known")
        if isinstance(inner, torch.Tensor) and tensor.data_ptr() != inner.data_ptr():
            untyped = inner.untyped_storage()
            size = inner.element_size()
            first = (tensor.data_ptr() - untyped.data_ptr()) // size
            count = untyped.nbytes() // size - first
            return torch.empty(0, dtype=inner.dtype).set_(untyped, first, (count,), (1,))
        tensor = inner
    return tensor


def is_tensor(value: Any) -> bool:
    """Whether triton takes a value for a pointer."""
    return hasattr(value, "data_ptr") and hasattr(value, "dtype")


def is_descriptor(value: Any) -> bool:
    """Whether it is triton.tools.tensor_descriptor's TensorDescriptor, of any release."""
    return type(value).__name__ == "TensorDescriptor" and hasattr(value, "block_shape")


def tensors_of(values: dict[str, Any], constexprs: frozenset[str]) -> dict[str, Any]:
    """Every tensor among arguments, by the path to it: `x`, `view.ptr`, `others[1].ptr`."""
    found: dict[str, Any] = {}

    def look(path: str, value: Any) -> None:
        if is_descriptor(value):
            found[path] = value.base
        elif is_tensor(value):
            found[path] = value
        elif isinstance(value, (tuple, list)):
            fields = getattr(value, "_fields", None)
            for index, part in enumerate(value):
                look(f"{path}.{fields[index]}" if fields else f"{path}[{index}]", part)

    for name, value in values.items():
        if name not in constexprs:
            look(name, value)
    return found


class Binder:
    """Binds the values of one launch; `arguments` are the tensors among them, by path."""

    def __init__(
        self,
        language: Language,
        values: dict[str, Any],
        constexprs: frozenset[str],
        annotated: dict[str, str],
        poisoned: dict[int, Number],
        make: MakeStorage,
        pointed: Mapping[str, tuple[Any, int]] = MappingProxyType({}),
    ) -> None:
        """`pointed`: tensors that the kernel comes by the addresses of, and those."""
        self.language = language
        self.annotated = annotated
        self.tensors = tensors_of(values, constexprs)
        self.bases = {path: base_of(tensor) for path, tensor in self.tensors.items()}
        # A class of a package's own may lead anywhere in its storage, backwards too.
        own = (torch.Tensor, TensorWrapper)
        self.views = {
            path: self.bases[path] for path, t in self.tensors.items() if isinstance(t, own)
        }
        others = {path: tensor for path, (tensor, _) in pointed.items()}
        self.arguments: dict[str, Argument] = arguments_of(self.bases | others, poisoned, make)
        for path, (_, address) in pointed.items():
            self.arguments[path].lies_at = address
        self.values = {
            name: value if name in constexprs else self._value(name, value)
            for name, value in values.items()
        }

    def _value(self, path: str, value: Any) -> Any:
        if is_descriptor(value):
            return self._descriptor(path, value)
        if is_tensor(value):
            number = number_of(value)
            return pointer_to(self.arguments[path], number, self.language)
        if isinstance(value, (tuple, list)):
            fields = getattr(value, "_fields", None)
            parts = [
                self._value(f"{path}.{fields[i]}" if fields else f"{path}[{i}]", part)
                for i, part in enumerate(value)
            ]
            return type(value)(*parts) if fields else tuple(parts)
        if isinstance(value, (np.integer, np.floating, np.bool_)):
            value = value.item()
        if isinstance(value, (bool, int, float)):
            return self._scalar(path, value)
        return value

    def _scalar(self, name: str, value: Any) -> Any:
        values = self.language.values
        number = BY_SIGNATURE.get(self.annotated.get(name, ""))
        if number is None:
            if isinstance(value, float):
                # The compiler passes every float as fp32, whatever its size.
                return values.scalar(value, self.language.tl.float32)
            return values.scalar(value)
        return values.scalar(value, values.dtype(number))

    def _descriptor(self, path: str, value: Any) -> Any:
        language = self.language
        tl = language.tl
        base = pointer_to(self.arguments[path], number_of(value.base), language)
        values = language.values
        padding = getattr(value, "padding", "zero")
        more = {} if padding == "zero" else {"padding_option": padding}
        return tl.make_tensor_descriptor(
            base,
            shape=[values.scalar(int(size)) for size in value.shape],
            strides=[
                *(values.scalar(int(stride)) for stride in value.strides[:-1]),
                tl.constexpr(1),
            ],
            block_shape=[tl.constexpr(int(size)) for size in value.block_shape],
            **more,
        )
