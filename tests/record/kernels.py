"""Kernels as a user writes them, with a helper and a constant of the module."""

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
