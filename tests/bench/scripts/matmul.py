"""A product of 768 by 768 in tiles of 64; prints the CPU seconds of a launch."""

import json
import time

import torch
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    a_at = a_ptr + rows[:, None] * K + inner[None, :]
    b_at = b_ptr + inner[:, None] * N + columns[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(a_at), tl.load(b_at), total)
        a_at += BK
        b_at += BK * N
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total, mask=inside)


n = 768
generator = torch.Generator().manual_seed(0)
a = torch.randn(n, n, generator=generator).half()
b = torch.randn(n, n, generator=generator).half()
c = torch.empty(n, n)
best = float("inf")
for _ in range(2):
    start = time.process_time()
    matmul[(n // 64, n // 64)](a, b, c, n, n, n, BM=64, BN=64, BK=32)
    best = min(best, time.process_time() - start)
torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-4, atol=1e-3)
print(json.dumps({"launch": best}))
