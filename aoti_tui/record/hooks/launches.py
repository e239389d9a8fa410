"""Triton kernels that a script launches itself.

Hooked are ``JITFunction.run`` of triton/runtime/jit.py, ``InterpretedFunction.run`` of
triton/runtime/interpreter.py (``TRITON_INTERPRET=1``), and ``Autotuner._bench``, whose launches are
trials and are not recorded. Seen in triton 3.2 to 3.8; kernels of torch.compile do not come this
way.
"""

from __future__ import annotations

import threading
from types import ModuleType
from typing import Any

from .compiled import graph_running
from .kernel_source import kernel_text, parameters_of

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
    _hook(module.JITFunction)


def hook_interpreter(module: ModuleType) -> None:
    """Hook the launches of kernels that Triton interprets."""
    _hook(module.InterpretedFunction)


def _hook(function: Any) -> None:
    from .. import current_recorder

    launch = function.run

    def run(self: Any, *args: Any, grid: Any = None, warmup: bool = False, **kwargs: Any) -> Any:
        kept = None
        if not warmup and not getattr(_trying, "on", False):
            kept = current_recorder()
        # In a graph it is Inductor that launches what Triton interprets.
        if kept is None or kept.stopped or (graph_running() and not hasattr(self, "params")):
            return launch(self, *args, grid=grid, warmup=warmup, **kwargs)
        number, whole = begin_launch(kept, self, args, kwargs, grid)
        try:
            given = launch(self, *args, grid=grid, warmup=warmup, **kwargs)
        except BaseException as error:
            kept.failed(number, error)
            raise
        kept.end(number)
        if whole is not None:
            kept.launches.after(*whole, {})
        return given

    function.run = run


def begin_launch(
    kept: Any, kernel: Any, args: Any, kwargs: dict[str, Any], grid: Any
) -> tuple[int, tuple[int, list[Any]] | None]:
    """Record a launch; its number, or 0 when it was not, and where it was asked for by name, its
    number among those and its values."""
    try:
        names = kernel.arg_names
        bound = dict(zip(names, args))
        bound.update((name, value) for name, value in kwargs.items() if name in names)
        for name, default in _defaults(kernel):
            bound.setdefault(name, default)
        if callable(grid):
            grid = grid(bound)
        sizes = [int(one) for one in (grid if isinstance(grid, (tuple, list)) else (grid,))]
        values = [bound.get(name) for name in names]
        options = {k: v for k, v in kwargs.items() if k not in names and isinstance(v, (int, str))}
        more = {"grid": sizes, "options": options}
        number = int(kept.begin(_site(kept, kernel, ""), values, more))
    except Exception:
        return 0, None
    try:
        if kept.launches is None or not kept.launches.wanted(kernel.fn.__name__):
            return number, None
        site = _site(kept.launches, kernel, "launches ")
        more["names"] = list(names)
        return number, (kept.launches.before(site, values, more), values)
    except Exception:
        return number, None


def _defaults(kernel: Any) -> list[tuple[str, Any]]:
    known = kernel.__dict__.get("_aoti_tui_defaults")
    if known is None:
        known = [(p.name, p.default) for p in parameters_of(kernel) if p.default is not p.empty]
        kernel.__dict__["_aoti_tui_defaults"] = known
    return known  # type: ignore[no-any-return]


def _site(kept: Any, kernel: Any, kind: str) -> int:
    """The kernel's number in a ring, whose text is read once."""
    slot = f"_aoti_tui_{kind.strip()}site"
    known = kernel.__dict__.get(slot)
    if known is None or known[0] is not kept:
        known = (kept, kept.site((kind, id(kernel)), *kernel_text(kernel)))
        kernel.__dict__[slot] = known
    return int(known[1])
