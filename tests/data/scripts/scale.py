"""A kernel that is wrong in one element, and the script's own check of it."""

import torch
import triton
import triton.language as tl


@triton.jit
def weight_of(i, n):
    return 1.0 - i / n


@triton.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    weight = weight_of(i, n)
    factor = tl.where(i == 37, weight * 2, weight)
    result = x * factor
    tl.store(out_ptr + i, result, mask=i < n)


def scaled(x):
    out = torch.empty_like(x)
    scale[(triton.cdiv(x.numel(), 16),)](x, out, x.numel(), BLOCK=16)
    return out


x = torch.arange(1.0, 61.0, device="cuda") * 2
expected = x * (1.0 - torch.arange(60, device="cuda") / 60)
torch.testing.assert_close(scaled(x), expected)
