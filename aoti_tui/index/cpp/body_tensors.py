"""Tensors of a body: allocations, views, reuse, pools, outputs.

Format: torch/_inductor/codegen/cpp_wrapper_cpu.py (make_allocation, codegen_alloc_from_pool,
codegen_reinterpret_view, codegen_exact_buffer_reuse, codegen_subgraph_prefix, generate_return).
"""

from __future__ import annotations

import re
from dataclasses import replace

from aoti_tui.index.arguments import TensorList, TensorView
from aoti_tui.index.cpp.calls import Call, braced, checked_call, parse_call
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.cpp.reading import Reading, made_of
from aoti_tui.index.cpp.statements import Statement
from aoti_tui.index.cpp.tensors import Made, dtype_name, with_dtype
from aoti_tui.index.model import BufferKind, Output

_ARRAY = re.compile(
    r"^(?:static\s+)?(?:constexpr|const)(?:\s+static)?\s+int64_t\s*\*?\s*(\w+)\s*(?:\[\])?\s*=\s*"
    r"(\{.*\}|nullptr)$",
    re.S,
)
_HANDLE = re.compile(r"^AtenTensorHandle\s+\w+(?:\s*=\s*nullptr)?$")
_OPTIONAL = re.compile(r"^AtenTensorHandle\s+(\w+)\s*=\s*(\w+(?:\.get\(\))?)$")
_TENSOR_LIST = re.compile(
    r"^(?:static\s+)?(?:const\s+)?AtenTensorHandle\s*\*?\s*(?:const\s+)?(\w+)\[\d*\]\s*=\s*"
    r"(\{.*\})$",
    re.S,
)
_CONSTANT = re.compile(r"^(?:const\s+)?auto\s*&?\s*(\w+)\s*=\s*\*?.*\bconstants_->at\(\d+\).*$")
_RAII = re.compile(r"^RAIIAtenTensorHandle\s+(\w+)\((.*)\)$", re.S)
_EMPTY = re.compile(r"^(?:RAIIAtenTensorHandle|at::Tensor)\s+(\w+)(?:\[(\d{1,4})\])?$")
_DEFINED = re.compile(
    r"^(?:RAIIAtenTensorHandle|at::Tensor|decltype\(auto\)|(?:const\s+)?auto\s*&?&?)\s+(\w+)\s*=\s*(.+)$",
    re.S,
)
_ASSIGNED = re.compile(r"^(\w+(?:\[\d+\])?)\s*=\s*(.+)$", re.S)
_OUTPUT = re.compile(r"^output_handles\[(\d{1,9})\]\s*=\s*(.+)$", re.S)
_OUTPUT_TARGET = re.compile(r"^&?output_handles\[(\d{1,9})\]$")
_TUPLE_PART = re.compile(r"^std::get<(\d{1,9})>\((\w+)\)$")
_WRAPPED = re.compile(r"^(?:std::move\()?RAIIAtenTensorHandle\((\w+)\)\)?$")
_POINTER_LOCAL = re.compile(r"^(?:tmp_|var_\d)")
_FILLERS = frozenset(
    {
        "aoti_torch_empty_strided",
        "aoti_torch_empty_strided_pinned",
        "aoti_torch__alloc_from_pool",
        "aoti_torch_as_strided",
        "aoti_torch_assign_tensors_out",
        "aoti_torch_new_tensor_handle",
        "aoti_torch_new_uninitialized_tensor",
        "aoti_torch__reinterpret_tensor",
        "aoti_torch_create_tensor_from_blob",
        "aoti_torch_create_tensor_from_blob_v2",
    }
)


def read_tensor(reading: Reading, statement: Statement, comment: str) -> bool:
    """Takes a statement that makes, names or hands out a tensor; ``comment`` is the one after."""
    text = statement.text
    match = _ARRAY.match(text)
    if match:
        name, value = match.groups()
        reading.names.arrays[name] = reading.names.array(value) or ()
        return True
    if _HANDLE.match(text) or _listed(reading, text):
        return True
    match = _CONSTANT.match(text)
    if match:
        reading.names.define(match.group(1))
        return True
    match = _RAII.match(text)
    if match:
        return _named_handle(reading, statement, match.group(1), match.group(2).strip())
    match = _EMPTY.match(text)
    if match:
        name, count = match.groups()
        for i in range(int(count)) if count else (None,):
            full = name if i is None else f"{name}[{i}]"
            reading.buffer(full, statement.line, Made("declaration"))
        return True
    return (
        _output(reading, statement)
        or _definition(reading, statement, comment)
        or _filled(reading, checked_call(text))
    )


def _listed(reading: Reading, text: str) -> bool:
    """``AtenTensorHandle var_0 = buf0.get();`` and the list of pointers to such (torch 2.5 to
    2.7, val_to_arg_str)."""
    names = reading.names
    match = _OPTIONAL.match(text)
    if match:
        view = names.tensor(match[2])
        if view is not None:
            names.alias(match[1], view)
        return view is not None
    match = _TENSOR_LIST.match(text)
    views = names.tensor_list(braced(match[2]) or ()) if match else None
    if match is None or views is None:
        return False
    names.tensor_lists[match[1]] = TensorList(views)
    return True


def _named_handle(reading: Reading, statement: Statement, name: str, handle: str) -> bool:
    made = reading.names.handles.get(handle)
    if made is None:
        view = reading.names.tensor(handle)
        made = made_of(view, "view") if view is not None else Made("result")
    other_name = made.other_name or (made.kind == "view" and name.startswith("tmp_"))
    if other_name and made.of is not None:
        reading.names.alias(name, made.of)
        return True
    reading.buffer(name, statement.line, made)
    if made.kind == "result" and handle in reading.unfilled:
        reading.unfilled.add(name)
    return True


def _filled(reading: Reading, call: Call | None) -> bool:
    """A call that only makes a handle: what it is becomes known, no operator runs."""
    if call is None or not call.arguments:
        return False
    names = reading.names
    target = call.arguments[-1].lstrip("&").strip()
    args = call.arguments
    if call.name.startswith("aoti_torch_empty_strided") and len(args) >= 7:
        names.handles[target] = Made(
            "allocation",
            sizes=names.array(args[1]),
            strides=names.array(args[2]),
            dtype=dtype_name(args[3]),
        )
    elif call.name == "aoti_torch__alloc_from_pool" and len(args) == 7:
        pool, offset, dtype, _, sizes, strides, _ = args
        made = Made(
            "pool",
            names.tensor(pool, known=False),
            names.array(sizes),
            names.array(strides),
            dtype_name(dtype),
            read(offset),
        )
        names.handles[target] = made
    elif call.name == "aoti_torch_as_strided" and len(args) == 4:
        old = names.handles.get(args[0])
        view = names.tensor(args[0])
        sizes_, strides_ = names.array(args[1]), names.array(args[2])
        if old is not None:
            names.handles[target] = replace(old, sizes=sizes_, strides=strides_)
        else:
            names.handles[target] = Made("view", view, sizes_, strides_)
    elif call.name == "aoti_torch_assign_tensors_out" and len(args) == 2:
        view = names.tensor(args[0], known=False)
        names.handles[target] = made_of(view, "alias") if view else Made("alias")
    elif call.name == "aoti_torch_new_tensor_handle" and len(args) == 2:
        view = names.tensor(args[0], known=False)
        names.handles[target] = Made("view", view, other_name=True)
        if view is not None:
            names.alias(target, view)
    elif call.name.endswith("_view_dtype") and len(args) == 3:
        view = names.tensor(args[0], known=False)
        if view is not None:
            names.alias(target, with_dtype(view, dtype_name(args[1])))
    elif call.name == "aoti_torch_new_uninitialized_tensor" and len(args) == 1:
        if _OUTPUT_TARGET.match(args[0]):
            return True
        names.handles[target] = Made("result")
        reading.unfilled.add(target)
    elif call.name == "aoti_torch__reinterpret_tensor" and len(args) == 6:
        base, _, sizes, strides, offset, _ = args
        view = names.tensor(f"reinterpret_tensor({base}, {sizes}, {strides}, {offset})")
        if view is None:
            return False
        names.handles[target] = Made("view", view, other_name=True)
        names.alias(target, view)
    elif call.name == "wrap_with_raii_handle_if_needed" and len(args) == 1:
        # make_allocation drops the handle of the wider allocation like this.
        return args[0] in names.handles
    else:
        return call.name in _FILLERS and target in names.handles
    return True


def _definition(reading: Reading, statement: Statement, comment: str) -> bool:
    match = _DEFINED.match(statement.text)
    assigned = None if match else _ASSIGNED.match(statement.text)
    found = match or assigned
    if found is None:
        return False
    name, value = found.group(1), found.group(2).strip()
    if assigned is not None and name not in reading.names.tensors:
        return False
    line = statement.line
    wrapped = _WRAPPED.match(value)
    if wrapped and wrapped.group(1) in reading.names.handles:
        return _named_handle(reading, statement, name, wrapped.group(1))
    made = _allocation(reading, value)
    if made is not None:
        reading.buffer(name, line, made)
        return True
    part = _TUPLE_PART.match(value)
    if part:
        reading.buffer(
            name, line, Made("alias", TensorView(part.group(2)), part=int(part.group(1)))
        )
        return True
    if value.startswith("std::move("):
        view = reading.names.tensor(value)
        if view is None:
            return False
        reading.buffer(name, line, made_of(view, "reuse"))
        return True
    view = reading.names.tensor(value)
    if view is None:
        return False
    if match and _POINTER_LOCAL.match(name) and not name.startswith("var_"):
        reading.names.alias(name, view)
        return True
    if "reuse" in comment:
        kind: BufferKind = "reuse"
    elif view.sizes is None and statement.text.startswith(("auto ", "decltype")):
        kind = "alias"
    else:
        kind = "view"
    reading.buffer(name, line, made_of(view, kind))
    if _POINTER_LOCAL.match(name):
        reading.names.alias(name, view)
    return True


def _allocation(reading: Reading, value: str) -> Made | None:
    """``at::detail::empty_strided_cuda({…}, {…}, at::kFloat, …)`` (torch 2.5)."""
    call = parse_call(value)
    if call is None or "empty_strided" not in call.name or len(call.arguments) < 3:
        return None
    sizes, strides, dtype = call.arguments[:3]
    return Made(
        "allocation",
        sizes=reading.names.array(sizes),
        strides=reading.names.array(strides),
        dtype=dtype_name(dtype),
    )


def _output(reading: Reading, statement: Statement) -> bool:
    match = _OUTPUT.match(statement.text)
    if match:
        position, value = int(match.group(1)), match.group(2).strip()
        same = _OUTPUT_TARGET.match(value)
        if same:
            first = next(
                (o.name for o in reading.outputs if o.position == int(same.group(1))), value
            )
            reading.outputs.append(Output(position, first, statement.line))
            return True
        name = value.removesuffix(".release()")
        if name not in reading.names.tensors:
            view = reading.names.tensor(value)
            if view is None:
                return False
            name = view.base
        reading.outputs.append(Output(position, name, statement.line))
        return True
    call = checked_call(statement.text)
    if call is None or len(call.arguments) != 2:
        return False
    target = _OUTPUT_TARGET.match(call.arguments[1])
    if target and call.name in ("aoti_torch_clone", "aoti_torch_assign_tensors"):
        view = reading.names.tensor(call.arguments[0])
        if view is not None:
            reading.outputs.append(Output(int(target.group(1)), view.base, statement.line))
        return view is not None or "cached_output_" in call.arguments[0]
    return False
