"""Causal attention over 512 keys, 8 heads of 64; prints the CPU seconds of a launch."""

import json
import time

import torch
import triton
import triton.language as tl


@triton.jit
def attend(
    q_ptr, k_ptr, v_ptr, out_ptr, T, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr
):
    first = tl.program_id(0) * BM
    head = tl.program_id(1) * T * D
    rows = first + tl.arange(0, BM)
    across = tl.arange(0, D)
    q = tl.load(
        q_ptr + head + rows[:, None] * D + across[None, :], mask=rows[:, None] < T, other=0.0
    )
    most = tl.full((BM,), float("-inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    for start in range(0, first + BM, BN):
        keys = start + tl.arange(0, BN)
        k = tl.load(
            k_ptr + head + keys[None, :] * D + across[:, None], mask=keys[None, :] < T, other=0.0
        )
        score = tl.dot(q, k) * scale
        score = tl.where(rows[:, None] >= keys[None, :], score, float("-inf"))
        higher = tl.maximum(most, tl.max(score, 1))
        part = tl.exp2(score - higher[:, None])
        shrink = tl.exp2(most - higher)
        weight = weight * shrink + tl.sum(part, 1)
        v = tl.load(
            v_ptr + head + keys[:, None] * D + across[None, :], mask=keys[:, None] < T, other=0.0
        )
        total = tl.dot(part.to(v.dtype), v, total * shrink[:, None])
        most = higher
    total = total / weight[:, None]
    at = out_ptr + head + rows[:, None] * D + across[None, :]
    tl.store(at, total.to(out_ptr.dtype.element_ty), mask=rows[:, None] < T)


T, D = 512, 64
generator = torch.Generator().manual_seed(0)
q, k, v = (torch.randn(8, T, D, generator=generator).half() for _ in range(3))
out = torch.empty_like(q)
best = float("inf")
for _ in range(2):
    start = time.process_time()
    attend[(T // 32, 8)](q, k, v, out, T, D**-0.5 * 1.44269504, BM=32, BN=32, D=D)
    best = min(best, time.process_time() - start)
wanted = torch.nn.functional.scaled_dot_product_attention(
    q.float(), k.float(), v.float(), is_causal=True
)
torch.testing.assert_close(out.float(), wanted, rtol=1e-2, atol=5e-3)
print(json.dumps({"launch": best}))
