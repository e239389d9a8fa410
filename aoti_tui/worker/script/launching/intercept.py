"""Puts the engine in the place of triton's runtime."""

from __future__ import annotations

import importlib
from typing import Any

from ...engine.language.language import language
from ..frames_of_ours import without_ours
from ..host import Host
from .launches import Launches


def intercept(host: Host) -> Launches:
    """From now on every `kernel[grid](…)` of this process runs here."""
    launches = Launches(language(), host)

    def run(jit: Any, *args: Any, grid: Any = None, warmup: bool = False, **kwargs: Any) -> Any:
        # pytest and unittest leave such a frame out of what they print.
        __tracebackhide__ = True
        try:
            return launches.run(jit, args, grid, warmup, kwargs)
        except BaseException as error:
            # Whatever catches it shows the kernel's lines and the script's, and none in between.
            without_ours(error)
            raise error

    jit: Any = importlib.import_module("triton.runtime.jit")
    jit.JITFunction.run = run
    _compile_always(jit)
    return launches


def _compile_always(jit: Any) -> None:
    """A script that sets TRITON_INTERPRET itself gets what `triton.jit` gives without it."""

    class InterpretedFunction:
        def __new__(cls, fn: Any, **options: Any) -> Any:
            return jit.JITFunction(fn, **options)

    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    interpreter.InterpretedFunction = InterpretedFunction
