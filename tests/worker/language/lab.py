"""Small kernels given as text, run by the engine on torch tensors in this process."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from aoti_tui.worker.engine.findings.findings import Findings
from aoti_tui.worker.engine.language.language import language
from aoti_tui.worker.engine.numbers.dtypes import BY_NAME
from aoti_tui.worker.engine.programs.functions import Module
from aoti_tui.worker.engine.programs.kernel import kernel_of
from aoti_tui.worker.engine.programs.launch import Launch, pointer_to
from aoti_tui.worker.engine.values.arguments import arguments_of
from aoti_tui.worker.source.facts import Waiting
from aoti_tui.worker.source.source import Source

FILE = "kernel.py"


def names() -> dict[str, Any]:
    """What the kernels see: triton's modules as a script imports them."""
    import triton

    tl = language().tl
    from triton.language.extra import cuda, libdevice

    return {"triton": triton, "tl": tl, "libdevice": libdevice, "cuda": cuda}


def launch_of(
    text: str,
    tensors: Mapping[str, torch.Tensor],
    grid: tuple[int, int, int] = (1, 1, 1),
    **others: Any,
) -> Launch:
    """A launch of the last function of a text; `others` are its parameters that are no tensors."""
    lang = language()
    tree = ast.parse(textwrap.dedent(text))
    module = Module(Source(FILE, tree, names()), lang)
    kernel = kernel_of(module, module.source.functions[-1], [], Waiting())
    arguments = arguments_of(dict(tensors), {})
    values: dict[str, Any] = dict(kernel.defaults)
    for name, value in others.items():
        fixed = name in kernel.constexprs or not isinstance(value, (bool, int, float))
        values[name] = value if fixed else lang.values.scalar(value)
    for name, argument in arguments.items():
        number = BY_NAME[str(tensors[name].dtype).removeprefix("torch.")]
        values[name] = pointer_to(argument, number, lang)
    return Launch(kernel, grid, values, arguments, lang)


def run(
    text: str,
    tensors: Mapping[str, torch.Tensor],
    grid: tuple[int, int, int] = (1, 1, 1),
    together: bool = True,
    **others: Any,
) -> Findings:
    """Run a kernel's whole grid on the tensors themselves; what was found."""
    launch = launch_of(text, tensors, grid, **others)
    execution = launch.execution()
    launch.whole_grid(execution, together, lambda done, total: None)
    launch.commit()
    return execution.run.findings


@dataclass
class Outcome:
    """What an expression gave, and what the engine said to it."""

    value: torch.Tensor
    flags: list[str]


def index(shape: tuple[int, ...]) -> str:
    """The offsets of a contiguous block, as text."""
    parts, stride = [], 1
    for axis in reversed(range(len(shape))):
        place = ", ".join(":" if a == axis else "None" for a in range(len(shape)))
        parts.append(f"tl.arange(0, {shape[axis]})[{place}] * {stride}")
        stride *= shape[axis]
    return " + ".join(parts) or "0"


def text_of(expression: str, shape: tuple[int, ...], inputs: Mapping[str, torch.Tensor]) -> str:
    """A kernel that loads its inputs, calculates and stores; statements may stand before `;`."""
    *prelude, body = expression.split("\n---\n")
    *statements, result = [part.strip() for part in body.split(";;")]
    lines = [
        f"{name} = tl.load({name}_ptr + {index(tuple(value.shape))})"
        for name, value in inputs.items()
    ]
    lines += [line for statement in statements for line in textwrap.dedent(statement).split("\n")]
    lines += [f"result = {result}", f"tl.store(out + {index(shape)}, result)"]
    parameters = ", ".join(["out", *(f"{name}_ptr" for name in inputs)])
    function = f"def kernel({parameters}):\n" + textwrap.indent("\n".join(lines), "    ")
    return "\n\n".join([textwrap.dedent(part).strip() for part in prelude] + [function]) + "\n"


def evaluate(
    expression: str, shape: tuple[int, ...], dtype: torch.dtype, **inputs: torch.Tensor
) -> Outcome:
    """An expression over blocks that hold whole tensors; its value has that shape and type."""
    out = torch.zeros(shape, dtype=dtype)
    tensors = {"out": out, **{f"{name}_ptr": value for name, value in inputs.items()}}
    findings = run(text_of(expression, shape, inputs), tensors)
    assert not findings.failed
    return Outcome(out, [text for _, text in findings.flags])


def floats(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32)


def integers(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int32)


def random(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = np.random.default_rng(seed)
    return torch.from_numpy(generator.standard_normal(shape)).to(dtype)
