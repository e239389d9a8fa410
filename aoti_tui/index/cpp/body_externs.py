"""Operators of a body that are not Triton kernels.

Format: torch/_inductor/codegen/cpp_wrapper_cpu.py (generate_c_shim_extern_kernel_call,
generate_c_shim_fallback_kernel, generate_fallback_kernel_with_runtime_lookup_aot,
_generate_scatter_fallback, codegen_device_copy).
"""

from __future__ import annotations

import re

from aoti_tui.index.cpp.calls import Call, checked_call, split_arguments
from aoti_tui.index.cpp.reading import Annotation, Reading
from aoti_tui.index.cpp.statements import Statement
from aoti_tui.index.cpp.tensors import Made
from aoti_tui.index.model import ExternCall, TensorView

_OPERATOR = re.compile(
    r"^(?:aoti_torch_|at::|torch::|kernels\.cpp_|cpp_|(?:this->)?kernels\.\w*cpp_)"
)
_SHIM = re.compile(r"^aoti_torch_(?:(?:cuda|cpu|xpu|mps|mtia|hip)_)?(\w+)$")
_RESULT = re.compile(r"^(?:at::Tensor|auto)\s+(\w+)\s*=\s*(.+)$", re.S)
_HANDLES = re.compile(r"std::array<AtenTensorHandle, \d+>\{(.*)\}\s*\.\w+\(\)$", re.S)
_OLD_HANDLES = re.compile(r"std::vector<AtenTensorHandle>\s*\{(.*)\}\.data\(\)$", re.S)
_CAST_POINTER = re.compile(r"^\((const )?[\w:]+\s*\*\)\s*\(?(.*?)\)?$", re.S)
_HANDLE_NAME = re.compile(r"^&(\w+)_handle$")
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
    if call.name.endswith("proxy_executor_call_function"):
        reads, writes = _proxy(reading, call)
    else:
        reads, writes = _read_written(reading, call, op)
    if result:
        name = result.group(1)
        reading.buffer(name, statement.line, Made("result"))
        writes = (*writes, TensorView(name))
    annotation = reading.take_annotation() if op != "zero_" else Annotation()
    reading.externs.append(
        ExternCall(
            op=op,
            line=statement.line,
            text=text,
            function=reading.function,
            reads=reads,
            writes=writes,
            arguments=call.arguments,
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


def _read_written(
    reading: Reading, call: Call, op: str
) -> tuple[tuple[TensorView, ...], tuple[TensorView, ...]]:
    reads: list[TensorView] = []
    writes: list[TensorView] = []
    writes_first = op.endswith(("_out", "_")) or op.startswith("fill_")
    compiled = "cpp_" in call.name
    for position, argument in enumerate(call.arguments):
        made = _HANDLE_NAME.match(argument)
        if made:
            writes.append(TensorView(made.group(1)))
            continue
        pointer = _CAST_POINTER.match(argument) if compiled else None
        view = reading.names.tensor(pointer.group(2) if pointer else argument)
        if view is None:
            reads.extend(_listed(reading, argument))
        elif compiled:
            # A compiled C++ kernel says by const which pointers it only reads.
            constant = pointer is not None and pointer.group(1)
            (reads if constant else writes).append(view)
        elif position == 0 and writes_first:
            writes.append(view)
            if op.endswith("_") and op not in _OVERWRITES:
                reads.append(view)
        else:
            reads.append(view)
    return tuple(reads), tuple(writes)


def _listed(reading: Reading, argument: str) -> list[TensorView]:
    match = _HANDLES.search(argument) or _OLD_HANDLES.search(argument)
    if match is None:
        return []
    views = (reading.names.tensor(a) for a in split_arguments(match.group(1)))
    return [v for v in views if v is not None]


def _proxy(reading: Reading, call: Call) -> tuple[tuple[TensorView, ...], tuple[TensorView, ...]]:
    """A custom operator: its outputs are the tensors made empty just before."""
    views = _listed(reading, call.arguments[-1])
    writes = tuple(v for v in views if v.base in reading.unfilled)
    reading.unfilled.difference_update(v.base for v in writes)
    return tuple(v for v in views if v not in writes), writes
