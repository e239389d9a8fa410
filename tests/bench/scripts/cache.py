"""A small store into a cache of 512 MB; prints by how many MB the process grew, and its peak."""

import json
import resource

import torch
import triton
import triton.language as tl


@triton.jit
def append(cache_ptr, new_ptr, at, SIZE: tl.constexpr):
    lane = tl.arange(0, SIZE)
    tl.store(cache_ptr + at * SIZE + lane, tl.load(new_ptr + lane))


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


cache = torch.ones(1 << 17, 1024)
new = torch.rand(1024)
before = peak()
for at in range(0, 1 << 17, 1 << 14):
    append[(1,)](cache, new, at, SIZE=1024)
assert torch.equal(cache[1 << 14], new)
print(json.dumps({"grown": peak() - before, "peak": peak()}))
