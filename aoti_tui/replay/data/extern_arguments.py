"""C++ arguments of an extern call to arguments of the worker's ``extern`` request.

The C shim's conventions are those of torch/csrc/inductor/aoti_torch (an array is a pointer and
its length, an optional is a pointer, bools are ints, results are ``&name_handle``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from aoti_tui.index.cpp.calls import split_arguments
from aoti_tui.index.cpp.tensors import dtype_name
from aoti_tui.index.model import ExternCall, TensorView

_ARRAY = re.compile(
    r"(?:std::array<\s*(?P<type>[\w:]+)[^<>]*>|std::vector<\s*(?P<vtype>[\w:]+)\s*>)?"
    r"\s*\{(?P<items>.*)\}\s*(?:\.\s*\w+\(\))?",
    re.S,
)
_FLOAT = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?f?|[-+]?INFINITY|NAN")
_INTEGER = re.compile(r"-?\d+(?:LL|L|UL|ULL)?")
_OUTPUT = re.compile(r"&\s*(\w+?)(?:_handle)?$")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_RETURNED = re.compile(r"\s*(?:auto|at::Tensor)\s+\w+\s*=")
_STRING = re.compile(r'"((?:\\.|[^"\\])*)"')
_PLACE = (
    "this->device_idx_",
    "cached_torch_device_type_",
    "cached_torch_layout_",
    "proxy_executor",
)


class CannotConvert(Exception):
    """An argument whose form is not known; ``str()`` of it says which."""


def extern_arguments(
    extern: ExternCall,
    hold: Callable[[TensorView], str],
    evaluate: Callable[[str], int | float],
    lines: Sequence[str] = (),
) -> tuple[list[dict[str, Any]], list[str | None]]:
    """``(args, outputs)`` for the worker.

    ``hold`` gives the worker's name of a tensor, ``evaluate`` a C++ expression's value.
    ``outputs`` are the wrapper names of what the call makes, in its order, None for a result that
    nobody keeps; ``lines`` of the wrapper tell how many results of a returned tuple are taken.
    Raises :class:`CannotConvert`.
    """
    if extern.op.startswith("proxy_executor"):
        return _proxy_arguments(extern, hold, evaluate)
    views = _Views(extern)
    made = {view.base for view in extern.writes}
    args: list[dict[str, Any]] = []
    outputs: list[str | None] = []
    texts = list(extern.arguments)
    position = 0
    while position < len(texts):
        text = texts[position].strip()
        position += 1
        output = _OUTPUT.match(text)
        if output and (output[1] in made or text.endswith("_handle")):
            outputs.append(output[1])
            continue
        if outputs:
            # The C shim has all results last; null for those that are not wanted, plain pointers
            # for numbers.
            outputs.append(None)
            continue
        view = views.named_in(text)
        array = _ARRAY.fullmatch(text)
        if array is not None:
            items = split_arguments(array["items"])
            kind = array["type"] or array["vtype"] or "int64_t"
            args.append(_array(kind, items, views, hold, evaluate))
            position = _skip_length(texts, position, len(items))
        elif view is not None:
            args.append({"tensor": hold(view)})
        elif "tmp_tensor_handle" in text and (view := views.unnamed()) is not None:
            # A throw-away name: the index has put what it stands for among the reads.
            args.append({"tensor": hold(view)})
        else:
            args.append(_scalar(text, evaluate))
    if not outputs and _RETURNED.match(extern.text):
        outputs = [*_results(extern, lines)]
    return args, outputs


def _results(extern: ExternCall, lines: Sequence[str]) -> Iterator[str]:
    """Names of what a call returns: itself, and ``buf7#1`` for ``std::get<1>(buf7)``."""
    for view in extern.writes:
        yield view.base
        taken = re.compile(rf"std::get<(\d+)>\(\s*{re.escape(view.base)}\s*\)")
        parts = [int(m[1]) for line in lines for m in taken.finditer(line)]
        for part in range(1, max(parts, default=0) + 1):
            yield part_name(view.base, part)


def part_name(name: str, part: int) -> str:
    """The name under which one of several results is kept."""
    return name if part == 0 else f"{name}#{part}"


class _Views:
    """The views of a call, each handed out once where its text names it."""

    def __init__(self, extern: ExternCall) -> None:
        self._left = [*extern.writes, *extern.reads]
        texts = " ".join(extern.arguments)
        named = set(_IDENTIFIER.findall(texts))
        self._unnamed = [v for v in extern.reads if v.base not in named]
        self._all = list(self._left)

    def named_in(self, text: str) -> TensorView | None:
        names = set(_IDENTIFIER.findall(text))
        for source in (self._left, self._all):
            for view in source:
                if view.base in names or f"{view.base}_handle" in names:
                    if source is self._left:
                        self._left.remove(view)
                    return view
        return None

    def unnamed(self) -> TensorView | None:
        """The next view of which no argument names the base."""
        if self._unnamed:
            return self._unnamed.pop(0)
        return self._left.pop(0) if self._left else None


def _proxy_arguments(
    extern: ExternCall,
    hold: Callable[[TensorView], str],
    evaluate: Callable[[str], int | float],
) -> tuple[list[dict[str, Any]], list[str | None]]:
    """``aoti_torch_proxy_executor_call_function(proxy, node, n_ints, ints, n_tensors, tensors)``.

    Which tensors are results is not written down: those that the call makes are.
    """
    args: list[dict[str, Any]] = [{"tensor": hold(view)} for view in extern.reads]
    if len(extern.arguments) > 3:
        array = _ARRAY.fullmatch(extern.arguments[3].strip())
        for item in split_arguments(array["items"]) if array is not None else ():
            args.append({"int": int(evaluate(item))})
    return args, [view.base for view in extern.writes]


def _array(
    kind: str,
    items: tuple[str, ...],
    views: _Views,
    hold: Callable[[TensorView], str],
    evaluate: Callable[[str], int | float],
) -> dict[str, Any]:
    if "Tensor" in kind:
        tensors: list[str | None] = []
        for item in items:
            view = views.named_in(item)
            if view is None and item.strip() != "nullptr":
                raise CannotConvert(f"the tensor {item!r} is not known")
            tensors.append(hold(view) if view is not None else None)
        return {"tensors": tensors}
    values = [evaluate(item) for item in items]
    if kind in ("double", "float"):
        return {"floats": [float(v) for v in values]}
    if kind == "bool":
        return {"bools": [bool(v) for v in values]}
    return {"ints": [int(v) for v in values]}


def _scalar(text: str, evaluate: Callable[[str], int | float]) -> dict[str, Any]:
    if text in ("nullptr", "{}", "std::nullopt", "c10::nullopt"):
        return {"none": True}
    if text in ("true", "false"):
        return {"bool": text == "true"}
    dtype = dtype_name(text)
    if dtype is not None:
        return {"dtype": dtype}
    if text.startswith(_PLACE) or "device_type" in text:
        return {"none": True}
    if _INTEGER.fullmatch(text):
        return {"int": int(text.rstrip("UL"))}
    if _FLOAT.fullmatch(text):
        lowered = text.lower().rstrip("f") if "inf" not in text.lower() else text.lower()[:-5]
        return {"float": float(lowered)}
    string = _STRING.fullmatch(text)
    if string is not None:
        return {"string": string[1]}
    value = evaluate(text.removeprefix("&"))
    return {"float": value} if isinstance(value, float) else {"int": int(value)}


def _skip_length(texts: list[str], position: int, length: int) -> int:
    """Past the array's length, which the C shim takes as an argument of its own."""
    if position < len(texts) and texts[position].strip().rstrip("UL") == str(length):
        return position + 1
    return position
