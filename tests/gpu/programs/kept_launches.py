"""Launches that are compared with the CPU afterwards: a kernel of a script, tuned and not, those of
a compiled graph and of its backward. ``aoti-tui record --launches '*' python kept_launches.py``"""

import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, y, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, at < n) * factor, at < n)


@triton.autotune([triton.Config({"BLOCK": b}, num_warps=4) for b in (64, 256)], key=["n"])
@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    found = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        found += tl.load(x + row * n + at, at < n, 0.0)
    tl.store(out + row, tl.sum(found))


@torch.compile(dynamic=True)
def score(table, ids, w):
    x = torch.nn.functional.layer_norm(table[ids], (32,)) @ w
    return torch.softmax(x.tanh(), -1).cumsum(0)


def main():
    torch.manual_seed(0)
    table = torch.randn(64, 32, device="cuda", requires_grad=True)
    w = torch.randn(32, 16, device="cuda", requires_grad=True)
    for call in range(12):
        ids = torch.randint(0, 64, (40 + call,), device="cuda")
        score(table, ids, w).square().sum().backward()
        x = torch.randn(1000, device="cuda")
        scale[(4,)](x, torch.zeros_like(x), 1000, 0.5, BLOCK=256)
        total[(10,)](x, torch.zeros(10, device="cuda"), 100)
    torch.cuda.synchronize()


main()
