"""What recording costs: the same loops with and without it, in one line of JSON."""

import json
import os
import resource
import sys
import time

import torch
import triton
import triton.language as tl


@torch.compile
def large(x, ids, w):
    for _ in range(3):
        x = torch.relu(x @ w)
    return x[ids % 4096].sum(1)


@torch.compile(dynamic=True)
def small(table, ids):
    return table[ids] * 2


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, at < n), at < n)


def per_call(run, calls):
    run()
    torch.cuda.synchronize()
    best = float("inf")
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(calls):
            run()
        torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - start) / calls)
    return best * 1e6


def issued(run, calls=60):
    """Microseconds of the host alone: the device is far behind, and not waited for."""
    run()
    times = []
    for _ in range(15):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            run()
        times.append((time.perf_counter() - start) / calls)
    torch.cuda.synchronize()
    return sorted(times)[len(times) // 2] * 1e6


def main():
    big = torch.randn(8192, 4096, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16) * 0.02
    ids = torch.randint(0, 4096, (1 << 17,), device="cuda")
    table, few = torch.randn(500, 16, device="cuda"), torch.randint(0, 500, (64,), device="cuda")
    y = torch.empty_like(table)
    found = {
        "large, us a call": per_call(lambda: large(big, ids, w), 50),
        "small, us a call": per_call(lambda: small(table, few), 500),
        "small, host us": issued(lambda: small(table, few)),
        "launch, host us": issued(lambda: copy[(8,)](table, y, 8000, BLOCK=1024)),
    }
    if len(sys.argv) > 1:
        package = sys.argv[1]
        if not os.path.exists(package):

            class Model(torch.nn.Module):
                def forward(self, table, ids):
                    return table[ids] * 2

            exported = torch.export.export(Model(), (table, few))
            torch._inductor.aoti_compile_and_package(exported, package_path=package)
        model = torch._inductor.aoti_load_package(package)
        found["aoti, host us"] = issued(lambda: model(table, few))
        used = torch.cuda.memory_allocated()
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(10000):
            model(table, few)
        torch.cuda.synchronize()
        found["10,000 calls, MiB of the host"] = (
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resident
        ) / 1024
        found["10,000 calls, bytes of the device"] = torch.cuda.memory_allocated() - used
    print(json.dumps({k: round(v, 2) for k, v in found.items()}))


main()
