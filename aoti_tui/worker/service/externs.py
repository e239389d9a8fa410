"""Ops outside of kernels, run by torch on the CPU under the names wrappers call them by.

Names are those of the C shim (torch/csrc/inductor/aoti_torch/generated/c_shim_cuda.h):
`aoti_torch_cuda_addmm_out(out, self, …)`, arguments in the order of the ATen schema, outputs
first for `_out` and last otherwise.
"""

from __future__ import annotations

import re
from typing import Any

from ..protocol.problems import RequestError, bad_request, unsupported
from .operators import is_run, is_word, takes_tensors_and_numbers
from .room import need
from .session_tensors import SessionTensors, dtype_named, short_name

PREFIX = re.compile(r"^(?:at::)?aoti_torch_(?:(?:cuda|cpu|xpu|mps|hip)_)?")
RANDOM = (
    "rand",
    "bernoulli",
    "binomial",
    "cauchy",
    "exponential",
    "geometric",
    "log_normal",
    "multinomial",
    "native_dropout",
    "normal",
    "poisson",
    "rrelu_with_noise",
    "standard_gamma",
    "uniform",
)
UNWRITTEN = ("empty", "new_empty")
DIFFERENT_NUMBERS = "random numbers: the GPU's generator gives others"
NEVER_WRITTEN = "memory that nothing has written: the GPU's held something else"
ATTENTION = {
    "_scaled_dot_product_flash_attention": ("dropout_p", "is_causal", "return_debug_mask", "scale"),
    "_scaled_dot_product_efficient_attention": (
        "attn_bias",
        "compute_log_sumexp",
        "dropout_p",
        "is_causal",
        "scale",
    ),
    "_scaled_dot_product_cudnn_attention": (
        "attn_bias",
        "compute_log_sumexp",
        "dropout_p",
        "is_causal",
        "return_debug_mask",
        "scale",
    ),
}


def call_extern(
    tensors: SessionTensors,
    op: str,
    aten: str | None,
    args: list[dict[str, Any]],
    outputs: list[str | None],
) -> dict[str, Any]:
    """Run one op; the results get the names of `outputs` (null: not kept).

    Raises `unsupported` when the op is not on the list of those that are run (operators.py),
    torch's CPU kernels have no such op or the arguments fit none of its overloads.
    """
    import torch

    name = PREFIX.sub("", op)
    values = [_value(tensors, argument) for argument in args]
    unnamed = op.startswith("aoti_torch_proxy_executor") or name == op
    if unnamed:
        if not aten:
            raise unsupported(f"{op} does not say which op it runs")
        name = _aten_name(aten)
    try:
        with torch.no_grad():
            results = _run(torch, name, values)
    except (RuntimeError, NotImplementedError, IndexError, ValueError, TypeError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise unsupported(f"{op} failed on the CPU: {first}") from error
    if unnamed and len(results) != len(outputs):
        raise unsupported(
            f"{aten} gives {len(results)} results, but the call makes {len(outputs)}: it is "
            "another operator"
        )
    return {"outputs": _keep(tensors, results, outputs), "flags": _flags(name)}


def _aten_name(aten: str) -> str:
    path = aten.replace("torch.ops.", "").replace("::", ".")
    if not path.startswith("aten."):
        raise unsupported(f"{aten} is a custom op, which is not replayed")
    name = path[len("aten.") :]
    return name[: -len(".default")] if name.endswith(".default") else name


def _flags(name: str) -> list[str]:
    bare = name.lstrip("_")
    if bare.startswith(RANDOM) and not bare.endswith("_backward"):
        return [DIFFERENT_NUMBERS]
    return [NEVER_WRITTEN] if bare.startswith(UNWRITTEN) else []


def _value(tensors: SessionTensors, argument: dict[str, Any]) -> Any:
    if "tensor" in argument:
        return tensors.get(argument["tensor"])
    if "tensors" in argument:
        return [None if n is None else tensors.get(n) for n in argument["tensors"]]
    if "dtype" in argument:
        return dtype_named(argument["dtype"])
    for key in ("int", "ints", "float", "floats", "bool", "string"):
        if key in argument:
            return argument[key]
    return None


def _keep(
    tensors: SessionTensors, results: list[Any], outputs: list[str | None]
) -> list[dict[str, Any]]:
    import torch

    facts: list[dict[str, Any]] = []
    for position, name in enumerate(outputs):
        if name is None:
            continue
        if position >= len(results):
            raise bad_request(f"the op has {len(results)} results, none for {name}")
        result = results[position]
        if not isinstance(result, torch.Tensor):
            result = torch.tensor(result)
        tensors.named[name] = result.detach()
        facts.append(
            {
                "name": name,
                "dtype": short_name(result.dtype),
                "shape": list(result.shape),
                "stride": list(result.stride()),
            }
        )
    return facts


def _run(torch: Any, name: str, values: list[Any]) -> list[Any]:
    base = name[:-4] if name.endswith("_out") else name
    if base in ATTENTION:
        return _attention(torch, base, values)
    if base != name:
        return _into(torch, base, values)
    overload, call = _choose(torch, name, values)
    return _listed(overload(*call[0], **call[1]))


def _into(torch: Any, base: str, values: list[Any]) -> list[Any]:
    """An `_out` form: calculate, then write into the buffers that stand first."""
    failure: RequestError | None = None
    for count in (1, 2, 3):
        outs, rest = values[:count], values[count:]
        if len(outs) < count or not all(isinstance(out, torch.Tensor) for out in outs):
            break
        try:
            overload, call = _choose(torch, base, rest)
        except RequestError as error:
            failure = failure or error
            continue
        results = _listed(overload(*call[0], **call[1]))
        if len(results) != count:
            continue
        for out, result in zip(outs, results):
            if tuple(out.shape) != tuple(result.shape):
                raise unsupported(
                    f"{base} gave shape {list(result.shape)} for a buffer of {list(out.shape)}"
                )
            out.copy_(result)
        return outs
    raise failure or unsupported(f"the arguments of {base}_out are not understood")


def _listed(result: Any) -> list[Any]:
    if result is None:
        return []
    return list(result) if isinstance(result, (tuple, list)) else [result]


def _packets(torch: Any, name: str) -> list[tuple[Any, str | None]]:
    """ATen ops a shim name can mean: the op itself, or base and overload joined by `_`.

    Only those that are run: others are not even looked up.
    """
    aten = torch.ops.aten
    found: list[tuple[Any, str | None]] = []
    base, _, overload = name.partition(".")
    if is_run(base) and hasattr(aten, base):
        found.append((getattr(aten, base), overload or None))
    parts = name.split("_")
    for cut in range(len(parts) - 1, 0, -1):
        head, tail = "_".join(parts[:cut]), "_".join(parts[cut:])
        for candidate in (head, head + "_"):
            if is_run(candidate) and hasattr(aten, candidate):
                packet = getattr(aten, candidate)
                if tail in packet.overloads():
                    found.append((packet, tail))
    return found


def _choose(
    torch: Any, name: str, values: list[Any]
) -> tuple[Any, tuple[list[Any], dict[str, Any]]]:
    packets = _packets(torch, name)
    if not packets:
        known = is_run(name.partition(".")[0])
        raise unsupported(
            f"this torch has no op {name}"
            if known
            else f"no op {name} is among those that are run: pure computations on tensors"
        )
    for packet, wanted in packets:
        names = [wanted] if wanted else packet.overloads()
        for overload_name in names:
            if overload_name.endswith("out") or "Dimname" in overload_name:
                continue
            overload = getattr(packet, overload_name)
            if not takes_tensors_and_numbers(overload._schema):
                continue
            call = _fit(torch, overload._schema, values)
            if call is not None:
                _need_room(torch, overload, call)
                return overload, call
    raise unsupported(f"the arguments fit no overload of {name}")


def _need_room(torch: Any, overload: Any, call: tuple[list[Any], dict[str, Any]]) -> None:
    """Raise a bad request when the results would not fit into memory.

    Torch's meta device works sizes out without data. Operators that it has not, among them those
    whose sizes depend on data, meet the limit on the process instead.
    """

    def without_data(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return torch.empty_strided(
                value.shape, value.stride(), dtype=value.dtype, device="meta"
            )
        return [without_data(one) for one in value] if isinstance(value, list) else value

    positional = [without_data(value) for value in call[0]]
    named = {name: without_data(value) for name, value in call[1].items()}
    for argument in overload._schema.arguments:
        if "Device" in str(argument.type) and argument.kwarg_only:
            named[argument.name] = torch.device("meta")
    try:
        results = _listed(overload(*positional, **named))
    except Exception:
        # It says nothing about the op on data, which is run and may say it better.
        return
    for result in results:
        if isinstance(result, torch.Tensor):
            need(f"a result of {overload}", result.numel(), result.element_size())


_NO_FIT = object()


def _fit(torch: Any, schema: Any, values: list[Any]) -> tuple[list[Any], dict[str, Any]] | None:
    """Arguments as the schema wants them, or None when they do not fit."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    rest = list(values)
    for argument in schema.arguments:
        kind = str(argument.type)
        if not rest:
            if argument.has_default_value():
                continue
            return None
        value = rest.pop(0)
        if "Device" in kind and rest:
            # The shim passes a device as its type and its index.
            rest.pop(0)
        converted = _convert(torch, kind, value)
        if converted is _NO_FIT:
            return None
        if argument.kwarg_only:
            named[argument.name] = converted
        else:
            positional.append(converted)
    return None if rest else (positional, named)


def _convert(torch: Any, kind: str, value: Any) -> Any:
    optional = kind.startswith("Optional[")
    inner = kind[len("Optional[") : -1] if optional else kind
    if any(word in inner for word in ("Device", "Generator", "Layout", "MemoryFormat")):
        return None
    if value is None:
        return None if optional else _NO_FIT
    if inner == "Tensor":
        if isinstance(value, torch.Tensor):
            return value
        return None if optional and value == 0 else _NO_FIT
    if isinstance(value, torch.Tensor):
        return _NO_FIT
    if inner.startswith("List["):
        return _convert_list(torch, inner[len("List[") : -1], value)
    if isinstance(value, list):
        return _NO_FIT
    if isinstance(value, torch.dtype):
        return value if inner in ("int", "ScalarType") else _NO_FIT
    if inner == "bool":
        return bool(value) if value in (0, 1) else _NO_FIT
    if inner in ("int", "SymInt"):
        if isinstance(value, float):
            return int(value) if value.is_integer() else _NO_FIT
        return int(value) if isinstance(value, int) else _NO_FIT
    if inner in ("float", "number", "Scalar"):
        return float(value) if inner == "float" else value
    if inner == "str":
        return value if isinstance(value, str) and is_word(value) else _NO_FIT
    return _NO_FIT


def _convert_list(torch: Any, element: str, value: Any) -> Any:
    if not isinstance(value, list):
        return _NO_FIT
    parts = [_convert(torch, element, part) for part in value]
    return _NO_FIT if any(part is _NO_FIT for part in parts) else parts


def _attention(torch: Any, name: str, values: list[Any]) -> list[Any]:
    """The CUDA attention ops through torch's CPU attention; log-sum-exp as they give it."""
    query, key, value = values[:3]
    options = dict(zip(ATTENTION[name], values[3:]))
    bias = options.get("attn_bias")
    bias = bias if isinstance(bias, torch.Tensor) else None
    scale = options.get("scale") or None
    causal = bool(options.get("is_causal"))
    if options.get("dropout_p"):
        raise unsupported("attention with dropout draws the GPU's random numbers")
    output = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=bias, is_causal=causal, scale=scale
    )
    # The CUDA ops lay their result out as (batch, sequence, head, dim).
    output = output.transpose(1, 2).contiguous().transpose(1, 2)
    factor = scale if scale is not None else query.shape[-1] ** -0.5
    scores = query.float() @ key.float().transpose(-1, -2) * factor
    if bias is not None:
        scores = scores + bias.float()
    if causal:
        allowed = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~allowed, float("-inf"))
    seed = torch.zeros((), dtype=torch.int64)
    log_sum = torch.logsumexp(scores, dim=-1)
    if name == "_scaled_dot_product_efficient_attention":
        return [output, log_sum, seed, seed.clone()]
    empty = torch.empty(0)
    return [
        output,
        log_sum,
        empty,
        empty,
        query.shape[-2],
        key.shape[-2],
        seed,
        seed.clone(),
        empty,
    ]
