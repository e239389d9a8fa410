"""Operators of a wrapper that are not Triton kernels.

Format: torch/_inductor/codegen/wrapper.py (generate_extern_kernel_out,
generate_fallback_kernel). Operators get the names and the order of arguments that the C shim
gives them (``addmm_out(out, self, mat1, mat2, beta, alpha)``).
"""

from __future__ import annotations

import ast
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
from aoti_tui.index.model import ExternCall
from aoti_tui.index.python.comments import Annotation
from aoti_tui.index.python.reading import Reading
from aoti_tui.index.python.tensors import dtype_name, item_of, tensor_of

_NAMESPACES = re.compile(
    r"^(?:extern_kernels|torch\.ops|aten|prims|inductor_ops|_quantized|_c10d_functional|fbgemm"
    r"|fsdp|torch\._C\._\w+|torch\.\w+)\."
)
_SEEDS = re.compile(r"^torch\.rand\w*$")
"""``torch.randint(2**31, …, out=seed_cuda_0)``: how wrappers of torch 2.0 draw their seed."""
_METHODS = frozenset({"copy_", "clone", "zero_", "fill_", "add_", "mul_", "contiguous", "to"})
_KEYWORDS = {
    **dict.fromkeys(("addmm", "baddbmm", "addbmm", "addmv", "addr"), ("beta", "alpha")),
    "cumsum": ("dim", "dtype"),
    "cumprod": ("dim", "dtype"),
    "convolution": (
        "stride",
        "padding",
        "dilation",
        "transposed",
        "output_padding",
        "groups",
    ),
}
"""Keywords in the order of the operator's schema, after its positional arguments."""
_SAME_AS = {"bias_addmm": "addmm"}
_OVERWRITES = frozenset({"zero_", "copy_", "fill_", "random_", "normal_"})
_PLACES = frozenset({"strided", "preserve_format", "contiguous_format", "channels_last"})


def read_extern(reading: Reading, call: ast.Call, result: str | None) -> bool:
    """Takes a call of an operator, whose result gets the name ``result``; False for another."""
    function = ast.unparse(call.func)
    compiled = reading.outline.compiled.get(function)
    found = _Passed(reading)
    if compiled is not None:
        found.op = function
        found.to_compiled(call, compiled)
    elif isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS:
        target = tensor_of(reading, call.func.value)
        if target is None:
            return False
        found.op = call.func.attr
        found.to_operator(ast.Call(call.func, [call.func.value, *call.args], call.keywords))
    elif _NAMESPACES.match(function) or _SEEDS.match(function):
        found.name(function)
        found.to_operator(call)
    else:
        return False
    _add(reading, call, found, result)
    return True


def _add(reading: Reading, call: ast.Call, found: _Passed, result: str | None) -> None:
    results: tuple[Result, ...] = ()
    if result is not None:
        reading.buffer(result, call.lineno, "result")
        if not found.given_out:
            found.writes.append(TensorView(result))
            results = (Result(result),)
    elif not found.writes:
        # It gives nothing back, so it is there for what it changes.
        found.writes = list(found.reads)
    annotation = reading.annotation(call.lineno) if found.op != "zero_" else Annotation()
    reading.externs.append(
        ExternCall(
            op=found.op,
            line=call.lineno,
            text=reading.text(call),
            function=reading.function,
            reads=tuple(found.reads),
            writes=tuple(found.writes),
            arguments=tuple(found.arguments),
            results=results,
            named=not found.custom,
            custom=found.custom,
            scopes=reading.where(),
            source_nodes=annotation.source_nodes,
            aten=annotation.aten,
            debug_handle=annotation.debug_handle,
        )
    )


@dataclass(slots=True)
class _Passed:
    """What a call is given and what it makes."""

    reading: Reading
    op: str = ""
    custom: str = ""
    """``mylib.scale.default`` of an operator that is not PyTorch's own."""
    given_out: bool = False
    reads: list[TensorView] = field(default_factory=list)
    writes: list[TensorView] = field(default_factory=list)
    arguments: list[ExternArgument] = field(default_factory=list)

    def name(self, function: str) -> None:
        """``torch.ops.aten.index.Tensor`` is ``index_Tensor``, ``extern_kernels.mm`` is ``mm``."""
        parts = function.removeprefix("torch.ops.").split(".")
        space, rest = parts[0], parts[1:]
        if space in ("extern_kernels", "torch"):
            self.op = _SAME_AS.get(rest[-1], rest[-1])
            return
        overload = rest[1] if len(rest) > 1 and rest[1] != "default" else ""
        self.op = f"{rest[0]}_{overload}" if overload else rest[0]
        if space not in ("aten", "prims"):
            self.custom = ".".join(parts)

    def to_compiled(self, call: ast.Call, types: tuple[str, ...]) -> None:
        """A C++ kernel for the CPU, whose types say by const what it only reads."""
        for position, node in enumerate(call.args):
            argument = self._argument(node)
            self.arguments.append(argument)
            if isinstance(argument, TensorView):
                only_reads = position < len(types) and types[position].startswith("const")
                (self.reads if only_reads else self.writes).append(argument)

    def to_operator(self, call: ast.Call) -> None:
        named = {k.arg: k.value for k in call.keywords if k.arg is not None}
        out = named.pop("out", None)
        base = self.op.partition("_out")[0]
        if out is not None:
            self.given_out = True
            self.op = self.op if self.op.endswith("_out") else f"{self.op}_out"
            written = self._argument(out)
            self.arguments.append(written)
            self.writes.extend(_tensors_in(written))
        changes = self.op.endswith("_") or "__" in self.op.lstrip("_")
        for position, node in enumerate(call.args):
            argument = self._argument(node)
            self.arguments.append(argument)
            if position == 0 and changes and not self.given_out:
                self.writes.extend(_tensors_in(argument))
                if self.op in _OVERWRITES:
                    continue
            self.reads.extend(_tensors_in(argument))
        self._keywords(base, named)

    def _keywords(self, base: str, named: dict[str, ast.expr]) -> None:
        """Keywords stand in the order of the schema where that is known; else their places are
        not, and the call is not one that can be repeated."""
        order = _KEYWORDS.get(base, ())
        known = all(k in order for k in named)
        for key in (k for k in order if k in named) if known else named:
            argument = self._argument(named[key])
            self.reads.extend(_tensors_in(argument))
            if known and (set(order[: order.index(key)]) <= set(named)):
                self.arguments.append(argument)
            else:
                self.arguments.append(Plain("unknown", f"{key}={self.reading.text(named[key])}"))

    def _argument(self, node: ast.expr) -> ExternArgument:
        if isinstance(node, (ast.List, ast.Tuple)):
            return self._list(node)
        if isinstance(node, ast.Constant):
            if node.value is None:
                return Plain("none")
            if isinstance(node.value, bool):
                return node.value
            if isinstance(node.value, str):
                return Plain("string", node.value)
        dtype = dtype_name(node)
        if dtype is not None:
            return Plain("place" if dtype in _PLACES else "dtype", dtype)
        text = self.reading.text(node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("device", "torch.device"):
            return Plain("place", text)
        item = item_of(self.reading, node)
        if item is None:
            return Plain("none")
        if isinstance(item, TensorView):
            return item
        return Plain("unknown", text) if item.problem else item

    def _list(self, node: ast.List | ast.Tuple) -> ExternArgument:
        items = [item_of(self.reading, e) for e in node.elts]
        if any(isinstance(i, TensorView) for i in items):
            if any(i is not None and not isinstance(i, TensorView) for i in items):
                return Plain("unknown", self.reading.text(node))
            return TensorList(tuple(i if isinstance(i, TensorView) else None for i in items))
        values = [self.reading.expression(e) for e in node.elts]
        if any(v.problem for v in values):
            return Plain("unknown", self.reading.text(node))
        floats = any(v.is_float for v in values)
        bools = bool(node.elts) and all(
            isinstance(e, ast.Constant) and isinstance(e.value, bool) for e in node.elts
        )
        return NumberList("float" if floats else "bool" if bools else "int", tuple(values))


def _tensors_in(argument: ExternArgument) -> list[TensorView]:
    if isinstance(argument, TensorView):
        return [argument]
    if isinstance(argument, TensorList):
        return [view for view in argument.tensors if view is not None]
    return []
