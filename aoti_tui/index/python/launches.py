"""Launches: ``K.run(arguments…, stream=stream0)``.

Format: torch/_inductor/codegen/wrapper.py (generate_kernel_call). Up to torch 2.6 ``grid=`` gives
the grid; later a user's kernel and a template get it as the last arguments, which
``extra_launcher_args`` counts, and the others have none (their tuned config decides).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Argument, Kernel, Launch, LaunchId, Site
from aoti_tui.index.python.kernels import extra_arguments, passed_parameters
from aoti_tui.index.python.reading import Reading
from aoti_tui.index.python.tensors import item_of

UNNUMBERED = LaunchId(-1)
"""Launches are numbered at the end, in the order in which they run."""


def read_launch(reading: Reading, call: ast.Call) -> bool:
    """Takes a launch; False for any other call."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "run":
        return False
    if not isinstance(call.func.value, ast.Name):
        return False
    name = call.func.value.id
    variants = reading.outline.variants.get(name)
    if variants is None:
        _launch(reading, call, name, call.args)
        return True
    taken = reading.annotated
    for kernel, part in zip(
        variants.kernels, variants.slices or ((None, None),) * len(variants.kernels), strict=False
    ):
        reading.annotated = taken
        _launch(reading, call, kernel, call.args[part[0] : part[1]])
    return True


def _launch(reading: Reading, call: ast.Call, name: str, passed: Sequence[ast.expr]) -> None:
    kernel = reading.kernels.get(name)
    if kernel is None:
        reading.gap(call, f"launch of {name}, whose source is not in the file")
    extra = extra_arguments(kernel) if kernel is not None else ()
    given = passed[: len(passed) - len(extra)] if len(extra) < len(passed) else passed
    parameters = _parameters(reading, call, kernel, len(given))
    arguments = tuple(
        _argument(reading, parameter, value)
        for parameter, value in zip(parameters, given, strict=True)
    )
    annotation = reading.annotation(call.lineno)
    reading.launches.append(
        Launch(
            id=UNNUMBERED,
            kernel=name,
            site=Site("", call.lineno, call.end_lineno or call.lineno),
            function=reading.function,
            arguments=arguments,
            scopes=reading.where(),
            source_nodes=annotation.source_nodes,
            aten=annotation.aten,
            grid=_grid(reading, call, extra, passed[len(given) :]),
            debug_handle=annotation.debug_handle,
        )
    )


def _parameters(
    reading: Reading, call: ast.Call, kernel: Kernel | None, count: int
) -> tuple[str, ...]:
    if kernel is None:
        return ("",) * count
    found = passed_parameters(kernel, count)
    if found is None:
        takes = len(kernel.call_parameters)
        reading.gap(call, f"launch passes {count} arguments, the kernel's source takes {takes}")
        return ("",) * count
    return found


def _argument(reading: Reading, parameter: str, value: ast.expr) -> Argument:
    item = item_of(reading, value)
    text = reading.text(value)
    if isinstance(item, TensorView):
        return Argument(parameter, text, item)
    if item is not None and item.problem:
        reading.gap(value, f"argument {text} is not understood")
    return Argument(parameter, text, value=item)


def _grid(
    reading: Reading, call: ast.Call, extra: Sequence[str], values: Sequence[ast.expr]
) -> tuple[Expr, ...]:
    """The grid, where the launch itself gives it without a block size that is not known."""
    named = dict(zip(extra, values, strict=False))
    axes = [named.get(f"_grid_{axis}") for axis in range(3)]
    if axes[0] is not None:
        return tuple(reading.expression(axis) for axis in axes if axis is not None)
    grid = next((k.value for k in call.keywords if k.arg == "grid"), None)
    if isinstance(grid, ast.Name):
        return reading.grids.get(grid.id, ())
    found = reading.numbers_of(grid) if grid is not None else None
    return found if found is not None and not any(e.problem for e in found) else ()


def read_grid_function(reading: Reading, function: ast.FunctionDef) -> bool:
    """``def grid_wrapper_for_K(meta): return (s2, (31 + s1) // 32, 1)`` (torch 2.5 and 2.6)."""
    last = function.body[-1]
    if not function.name.startswith("grid_wrapper") or not isinstance(last, ast.Return):
        return False
    found = reading.numbers_of(last.value) if last.value is not None else None
    known = found is not None and not any(e.problem for e in found)
    reading.grids[function.name] = found if known and found is not None else ()
    return True
