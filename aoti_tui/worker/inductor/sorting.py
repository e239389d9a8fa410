"""The bitonic network of Inductor's sort, on numpy arrays.

An unstable sort may order ties in any way; running the same network as the GPU
(triton_helpers.sort_with_index) gives the same order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.numbers.floats import Array


def sort_with_index(
    values: Array, indices: Array, count: Any, stable: bool, descending: bool
) -> tuple[Array, Array]:
    """Sort along the last axis (a power of two long); indices travel with their values.

    `count`: elements whose index is not below it sort to the end; None for all valid.
    """
    length = values.shape[-1]
    steps = length.bit_length() - 1
    shape = np.broadcast_shapes(values.shape, indices.shape)
    flat = np.array(np.broadcast_to(values, shape)).reshape(-1, length)
    places = np.array(np.broadcast_to(indices, shape)).reshape(-1, length)
    limit = None
    if count is not None:
        rows = np.broadcast_to(np.asarray(count).reshape(-1, 1), (shape[0], 1))
        limit = np.repeat(rows, len(flat) // shape[0], axis=0)
    lanes = np.arange(length)
    for stage in range(1, steps + 1):
        flip = ((lanes >> stage) & 1).astype(bool) if stage < steps else np.zeros(length, bool)
        for distance in range(stage - 1, -1, -1):
            left_lanes = lanes[(lanes >> distance) & 1 == 0]
            right_lanes = left_lanes | (1 << distance)
            left, right = flat[:, left_lanes], flat[:, right_lanes]
            at, other = places[:, left_lanes], places[:, right_lanes]
            swap = _out_of_order(left, right, at, other, limit, stable, descending)
            swap ^= flip[left_lanes]
            flat[:, left_lanes] = np.where(swap, right, left)
            flat[:, right_lanes] = np.where(swap, left, right)
            places[:, left_lanes] = np.where(swap, other, at)
            places[:, right_lanes] = np.where(swap, at, other)
    return flat.reshape(shape), places.reshape(shape)


def _out_of_order(
    left: Array,
    right: Array,
    at: Array,
    other: Array,
    limit: Any,
    stable: bool,
    descending: bool,
) -> Array:
    left_nan, right_nan = left != left, right != right
    if descending:
        wrong = (left < right) | (right_nan & ~left_nan if stable else right_nan)
    else:
        wrong = (left > right) | (left_nan & ~right_nan if stable else left_nan)
    if stable:
        equal = (left == right) | (left_nan & right_nan)
        wrong |= equal & (at > other)
    if limit is None:
        result: Array = wrong
        return result
    valid, other_valid = at < limit, other < limit
    ordered: Array = (other_valid & ~valid) | ((other_valid == valid) & wrong)
    return ordered
