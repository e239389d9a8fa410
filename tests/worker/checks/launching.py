"""Kernels launched on torch tensors in this process, with all checks."""

from __future__ import annotations

import ast
import textwrap
from typing import Any

import torch

from aoti_tui.worker.engine.language.language import language
from aoti_tui.worker.engine.numbers.dtypes import BY_NAME, Number
from aoti_tui.worker.engine.programs.functions import Module
from aoti_tui.worker.engine.programs.kernel import Kernel, kernel_of
from aoti_tui.worker.engine.programs.launch import Launch, pointer_to
from aoti_tui.worker.engine.values.arguments import arguments_of
from aoti_tui.worker.script.checks.finding import Finding
from aoti_tui.worker.script.checks.launch_checks import Checks, watch_views
from aoti_tui.worker.source.facts import Waiting
from aoti_tui.worker.source.source import Source

LINES = "kernel.py"


def kernel(text: str, **names: Any) -> Kernel:
    """The last function of a source; others are its helpers. Line 1 is the first of the text."""
    lang = language()
    tree = ast.parse(textwrap.dedent(text).strip("\n"))
    source = Source(LINES, tree, {"tl": lang.tl, **names})
    definition = source.functions[-1]
    return kernel_of(Module(source, lang), definition, [], Waiting())


def line_of(text: str, part: str) -> int:
    """The line of a source in which something stands first."""
    lines = textwrap.dedent(text).strip("\n").splitlines()
    return 1 + next(i for i, line in enumerate(lines) if part in line)


def unwritten(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A tensor of which every element still carries the mark of memory that nobody wrote."""
    tensor = torch.empty(shape, dtype=dtype)
    number = number_of(tensor)
    flat = torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage()).numpy()
    flat.view(f"u{number.size}")[:] = number.poison
    return tensor


def number_of(tensor: torch.Tensor) -> Number:
    return BY_NAME[str(tensor.dtype).removeprefix("torch.")]


def launch(made: Kernel, grid: tuple[int, ...], **values: Any) -> Launch:
    """A launch on the tensors' own memory."""
    lang = language()
    tensors = {name: v for name, v in values.items() if isinstance(v, torch.Tensor)}
    poisoned = {t.untyped_storage().data_ptr(): number_of(t) for t in tensors.values()}
    arguments = arguments_of(tensors, poisoned)
    watch_views(arguments, tensors)
    bound: dict[str, Any] = {**made.defaults, **values}
    for name, value in values.items():
        if name in tensors:
            bound[name] = pointer_to(arguments[name], number_of(value), lang)
        elif name not in made.constexprs:
            bound[name] = lang.values.scalar(value)
    x, y, z = (*grid, 1, 1, 1)[:3]
    return Launch(made, (x, y, z), bound, arguments, lang)


def findings(
    made: Kernel, grid: tuple[int, ...], checks: Checks | None = None, **values: Any
) -> list[Finding]:
    """What all checks find in a launch, which writes into the tensors."""
    checks = checks or Checks()
    first = launch(made, grid, **values)
    looking = checks.of(first)
    execution = first.execution()
    execution.run.onlooker = looking.onlooker
    first.whole_grid(execution, True, lambda done, total: None)
    found = checks.results(looking, execution.run.findings, lambda: launch(made, grid, **values))
    first.commit()
    return found


def told(found: list[Finding]) -> list[tuple[Any, ...]]:
    """Kind, line, argument and element of each."""
    return [(f.kind, f.place.line, f.argument, f.element) for f in found]
