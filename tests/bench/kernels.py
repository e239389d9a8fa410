"""Kernels in Inductor's style, without anything the stock interpreter lacks."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class BenchKernel:
    """A kernel, its tensors (name to element count and dtype), scalars, real blocks and grid."""

    name: str
    goal: float
    source: str
    tensors: dict[str, tuple[int, str]]
    numbers: dict[str, int]
    blocks: dict[str, int]
    grid: tuple[int, int, int]
    signature: dict[str, str] = field(default_factory=dict)


_GATHER = """
import triton
import triton.language as tl

@triton.jit
def kernel(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.full([XBLOCK], 1024, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 1024)) | ~(xmask), "index: 0 <= tmp4 < 1024")
    tmp6 = tl.load(in_ptr1 + (tmp4), xmask)
    tmp7 = tmp6 * 2.0
    tl.store(out_ptr0 + (x0), tmp7, xmask)
"""
_TRANSPOSE = """
import triton
import triton.language as tl

@triton.jit
def kernel(in_ptr0, out_ptr0, ynumel, xnumel, YBLOCK : tl.constexpr, XBLOCK : tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < xnumel
    x1 = xindex
    y0 = yindex
    tmp0 = tl.load(in_ptr0 + (y0 + 1024*x1), xmask & ymask)
    tmp1 = tmp0 + 1.0
    tmp2 = tmp1 * tmp0
    tl.store(out_ptr0 + (x1 + 1024*y0), tmp2, xmask & ymask)
"""
_ROWS = """
import triton
import triton.language as tl

@triton.jit
def kernel(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
    r0_numel = 256
    R0_BLOCK: tl.constexpr = 256
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + 256*x0), xmask, other=0.0)
    tmp1 = tmp0 * tmp0
    tmp2 = tl.broadcast_to(tmp1, [XBLOCK, R0_BLOCK])
    tmp4 = tl.where(xmask, tmp2, 0)
    tmp5 = tl.sum(tmp4, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp5, xmask)
"""

KERNELS = (
    BenchKernel(
        "pointwise gather, 1M lanes",
        100,
        _GATHER,
        {
            "in_ptr0": (1 << 20, "int64"),
            "in_ptr1": (1024, "float32"),
            "out_ptr0": (1 << 20, "float32"),
        },
        {"xnumel": 1 << 20},
        {"XBLOCK": 256},
        (4096, 1, 1),
        {"in_ptr0": "*i64", "in_ptr1": "*fp32", "out_ptr0": "*fp32", "xnumel": "i32"},
    ),
    BenchKernel(
        "2-D transpose, 1024 × 1024",
        10,
        _TRANSPOSE,
        {"in_ptr0": (1 << 20, "float32"), "out_ptr0": (1 << 20, "float32")},
        {"ynumel": 1024, "xnumel": 1024},
        {"YBLOCK": 16, "XBLOCK": 16},
        (64, 64, 1),
        {"in_ptr0": "*fp32", "out_ptr0": "*fp32", "ynumel": "i32", "xnumel": "i32"},
    ),
    BenchKernel(
        "row reduction, 4096 × 256",
        10,
        _ROWS,
        {"in_ptr0": (1 << 20, "float32"), "out_ptr0": (4096, "float32")},
        {"xnumel": 4096, "r0_numel": 256},
        {"XBLOCK": 1},
        (4096, 1, 1),
        {"in_ptr0": "*fp32", "out_ptr0": "*fp32", "xnumel": "i32", "r0_numel": "i32"},
    ),
)
