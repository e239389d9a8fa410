"""A script with a Triton kernel of its own; ``assert`` fails by its device_assert, ``address`` by
reading far outside. ``python launches.py assert|address``"""

import sys

import torch
import triton
import triton.language as tl

LIMIT = tl.constexpr(40)


@triton.jit
def row_of(ids, i, rows):
    row = tl.load(ids + i)
    tl.device_assert((row >= 0) & (row < rows), "row outside the table")
    return row


@triton.jit(debug=True)
def take_rows(x, ids, out, rows, width, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    keep = (columns < width) & (columns < LIMIT)
    row = row_of(ids, i, rows)
    tl.store(out + i * width + columns, tl.load(x + row * width + columns, keep, 0.0), keep)


@triton.jit
def take_unchecked(x, ids, out, width, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    row = tl.load(ids + i)
    keep = columns < width
    tl.store(out + i * width + columns, tl.load(x + row * width + columns, keep, 0.0), keep)


def main(kind):
    torch.manual_seed(0)
    x = torch.randn(50, 40, device="cuda")
    given = []
    for call in range(200):
        ids = torch.randint(0, 50, (24,))
        if call == 100:
            ids[5] = 50 if kind == "assert" else 1 << 40
        given.append((ids.cuda(), torch.empty(24, 40, device="cuda")))
    torch.cuda.synchronize()
    for ids, out in given:
        if kind == "assert":
            take_rows[(24,)](x, ids, out, 50, 40, BLOCK=64)
        else:
            take_unchecked[(24,)](x, ids, out, 40, BLOCK=64)
    torch.cuda.synchronize()


main(sys.argv[1])
