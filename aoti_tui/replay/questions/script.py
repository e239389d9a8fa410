"""A stand-alone script that shows one launch's failure: torch and triton, and nothing of ours."""

from __future__ import annotations

import ast
import pprint
import re
from pathlib import Path

from aoti_tui.index.model import Kernel, Launch
from aoti_tui.replay.client import Progress
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.plan.launching import Prepared
from aoti_tui.replay.session import ReplaySession

_HEAD = '''"""{title}

Written by aoti-tui: launch of wrapper line {line}, with its arguments in {data}.

    python {script}          on the CPU, under TRITON_INTERPRET=1: stops at the first failing assert
    python {script} --pdb    the same, with pdb in the kernel's frame at that assert
    python {script} --gpu    on a GPU
"""

import os
import sys
from pathlib import Path

GPU = "--gpu" in sys.argv
os.environ["TRITON_INTERPRET"] = "0" if GPU else "1"
os.environ["TRITON_DEBUG"] = "1"
os.environ["CUDA_LAUNCH_BLOCKING"] = "1"

import torch
import triton
import triton.language as tl

'''

_INTERPRETER = '''

def stop_at_asserts():
    """Triton's interpreter ignores tl.device_assert; a load with a bad index would crash it."""
    import dataclasses

    import numpy
    from triton.runtime import interpreter

    builder = interpreter.interpreter_builder
    names = {{f.name for f in dataclasses.fields(builder.options)}}
    wanted = {{"debug": True, "sanitize_overflow": False}}
    builder.options = dataclasses.replace(
        builder.options, **{{k: v for k, v in wanted.items() if k in names}}
    )

    def create_assert(condition, message):
        fails = ~numpy.asarray(getattr(condition, "data", condition)).astype(bool)
        if not fails.any():
            return
        program = tuple(int(i) for i in builder.grid_idx)
        print(f"program {{program}}: {{int(fails.sum())}} lanes fail: {{message}}", flush=True)
        if "--pdb" in sys.argv:
            import pdb

            frame = sys._getframe()
            while frame.f_back is not None and frame.f_code.co_name != {function!r}:
                frame = frame.f_back
            debugger = pdb.Pdb()
            debugger.reset()
            debugger.interaction(frame, None)
        sys.exit(1)

    builder.create_assert = create_assert
'''

_LIBDEVICE = '''

if GPU:
    from triton.language.extra import libdevice
else:

    class libdevice:
        """The interpreter has none: torch computes it on the CPU, and may round otherwise."""

    def define_libdevice(name):
        from triton.runtime.interpreter import TensorHandle

        known = {{"nearbyint": "round", "rint": "round", "fast_expf": "exp", "fast_logf": "log"}}
        known = known.get(name, name)
        function = getattr(torch, known, None) or getattr(torch.special, known)

        def call(*arguments, **_):
            values = [torch.from_numpy(a.handle.data.copy()) for a in arguments]
            result = function(*values).numpy()
            kind = arguments[0].dtype
            return tl.core.tensor(TensorHandle(result, kind.scalar), arguments[0].type)

        setattr(libdevice, name, staticmethod(call))

    for name in {names!r}:
        define_libdevice(name)
'''

_MAIN = '''

GRID = {grid}
BLOCKS = {blocks}
NUMBERS = {numbers}
WARPS = {warps}


def to_gpu(tensor, moved):
    """The tensor with its whole storage: a kernel reads by strides, also between elements."""
    storage = tensor.untyped_storage()
    key = storage.data_ptr() or id(tensor)
    if key not in moved:
        moved[key] = storage.cuda()
    there = torch.empty(0, dtype=tensor.dtype, device="cuda")
    return there.set_(moved[key], tensor.storage_offset(), tensor.shape, tensor.stride())


def main():
    data = Path(__file__).with_name({data!r})
    tensors = torch.load(data, weights_only=True, map_location="cpu")
    if GPU:
        moved = {{}}
        tensors = {{name: to_gpu(t, moved) for name, t in tensors.items()}}
    else:
        stop_at_asserts()
    options = {{"num_warps": WARPS}} if GPU and WARPS else {{}}
    {function}[GRID](**tensors, **NUMBERS, **BLOCKS, **options)
    if GPU:
        torch.cuda.synchronize()
    print("no assert failed")


if __name__ == "__main__":
    main()
'''
_LIBDEVICE_NAME = re.compile(r"\blibdevice\.(\w+)\(")


def write_script(
    session: ReplaySession, launch: Launch, path: Path, progress: Progress | None = None
) -> tuple[Path, Path]:
    """Write a script for ``launch`` as the session would replay it, and its data beside it.

    Returns both paths. Raises ReplayError, also when a file cannot be written.
    """
    kernel = session.kernels.kernel(launch.kernel)
    session.kernels.compiled(launch.kernel, lambda _: None)
    prepared = session.prepared(launch, progress)
    data = path.with_suffix(".pt")
    text = _script(kernel, prepared, path.name, data.name, session.index.path)
    tensors = {parameter: held.handle for parameter, held in prepared.held.items()}
    reply = session.client.request("save", doing=f"saving {data.name}", tensors=tensors)
    for file, content in ((path, text.encode()), (data, reply.blobs[int(reply["file"])])):
        try:
            file.write_bytes(content)
        except OSError as error:
            raise ReplayError(
                "bad-inputs",
                f"{file} cannot be written",
                error.strerror or str(error),
                "Name a file in a folder that exists and that you may write to",
            ) from error
    return path, data


def _script(kernel: Kernel, prepared: Prepared, script: str, data: str, wrapper: str) -> str:
    numbers = {
        name: next(iter(value.values()))
        for name, value in prepared.request_args.items()
        if "tensor" not in value
    }
    constants = {
        p.name: kernel.constants[p.name]
        for p in kernel.parameters
        if p.type == "constexpr" and p.name in kernel.constants
    }
    made_up = [a.name for a in prepared.arguments if a.source == "made-up"]
    title = f"{kernel.name} of {Path(wrapper).name}"
    if made_up:
        title += f"\n\nMade-up data, which may not show the real failure: {', '.join(made_up)}."
    parts = [
        _HEAD.format(title=title, line=prepared.launch.line, data=data, script=script),
        _imports(kernel),
    ]
    libdevice = sorted(set(_LIBDEVICE_NAME.findall(kernel.source)))
    if libdevice:
        parts.append(_LIBDEVICE.format(names=tuple(libdevice)))
    parts.append(_functions(kernel))
    parts.append(_INTERPRETER.format(function=kernel.function))
    parts.append(
        _MAIN.format(
            grid=tuple(prepared.grid),
            blocks=pprint.pformat({**constants, **prepared.blocks.sizes}),
            numbers=pprint.pformat({k: v for k, v in numbers.items() if k not in constants}),
            warps=kernel.num_warps,
            data=data,
            function=kernel.function,
        )
    )
    return "".join(parts)


def _imports(kernel: Kernel) -> str:
    """The kernel's own imports, without those that only its decorators need."""
    wanted: list[str] = []
    for node in ast.parse(kernel.source).body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [n for n in node.names if _is_used(kernel.source, n.asname or n.name)]
        if names and ast.unparse(node) not in ("import triton", "import triton.language as tl"):
            node.names = names
            wanted.append(ast.unparse(node))
    return "\n".join(wanted) + "\n"


def _is_used(source: str, name: str) -> bool:
    """Whether a function's body (not its decorators) speaks of a name."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            inside = [*node.body, node.args]
            for part in inside:
                if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(part)):
                    return True
    return False


def _functions(kernel: Kernel) -> str:
    """The kernel and its helpers as they stand in the wrapper, with @triton.jit alone."""
    lines = kernel.source.split("\n")
    texts = []
    for node in ast.parse(kernel.source).body:
        if isinstance(node, ast.FunctionDef):
            body = lines[node.lineno - 1 : node.end_lineno]
            texts.append("\n\n@triton.jit\n" + "\n".join(body) + "\n")
        elif isinstance(node, ast.Assign):
            texts.append("\n" + "\n".join(lines[node.lineno - 1 : node.end_lineno]) + "\n")
    return "".join(texts)
