"""Reading ``run_impl`` and ``_const_run_impl``: every statement is understood or a gap."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from aoti_tui.index.arguments import TensorView
from aoti_tui.index.cpp.body_externs import read_extern
from aoti_tui.index.cpp.body_launches import read_launch
from aoti_tui.index.cpp.body_tensors import read_tensor
from aoti_tui.index.cpp.body_values import read_value
from aoti_tui.index.cpp.calls import checked_call, parse_call, string_literal
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.cpp.launchers import Launcher
from aoti_tui.index.cpp.outline import Block
from aoti_tui.index.cpp.reading import Annotation, Reading
from aoti_tui.index.cpp.statements import Statement, comment_after, parse_body
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import (
    RUNTIME_CHECKS,
    Enforced,
    Function,
    LoopExit,
    ModelFrame,
    RuntimeCheck,
    Scope,
    ScopeKind,
)

_NODES = re.compile(r"Source Nodes: \[(.*?)\](?=, Original ATen:|\s*$)")
_ATEN = re.compile(r"Original ATen: \[(.*?)\]")
_HANDLE = re.compile(r"^// \[Provenance debug handles\]\s*(\S+?):(\d{1,9})")
_SUBGRAPH = re.compile(r"^// subgraph: (\S+)")
_FRAME = re.compile(r'File "([^"]*)", line (\d{1,9}), in (.*)')
_ALIGNMENT = re.compile(r"\.data_ptr\(\)\)\s*&\s*\(\d+\s*-\s*1\)\)\s*!=\s*0$")
_LOADED = re.compile(r"^kernels\.\w+\s*==\s*nullptr$")
_NONEMPTY = re.compile(r"^\w+\.is_non_zero\(\)$")
_ROUTINE = re.compile(
    r"""^(?:
        \w+(?:\[\d+\])?\.reset\(\)
      | inputs\.clear\(\)
      | __check_inputs_outputs\(.*\)
      | auto\s+inputs\s*=\s*(?:steal_from_raw_handles_to_raii_handles
          |alloc_tensors_by_stealing_from_handles)\(.*\)
      | auto\s*&\s*kernels\s*=\s*static_cast<\w+&>\(\*this->kernels_\.get\(\)\)
      | (?:AOTI\w*(?:Stream)?Guard|at::\w+::\w*StreamGuard|c10::\w+::\w*StreamGuard)\s+\w+\(.*\)
      | (?:torch::aot_inductor::)?RAIIAtenRecordFunctionHandle\s+\w+\(.*\)
      | RECORD_FUNCTION\(.*\)
      | AOTI_TORCH_WARN\(.*\)
      | (?:py|pybind11)::gil\w+\s+\w+(?:\(.*\))?
      | thread_local\s+ThreadLocalCached\w+<.*
      | cached_output_\d+\.copy_data_from\(.*\)
      | alignas\(\d+\)\s+(?:StableTMADescriptor|CUtensorMap)\s+\w+
      | \w+\.(?:block_shape|global_shape|strides)\[\d+\]\s*=\s*.*
      | init\w*TMADescriptor\(.*\)
      | (?:cudaStream_t|hipStream_t|sycl::queue\s*\*)\s+stream\d+
      | return
      | printf\(.*\)
    )$""",
    re.S | re.X,
)
_ALIGNED = re.compile(
    r"""^(?:
        AOTI_TORCH_WARN\(.*\)
      | AtenTensorHandle\s+\w+_aligned
      | (?:AOTI_TORCH_ERROR_CODE_CHECK\()?
          aoti_torch_clone_preserve_strides\(\w+,\s*&\w+_aligned\)\)?
      | \w+\s*=\s*std::move\(RAIIAtenTensorHandle\(\w+_aligned\)\)
    )$""",
    re.S | re.X,
)


def read_function(
    block: Block,
    function: Function,
    launchers: Mapping[str, Launcher],
    passed_parameters: Callable[[str], tuple[str, ...]],
) -> Reading:
    """What the body of ``run_impl`` or ``_const_run_impl`` does, in statement order."""
    reading = Reading(function, launchers, passed_parameters)
    _walk(reading, parse_body(block.body, block.body_line))
    return reading


def _walk(reading: Reading, statements: tuple[Statement, ...]) -> None:
    for position, statement in enumerate(statements):
        if statement.kind == "comment":
            _comment(reading, statement.text)
        elif statement.kind == "if":
            _if(reading, statement)
        elif statement.kind == "while":
            reading.enter(
                Scope(
                    "while",
                    statement.line,
                    read(statement.condition),
                    exit=loop_exit(statement.body),
                )
            )
            _walk(reading, statement.body)
            reading.scopes.pop()
        elif statement.kind == "block":
            reading.frames.append(reading.frames[-1] if reading.frames else ())
            _scoped(reading, "block", statement.line, None, statement.body)
            reading.frames.pop()
        elif statement.kind == "nested":
            reading.gap(statement, "unexpected construct")
            _walk(reading, statement.body)
        else:
            _simple(reading, statement, comment_after(statements, position))


def _scoped(
    reading: Reading,
    kind: ScopeKind,
    line: int,
    condition: Expr | None,
    body: tuple[Statement, ...],
) -> None:
    reading.enter(Scope(kind, line, condition))
    _walk(reading, body)
    reading.scopes.pop()


def _simple(reading: Reading, statement: Statement, comment: str) -> None:
    if statement.text.startswith("[[maybe_unused]]"):
        text = statement.text.removeprefix("[[maybe_unused]]").strip()
        statement = Statement(statement.kind, text, statement.line, statement.end_line)
    if _ROUTINE.match(statement.text):
        return
    if statement.kind == "broken":
        reading.gap(statement, "nested too deeply")
    elif not _understood(reading, statement, comment):
        reading.gap(statement, "unknown statement")


def _understood(reading: Reading, statement: Statement, comment: str) -> bool:
    return (
        _frames(reading, statement)
        or _check(reading, statement, "always")
        or read_launch(reading, statement)
        or read_value(reading, statement)
        or read_tensor(reading, statement, comment)
        or read_extern(reading, statement)
    )


def _comment(reading: Reading, text: str) -> None:
    nodes = _NODES.search(text)
    if nodes:
        aten = _ATEN.search(text)
        reading.annotation = Annotation(
            _listed(nodes.group(1)), _listed(aten.group(1)) if aten else ()
        )
        return
    handle = _HANDLE.match(text)
    if handle:
        reading.debug_handles[handle.group(1)] = int(handle.group(2))
        return
    subgraph = _SUBGRAPH.match(text)
    if subgraph:
        reading.name_subgraph(subgraph.group(1))


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _frames(reading: Reading, statement: Statement) -> bool:
    """``KernelContextGuard _ctx("K", R"(File "m.py", line 3, in forward …)")`` (torch 2.13)."""
    if not statement.text.startswith("KernelContextGuard"):
        return False
    raw = statement.text.partition(",")[2]
    frames = model_frames(string_literal(raw) or "")
    if reading.frames:
        reading.frames[-1] = frames
    return True


def model_frames(text: str) -> tuple[ModelFrame, ...]:
    """The frames of Python stack summaries, each once and with the line of code under it."""
    frames: list[ModelFrame] = []
    lines = text.splitlines()
    for position, line in enumerate(lines):
        match = _FRAME.search(line)
        if match:
            following = lines[position + 1] if position + 1 < len(lines) else ""
            code = "" if _FRAME.search(following) else following.strip()
            file, number, function = match.groups()
            frames.append(ModelFrame(file, int(number), function.strip(), code))
    return tuple(dict.fromkeys(frames))


def _if(reading: Reading, statement: Statement) -> None:
    condition = statement.condition
    if _ALIGNMENT.search(condition):
        if not _thrown(reading, statement, "always"):
            _only(reading, statement.body, _ALIGNED)
    elif _LOADED.match(condition) or _NONEMPTY.match(condition):
        _walk(reading, statement.body)
    elif condition == "_check_aoti_runtime_check_inputs_env()":
        for inner in statement.body:
            if inner.kind == "comment" or _check(reading, inner, RUNTIME_CHECKS):
                continue
            _walk(reading, (inner,))
    elif "std::is_same_v<std::decay_t<decltype(" in condition:
        # torch 2.5's array-ref interface: both branches hand out the same output.
        _walk(reading, statement.body)
        _walk(reading, statement.orelse)
    elif _thrown(reading, statement, "always") or _is_exit(statement):
        return
    else:
        _scoped(reading, "if", statement.line, read(condition), statement.body)
        if statement.orelse:
            _scoped(reading, "else", statement.else_line, read(condition), statement.orelse)


def _is_exit(statement: Statement) -> bool:
    texts = [s.text for s in statement.body if s.kind != "comment"]
    return texts in (["break"], ["return"]) and not statement.orelse


def loop_exit(body: Sequence[Statement]) -> LoopExit | None:
    """``if (!cond_scalar) break;`` of a ``while (1)``; None for another form.

    Inductor writes it between the condition's and the body's subgraph (codegen_while_loop of
    torch/_inductor/codegen/cpp_wrapper_cpu.py).
    """
    for statement in body:
        if statement.kind == "if" and _is_exit(statement):
            return LoopExit(statement.line, read(negated(statement.condition)))
        inner = loop_exit(statement.body) if statement.kind in ("block", "if") else None
        if inner is not None:
            return inner
    return None


def _only(reading: Reading, body: Sequence[Statement], allowed: re.Pattern[str]) -> None:
    for inner in body:
        if inner.kind != "comment" and not allowed.match(inner.text):
            reading.gap(inner, "unknown statement")


def _thrown(reading: Reading, statement: Statement, enforced: Enforced) -> bool:
    """``if (!(u0 >= 2L)) { throw std::runtime_error("…"); }``"""
    simple = [s for s in statement.body if s.kind != "comment"]
    if len(simple) != 1 or not simple[0].text.startswith("throw ") or statement.orelse:
        return False
    reading.checks.append(
        RuntimeCheck(
            read(negated(statement.condition)),
            string_literal(simple[0].text) or simple[0].text,
            statement.line,
            enforced,
        )
    )
    return True


def negated(condition: str) -> str:
    """What must hold for ``condition`` to be false."""
    if condition.startswith("!(") and parse_call("f" + condition[1:]) is not None:
        return condition[2:-1].strip()
    if re.fullmatch(r"!\s*\w+", condition):
        return condition[1:].strip()
    return f"!({condition})"


def _check(reading: Reading, statement: Statement, enforced: Enforced) -> bool:
    """``assert_size_stride(…)``, ``assert_alignment(…)``, ``AOTI_TORCH_CHECK(…)``."""
    call = checked_call(statement.text)
    if call is None:
        return False
    if call.name in ("assert_size_stride", "assert_alignment"):
        message = next((m for a in call.arguments if (m := string_literal(a)) is not None), "")
        if message.startswith("torch.ops.") and call.arguments:
            reading.made_by.setdefault(call.arguments[0].strip(), message)
        layout = None
        if call.name == "assert_size_stride" and len(call.arguments) > 2:
            tensor, sizes, strides = call.arguments[:3]
            array = reading.names.array
            layout = TensorView(tensor.strip(), array(sizes), array(strides))
        reading.checks.append(
            RuntimeCheck(read(statement.text), message, statement.line, enforced, layout)
        )
        return True
    if call.name in ("AOTI_TORCH_CHECK", "AOTI_RUNTIME_CHECK", "TORCH_CHECK") and call.arguments:
        message = string_literal(", ".join(call.arguments[1:])) or ""
        condition = read(call.arguments[0])
        reading.checks.append(RuntimeCheck(condition, message, statement.line, enforced))
        return True
    return False
