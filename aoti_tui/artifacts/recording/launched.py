"""A launch of a script's own kernel as a wrapper, in the form that torch.compile gives such kernels
(torch/_inductor/codegen/wrapper.py, define_user_defined_triton_kernel): so that a recorded launch
is explained and replayed as any other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aoti_tui.artifacts.recording.reading import RecordedCall
from aoti_tui.artifacts.recording.torch_file import KeptTensor, Value

_TYPES = {
    "float32": "fp32", "float64": "fp64", "float16": "fp16", "bfloat16": "bf16", "int64": "i64",
    "int32": "i32", "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "i1",
    "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5",
}  # fmt: skip


def launched_wrapper(site: dict[str, Any], source: str, call: RecordedCall) -> str:
    """An output_code.py that makes this launch, whose tensors are its arguments in order."""
    name = str(site.get("name", "kernel"))
    parameters = site.get("parameters", [])
    signature, constants = launch_types(site, call.values)
    passed: list[str] = []
    inputs: list[tuple[str, KeptTensor]] = []
    for parameter, value in zip(parameters, call.values, strict=True):
        own = str(parameter["name"])
        if isinstance(value, KeptTensor):
            inputs.append((own, value))
            passed.append(own)
        elif own not in constants:
            passed.append(repr(value))
    grid = [*call.more.get("grid", [1]), 1, 1][:3]
    named = "\n".join(f"{one} = {text}" for one, text in site.get("constants", {}).items())
    grids = ["_grid_0", "_grid_1", "_grid_2"]
    meta = {
        "grid_type": "FixedGrid",
        "fixed_grid": grids,
        "extra_launcher_args": grids,
        "kernel_name": name,
    }
    compiled = {"signature": signature, "device": 0, "constants": constants, "configs": [{}]}
    sizes = "\n".join(
        f"        assert_size_stride({own}, {value.shape!r}, {value.stride!r})"
        for own, value in inputs
    )
    arguments = ", ".join(own for own, _ in inputs)
    unpack = f"        {arguments}{',' if len(inputs) == 1 else ''} = args" if inputs else ""
    body = source.replace("\\", "\\\\").replace("'''", "\\'\\'\\'")
    return _FORM.format(
        path=site.get("path", ""),
        line=site.get("line", 0),
        name=name,
        meta=meta,
        triton=compiled,
        named=named,
        body=body,
        unpack=unpack,
        sizes=sizes,
        passed=", ".join(map(str, [*passed, *grid])),
    )


def launch_types(
    site: dict[str, Any], values: Sequence[Value]
) -> tuple[dict[str, str], dict[str, Any]]:
    """What a kernel is compiled for: the types of its parameters, and its constants."""
    signature: dict[str, str] = {}
    constants: dict[str, Any] = {}
    for parameter, value in zip(site.get("parameters", []), values, strict=True):
        own = str(parameter["name"])
        if isinstance(value, KeptTensor):
            signature[own] = f"*{_TYPES.get(value.dtype, value.dtype)}"
        elif parameter["constexpr"] or value is None or isinstance(value, str):
            signature[own] = "constexpr"
            constants[own] = value
        else:
            signature[own] = _scalar_type(value)
    return signature, constants


def _scalar_type(value: Any) -> str:
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, float):
        return "fp32"
    return "i32" if -(1 << 31) <= value < 1 << 31 else "i64"


_FORM = """\
# AOT ID: none, a recorded launch of a script's kernel
import torch
import triton
import triton.language as tl
from torch._inductor.async_compile import AsyncCompile
from torch._C import _cuda_getCurrentRawStream as get_raw_stream

assert_size_stride = torch._C._dynamo.guards.assert_size_stride
async_compile = AsyncCompile()


# Original path: {path}:{line}
{name} = async_compile.triton('{name}', '''

import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
{named}

@triton_heuristics.user_autotune(
    configs=[],
    inductor_meta={meta},
    triton_meta={triton},
    filename=__file__,
    custom_kernel=True,
)
{body}
''', device_str='cuda')


async_compile.wait(globals())
del async_compile

class Runner:
    def __init__(self, partitions):
        self.partitions = partitions

    def call(self, args):
{unpack}
        args.clear()
{sizes}
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            stream0 = get_raw_stream(0)
            {name}.run({passed}, stream=stream0)
        return ()

runner = Runner(partitions=[])
call = runner.call
"""
