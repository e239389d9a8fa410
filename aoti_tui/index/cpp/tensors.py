"""What the names of a function body stand for while it is read from top to bottom.

C++ that Inductor writes for one tensor can take several statements and throw-away names
(``int_array_3``, ``tmp_tensor_handle_0``, ``buf7_handle``); :class:`Names` resolves them.
Formats: torch/_inductor/codegen/cpp_wrapper_cpu.py (codegen_reinterpret_view,
codegen_alloc_from_pool, make_allocation).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from aoti_tui.index.arguments import TensorList, TensorView
from aoti_tui.index.cpp.calls import braced, parse_call
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.expression import ZERO, Expr
from aoti_tui.index.model import BufferKind

_NAME = re.compile(r"[A-Za-z_]\w*(?:\[\d+\])?$")
_METHOD = re.compile(r"\.(?:get|release|data_ptr|tensor)\(\)$")
_CAST = re.compile(r"^(?:reinterpret_cast|static_cast|const_cast)<[^()]*>\((.*)\)$", re.S)
_ARRAY = re.compile(r"std::array<[^<>]*>(\{.*\})\s*\.\s*(?:cbegin|begin|data)\(\)$", re.S)
_DTYPE = re.compile(r"(?:cached_torch_dtype_|aoti_torch_dtype_)(\w+?)(?:\(\))?$")
_SAME_TENSOR = frozenset(
    {
        "wrap_with_raii_handle_if_needed",
        "RAIIAtenTensorHandle",
        "ConstantHandle",
        "convert_arrayref_tensor_to_tensor",
        "borrow_arrayref_tensor_as_tensor",
        "copy_arrayref_tensor_to_tensor",
        "unwrap_raii_handle_if_needed",
        "temporary_reference",
        "std::move",
        "at::Tensor",
    }
)
_LEFT_OUT = frozenset(
    {"nullptr", "{}", "at::Tensor()", "std::nullopt", "c10::nullopt", "::std::nullopt"}
)
_ATEN_DTYPES = {
    "kFloat": "float32",
    "kDouble": "float64",
    "kHalf": "float16",
    "kBFloat16": "bfloat16",
    "kLong": "int64",
    "kInt": "int32",
    "kShort": "int16",
    "kChar": "int8",
    "kByte": "uint8",
    "kBool": "bool",
    "kUInt16": "uint16",
    "kUInt32": "uint32",
    "kUInt64": "uint64",
    "kComplexFloat": "complex64",
    "kComplexDouble": "complex128",
    "kFloat8_e4m3fn": "float8_e4m3fn",
    "kFloat8_e5m2": "float8_e5m2",
    "kFloat8_e4m3fnuz": "float8_e4m3fnuz",
    "kFloat8_e5m2fnuz": "float8_e5m2fnuz",
}


def dtype_name(text: str) -> str | None:
    """``cached_torch_dtype_int64`` or ``at::kLong`` as ``int64``; None for anything else."""
    text = text.strip()
    match = _DTYPE.search(text)
    if match:
        return match.group(1)
    return _ATEN_DTYPES.get(text.rpartition("::")[2])


@dataclass(frozen=True, slots=True)
class Made:
    """How a handle (``buf7_handle``) got its tensor."""

    kind: BufferKind
    of: TensorView | None = None
    sizes: tuple[Expr, ...] | None = None
    strides: tuple[Expr, ...] | None = None
    dtype: str | None = None
    offset: Expr = ZERO
    part: int = 0
    other_name: bool = False
    """The handle is only another name of ``of``."""


@dataclass(slots=True)
class Names:
    """The names seen so far in one function."""

    tensors: set[str] = field(default_factory=set)
    arrays: dict[str, tuple[Expr, ...]] = field(default_factory=dict)
    views: dict[str, TensorView] = field(default_factory=dict)
    """Throw-away names that stand for a tensor or a view of one."""
    handles: dict[str, Made] = field(default_factory=dict)
    tensor_lists: dict[str, TensorList] = field(default_factory=dict)

    def array(self, text: str) -> tuple[Expr, ...] | None:
        """An array argument as its elements: a name, a brace list or a ``std::array``."""
        text = text.strip()
        if text in self.arrays:
            return self.arrays[text]
        if text in ("nullptr", "{}"):
            return ()
        match = _ARRAY.match(text)
        items = braced(match.group(1) if match else text)
        return None if items is None else tuple(map(read, items))

    def tensor_list(self, items: Sequence[str]) -> tuple[TensorView | None, ...] | None:
        """The tensors of a list, None for one that is left out; None when one is not known."""
        views = [None if item in _LEFT_OUT else self.tensor(item) for item in items]
        if any(v is None and i not in _LEFT_OUT for i, v in zip(items, views, strict=True)):
            return None
        return tuple(views)

    def tensor(self, text: str, *, known: bool = True) -> TensorView | None:
        """``text`` as a tensor, or None.

        A bare name counts when it is a tensor seen before, or any name with ``known=False``.
        """
        text = _bare(text)
        if _NAME.match(text):
            if text in self.views:
                return self.views[text]
            if text in self.tensors or not known:
                return TensorView(text)
            return None
        call = parse_call(text)
        if call is None:
            return None
        if call.name in _SAME_TENSOR and len(call.arguments) == 1:
            return self.tensor(call.arguments[0], known=known)
        short = call.name.rpartition("::")[2]
        if short == "reinterpret_tensor_wrapper" and len(call.arguments) == 5:
            base, _, sizes, strides, offset = call.arguments
            return self._view(base, sizes, strides, offset)
        if short == "reinterpret_tensor" and len(call.arguments) == 4:
            base, sizes, strides, offset = call.arguments
            return self._view(base, sizes, strides, offset)
        return None

    def _view(self, base: str, sizes: str, strides: str, offset: str) -> TensorView | None:
        inner = self.tensor(base, known=False)
        if inner is None:
            return None
        return TensorView(
            inner.base,
            self.array(sizes),
            self.array(strides),
            sum_of(inner.offset, read(offset.strip())),
            inner.dtype,
        )

    def alias(self, name: str, view: TensorView) -> None:
        self.views[name] = view

    def define(self, name: str) -> None:
        """``name`` is a tensor of its own from here on."""
        self.tensors.add(name)
        self.views.pop(name, None)


def _bare(text: str) -> str:
    """``text`` without casts, address signs and accessors around a tensor."""
    while True:
        text = text.strip()
        cast = _CAST.match(text)
        if cast and _balanced(cast.group(1)):
            text = cast.group(1)
        elif text.startswith(("&", "*")):
            text = text[1:]
        elif text.startswith("new at::Tensor("):
            text = text[len("new ") :]
        elif _METHOD.search(text):
            text = _METHOD.sub("", text)
        else:
            return text


def _balanced(text: str) -> bool:
    depth = 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return False
    return depth == 0


def sum_of(first: Expr, second: Expr) -> Expr:
    """``first + second``; reinterpret_tensor_wrapper's offset is an increment."""
    if first.literal == 0:
        return ZERO if second.literal == 0 else second
    return first if second.literal == 0 else read(f"{first.written} + {second.written}")


def with_dtype(view: TensorView, dtype: str | None) -> TensorView:
    """The same memory read as ``dtype``."""
    return replace(view, dtype=dtype)
