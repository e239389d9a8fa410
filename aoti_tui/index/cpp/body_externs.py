"""Operators of a body that are not Triton kernels.

Format: torch/_inductor/codegen/cpp_wrapper_cpu.py (generate_c_shim_extern_kernel_call,
generate_c_shim_fallback_kernel, generate_fallback_kernel_with_runtime_lookup_aot,
_generate_scatter_fallback, codegen_device_copy, codegen_scalar_to_tensor; in torch 2.5
generate_extern_kernel_alloc_and_find_schema_if_needed_oss).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from aoti_tui.index.arguments import (
    ExternArgument,
    NumberList,
    Plain,
    Result,
    TensorList,
    TensorView,
)
from aoti_tui.index.cpp.calls import Call, checked_call, parse_call, split_arguments
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.cpp.reading import Annotation, Reading
from aoti_tui.index.cpp.statements import Statement
from aoti_tui.index.cpp.tensors import Made, dtype_name
from aoti_tui.index.model import ExternCall, Output

_OPERATOR = re.compile(
    r"^(?:aoti_torch_|at::|torch::|kernels\.cpp_|cpp_|(?:this->)?kernels\.\w*cpp_)"
)
_SHIM = re.compile(r"^aoti_torch_(?:(?:cuda|cpu|xpu|mps|mtia|hip)_)?(\w+)$")
_RESULT = re.compile(r"^(?:at::Tensor|auto|RAIIAtenTensorHandle)\s+(\w+)\s*=\s*(.+)$", re.S)
_ARRAY = re.compile(
    r"(?:std::array<\s*(?P<type>[\w:\s*]+?)(?:,[^<>]*)?>|std::vector<\s*(?P<vtype>[\w:\s*]+?)\s*>)?"
    r"\s*\{(?P<items>.*)\}\s*(?:\.\s*\w+\(\))?",
    re.S,
)
_LIST_TYPE = re.compile(
    r"^(?:c10::List|at::ArrayRef|c10::ArrayRef|at::TensorList|at::ITensorListRef)"
    r"(<.*>)?\(?(\{.*\})\)?$",
    re.S,
)
_CAST_POINTER = re.compile(r"^\((const )?[\w:]+\s*\*\)\s*\(?(.*?)\)?$", re.S)
_HANDLE_NAME = re.compile(r"^&\s*(\w+)_handle$")
_EXECUTOR = "proxy_executor_call_function"
_QUOTED = re.compile(r'"((?:\\.|[^"\\])*)"')
_NOTHING = frozenset({"nullptr", "std::nullopt", "c10::nullopt"})
_PLACES = ("this->device_idx_", "cached_torch_layout_", "proxy_executor")
_OUTPUT_SCALAR = re.compile(
    r"^output_handles\[(\d{1,9})\]\s*=\s*(?:reinterpret_cast<[^()]*>\(new at::Tensor\()?"
    r"(.*?\))(?:\.release\(\)|\)\))?$",
    re.S,
)
_SILENT = re.compile(
    r"^(?:aoti_torch_(?:print_tensor_handle|save_tensor_handle|check_inf_and_nan"
    r"|delete_tensor_object|get_current_\w*stream|clone_preserve_strides|grad_mode_set_enabled"
    r"|get_data_ptr|get_sizes|get_strides|get_numel|get_dim|record_function\w*|warn)"
    r"|printf|fflush|std::cout|std::cerr)$"
)
_SCALAR_MAKERS = frozenset({"scalar_to_tensor_handle", "torch::tensor", "at::scalar_tensor"})
_DISPATCHED = re.compile(
    r"^(?:static\s+)?(?:const\s+)?auto\s+(\w+)\s*=\s*(c10::Dispatcher::singleton\(\).*)$", re.S
)
_SCHEMA = re.compile(
    r"c10::Dispatcher::singleton\(\)\s*\.\s*findSchemaOrThrow\(\s*"
    r'"(?P<op>[\w:.]+)"\s*,\s*"(?P<overload>\w*)"\s*\)\s*\.\s*typed<(?P<type>.*)>\(\)',
    re.S,
)
_DISPATCHER_CALL = re.compile(rf"(?:(?P<name>\w+)|{_SCHEMA.pattern})\s*\.\s*call\s*(?=\()", re.S)
_OVERWRITES = frozenset({"zero_", "copy_", "fill_", "fill__Scalar", "random_", "normal_"})


def read_extern(reading: Reading, statement: Statement) -> bool:
    """Takes a call of an operator; False for any other statement."""
    text = statement.text
    if _operator_found(reading, text) or _scalar_output(reading, statement):
        return True
    result = _RESULT.match(text)
    called = result.group(2) if result else text
    if result and (value := _scalar_of(called)) is not None:
        _scalar_tensor(reading, statement, result.group(1), value)
        return True
    dispatched = _dispatched(reading, called)
    if dispatched is not None:
        _add(reading, statement, dispatched, result.group(1) if result else None)
        return True
    call = checked_call(called)
    if call is None:
        return False
    if _SILENT.match(call.name):
        return True
    if not _OPERATOR.match(call.name) and not text.startswith("AOTI_TORCH_ERROR_CODE_CHECK("):
        return False
    if call.name.startswith("aoti_torch_item_"):
        return False
    op = _op_name(call)
    found = _Passed(reading, op, compiled="cpp_" in call.name, called=call.name)
    if op == _EXECUTOR:
        found.to_executor(call)
    else:
        found.to_shim(call)
    _add(reading, statement, found, result.group(1) if result else None)
    return True


def _add(reading: Reading, statement: Statement, found: _Passed, result: str | None) -> None:
    """Keeps a call; ``result`` is the name that stands before its ``=``."""
    if result is not None:
        reading.buffer(result, statement.line, Made("result"))
        found.writes.append(TensorView(result))
        if not found.results:
            found.results = [Result(view.base) for view in found.writes]
    annotation = reading.take_annotation() if found.op != "zero_" else Annotation()
    reading.externs.append(
        ExternCall(
            op=found.op,
            line=statement.line,
            text=statement.text,
            function=reading.function,
            reads=tuple(found.reads),
            writes=tuple(found.writes),
            arguments=tuple(found.arguments),
            results=tuple(found.results),
            named=found.op != _EXECUTOR and not found.custom,
            custom=found.custom,
            scopes=reading.where(),
            source_nodes=annotation.source_nodes,
            aten=annotation.aten,
            debug_handle=reading.debug_handles.pop(found.called, None),
            model_frames=reading.frames[-1] if reading.frames else (),
        )
    )


def _operator_found(reading: Reading, text: str) -> bool:
    """``static auto op_aten_topk_ = c10::Dispatcher::singleton()…`` (torch 2.5)."""
    match = _DISPATCHED.match(text)
    schema = _SCHEMA.fullmatch(match[2]) if match else None
    if match is None or schema is None:
        return False
    reading.operators[match[1]] = match[2]
    return True


def _dispatched(reading: Reading, text: str) -> _Passed | None:
    """A call through the dispatcher, ``op_aten_topk_.call(arg0_1, 3L)`` (torch 2.5)."""
    match = _DISPATCHER_CALL.match(text)
    if match is None:
        return None
    written = reading.operators.get(match["name"], "") if match["name"] else match.group()
    schema = _SCHEMA.match(written)
    call = parse_call("call" + text[match.end() :])
    if schema is None or call is None:
        return None
    space, _, op = schema["op"].rpartition("::")
    name = f"{op}_{schema['overload']}" if schema["overload"] else op
    custom = ".".join(filter(None, (space, op, schema["overload"]))) if space != "aten" else ""
    found = _Passed(reading, name, compiled=False, called=match["name"] or name, custom=custom)
    found.to_dispatcher(call, _parameter_types(schema["type"]))
    return found


def _parameter_types(signature: str) -> tuple[str, ...]:
    """``at::Tensor(at::Tensor const&, int64_t)`` as the types between its outer brackets."""
    opened = signature.find("(")
    return split_arguments(signature[opened + 1 :].rstrip().removesuffix(")")) if opened > 0 else ()


def _scalar_of(text: str) -> str | None:
    """The number that becomes a tensor of no dimensions; None for anything else."""
    call = parse_call(text)
    if call is None or call.name.partition("<")[0] not in _SCALAR_MAKERS:
        return None
    return call.arguments[0] if call.arguments else None


def _scalar_output(reading: Reading, statement: Statement) -> bool:
    """``output_handles[1] = reinterpret_cast<…>(new at::Tensor(torch::tensor(2L*u1)))``."""
    match = _OUTPUT_SCALAR.match(statement.text)
    value = _scalar_of(match[2]) if match else None
    if match is None or value is None:
        return False
    name = f"output{match[1]}"
    _scalar_tensor(reading, statement, name, value)
    reading.outputs.append(Output(int(match[1]), name, statement.line))
    return True


def _scalar_tensor(reading: Reading, statement: Statement, name: str, text: str) -> None:
    """A tensor made of a number of the wrapper: int64, or float64 (float32 in torch 2.5)."""
    value = read(text)
    types = {s.type for s in reading.symbols if s.name in value.names()}
    is_whole = not value.is_float and "float" not in types
    dtype = (
        "int64"
        if is_whole
        else "float64"
        if "scalar_to_tensor_handle" in statement.text
        else "float32"
    )
    made = _Passed(reading, "scalar_tensor", compiled=False, called="scalar_to_tensor_handle")
    made.arguments = [value, Plain("dtype", dtype)]
    annotation, reading.annotation = reading.annotation, Annotation()
    _add(reading, statement, made, name)
    reading.annotation = annotation


def _op_name(call: Call) -> str:
    match = _SHIM.match(call.name)
    if match:
        return match.group(1)
    parts = call.name.split("::")
    return (parts[-2] if parts[-1] == "call" and len(parts) > 1 else parts[-1]).split(".")[-1]


@dataclass(slots=True)
class _Passed:
    """What a call is given and what it makes.

    The C shim's conventions are those of torch/csrc/inductor/aoti_torch: an array is a pointer
    and its length, an optional is a pointer, bools are ints, results are ``&name_handle`` and
    stand last, null for those that are not wanted and plain pointers for numbers.
    """

    reading: Reading
    op: str
    compiled: bool
    """A C++ kernel of the wrapper's own, which says by const which pointers it only reads."""
    called: str
    """The function as it stands in the wrapper."""
    custom: str = ""
    """``mylib.scale`` of an operator that is not PyTorch's own."""
    reads: list[TensorView] = field(default_factory=list)
    writes: list[TensorView] = field(default_factory=list)
    arguments: list[ExternArgument] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)

    def to_shim(self, call: Call) -> None:
        length = None
        for position, text in enumerate(call.arguments):
            if length is not None and text.rstrip("UL") == str(length):
                length = None
                continue
            length = None
            made = _HANDLE_NAME.match(text)
            if made:
                self.writes.append(TensorView(made[1]))
                self.results.append(Result(made[1]))
            elif self.results:
                self.results.append(Result(None))
            else:
                argument = self._argument(text)
                if isinstance(argument, TensorList):
                    length = len(argument.tensors)
                elif isinstance(argument, NumberList):
                    length = len(argument.values)
                self.arguments.append(argument)
                self._touch(argument, position, text)

    def to_executor(self, call: Call) -> None:
        """A custom operator: its outputs are the tensors made empty just before.

        ``aoti_torch_proxy_executor_call_function(proxy, node, n_ints, ints, n_tensors, tensors)``
        """
        views = self._listed(call.arguments[-1]) if call.arguments else []
        self.writes = [v for v in views if v.base in self.reading.unfilled]
        self.reading.unfilled.difference_update(v.base for v in self.writes)
        self.reads = [v for v in views if v not in self.writes]
        self.results = [Result(view.base) for view in self.writes]
        if not self.writes:
            # It gives nothing back, so it is there for what it changes.
            self.writes = list(self.reads)
        self.arguments.extend(self.reads)
        if len(call.arguments) > 3:
            self.arguments.extend(map(read, split_arguments(_items(call.arguments[3]))))

    def to_dispatcher(self, call: Call, types: tuple[str, ...]) -> None:
        """An operator found by its schema: ``types`` says which tensors it may change."""
        for position, text in enumerate(call.arguments):
            argument = self._argument(text)
            self.arguments.append(argument)
            if not isinstance(argument, TensorView):
                self.reads.extend(_tensors_of(argument))
                continue
            self.reads.append(argument)
            kind = types[position] if position < len(types) else ""
            if "&" in kind and "const" not in kind:
                self.writes.append(argument)

    def _touch(self, argument: ExternArgument, position: int, text: str) -> None:
        if not isinstance(argument, TensorView):
            self.reads.extend(_tensors_of(argument) or self._listed(text))
            return
        writes_first = self.op.endswith(("_out", "_")) or self.op.startswith("fill_")
        if self.compiled:
            pointer = _CAST_POINTER.match(text)
            (self.reads if pointer and pointer[1] else self.writes).append(argument)
        elif position == 0 and writes_first:
            self.writes.append(argument)
            if self.op.endswith("_") and self.op not in _OVERWRITES:
                self.reads.append(argument)
        else:
            self.reads.append(argument)

    def _argument(self, text: str) -> ExternArgument:
        pointer = _CAST_POINTER.match(text) if self.compiled else None
        view = self.reading.names.tensor(pointer[2] if pointer else text)
        if view is not None:
            return view
        if text in self.reading.names.tensor_lists:
            return self.reading.names.tensor_lists[text]
        array = _ARRAY.fullmatch(_unwrapped(text))
        if array is not None:
            return self._list(_item_type(array), split_arguments(array["items"]), text)
        if text in _NOTHING:
            return Plain("none")
        if text in ("true", "false"):
            return text == "true"
        dtype = dtype_name(text)
        if dtype is not None:
            return Plain("dtype", dtype)
        if text.startswith(_PLACES) or "device_type" in text:
            return Plain("place", text)
        quoted = _QUOTED.fullmatch(text)
        if quoted is not None:
            return Plain("string", quoted[1])
        value = read(text.removeprefix("&"))
        return Plain("unknown", text) if value.problem else value

    def _list(self, kind: str, items: tuple[str, ...], text: str) -> ExternArgument:
        views = self.reading.names.tensor_list(items)
        if "Tensor" in kind or (views is not None and any(views)):
            return Plain("unknown", text) if views is None else TensorList(views)
        values = tuple(map(read, items))
        if kind in ("double", "float"):
            return NumberList("float", values)
        return NumberList("bool" if kind == "bool" else "int", values)

    def _listed(self, text: str) -> list[TensorView]:
        """The tensors of a list that are known."""
        array = _ARRAY.fullmatch(text)
        if array is None or "Tensor" not in _item_type(array):
            return []
        views = (self.reading.names.tensor(item) for item in split_arguments(array["items"]))
        return [view for view in views if view is not None]


def _tensors_of(argument: ExternArgument) -> list[TensorView]:
    if not isinstance(argument, TensorList):
        return []
    return [view for view in argument.tensors if view is not None]


def _unwrapped(text: str) -> str:
    """The braces of ``c10::List<std::optional<at::Tensor>>({buf0})`` and of its like."""
    match = _LIST_TYPE.match(text)
    return match[2] if match else text


def _items(text: str) -> str:
    array = _ARRAY.fullmatch(text)
    return array["items"] if array is not None else ""


def _item_type(array: re.Match[str]) -> str:
    return array["type"] or array["vtype"] or "int64_t"
