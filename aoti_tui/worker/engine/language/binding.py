"""triton.language with its builtins bound to our builder: done once, for the process.

Triton's own interpreter patches the language at every launch and helper call; binding it once
is most of what makes a single program cheap here.
"""

from __future__ import annotations

import importlib
import inspect
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..operations.builder import Builder
from ..values.handle import plain
from . import shortcuts
from .control import single, truth

# Where CUDA's own functions stand, over the releases.
CUDA = ("cuda", "cuda.utils", "cuda.gdc", "cuda.libdevice")
# Modules whose functions are stand-ins that the compiler replaces by CUDA's.
STAND_INS = ("libdevice", "hip.libdevice")

_BINARY = "add sub mul truediv floordiv mod and or xor lshift rshift lt le gt ge eq ne"


class Binding:
    """`keyword` is the parameter through which builtins get `bound`, what they build with."""

    def __init__(self, tl: Any, builder: Builder) -> None:
        self.tl = tl
        semantic: Any = importlib.import_module("triton.language.semantic")
        if hasattr(semantic, "TritonSemantic"):
            self.keyword = "_semantic"
            self.bound = shortcuts.semantic(semantic.TritonSemantic, tl)(builder)
        else:
            # Before triton 3.4 (PR 7054) builtins took the builder itself.
            self.keyword, self.bound = "_builder", builder

    def bind(self, replaced: dict[str, Callable[..., Any]]) -> None:
        """Bind every builtin of the language; `replaced` are functions of our own by name."""
        tl = self.tl
        # Blocks, descriptors and, since 3.8, block pointers have builtins for methods.
        classes = [
            kind
            for kind in vars(tl.core).values()
            if inspect.isclass(kind) and kind.__module__ == tl.core.__name__
        ]
        for owner in (tl, tl.core, tl.math, *classes):
            self._bind_members(owner)
        for kind in classes:
            if getattr(kind, "__triton_block_ptr__", False):
                # Since 3.8, whose compiler gives them what they build with without being told.
                for name in ("advance", "load", "store"):
                    setattr(kind, name, self._bound(getattr(kind, name)))
        for owner in (tl, tl.core):
            for name, member in replaced.items():
                setattr(owner, name, _builtin(member))
        for name, member in replaced.items():
            if hasattr(tl.tensor, name):
                setattr(tl.tensor, name, _method(member))
        self._bind_methods()
        self._bind_cuda()
        shortcuts.remember_shapes(tl)
        tl.dtype.to_ir = lambda dtype, _: dtype
        for kind in (tl.pointer_type, tl.block_type):
            kind.to_ir = lambda dtype, _: dtype
        self._bind_tensor()

    def _bind_members(self, owner: Any) -> None:
        for name, member in inspect.getmembers(owner):
            if self.tl.core.is_builtin(member):
                setattr(owner, name, self._bound(member))

    def _bind_methods(self) -> None:
        """Methods of blocks that stand for functions: of tl.math (`x.exp()`), which were made
        before those became builtins and do not get `bound`, and jit functions (`x.sum()`), which
        the compiler gives the block and Python would not."""
        tl = self.tl
        jit: Any = importlib.import_module("triton.runtime.jit")
        for name, member in list(vars(tl.tensor).items()):
            if isinstance(member, jit.JITFunction):
                # The compiler binds these itself (code_generator.py, BoundJITMethod).
                setattr(tl.tensor, name, _method(member))
        for name, member in inspect.getmembers(tl.math, inspect.isfunction):
            if self.tl.core.is_builtin(member) and hasattr(tl.tensor, name):
                setattr(tl.tensor, name, _method(member))

    def _bind_cuda(self) -> None:
        """CUDA's own functions, also under the names that stand for them."""
        for name in CUDA:
            for module in _extra(name):
                self._bind_members(module)
        for device in _extra("cuda.libdevice"):
            functions = {
                name: member
                for name, member in vars(device).items()
                if self.tl.core.is_builtin(member)
            }
            for name in STAND_INS:
                for module in _extra(name):
                    vars(module).update(functions)

    def _bind_tensor(self) -> None:
        tl = self.tl
        tensor = tl.tensor
        tensor.__bool__ = truth
        tensor.__index__ = lambda value: int(single(value.handle))
        tensor.__int__ = tensor.__index__
        tensor.__float__ = lambda value: float(single(value.handle))
        tensor.__repr__ = lambda value: repr(value.handle.data)
        tensor.__str__ = lambda value: str(getattr(value.handle, "data", "a block pointer"))
        tensor.T = property(lambda value: tl.trans(value))
        self._bind_constexpr()
        if hasattr(tl, "condition"):
            tl.condition.__bool__ = lambda value: bool(plain(value.condition))

    def _bind_constexpr(self) -> None:
        """A constexpr beside a block is the number that it holds, as the compiler has it; left to
        Python it would become a constexpr of a block."""
        constexpr, tensor = self.tl.constexpr, self.tl.tensor

        def beside(name: str, usual: Any) -> Callable[..., Any]:
            def call(value: Any, other: Any) -> Any:
                if not isinstance(other, tensor):
                    return usual(value, other)
                return getattr(operator, name)(value.value, other)

            return call

        for word in _BINARY.split():
            name = f"__{word}__"
            setattr(constexpr, name, beside(name, getattr(constexpr, name)))

    def _bound(self, member: Any) -> Callable[..., Any]:
        inner = getattr(member, "__wrapped__", member)
        keyword, bound = self.keyword, self.bound
        if keyword not in inspect.signature(inner).parameters:
            # In 3.4 some of CUDA's functions were still written for the releases before.
            keyword = "_builder"

        def call(*args: Any, **kwargs: Any) -> Any:
            kwargs[keyword] = bound
            return inner(*args, **kwargs)

        call.__name__ = getattr(member, "__name__", "builtin")
        call.__wrapped__ = inner  # type: ignore[attr-defined]
        call.__triton_builtin__ = True  # type: ignore[attr-defined]
        return call


def _extra(name: str) -> list[ModuleType]:
    """A module of triton.language.extra: the one that is imported by its name, and the other one
    that is an attribute of its package, which loads its parts by hand."""
    try:
        found = [importlib.import_module(f"triton.language.extra.{name}")]
    except ImportError:
        return []
    owner: Any = importlib.import_module("triton.language.extra")
    for part in name.split("."):
        owner = getattr(owner, part, None)
    return found if owner is None or owner is found[0] else [*found, owner]


def _builtin(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as one of triton's own: packages ask a kernel for its `cache_key`, which refuses
    functions that are none (triton/runtime/jit.py, DependenciesFinder)."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    call.__module__ = "triton.language.core"
    call.__triton_builtin__ = True  # type: ignore[attr-defined]
    return call


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: function(*args, **kwargs)
