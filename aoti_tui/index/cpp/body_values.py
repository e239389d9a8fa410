"""Scalars of a body: inputs, sizes, symbols, values read from tensors.

Format: torch/_inductor/codegen/cpp_wrapper_cpu.py (_write_input_unpacking,
codegen_input_symbol_assignment, _codegen_dynamic_scalar, codegen_dynamic_slice_size).
"""

from __future__ import annotations

import re

from aoti_tui.index.cpp.calls import checked_call, parse_call
from aoti_tui.index.cpp.reading import Reading
from aoti_tui.index.cpp.statements import Statement
from aoti_tui.index.model import Input, SymbolKind

SCALAR_TYPE = (
    r"(?:const\s+)?(?:auto|u?int(?:8|16|32|64)_t|unsigned(?:\s+\w+)?|long(?:\s+long)?|int|float"
    r"|double|bool|size_t|half|bfloat16|(?:at|c10)::(?:Half|BFloat16))"
)
_INPUT = re.compile(r"^auto\s*&?\s*(\w+)\s*=\s*std::move\(inputs\[(\d{1,9})\]\)$")
_DECLARED = re.compile(rf"^({SCALAR_TYPE})\s+(\w+)$")
_ASSIGNED = re.compile(rf"^(?:{SCALAR_TYPE}\s+)?([A-Za-z_]\w*)\s*=\s*(.+)$", re.S)
_TYPED = re.compile(rf"^({SCALAR_TYPE})\s+\w+\s*=")
_DIMENSION = re.compile(r"^(\w+?)_(size|stride)\[(\d{1,9})\]$")
_METHOD_SIZE = re.compile(r"^(\w+)\.(size|stride)\((\d{1,9})L*\)$")
_SIZES = re.compile(
    r"^(?:(?:auto|const\s+auto&?|int64_t\s*\*)\s+(\w+_(?:size|stride))\s*=\s*\w+\.(?:sizes|strides)\(\)"
    r"|int64_t\s*\*\s*\w+_(?:size|stride))$"
)
_ITEM_CALL = re.compile(r"^aoti_torch_item_\w+$")
_ITEM_METHOD = re.compile(r"^(.*?)\.item(?:<\w+>)?\(\)(?:\.to\w+\(\))?$", re.S)
_TENSOR_MAKERS = (
    "at::",
    "torch::",
    "wrap_with_raii",
    "reinterpret_tensor",
    "RAII",
    "c10::Dispatcher::",
    "scalar_to_tensor_handle",
)
_DISPATCHER_CALL = re.compile(r"^op_\w+\.call\(")
_SPECIAL_INPUT = re.compile(r"^inputs\[(\d{1,9})\]$")


def read_value(reading: Reading, statement: Statement) -> bool:
    """Takes a statement about inputs or scalars; False when it is about something else."""
    text = statement.text
    match = _INPUT.match(text)
    if match:
        name, position = match.group(1), int(match.group(2))
        reading.inputs.append(Input(position, name, statement.line))
        reading.positions[name] = position
        reading.names.define(name)
        return True
    if _SIZES.match(text):
        return True
    match = _DECLARED.match(text)
    if match:
        reading.declared[match.group(2)] = match.group(1)
        return True
    return _item(reading, statement) or _definition(reading, statement)


def _item(reading: Reading, statement: Statement) -> bool:
    """``aoti_torch_item_int64(arg1_1, &u0_raw)``, and sizes read by a call (torch 2.5)."""
    call = checked_call(statement.text)
    if call is None:
        return False
    if call.name in ("aoti_torch_get_sizes", "aoti_torch_get_strides"):
        return True
    if not _ITEM_CALL.match(call.name) or len(call.arguments) != 2:
        return False
    source, target = call.arguments[0], call.arguments[1].lstrip("&").strip()
    if target not in reading.declared:
        return False
    position = _SPECIAL_INPUT.match(source)
    if position:
        where = int(position.group(1))
        reading.inputs.append(Input(where, target, statement.line, is_scalar=True))
        reading.positions[target] = where
        reading.symbol(
            target,
            statement.line,
            "item",
            f"{source}.item()",
            position=where,
            declared=reading.declared[target],
        )
        return True
    view = reading.names.tensor(source, known=False)
    tensor = view.base if view is not None else source
    reading.items[target] = tensor
    if not target.endswith(("_raw", "_tmp")):
        type_ = reading.declared[target]
        _read_from(reading, target, statement.line, f"{tensor}.item()", tensor, type_)
    return True


def _read_from(
    reading: Reading, name: str, line: int, expression: str, tensor: str, declared: str
) -> None:
    position = reading.positions.get(tensor)
    reading.symbol(
        name, line, "item", expression, tensor=tensor, position=position, declared=declared
    )


def _definition(reading: Reading, statement: Statement) -> bool:
    match = _ASSIGNED.match(statement.text)
    if match is None:
        return False
    name, value = match.group(1), match.group(2).strip()
    typed = _TYPED.match(statement.text)
    declared = typed.group(1) if typed else reading.declared.get(name, "")
    if not typed and name not in reading.symbol_names and name not in reading.declared:
        return False
    if name in reading.passed or reading.names.tensor(value) is not None:
        return False
    line = statement.line
    method_item = _ITEM_METHOD.match(value)
    if method_item:
        view = reading.names.tensor(method_item.group(1), known=False)
        tensor = view.base if view is not None else method_item.group(1)
        reading.items[name] = tensor
        if not name.endswith(("_raw", "_tmp")):
            _read_from(reading, name, line, f"{tensor}.item()", tensor, declared)
        return True
    dimension = _DIMENSION.match(value)
    if dimension and dimension.group(1) in reading.positions:
        tensor, what, dim = dimension.groups()
        kind: SymbolKind = "input_dim" if what == "size" else "input_stride"
        reading.symbol(
            name, line, kind, value, position=reading.positions[tensor], dim=int(dim), tensor=tensor
        )
        return True
    sized = _METHOD_SIZE.match(value)
    if sized:
        tensor, what, dim = sized.groups()
        made: SymbolKind = "buffer_dim" if what == "size" else "buffer_stride"
        reading.symbol(name, line, made, value, tensor=tensor, dim=int(dim))
        return True
    if _is_tensor_maker(value):
        return False
    raw = next((r for r in reading.items if re.search(rf"\b{r}\b", value)), None)
    if raw is not None and raw.endswith(("_raw", "_tmp")):
        tensor = reading.items[raw]
        expression = re.sub(rf"\b{raw}\b", f"{tensor}.item()", value)
        _read_from(reading, name, line, expression, tensor, declared)
        return True
    reading.symbol(name, line, "expression", value, declared=declared)
    return True


def _is_tensor_maker(value: str) -> bool:
    """A right-hand side that makes a tensor or handle rather than a number."""
    if value.startswith(_TENSOR_MAKERS) or _DISPATCHER_CALL.match(value):
        return True
    if "constants_->at(" in value:
        return True
    call = parse_call(value)
    if call is not None and call.name.startswith("std::get<"):
        return True
    return call is not None and call.name in (
        "std::move",
        "steal_from_raw_handles_to_raii_handles",
        "alloc_tensors_by_stealing_from_handles",
    )
