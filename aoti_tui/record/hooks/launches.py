"""Triton kernels that a script launches itself.

Hooked are ``JITFunction.run`` of triton/runtime/jit.py, and ``Autotuner._bench``, whose launches
are trials and are not recorded. Seen in triton 3.2 to 3.8; kernels of torch.compile do not come
this way. ``TRITON_INTERPRET=1`` launches are recorded as well.
"""

from __future__ import annotations

import threading
from types import ModuleType
from typing import Any

from .kernel_source import kernel_text

_trying = threading.local()


def hook_autotuner(module: ModuleType) -> None:
    """Do not record the trials of an autotuner."""
    tuner: Any = module.Autotuner
    bench = tuner._bench

    def quiet(self: Any, *args: Any, **kwargs: Any) -> Any:
        _trying.on = True
        try:
            return bench(self, *args, **kwargs)
        finally:
            _trying.on = False

    tuner._bench = quiet


def hook_launches(module: ModuleType) -> None:
    """Hook the launches of kernels."""
    from .. import current_recorder

    function: Any = module.JITFunction
    launch = function.run

    def run(self: Any, *args: Any, grid: Any = None, warmup: bool = False, **kwargs: Any) -> Any:
        if warmup or getattr(_trying, "on", False):
            return launch(self, *args, grid=grid, warmup=warmup, **kwargs)
        kept = current_recorder()
        number = 0
        if kept is not None and not kept.stopped:
            number = begin_launch(kept, self, args, kwargs, grid)
        try:
            given = launch(self, *args, grid=grid, warmup=warmup, **kwargs)
        except BaseException as error:
            if number:
                kept.failed(number, error)
            raise
        if number:
            kept.end(number)
        return given

    function.run = run


def begin_launch(kept: Any, kernel: Any, args: Any, kwargs: dict[str, Any], grid: Any) -> int:
    """Record a launch; its number, or 0 when it was not."""
    try:
        names = kernel.arg_names
        bound = dict(zip(names, args))
        bound.update((name, value) for name, value in kwargs.items() if name in names)
        for parameter in kernel.params:
            if parameter.name not in bound and parameter.has_default:
                bound[parameter.name] = parameter.default
        if callable(grid):
            grid = grid(bound)
        sizes = [int(one) for one in (grid if isinstance(grid, (tuple, list)) else (grid,))]
        values = [bound.get(name) for name in names]
        options = {k: v for k, v in kwargs.items() if k not in names and isinstance(v, (int, str))}
        known = kernel.__dict__.get("_aoti_tui_site")
        if known is None or known[0] != kept.place:
            known = (kept.place, kept.site(("launch", id(kernel)), *kernel_text(kernel)))
            kernel.__dict__["_aoti_tui_site"] = known
        return int(kept.begin(known[1], values, {"grid": sizes, "options": options}))
    except Exception:
        return 0
