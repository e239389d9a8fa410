"""Launches of a body, in both forms.

From torch 2.7 a launch is one ``call_<kernel>(…)``. In torch 2.5 and 2.6 it is spelled out in
``run_impl``: ``var_3`` locals, a ``kernel_args_var_0[]`` list, a ``Grid`` and ``launchKernel``.
Format: torch/_inductor/codegen/cpp_wrapper_gpu.py (generate_kernel_call, generate_args_decl).
"""

from __future__ import annotations

import re

from aoti_tui.index.cpp.calls import braced, checked_call, parse_call
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.cpp.launchers import Launcher
from aoti_tui.index.cpp.reading import PassedValue, Reading
from aoti_tui.index.cpp.statements import Statement
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Argument, Launch, LaunchId, Site

_POINTER_TYPE = r"(?:CUdeviceptr|hipDeviceptr_t|void\s*\*|sycl::\w+\s*\*?)"
_POINTER = re.compile(rf"^{_POINTER_TYPE}\s*(\w+)(?:\s*=\s*(.+))?$", re.S)
_SCALAR = re.compile(
    r"^(?:auto|u?int(?:\d+_t)?|long|float|double|bool)\s+(var_\d+)\s*=\s*(.+)$", re.S
)
_LIST = re.compile(r"^void\s*\*\s*(\w+)\[\]\s*=\s*(\{.*\})$", re.S)
_GRID = re.compile(r"^Grid\s+(\w+)\s*=\s*(.+)$", re.S)
_LOADED = re.compile(r"^kernels\.\w+\s*=\s*loadKernel\(.*\)$", re.S)
_TRAILING = re.compile(
    r"^(?:this->device_idx_|device_idx_?|\d+|stream\w*|kernels|this->cubin_dir_|cubin_dir_?)$"
)

UNNUMBERED = LaunchId(-1)
"""Bodies are read one by one; launches are numbered over all of them at the end."""


def read_launch(reading: Reading, statement: Statement) -> bool:
    """Takes a launch or a statement that prepares one (torch 2.5 and 2.6)."""
    text = statement.text
    if text.startswith("call_"):
        return _called(reading, statement)
    if _LOADED.match(text):
        return True
    match = _POINTER.match(text)
    if match and match.group(1).startswith(("var_", "global_scratch", "profile_scratch")):
        name, value = match.groups()
        if value is not None:
            view = reading.names.tensor(value, known=False)
            reading.passed[name] = PassedValue(_passed_text(value), view)
        return True
    match = _LIST.match(text)
    if match:
        items = braced(match.group(2)) or ()
        reading.argument_lists[match.group(1)] = tuple(i.lstrip("&").strip() for i in items)
        return True
    match = _GRID.match(text)
    if match:
        call = parse_call(match.group(2))
        if call is None or call.name != "Grid":
            return False
        reading.grids[match.group(1)] = tuple(map(read, call.arguments))
        return True
    match = _SCALAR.match(text)
    if match:
        if reading.launchers or reading.names.tensor(match.group(2)) is not None:
            # With call_ functions a var_ local is an ordinary one.
            return False
        reading.passed[match.group(1)] = PassedValue(match.group(2).strip(), None)
        return True
    call = checked_call(text)
    if call is None:
        return False
    if call.name == "aoti_torch_get_data_ptr" and len(call.arguments) == 2:
        target = re.search(r"(\w+)\W*$", call.arguments[1])
        if target is None:
            return False
        view = reading.names.tensor(call.arguments[0], known=False)
        reading.passed[target.group(1)] = PassedValue(call.arguments[0], view)
        return True
    if call.name == "launchKernel" and len(call.arguments) >= 8:
        return _inline(reading, statement, call.arguments)
    return False


def _passed_text(value: str) -> str:
    match = re.match(r"reinterpret_cast<[^()]*>\((.*)\)$", value, re.S)
    return (match.group(1) if match else value).removesuffix(".data_ptr()")


def _called(reading: Reading, statement: Statement) -> bool:
    call = parse_call(statement.text)
    if call is None:
        return False
    kernel = call.name.removeprefix("call_")
    launcher = reading.launchers.get(kernel)
    passed = list(call.arguments)
    if launcher is None:
        while passed and _TRAILING.match(passed[-1]):
            passed.pop()
        parameters: tuple[str, ...] = ("",) * len(passed)
        reading.gap(statement, f"launch of {kernel}, whose call function is not in the file")
    else:
        parameters = launcher.parameters
        if len(passed) < len(parameters):
            reading.gap(
                statement,
                f"launch passes {len(passed)} arguments to {len(parameters)} parameters",
            )
        parameters = parameters[: len(passed)]
        passed = passed[: len(parameters)]
    extra = {p: a for p, a in zip(parameters, passed, strict=True) if is_grid_parameter(p)}
    arguments = tuple(
        _argument(reading, launcher, p, a)
        for p, a in zip(parameters, passed, strict=True)
        if p not in extra
    )
    _add(reading, statement, kernel, arguments, _given_grid(launcher, extra))
    return True


def is_grid_parameter(name: str) -> bool:
    """A parameter of ``call_…`` that only sets the grid (user kernels and templates)."""
    return re.fullmatch(r"_grid_\d+|_launcher_\w+", name) is not None


def _argument(reading: Reading, launcher: Launcher | None, parameter: str, text: str) -> Argument:
    if launcher is None:
        view = reading.names.tensor(text)
    elif parameter in launcher.pointers:
        view = reading.names.tensor(text, known=False)
    else:
        view = None
    return Argument(parameter, text, view, None if view is not None else _number(text))


def _number(text: str) -> Expr | None:
    return None if text.strip() in ("nullptr", "std::nullopt") else read(text)


def _given_grid(launcher: Launcher | None, extra: dict[str, str]) -> tuple[Expr, ...]:
    """The grid over the names of the body where the launch's own arguments set it."""
    if launcher is None or not extra:
        return ()
    return tuple(
        read(
            re.sub(
                r"\b(?:_grid_\d+|_launcher_\w+)\b",
                lambda m: _grouped(extra.get(m.group(), m.group())),
                expression.written,
            )
        )
        for expression in launcher.grid
    )


def _grouped(text: str) -> str:
    if re.fullmatch(r"\w+", text):
        return text
    if parse_call(text) is not None:
        return text
    return f"({text})"


def _inline(reading: Reading, statement: Statement, passed: tuple[str, ...]) -> bool:
    kernel = passed[0].removeprefix("kernels.")
    given = reading.argument_lists.get(passed[6])
    if given is None:
        return False
    values = [v for v in given if not v.startswith(("global_scratch", "profile_scratch"))]
    parameters = reading.passed_parameters(kernel)
    if parameters and len(parameters) != len(values):
        reading.gap(
            statement,
            f"launch passes {len(values)} arguments, the kernel's source takes {len(parameters)}",
        )
        parameters = ()
    arguments = []
    for position, value in enumerate(values):
        known = reading.passed.get(value)
        parameter = parameters[position] if parameters else ""
        if known is None:
            arguments.append(Argument(parameter, value, value=_number(value)))
        else:
            number = _number(known.text) if known.tensor is None else None
            arguments.append(Argument(parameter, known.text, known.tensor, number))
    grid = reading.grids.get(passed[1].removesuffix(".grid_x"), ())
    reading.warps.setdefault(kernel, (_integer(passed[4]), _integer(passed[5])))
    _add(reading, statement, kernel, tuple(arguments), grid)
    return True


def _integer(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\d{1,18}", text) else None


def _add(
    reading: Reading,
    statement: Statement,
    kernel: str,
    arguments: tuple[Argument, ...],
    grid: tuple[Expr, ...],
) -> None:
    annotation = reading.take_annotation()
    reading.launches.append(
        Launch(
            id=UNNUMBERED,
            kernel=kernel,
            site=Site("", statement.line, statement.end_line),
            function=reading.function,
            arguments=arguments,
            scopes=reading.where(),
            source_nodes=annotation.source_nodes,
            aten=annotation.aten,
            grid=grid,
            debug_handle=reading.debug_handles.pop(kernel, None),
            model_frames=reading.frames[-1] if reading.frames else (),
        )
    )
