"""Operators of a body that are not Triton kernels.

Format: torch/_inductor/codegen/cpp_wrapper_cpu.py (generate_c_shim_extern_kernel_call,
generate_c_shim_fallback_kernel, generate_fallback_kernel_with_runtime_lookup_aot,
_generate_scatter_fallback, codegen_device_copy).
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
from aoti_tui.index.cpp.calls import Call, checked_call, split_arguments
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.cpp.reading import Annotation, Reading
from aoti_tui.index.cpp.statements import Statement
from aoti_tui.index.cpp.tensors import Made, dtype_name
from aoti_tui.index.model import ExternCall

_OPERATOR = re.compile(
    r"^(?:aoti_torch_|at::|torch::|kernels\.cpp_|cpp_|(?:this->)?kernels\.\w*cpp_)"
)
_SHIM = re.compile(r"^aoti_torch_(?:(?:cuda|cpu|xpu|mps|mtia|hip)_)?(\w+)$")
_RESULT = re.compile(r"^(?:at::Tensor|auto)\s+(\w+)\s*=\s*(.+)$", re.S)
_ARRAY = re.compile(
    r"(?:std::array<\s*(?P<type>[\w:\s*]+?)(?:,[^<>]*)?>|std::vector<\s*(?P<vtype>[\w:\s*]+?)\s*>)?"
    r"\s*\{(?P<items>.*)\}\s*(?:\.\s*\w+\(\))?",
    re.S,
)
_CAST_POINTER = re.compile(r"^\((const )?[\w:]+\s*\*\)\s*\(?(.*?)\)?$", re.S)
_HANDLE_NAME = re.compile(r"^&\s*(\w+)_handle$")
_EXECUTOR = "proxy_executor_call_function"
_QUOTED = re.compile(r'"((?:\\.|[^"\\])*)"')
_NOTHING = frozenset({"nullptr", "std::nullopt", "c10::nullopt"})
_PLACES = ("this->device_idx_", "cached_torch_layout_", "proxy_executor")
_SILENT = re.compile(
    r"^(?:aoti_torch_(?:print_tensor_handle|save_tensor_handle|check_inf_and_nan"
    r"|delete_tensor_object|get_current_\w*stream|clone_preserve_strides|grad_mode_set_enabled"
    r"|get_data_ptr|get_sizes|get_strides|get_numel|get_dim|record_function\w*|warn)"
    r"|printf|fflush|std::cout|std::cerr)$"
)
_OVERWRITES = frozenset({"zero_", "copy_", "fill_", "fill__Scalar", "random_", "normal_"})


def read_extern(reading: Reading, statement: Statement) -> bool:
    """Takes a call of an operator; False for any other statement."""
    text = statement.text
    result = _RESULT.match(text)
    call = checked_call(result.group(2) if result else text)
    if call is None:
        return False
    if _SILENT.match(call.name):
        return True
    if not _OPERATOR.match(call.name) and not text.startswith("AOTI_TORCH_ERROR_CODE_CHECK("):
        return False
    if call.name.startswith("aoti_torch_item_"):
        return False
    op = _op_name(call)
    found = _Passed(reading, op, compiled="cpp_" in call.name)
    if op == _EXECUTOR:
        found.to_executor(call)
    else:
        found.to_shim(call)
    if result:
        name = result.group(1)
        reading.buffer(name, statement.line, Made("result"))
        found.writes.append(TensorView(name))
        if not found.results:
            found.results = [Result(view.base) for view in found.writes]
    annotation = reading.take_annotation() if op != "zero_" else Annotation()
    reading.externs.append(
        ExternCall(
            op=op,
            line=statement.line,
            text=text,
            function=reading.function,
            reads=tuple(found.reads),
            writes=tuple(found.writes),
            arguments=tuple(found.arguments),
            results=tuple(found.results),
            named=op != _EXECUTOR,
            scopes=reading.where(),
            source_nodes=annotation.source_nodes,
            aten=annotation.aten,
            debug_handle=reading.debug_handles.pop(call.name, None),
            model_frames=reading.frames[-1] if reading.frames else (),
        )
    )
    return True


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
                if isinstance(argument, TensorList | NumberList):
                    length = len(split_arguments(_items(text)))
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
        self.arguments.extend(self.reads)
        if len(call.arguments) > 3:
            self.arguments.extend(map(read, split_arguments(_items(call.arguments[3]))))

    def _touch(self, argument: ExternArgument, position: int, text: str) -> None:
        if not isinstance(argument, TensorView):
            self.reads.extend(self._listed(text))
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
        array = _ARRAY.fullmatch(text)
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
        if "Tensor" in kind:
            views = [(item, self.reading.names.tensor(item)) for item in items]
            if any(view is None and item != "nullptr" for item, view in views):
                return Plain("unknown", text)
            return TensorList(tuple(view for _, view in views))
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


def _items(text: str) -> str:
    array = _ARRAY.fullmatch(text)
    return array["items"] if array is not None else ""


def _item_type(array: re.Match[str]) -> str:
    return array["type"] or array["vtype"] or "int64_t"
