"""A user's own script to an index: its Triton kernels and the calls that launch them, as they are
written. Nothing is run, so that a launch's arguments are known as far as the text tells them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import number
from aoti_tui.index.late import Late
from aoti_tui.index.model import (
    Argument,
    Buffer,
    Function,
    Gap,
    Kernel,
    KernelFacts,
    KernelParameter,
    Launch,
    LaunchId,
    Site,
    WrapperIndex,
)
from aoti_tui.index.python.expression import read_size
from aoti_tui.index.python.made_tensors import MadeTensor, made_tensors

MAIN = Function("main", "the script")
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "grid", "warmup")
"""Keywords of a launch that are no parameters of the kernel."""
Def = ast.FunctionDef


def read_script(text: str, path: str, report: Callable[[float], None]) -> WrapperIndex:
    """Kernels by name (the last of one name), launches in the order of their lines."""
    text = text.replace("\r\n", "\n")
    lines = tuple(text.split("\n"))
    gaps: list[Gap] = []
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = min(getattr(error, "lineno", None) or 1, len(lines))
        gaps.append(Gap(line, lines[line - 1], f"the file is not valid Python: {error}"))
        tree = ast.Module([], [])
    functions = {d.name: d for d in ast.walk(tree) if isinstance(d, Def) and _is_jitted(d)}
    made = made_tensors(tree)
    calls = sorted(_calls(tree, functions), key=lambda one: one[1].lineno)
    launches = tuple(
        _launch(LaunchId(at), name, call, grid, functions[name], path, made, text)
        for at, (name, call, grid) in enumerate(calls)
    )
    kernels = {
        name: _kernel(name, one, functions, (lines, _imports(tree)), launches)
        for name, one in functions.items()
    }
    report(1.0)
    return WrapperIndex(
        path=path,
        lines=lines,
        kernels=kernels,
        launches=launches,
        inputs=(),
        symbols=(),
        guards=(),
        checks=(),
        constants=(),
        buffers=tuple(_buffers(made)),
        externs=(),
        outputs=(),
        found_gaps=Late.known(tuple(gaps)),
        main=MAIN,
        is_script=True,
    )


def _is_jitted(function: Def) -> bool:
    for decorator in function.decorator_list:
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (isinstance(named, ast.Attribute) and named.attr == "jit") or (
            isinstance(named, ast.Name) and named.id == "jit"
        ):
            return ast.unparse(named) in ("jit", "triton.jit") or "triton" in ast.unparse(named)
    return False


def _calls(
    tree: ast.Module, functions: Mapping[str, Def]
) -> Iterator[tuple[str, ast.Call, ast.expr | None]]:
    """``kernel[grid](…)`` and ``kernel.run(…, grid=…)``."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Subscript):
            name = _last_name(node.func.value)
            if name in functions:
                yield name, node, node.func.slice
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "run":
            name = _last_name(node.func.value)
            if name in functions:
                grid = next((k.value for k in node.keywords if k.arg == "grid"), None)
                yield name, node, grid


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _launch(
    identity: LaunchId,
    name: str,
    call: ast.Call,
    grid: ast.expr | None,
    function: Def,
    path: str,
    made: Mapping[str, tuple[MadeTensor, ...]],
    text: str,
) -> Launch:
    passed: dict[str, ast.expr] = dict(zip(parameters_of(function), call.args, strict=False))
    if any(isinstance(one, ast.Starred) for one in call.args):
        passed = {}
    passed |= {k.arg: k.value for k in call.keywords if k.arg and k.arg not in OPTIONS}
    arguments = tuple(
        _argument(parameter, passed[parameter], call.lineno, made)
        for parameter in parameters_of(function)
        if parameter in passed
    )
    sizes = grid.elts if isinstance(grid, ast.Tuple | ast.List) else [grid] if grid else []
    known = () if any(isinstance(one, ast.Lambda) for one in sizes) else tuple(sizes)
    return Launch(
        id=identity,
        kernel=name,
        site=Site(path, call.lineno, call.end_lineno or call.lineno),
        function=MAIN,
        arguments=arguments,
        grid=tuple(read_size(one, ast.unparse(one)) for one in known),
    )


def _argument(
    parameter: str,
    node: ast.expr,
    line: int,
    made: Mapping[str, tuple[MadeTensor, ...]],
) -> Argument:
    text = ast.unparse(node)
    if made_at(made, text, line) is not None:
        return Argument(parameter, text, tensor=TensorView(text))
    if isinstance(node, ast.Constant) and node.value is None:
        return Argument(parameter, text)
    return Argument(parameter, text, value=read_size(node, text))


def made_at(made: Mapping[str, tuple[MadeTensor, ...]], name: str, line: int) -> MadeTensor | None:
    """The tensor that a name stands for at a line: the last one that was made before."""
    before = [one for one in made.get(name, ()) if one.line <= line]
    return before[-1] if before else None


def parameters_of(function: Def) -> list[str]:
    arguments = function.args
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _kernel(
    name: str,
    function: Def,
    functions: Mapping[str, Def],
    text: tuple[tuple[str, ...], str],
    launches: tuple[Launch, ...],
) -> Kernel:
    """``lines`` of the kernel are those of the file, of which only the kernel and the helpers that
    it calls are left: a kernel line is a line of the file. The first imports Triton."""
    lines, imports = text
    own = [one for one in launches if one.kernel == name]
    constants = _constants(function, own)
    shown = [imports, *[""] * (len(lines) - 1)]
    for helper in _with_helpers(function, functions):
        _put(helper, lines, shown)
    arguments = function.args
    annotated = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    facts = KernelFacts(
        function=name,
        parameters=tuple(
            KernelParameter(one.arg, "constexpr" if _is_constexpr(one) else "") for one in annotated
        ),
        constants=constants,
        blocks={k: v for k, v in constants.items() if isinstance(v, int)},
    )
    return Kernel(
        name=name,
        line=function.lineno,
        source_line=1,
        source_path=None,
        lines=(*shown, ""),
        heuristic="",
        call_parameters=tuple(parameters_of(function)),
        facts=Late.known(facts),
        span=(_first_line(function), function.end_lineno or function.lineno),
    )


def _imports(tree: ast.Module) -> str:
    """Triton's modules under the names that the script gives them, on one line."""
    found = {"import triton": None}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name.split(".")[0] == "triton":
                    found["import " + one.name + (f" as {one.asname}" if one.asname else "")] = None
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "triton":
            found[ast.unparse(node)] = None
    return "; ".join(found)


def _is_constexpr(argument: ast.arg) -> bool:
    return argument.annotation is not None and "constexpr" in ast.unparse(argument.annotation)


def _constants(function: Def, launches: list[Launch]) -> dict[str, object]:
    """Values of constexpr parameters on which all launches agree, else the default's."""
    found: dict[str, object] = {}
    arguments = (*function.args.posonlyargs, *function.args.args)
    defaults = function.args.defaults
    for argument, default in zip(
        arguments[len(arguments) - len(defaults) :], defaults, strict=True
    ):
        if isinstance(default, ast.Constant) and _is_constexpr(argument):
            found[argument.arg] = default.value
    for argument in (*arguments, *function.args.kwonlyargs):
        if not _is_constexpr(argument):
            continue
        texts = {a.text for one in launches if (a := one.argument(argument.arg)) is not None}
        if len(texts) == 1:
            try:
                found[argument.arg] = ast.literal_eval(texts.pop())
            except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                found.pop(argument.arg, None)
    return found


def _with_helpers(function: Def, functions: Mapping[str, Def]) -> list[Def]:
    """A kernel and what it calls of the same file, each once."""
    found, pending = [function], [function]
    while pending:
        for node in ast.walk(pending.pop()):
            helper = functions.get(node.id) if isinstance(node, ast.Name) else None
            if helper is not None and helper not in found:
                found.append(helper)
                pending.append(helper)
    return found


def _first_line(function: Def) -> int:
    return min([function.lineno, *(d.lineno for d in function.decorator_list)])


def _put(function: Def, lines: tuple[str, ...], shown: list[str]) -> None:
    """A function at its own lines, without its indent, with one decorator: what tunes it decides
    nothing here."""
    indent = function.col_offset
    if function.lineno > 1:
        shown[function.lineno - 2] = "@triton.jit"
    for line in range(function.lineno, (function.end_lineno or function.lineno) + 1):
        text = lines[line - 1]
        shown[line - 1] = text[indent:] if not text[:indent].strip() else text


def _buffers(made: Mapping[str, tuple[MadeTensor, ...]]) -> Iterator[Buffer]:
    for name, all_made in made.items():
        for one in all_made:
            known = one.sizes is not None
            yield Buffer(
                name,
                one.line,
                "allocation" if known else "result",
                MAIN,
                sizes=tuple(map(number, one.sizes)) if one.sizes is not None else None,
                dtype=one.dtype or None,
            )
