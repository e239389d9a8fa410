"""triton.language with its builtins bound to our builder: done once, for the process.

Triton's own interpreter patches the language at every launch and helper call; binding it once
is most of what makes a single program cheap here.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
from typing import Any, Callable

from ...source.rewrite import Rewriter
from ..errors import UnknownTriton, Unsupported
from ..findings.kernel_frames import kernel_frame, kernel_place
from ..library.libdevice import functions
from ..library.reductions import Reductions
from ..library.windows import put_back
from ..operations.builder import Builder
from ..values.handle import Handle, plain
from ..values.scalars import Values
from .control import Control, single, static_range, truth


class Language:
    """`tl`: the bound triton.language; `builder`: whose `run` each run sets."""

    def __init__(self) -> None:
        self.tl: Any = importlib.import_module("triton.language")
        self.interpreter: Any = importlib.import_module("triton.runtime.interpreter")
        self.values = Values(self.tl)
        self.control = Control(self.values)
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
            self.reductions = Reductions(self.values, self.builder)
            self._bind()
        except AttributeError as error:
            raise UnknownTriton(
                f"this triton's interpreter is not one the worker knows: {error}"
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
        file = inspect.getsourcefile(function) or "<library>"
        changed = ast.fix_missing_locations(Rewriter(file, recording=False).visit(tree))
        scope = {**function.__globals__, **self.control.hooks()}
        exec(compile(changed, file, "exec"), scope)
        ready: Callable[..., Any] = scope[function.__name__]
        return ready

    def libdevice(self) -> dict[str, Callable[..., Any]]:
        """Every function of CUDA's libdevice by name."""
        return functions(self.values, lambda text: self.builder.run.findings.flag(text))

    def builtins(self) -> dict[str, Callable[..., Any]]:
        """Python's names as a kernel means them: min and max are element by element."""
        tl, settle = self.tl, self.values.settle

        def fold(function: Any, python: Any) -> Callable[..., Any]:
            def call(*values: Any) -> Any:
                if not any(isinstance(v, tl.tensor) for v in values):
                    return python(*[plain(v) for v in values])
                result = values[0]
                for value in values[1:]:
                    result = function(settle(result), settle(value))
                return result

            return call

        return {
            "range": self.control.range,
            "min": fold(tl.minimum, min),
            "max": fold(tl.maximum, max),
            "abs": lambda v: tl.abs(v) if isinstance(v, tl.tensor) else abs(plain(v)),
            "float": lambda v: float(plain(v)),
            "int": lambda v: int(plain(v)),
            "bool": lambda v: bool(plain(v)),
            "len": len,
            "tuple": tuple,
            "str": str,
            "print": lambda *_: None,
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
            "range": self.control.range,
            "static_range": static_range,
            "inline_asm_elementwise": _inline_assembly,
        }
        for owner in (tl, tl.core):
            for name, member in special.items():
                setattr(owner, name, member)
        if not hasattr(tl, "advance"):
            put_back(self.values, self.builder)
        tl.dtype.to_ir = lambda dtype, _: dtype
        for kind in (tl.pointer_type, tl.block_type):
            kind.to_ir = lambda dtype, _: dtype
        self._bind_tensor()

    def _bind_tensor(self) -> None:
        tl = self.tl
        tensor = tl.tensor
        tensor.__bool__ = truth
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

    def _device_assert(self, cond: Any, msg: Any = "", mask: Any = None, **_: Any) -> None:
        condition = self.values.settle(cond)
        handle = condition.handle
        data = handle.lanes if handle.lanes.dtype == "bool" else handle.lanes != 0
        text = str(plain(msg))
        shape = handle.shape
        if mask is not None:
            allowed = self.values.settle(mask).handle
            data = data | (allowed.lanes == 0)
            shape = max(shape, allowed.shape, key=len)
        self.builder.run.asserted(text, Handle(data, handle.dtype, shape), kernel_frame())


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: function(*args, **kwargs)


def _nothing(*_: Any, **__: Any) -> None:
    """Printing on the device has no reader here."""


def _same(value: Any, *_: Any, **__: Any) -> Any:
    return value


def _static_assert(condition: Any, message: Any = "", **_: Any) -> None:
    if not plain(condition):
        raise AssertionError(f"static assert: {plain(message)}")


def _inline_assembly(*_: Any, **__: Any) -> Any:
    raise Unsupported("inline PTX cannot run on a CPU", kernel_place())


_LANGUAGE: Language | None = None


def language() -> Language:
    """The process's one language; the first call imports triton. Raises UnknownTriton."""
    global _LANGUAGE
    if _LANGUAGE is None:
        _LANGUAGE = Language()
    return _LANGUAGE
