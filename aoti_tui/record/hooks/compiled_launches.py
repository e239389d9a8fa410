"""Launches of Inductor's kernels in graphs of torch.compile, for ``--launches`` alone.

Hooked is ``CachingAutotuner.run`` of torch/_inductor/runtime/triton_heuristics.py, by which
generated code launches a kernel; trials of the tuning do not come this way. Seen in torch 2.5 to
2.13. The kernels of a package are launched by C++, where nothing of Python can see them.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .compiled import graph_running


def hook_compiled_launches(module: ModuleType) -> None:
    """Hook the launches of generated code, where launches were asked for."""
    from .. import current_recorder, options_now

    if not options_now().launches:
        return
    tuner: Any = module.CachingAutotuner
    launch = tuner.run

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        kept = current_recorder()
        launches = kept.launches if kept is not None and not kept.stopped else None
        if launches is None or kwargs.get("benchmark_run"):
            return launch(self, *args, **kwargs)
        named = _named(self, args)
        if named is None or not launches.wanted(*_names(self)):
            return launch(self, *args, **kwargs)
        names, values = named
        name, function = _names(self)
        caller = sys._getframe(1)
        number = launches.before(
            0,
            values,
            {
                "kernel": name,
                "fn": function,
                "names": names,
                "graph": graph_running(),
                "line": caller.f_lineno,
            },
        )
        given = launch(self, *args, **kwargs)
        launches.after(number, values, _how(self, args, kwargs))
        return given

    tuner.run = run


def _names(tuner: Any) -> tuple[str, str]:
    """The kernel's name in the graph, and that of its function."""
    function = str(tuner.fn.__name__)
    meta = getattr(tuner, "inductor_meta", None) or {}
    return str(meta.get("kernel_name") or function), function


def _named(tuner: Any, args: tuple[Any, ...]) -> tuple[list[str], list[Any]] | None:
    """Names and values of what the kernel is given; None where they do not fit together."""
    try:
        all_names = list(tuner.fn.arg_names)
        signature = tuner.triton_meta["signature"]
        extra = len(tuner.inductor_meta.get("extra_launcher_args") or ())
        values = list(args[: len(args) - extra])
        passed = [
            name
            for at, name in enumerate(all_names)
            if signature.get(name, signature.get(at, "constexpr")) != "constexpr"
        ]
        names = passed if len(passed) == len(values) else all_names
        if len(names) != len(values):
            return None
        return names, values
    except Exception:
        return None


def _how(tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Blocks, warps and grid that the launch had; what a version does not tell is left out."""
    told: dict[str, Any] = {}
    try:
        launchers = tuner.launchers
        config = launchers[0].config if launchers else tuner.configs[0]
        told["config"] = {k: v for k, v in config.kwargs.items() if isinstance(v, (int, str))}
        told["num_warps"] = int(config.num_warps)
        grid = kwargs.get("grid")
        if grid is None:
            grid = tuner._interpret_args_grid(args, config)[1]
        elif callable(grid):
            grid = grid({**dict(zip(tuner.fn.arg_names, args)), **config.kwargs})
        told["grid"] = [int(one) for one in grid]
    except Exception as error:
        told["unknown"] = f"{type(error).__name__}: {error}"[:200]
    return told
