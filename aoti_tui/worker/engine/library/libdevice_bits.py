"""libdevice's functions of the bits of integers, over numpy arrays."""

from __future__ import annotations

import numpy as np

from ..numbers.floats import Array
from ..numbers.integers import high_half


def leading_zeros(x: Array) -> Array:
    wide = x.view(np.dtype(f"u{x.dtype.itemsize}"))
    count = np.zeros(x.shape, np.int32)
    for bit in range(x.dtype.itemsize * 8):
        count = np.where(wide >> wide.dtype.type(bit) != 0, bit + 1, count)
    return x.dtype.itemsize * 8 - count


def population(x: Array) -> Array:
    wide = x.view(np.dtype(f"u{x.dtype.itemsize}"))
    one = wide.dtype.type(1)
    count = np.zeros(x.shape, np.int32)
    for bit in range(x.dtype.itemsize * 8):
        count += ((wide >> wide.dtype.type(bit)) & one).astype(np.int32)
    return count


def first_set(x: Array) -> Array:
    return np.where(x == 0, 0, x.dtype.itemsize * 8 - leading_zeros(x & -x))


def reversed_bits(x: Array) -> Array:
    wide = x.view(np.dtype(f"u{x.dtype.itemsize}"))
    size = x.dtype.itemsize * 8
    one = wide.dtype.type(1)
    result = np.zeros_like(wide)
    for b in range(size):
        result |= ((wide >> wide.dtype.type(b)) & one) << wide.dtype.type(size - 1 - b)
    return result.view(x.dtype)


def permuted(x: Array, y: Array, selector: Array) -> Array:
    both = (y.astype(np.uint64) & np.uint64(0xFFFFFFFF)) << np.uint64(32)
    both = both | (x.astype(np.uint64) & np.uint64(0xFFFFFFFF))
    result = np.zeros(np.broadcast_shapes(x.shape, y.shape, selector.shape), np.uint64)
    for place in range(4):
        pick = (selector.astype(np.uint64) >> np.uint64(4 * place)) & np.uint64(7)
        result |= ((both >> (pick * np.uint64(8))) & np.uint64(0xFF)) << np.uint64(8 * place)
    return result.astype(np.uint32).astype(x.dtype)


def high(x: Array, y: Array) -> Array:
    if x.dtype.kind == "i" and x.dtype.itemsize == 4:
        return ((x.astype(np.int64) * y.astype(np.int64)) >> 32).astype(x.dtype)
    if x.dtype.kind == "i":
        high = high_half(x, y)
        return high - np.where(x < 0, y, 0) - np.where(y < 0, x, 0)
    return high_half(x, y)


def multiply_24(x: Array, y: Array) -> Array:
    def low(v: Array) -> Array:
        return (v.astype(np.int64) << 40) >> 40

    return (low(x) * low(y)).astype(x.dtype)


def nth_set(mask: Array, base: Array, count: Array) -> Array:
    """PTX's fns: the position of the count-th set bit from `base` on, downwards where `count` is
    negative; `base` itself for 0, if it is set. All bits where there is none."""
    position = np.arange(32, dtype=np.int64)
    is_set = (mask.astype(np.int64)[..., None] >> position) & 1 == 1
    start = base.view(np.int32).astype(np.int64)[..., None]
    wanted = count.view(np.int32).astype(np.int64)[..., None]
    up = np.cumsum(is_set & (position >= start), axis=-1)
    below = is_set & (position <= start)
    down = np.cumsum(below[..., ::-1], axis=-1)[..., ::-1]
    above = (position >= start) & (up == wanted)
    under = (position <= start) & (down == -wanted)
    hit = np.where(wanted > 0, above, under)
    hit = is_set & np.where(wanted == 0, position == start, hit)
    found = np.where(hit.any(axis=-1), hit.argmax(axis=-1), -1)
    return found.astype(np.int32).view(np.uint32)
