"""triton.language with its builtins bound to our builder: done once, for the process.

Triton's own interpreter patches the language at every launch and helper call; binding it once
is most of what makes a single program cheap here.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Callable

import numpy as np

from .builder import Builder
from .findings import kernel_frame, kernel_line
from .handle import Handle, plain
from .problems import KERNEL_FILE, unavailable, unsupported
from .reduction import Reductions, as_tuple
from .rewrite import Rewriter, logic, spread
from .windows import put_back


class Divergence(Exception):
    """Programs run together disagree on a branch; `groups` numbers which belong together.

    Groups are numbered in the order of their first programs.
    """

    def __init__(self, values: Any) -> None:
        super().__init__("programs take different branches")
        _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        self.groups = np.argsort(np.argsort(first))[inverse.reshape(-1)]


def single(handle: Handle) -> Any:
    """The one value a scalar has in all programs; Divergence where they differ."""
    values = handle.data.reshape(-1)
    if len(values) > 1 and (values != values[0]).any():
        raise Divergence(values)
    return values[0].item()


class Namespace:
    """What a kernel sees as a module: names and nothing behind them."""

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        self.__name__ = name
        self.__dict__.update(members)


class Language:
    """`tl`: the bound triton.language; `builder`: whose `run` each run sets."""

    def __init__(self) -> None:
        self.tl: Any = importlib.import_module("triton.language")
        self.interpreter: Any = importlib.import_module("triton.runtime.interpreter")
        try:
            ir: Any = importlib.import_module("triton._C.libtriton").ir
            self.builder = Builder(self.tl, ir)
            semantic: Any = importlib.import_module("triton.language.semantic")
            if hasattr(semantic, "TritonSemantic"):
                self.keyword, self.bound = "_semantic", semantic.TritonSemantic(self.builder)
            else:
                # Before triton 3.4 (PR 7054) builtins took the builder itself.
                self.keyword, self.bound = "_builder", self.builder
            self._replace_interpreter()
            self.reductions = Reductions(self.tl, self.builder)
            self._bind()
        except AttributeError as error:
            raise unavailable(
                "triton", f"this triton's interpreter is not one the worker knows: {error}"
            ) from error

    def _replace_interpreter(self) -> None:
        """triton's own jit functions (tl.sum, tl.rand…) find our builder and skip re-patching."""
        module = self.interpreter
        module.interpreter_builder = self.builder
        if hasattr(module, "interpreter_semantic"):
            module.interpreter_semantic = self.bound
        rewritten: dict[Any, Callable[..., Any]] = {}

        def call(function: Any, *args: Any, **kwargs: Any) -> Any:
            ready = rewritten.get(function)
            if ready is None:
                ready = self._library_function(function.fn)
                rewritten[function] = ready
            return ready(*args, **kwargs)

        module.InterpretedFunction.__call__ = call

    def _library_function(self, function: Any) -> Callable[..., Any]:
        """A jit function of triton or torch, rewritten as kernels are.

        Run as plain Python, `a and b` on blocks would be decided once for all lanes.
        """
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        changed = ast.fix_missing_locations(Rewriter(recording=False).visit(tree))
        scope = {**function.__globals__, **self.hooks()}
        exec(compile(changed, inspect.getsourcefile(function) or "<library>", "exec"), scope)
        ready: Callable[..., Any] = scope[function.__name__]
        return ready

    def hooks(self) -> dict[str, Any]:
        """What rewritten functions call where nothing is recorded."""
        return {
            **logic(self.tl, self.settle),
            "__settle": self.settle,
            "__spread": lambda value: self.settle(tuple(spread(value))),
        }

    def _bind(self) -> None:
        tl = self.tl
        classes = [tl.tensor]
        for name in (
            "tensor_descriptor_base",
            "tensor_descriptor",
            "_experimental_tensor_descriptor",
        ):
            kind = getattr(tl.core, name, None)
            if inspect.isclass(kind):
                classes.append(kind)
        for owner in (tl, tl.core, tl.math, *classes):
            for name, member in inspect.getmembers(owner):
                if tl.core.is_builtin(member):
                    setattr(owner, name, self._bound(member))
        special = {
            "reduce": self.reductions.reduce,
            "associative_scan": self.reductions.scan,
            "device_assert": self._device_assert,
            "device_print": _nothing,
            "static_print": _nothing,
            "static_assert": _static_assert,
            "multiple_of": _same,
            "max_contiguous": _same,
            "max_constancy": _same,
            "range": self.range,
            "static_range": _static_range,
            "inline_asm_elementwise": _inline_assembly,
        }
        for owner in (tl, tl.core):
            for name, member in special.items():
                setattr(owner, name, member)
        if not hasattr(tl, "advance"):
            put_back(self)
        tl.dtype.to_ir = lambda dtype, _: dtype
        for kind in (tl.pointer_type, tl.block_type):
            kind.to_ir = lambda dtype, _: dtype
        tensor = tl.tensor
        tensor.__bool__ = _truth
        tensor.__index__ = lambda value: int(single(value.handle))
        tensor.__int__ = tensor.__index__
        tensor.__float__ = lambda value: float(single(value.handle))
        tensor.__repr__ = lambda value: repr(value.handle.data)
        tensor.__str__ = tensor.__repr__
        tensor.T = property(lambda value: tl.trans(value))
        for name, function in (
            ("reduce", self.reductions.reduce),
            ("associative_scan", self.reductions.scan),
        ):
            setattr(tensor, name, _method(function))

    def _bound(self, member: Any) -> Callable[..., Any]:
        inner = getattr(member, "__wrapped__", member)
        keyword, bound = self.keyword, self.bound

        def call(*args: Any, **kwargs: Any) -> Any:
            kwargs[keyword] = bound
            return inner(*args, **kwargs)

        call.__name__ = getattr(member, "__name__", "builtin")
        call.__triton_builtin__ = True  # type: ignore[attr-defined]
        return call

    # values

    def tensor(self, handle: Handle) -> Any:
        """A Triton tensor over a handle."""
        shape = handle.shape
        kind = self.tl.block_type(handle.dtype, list(shape)) if shape else handle.dtype
        return self.tl.tensor(handle, kind)

    def scalar(self, value: Any, dtype: Any = None) -> Any:
        """A Python number as a scalar tensor, of the type the compiler would give it."""
        tl = self.tl
        if dtype is None:
            if isinstance(value, bool):
                dtype = tl.int1
            elif isinstance(value, int):
                dtype = self._integer_type(value)
            else:
                small = value == 0 or value != value or abs(value) == float("inf")
                fits = small or 2.0**-126 <= abs(value) <= (2 - 2**-23) * 2.0**127
                dtype = tl.float32 if fits else tl.float64
        from .dtypes import BY_TRITON

        number = BY_TRITON[dtype.name]
        if isinstance(value, int) and number.kind in ("int", "uint"):
            bits = number.size * 8
            wrapped = value & ((1 << bits) - 1)
            data = np.array([wrapped], dtype=f"u{number.size}").view(number.values)
        else:
            data = np.array([value]).astype(number.values)
            if number.small is not None:
                from .floats import round_to

                data = round_to(data, number.small)
        return tl.tensor(Handle(data, dtype, ()), dtype)

    def _integer_type(self, value: int) -> Any:
        tl = self.tl
        if -(2**31) <= value < 2**31:
            return tl.int32
        if 2**31 <= value < 2**32:
            return tl.uint32
        return tl.int64 if -(2**63) <= value < 2**63 else tl.uint64

    def settle(self, value: Any) -> Any:
        """What an assignment stores: numbers become tensors, as in the compiler."""
        if isinstance(value, self.tl.tensor):
            return value
        value = plain(value) if isinstance(value, self.tl.constexpr) else value
        if isinstance(value, (bool, int, float)):
            return self.scalar(value)
        if isinstance(value, tuple):
            return tuple(self.settle(part) for part in value)
        return value

    def range(self, *bounds: Any, **keywords: Any) -> Iterator[Any]:
        """`range` and tl.range: the loop variable is a scalar of the bounds' type."""
        start: Any = 0
        step: Any = keywords.get("step", 1)
        if len(bounds) == 1:
            stop = bounds[0]
        else:
            start, stop = bounds[0], bounds[1]
            step = bounds[2] if len(bounds) > 2 else step
        wide = any(_is_wide(bound) for bound in (start, stop, step))
        dtype = self.tl.int64 if wide else self.tl.int32
        kind = np.int64 if wide else np.int32
        first, last, by = (_values(bound) for bound in (start, stop, step))
        counts = np.maximum(-((first - last) // by), 0)
        if (counts != counts[0]).any():
            raise Divergence(counts)
        for index in range(int(counts[0])):
            data = (first + by * index).astype(kind)
            yield self.tl.tensor(Handle(data, dtype, ()), dtype)

    def _device_assert(self, cond: Any, msg: Any = "", mask: Any = None, **_: Any) -> None:
        condition = self.settle(cond)
        handle = condition.handle
        data = handle.data if handle.data.dtype == np.bool_ else handle.data != 0
        text = str(plain(msg))
        shape = handle.shape
        if mask is not None:
            allowed = self.settle(mask).handle
            data = data | (allowed.data == 0)
            shape = max(shape, allowed.shape, key=len)
        self.builder.run.asserted(text, Handle(data, handle.dtype, shape), kernel_frame())


def _is_wide(value: Any) -> bool:
    handle = getattr(value, "handle", None)
    if isinstance(handle, Handle):
        return handle.data.dtype.itemsize > 4 or handle.data.dtype == np.uint32
    return not -(2**31) <= int(plain(value)) < 2**31


def _values(bound: Any) -> Any:
    handle = getattr(bound, "handle", None)
    if isinstance(handle, Handle):
        return handle.data.reshape(-1).astype(np.int64)
    return np.array([int(plain(bound))], dtype=np.int64)


def _truth(tensor: Any) -> bool:
    handle = tensor.handle
    if handle.shape and np.prod(handle.shape) > 1:
        caller = sys._getframe(1)
        if caller.f_code.co_filename != KERNEL_FILE:
            # triton's own code asks only whether there is a tensor at all (`if mask:`).
            return True
        raise unsupported("a block of several lanes is used as a condition", caller.f_lineno)
    return bool(single(handle))


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: function(*args, **kwargs)


def _nothing(*_: Any, **__: Any) -> None:
    """Printing on the device has no reader here."""


def _same(value: Any, *_: Any, **__: Any) -> Any:
    return value


def _static_assert(condition: Any, message: Any = "", **_: Any) -> None:
    if not plain(condition):
        raise AssertionError(f"static assert: {plain(message)}")


def _static_range(*bounds: Any, **keywords: Any) -> Any:
    numbers = [int(plain(bound)) for bound in bounds]
    step = int(plain(keywords.get("step", 1)))
    if len(numbers) < 3:
        numbers = [*([0] if len(numbers) == 1 else []), *numbers, step]
    return range(*numbers)


def _inline_assembly(*_: Any, **__: Any) -> Any:
    raise unsupported("inline PTX cannot run on a CPU", kernel_line())


def public(module: ModuleType) -> dict[str, Any]:
    """A module's public members that are no modules themselves."""
    return {
        name: member
        for name, member in vars(module).items()
        if not name.startswith("_") and not inspect.ismodule(member)
    }


_LANGUAGE: Language | None = None


def language() -> Language:
    """The process's one language; the first call imports triton."""
    global _LANGUAGE
    if _LANGUAGE is None:
        _LANGUAGE = Language()
    return _LANGUAGE


__all__ = ["Divergence", "Language", "Namespace", "as_tuple", "language", "public", "single"]
