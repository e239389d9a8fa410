"""A stand-alone script that shows one launch's failure: torch and triton, and nothing of ours."""

from __future__ import annotations

import ast
import keyword
import pprint
import re
from pathlib import Path

from aoti_tui.artifacts.written import write_whole
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
    saved = bytes(reply.blobs[int(reply["file"])])
    new: list[Path] = []
    for file, content in ((data, saved), (path, text)):
        is_new = not file.exists()
        try:
            write_whole(file, content)
        except OSError as error:
            for one in new:
                one.unlink(missing_ok=True)
            raise ReplayError(
                "bad-inputs",
                f"{file} cannot be written",
                error.strerror or str(error),
                "Name a file in a folder that exists and that you may write to",
            ) from error
        if is_new:
            new.append(file)
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
    title = f"{_words(kernel.name)} of {_words(Path(wrapper).name)}"
    if made_up:
        title += "\n\nMade-up data, which may not show the real failure: "
        title += f"{_words(', '.join(made_up))}."
    function = _function_name(kernel)
    parts = [
        _HEAD.format(
            title=title, line=prepared.launch.line, data=_words(data), script=_words(script)
        ),
        _imports(kernel.source),
    ]
    libdevice = sorted(set(_LIBDEVICE_NAME.findall(kernel.source)))
    if libdevice:
        parts.append(_LIBDEVICE.format(names=tuple(libdevice)))
    parts.append(_functions(kernel.source))
    parts.append(_INTERPRETER.format(function=function))
    parts.append(
        _MAIN.format(
            grid=tuple(prepared.grid),
            blocks=pprint.pformat({**constants, **prepared.blocks.sizes}),
            numbers=pprint.pformat({k: v for k, v in numbers.items() if k not in constants}),
            warps=repr(kernel.num_warps),
            data=data,
            function=function,
        )
    )
    return "".join(parts)


def _words(text: str) -> str:
    """A name that stands in the script's docstring, without what could end that."""
    return re.sub(r"[^\w .,:()+=-]", "?", text)


def _function_name(kernel: Kernel) -> str:
    """The name the kernel is launched by. Raises ReplayError when that is no name."""
    if kernel.function.isidentifier() and not keyword.iskeyword(kernel.function):
        return kernel.function
    raise ReplayError(
        "refused",
        f"No script can be written for {kernel.name}",
        f"its function is called {kernel.function[:80]!r}, which is no name",
        "Look at the wrapper: the compiler writes no such thing",
    )


def _imports(source: str) -> str:
    """The kernel's own imports, without those that only its decorators need."""
    wanted: list[str] = []
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [
            n
            for n in node.names
            if _is_used(source, n.asname or n.name) and _is_imported(node, n.name)
        ]
        if names and ast.unparse(node) not in ("import triton", "import triton.language as tl"):
            node.names = names
            wanted.append(ast.unparse(node))
    return "\n".join(wanted) + "\n"


def _is_imported(node: ast.Import | ast.ImportFrom, name: str) -> bool:
    """Whether a module is one of those that kernels import from."""
    module = (node.module or "") if isinstance(node, ast.ImportFrom) else name
    relative = isinstance(node, ast.ImportFrom) and node.level > 0
    known = module == "math" or f"{module}.".startswith(("triton.", "torch._inductor."))
    return known and not relative


def _is_used(source: str, name: str) -> bool:
    """Whether a function's body or default values (not its decorators) speak of a name."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            for part in (*node.body, *node.args.defaults, *node.args.kw_defaults):
                if part is not None and any(
                    isinstance(n, ast.Name) and n.id == name for n in ast.walk(part)
                ):
                    return True
    return False


def _functions(source: str) -> str:
    """The kernel and its helpers as they stand in the wrapper, with @triton.jit alone."""
    lines = source.split("\n")
    texts = []
    for node in ast.parse(source).body:
        written = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        if isinstance(node, ast.FunctionDef):
            texts.append(f"\n\n@triton.jit\n{_as_checked(node, written)}\n")
        elif isinstance(node, ast.Assign):
            texts.append(f"\n{_as_checked(node, written)}\n")
    return "".join(texts)


def _as_checked(node: ast.FunctionDef | ast.Assign, written: str) -> str:
    """A statement as it was written if that says what was checked and run, and nothing more.

    Annotations are not run by the replay and so not checked, but Python evaluates those of
    parameters: only names stay. Lines can hold more than the statement that begins on them.
    """
    plain = _PlainAnnotations().visit(node)
    try:
        same = ast.dump(ast.parse(written)) == ast.dump(ast.Module([plain], []))
    except (SyntaxError, ValueError):
        same = False
    return written if same else ast.unparse(plain)


class _PlainAnnotations(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = []
        if node.returns is not None and not _is_name(node.returns):
            node.returns = None
        self.generic_visit(node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        if node.annotation is not None and not _is_name(node.annotation):
            node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if _is_name(node.annotation):
            return node
        if node.value is None:
            return ast.Pass()
        return ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)


def _is_name(annotation: ast.expr) -> bool:
    """``tl.constexpr``, also as text: nothing that does anything when it is evaluated."""
    text = annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)
    return str(text) in ("constexpr", "tl.constexpr", "triton.language.constexpr")
