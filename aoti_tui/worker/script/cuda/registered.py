"""What a script registers with torch's dispatcher for CUDA: its tensors are the CPU's here.

Custom operators (`custom_op(device_types="cuda")`, `register_kernel("cuda")`) and those of torch
that a library overrides (`Library("aten", "IMPL").impl("mm", fn, "CUDA")`) end in `Library.impl`.
"""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch
import torch.library

from .devices import is_cuda
from .storages import Storages, tensors_in

Flag = Callable[[str], None]


class Registered:
    """Gives a kernel registered for CUDA a place under the CPU's key too, where it takes the calls
    whose tensors are on cuda and leaves the others to what was there before."""

    def __init__(
        self, storages: Storages, enter: Callable[[], AbstractContextManager[Any]], flag: Flag
    ) -> None:
        self.storages = storages
        self.enter = enter
        self.flag = flag
        self._for_cuda: dict[str, tuple[Any, Callable[..., Any], bool]] = {}
        """By operator: the library (weakly), the kernel, and whether it takes the key set."""

    def install(self) -> None:
        library = torch.library.Library
        impl = library.impl

        @functools.wraps(impl)
        def register(
            lib: Any, op_name: Any, fn: Any, dispatch_key: str = "", *args: Any, **options: Any
        ) -> None:
            impl(lib, op_name, fn, dispatch_key, *args, **options)
            key = dispatch_key or lib.dispatch_key
            name = _full_name(lib, op_name)
            if key == "CUDA" and fn is not torch.library.fallthrough_kernel:
                with_keyset = bool(options.get("with_keyset", args[0] if args else False))
                self._for_cuda[name] = (weakref.ref(lib), fn, with_keyset)
                self._put(name)
            elif key == "CPU":
                self._put(name)

        library.impl = register

    def _put(self, name: str) -> None:
        """Put the kernel for CUDA above whatever the CPU has now."""
        owner, fn, with_keyset = self._for_cuda.get(name, (None, None, False))
        lib = owner() if owner is not None else None
        if lib is None or lib.m is None or fn is None:
            return
        before = None
        if torch._C._dispatch_has_computed_kernel_for_dispatch_key(name, "CPU"):
            if not hasattr(torch.library, "get_kernel"):
                self.flag(
                    f"{name} is registered for CUDA and has a kernel for the CPU, which is run: "
                    "with torch before 2.9 there is no way to have both here"
                )
                return
            before = torch.library.get_kernel(name, "CPU")

        def chosen(keys: Any, *args: Any, **kwargs: Any) -> Any:
            if self._on_cuda(args, kwargs):
                with self.enter():
                    return fn(keys, *args, **kwargs) if with_keyset else fn(*args, **kwargs)
            if before is None:
                raise NotImplementedError(
                    f"Could not run '{name}' with arguments from the 'CPU' backend: it is "
                    "registered for CUDA alone"
                )
            return before.call_boxed(keys, *args, **kwargs)

        with warnings.catch_warnings():
            # That a kernel is overridden is so here alone, not where there is a GPU.
            warnings.simplefilter("ignore")
            lib.m.impl(name, "CPU", chosen, True)

    def _on_cuda(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        given = list(tensors_in((args, kwargs)))
        if not given:
            device = kwargs.get("device")
            return device is not None and is_cuda(device)
        return any(self.storages.holds(one) for one in given)


def _full_name(lib: Any, op_name: Any) -> str:
    """`namespace::name.overload` of a name, with or without its namespace, or of an overload."""
    if isinstance(op_name, str):
        return op_name if "::" in op_name else f"{lib.ns}::{op_name}"
    schema = op_name._schema
    return f"{schema.name}.{schema.overload_name}" if schema.overload_name else str(schema.name)
