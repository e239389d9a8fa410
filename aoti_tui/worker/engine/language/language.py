"""The one triton.language of the process, bound to our builder, and what kernels see beside it."""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
from typing import Any, Callable

import numpy as np

from ...source.rewrite import Rewriter
from ..errors import UnknownTriton
from ..findings.kernel_frames import kernel_frame
from ..library.assembly import Assembly
from ..library.externs import extern_functions
from ..library.libdevice import functions
from ..library.reductions import Reductions
from ..library.windows import put_back
from ..operations.builder import Builder
from ..values.handle import Handle, plain
from ..values.scalars import Values
from .binding import Binding
from .control import Control, static_range
from .loops import Loops
from .mapping import Mapping
from .printing import Printing

_LARGEST_KEPT = 24 << 20


class Language:
    """`tl`: the bound triton.language; `builder`: whose `run` each run sets.

    `compile` gives what runs for a jit function that a kernel calls; unless it is replaced, all of
    them are taken for triton's own.
    """

    def __init__(self) -> None:
        self.tl: Any = importlib.import_module("triton.language")
        _keep_freed_memory()
        self.values = Values(self.tl)
        self.control = Control(self.values)
        self.loops = Loops()
        self.compile: Callable[[Any], Callable[..., Any]] = self.library_function
        self._rewritten: dict[int, Callable[..., Any]] = {}
        self._kept: list[Any] = []
        try:
            ir: Any = importlib.import_module("triton._C.libtriton").ir
            self.builder = Builder(self.tl, ir)
            self.builder.extern_functions = extern_functions(self.values, self.libdevice())
            self.reductions = Reductions(self.values, self.builder)
            self.printing = Printing(self.builder)
            binding = Binding(self.tl, self.builder)
            self._replace_interpreter(binding)
            binding.bind(self._replaced())
            if not hasattr(self.tl, "advance"):
                put_back(self.values, self.builder)
        except AttributeError as error:
            raise UnknownTriton(
                f"this triton's interpreter is not one the worker knows: {error}"
            ) from error

    def _replace_interpreter(self, binding: Binding) -> None:
        """triton's own jit functions (tl.sum, tl.rand…) run as we run them, whichever class
        `triton.jit` makes here."""
        interpreter: Any = importlib.import_module("triton.runtime.interpreter")
        jit: Any = importlib.import_module("triton.runtime.jit")
        interpreter.interpreter_builder = self.builder
        if hasattr(interpreter, "interpreter_semantic"):
            interpreter.interpreter_semantic = binding.bound
        for kind in (interpreter.InterpretedFunction, jit.JITFunction):
            kind.__call__ = lambda function, *args, **kwargs: self.call(function, *args, **kwargs)

    def call(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a jit function from a kernel."""
        # A jit function's own hash is that of its source, and slow.
        ready = self._rewritten.get(id(function))
        if ready is None:
            ready = self.compile(function)
            self._rewritten[id(function)] = ready
            self._kept.append(function)
        return ready(*args, **kwargs)

    def library_function(self, jit: Any) -> Callable[..., Any]:
        """A jit function of triton or torch, rewritten as kernels are.

        Run as plain Python, `a and b` on blocks would be decided once for all lanes.
        """
        function = jit.fn
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        file = inspect.getsourcefile(function) or "<library>"
        changed = ast.fix_missing_locations(Rewriter(file, recording=False).visit(tree))
        scope = {**function.__globals__, **self.hooks()}
        exec(compile(changed, file, "exec"), scope)
        ready: Callable[..., Any] = scope[function.__name__]
        return ready

    def libdevice(self) -> dict[str, Callable[..., Any]]:
        """Every function of CUDA's libdevice by name."""
        return functions(self.values, lambda text: self.builder.run.findings.flag(text))

    def hooks(self) -> dict[str, Any]:
        """What rewritten functions call in place of Python's own syntax."""
        loops = self.loops

        def still(condition: Any) -> Any:
            return loops.still(self.builder.run, condition)

        return {**self.control.hooks(), "__assert": self._assert, "__still": still}

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
            "print": self.printing.print,
        }

    def _replaced(self) -> dict[str, Callable[..., Any]]:
        """Functions of the language that are ours altogether."""
        return {
            "reduce": self.reductions.reduce,
            "associative_scan": self.reductions.scan,
            "map_elementwise": Mapping(self.values, self.builder).map_elementwise,
            "device_assert": self._device_assert,
            "device_print": self.printing.device_print,
            "static_print": self.printing.static_print,
            "static_assert": _static_assert,
            "multiple_of": _same,
            "max_contiguous": _same,
            "max_constancy": _same,
            "range": self.control.range,
            "static_range": static_range,
            "inline_asm_elementwise": Assembly(self.values, self.builder).inline_asm_elementwise,
        }

    def _assert(self, condition: Any, message: Any) -> None:
        """Python's `assert`: of the compiler's when the condition is known before the run."""
        if isinstance(condition, self.tl.tensor):
            self._device_assert(condition, message)
        else:
            _static_assert(condition, message)

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


def _keep_freed_memory() -> None:
    """Let blocks of up to this size be made in memory that others have left.

    glibc gives larger ones back at once (mallopt(3), M_MMAP_THRESHOLD) until it has seen one of
    that size freed; fetching its pages again costs more than to calculate with them.
    """
    np.empty(_LARGEST_KEPT, dtype=np.uint8)


def _same(value: Any, *_: Any, **__: Any) -> Any:
    return value


def _static_assert(condition: Any, message: Any = "", **_: Any) -> None:
    if not plain(condition):
        raise AssertionError(f"static assert: {plain(message)}")


_LANGUAGE: Language | None = None


def language() -> Language:
    """The process's one language; the first call imports triton. Raises UnknownTriton."""
    global _LANGUAGE
    if _LANGUAGE is None:
        _LANGUAGE = Language()
    return _LANGUAGE
