"""Every name of triton.language in an expression, with what it must give.

`expected` is numpy's, torch's or a rule written out here. `ulps`: how many units in the last
place of the result's type a value may be off where the operation does not define it exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from .lab import floats, integers, random


@dataclass(frozen=True)
class Row:
    """An expression over its inputs, and the tensor that it must give."""

    expression: str
    expected: torch.Tensor
    inputs: dict[str, torch.Tensor] = field(default_factory=dict)
    ulps: int = 0

    @property
    def name(self) -> str:
        return self.expression.strip().split("\n")[-1]


def row(expression: str, expected: Any, ulps: int = 0, **inputs: torch.Tensor) -> Row:
    return Row(expression, torch.as_tensor(expected), inputs, ulps)


def single(function: Callable[..., Any], *inputs: torch.Tensor) -> torch.Tensor:
    """A numpy function calculated in float64 and rounded once."""
    with np.errstate(all="ignore"):
        wide = function(*[value.numpy().astype(np.float64) for value in inputs])
    return torch.from_numpy(np.asarray(wide)).to(torch.float32)


X = random(16, seed=1)
Y = random(16, seed=2)
Z = random(16, seed=3)
POSITIVE = X.abs() + 0.25
HALVES = floats(-2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, 1e10)
K = integers(-7, -1, 0, 1, 2, 3, 100, 2**31 - 1)
J = integers(2, 3, -5, 7, 1, -1, 9, 4)
B = torch.tensor([True, False] * 8)
M = random(8, 16, seed=4)
N = random(16, 8, seed=5)
MI = (torch.arange(128, dtype=torch.int32) * 37 % 101).reshape(8, 16)
ADD = "def add(a, b):\n    return a + b\n---\n"
LARGER = """
def larger(a, i, b, j):
    first = (a > b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)
---
"""

MATH = [
    row("tl.exp(x)", single(np.exp, X), 1, x=X),
    row("tl.exp2(x)", single(np.exp2, X), 1, x=X),
    row("tl.log(x)", single(np.log, POSITIVE), 1, x=POSITIVE),
    row("tl.log2(x)", single(np.log2, POSITIVE), 1, x=POSITIVE),
    row("tl.sin(x)", single(np.sin, X), 1, x=X),
    row("tl.cos(x)", single(np.cos, X), 1, x=X),
    row("tl.sqrt(x)", single(np.sqrt, POSITIVE), x=POSITIVE),
    row("tl.sqrt_rn(x)", single(np.sqrt, POSITIVE), x=POSITIVE),
    row("tl.rsqrt(x)", single(lambda v: 1 / np.sqrt(v), POSITIVE), x=POSITIVE),
    row("tl.erf(x)", torch.erf(X.double()).float(), x=X),
    row("tl.floor(x)", torch.floor(HALVES), x=HALVES),
    row("tl.ceil(x)", torch.ceil(HALVES), x=HALVES),
    row("tl.abs(x)", X.abs(), x=X),
    row("tl.abs(x)", J.abs(), x=J),
    row("tl.fma(x, y, z)", single(lambda a, b, c: a * b + c, X, Y, Z), x=X, y=Y, z=Z),
    row("tl.fdiv(x, y)", X / Y, x=X, y=Y),
    row("tl.div_rn(x, y)", X / Y, x=X, y=Y),
    row("tl.math.exp(x)", single(np.exp, X), 1, x=X),
    row("tl.sigmoid(x)", torch.sigmoid(X.double()).float(), 2, x=X),
    row("tl.softmax(x)", torch.softmax(X.double(), 0).float(), 2, x=X),
    row("tl.umulhi(x, y)", [1, 2, 0, 0, 0, 2, 0, 1], x=K, y=J),
    row("x.exp()", single(np.exp, X), 1, x=X),
    row("x.exp2()", single(np.exp2, X), 1, x=X),
    row("x.log()", single(np.log, POSITIVE), 1, x=POSITIVE),
    row("x.log2()", single(np.log2, POSITIVE), 1, x=POSITIVE),
    row("x.sin()", single(np.sin, X), 1, x=X),
    row("x.cos()", single(np.cos, X), 1, x=X),
    row("x.sqrt()", single(np.sqrt, POSITIVE), x=POSITIVE),
    row("x.sqrt_rn()", single(np.sqrt, POSITIVE), x=POSITIVE),
    row("x.rsqrt()", single(lambda v: 1 / np.sqrt(v), POSITIVE), x=POSITIVE),
    row("x.erf()", torch.erf(X.double()).float(), x=X),
    row("x.floor()", torch.floor(HALVES), x=HALVES),
    row("x.ceil()", torch.ceil(HALVES), x=HALVES),
    row("x.abs()", X.abs(), x=X),
    row("x.sigmoid()", torch.sigmoid(X.double()).float(), 2, x=X),
    row("x.softmax()", torch.softmax(X.double(), 0).float(), 2, x=X),
]

ARITHMETIC = [
    row("x + y", X + Y, x=X, y=Y),
    row("x - y", X - Y, x=X, y=Y),
    row("x * y", X * Y, x=X, y=Y),
    row("x / y", X / Y, x=X, y=Y),
    row("x % y", torch.fmod(X, Y), x=X, y=Y),
    row("-x", -X, x=X),
    row("2.0 - x", 2.0 - X, x=X),
    row("x // y", torch.div(K, J, rounding_mode="trunc"), x=K, y=J),
    row("x % y", torch.fmod(K, J), x=K, y=J),
    row("x / y", K.float() / J.float(), x=K, y=J),
    row("x & y", K & J, x=K, y=J),
    row("x | y", K | J, x=K, y=J),
    row("x ^ y", K ^ J, x=K, y=J),
    row("~x", ~K, x=K),
    row("x << 3", K << 3, x=K),
    row("x >> 1", K >> 1, x=K),
    row(
        "(x.to(tl.uint32, bitcast=True) >> 1).to(tl.int32)",
        [2**31 - 4, 2**31 - 1, 0, 0, 1, 1, 50, 2**30 - 1],
        x=K,
    ),
    row("x == y", K == J, x=K, y=J),
    row("x != y", K != J, x=K, y=J),
    row("x < y", K < J, x=K, y=J),
    row("x <= y", K <= J, x=K, y=J),
    row("x > y", K > J, x=K, y=J),
    row("x >= y", K >= J, x=K, y=J),
    row("(x > 0) and (x < 3)", (K > 0) & (K < 3), x=K),
    row("(x < 0) or (x > 3)", (K < 0) | (K > 3), x=K),
    row("not (x > 0)", ~(K > 0), x=K),
    row("(x > 0).logical_and(y > 0)", (K > 0) & (J > 0), x=K, y=J),
    row("(x > 0).logical_or(y > 0)", (K > 0) | (J > 0), x=K, y=J),
    row("min(max(x, -2), 3)", K.clamp(-2, 3), x=K),
    row("abs(x)", J.abs(), x=J),
    row("tl.add(x, y)", X + Y, x=X, y=Y),
    row("tl.sub(x, y)", X - Y, x=X, y=Y),
    row("tl.mul(x, y)", X * Y, x=X, y=Y),
    row("tl.add(x, y, sanitize_overflow=False)", K + J, x=K, y=J),
    row("tl.maximum(x, y)", torch.fmax(X, Y), x=X, y=Y),
    row("tl.minimum(x, y)", torch.fmin(X, Y), x=X, y=Y),
    row(
        "tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)",
        floats(float("nan"), 2.0),
        x=floats(float("nan"), 1.0),
        y=floats(1.0, 2.0),
    ),
    row("tl.minimum(x, y)", floats(1.0, 1.0), x=floats(float("nan"), 1.0), y=floats(1.0, 2.0)),
    row("tl.clamp(x, -0.5, 0.75)", X.clamp(-0.5, 0.75), x=X),
    row("tl.where(b, x, y)", torch.where(B, X, Y), b=B, x=X, y=Y),
    row("tl.cdiv(x, 4)", torch.tensor([-1, 0, 0, 1, 1, 1, 25, -(2**29) + 1]), x=K),
    row("x.cdiv(4)", torch.tensor([-1, 0, 0, 1, 1, 1, 25, -(2**29) + 1]), x=K),
]
"""What of tl.cdiv overflows wraps, as (x + 3) // 4 of 32 bits does on the GPU."""

SHAPES = [
    row("tl.arange(0, 16)", torch.arange(16, dtype=torch.int32)),
    row("tl.full((4, 8), 2.5, tl.float32)", torch.full((4, 8), 2.5)),
    row("tl.zeros((4, 8), tl.int32)", torch.zeros(4, 8, dtype=torch.int32)),
    row("tl.zeros_like(x)", torch.zeros(16), x=X),
    row("tl.broadcast_to(x, (4, 16))", X.expand(4, 16), x=X[None]),
    row("x.broadcast_to(4, 16)", X.expand(4, 16), x=X[None]),
    row("a, b = tl.broadcast(x, y);;a + b", X[None] + X[:8, None], x=X[None], y=X[:8, None]),
    row("tl.expand_dims(x, 1)", X[:, None], x=X),
    row("x.expand_dims(0)", X[None], x=X),
    row("x[:, None]", X[:, None], x=X),
    row("tl.unsqueeze(x, 0)", X[None], x=X),
    row("tl.squeeze(x, 0)", X, x=X[None]),
    row("tl.reshape(x, (16, 8))", M.reshape(16, 8), x=M),
    row("x.reshape(128)", M.reshape(128), x=M),
    row("tl.view(x, (16, 8))", M.reshape(16, 8), x=M),
    row("x.view(16, 8)", M.reshape(16, 8), x=M),
    row("tl.ravel(x)", M.reshape(128), x=M),
    row("x.ravel()", M.reshape(128), x=M),
    row("tl.trans(x)", M.T.contiguous(), x=M),
    row("x.trans()", M.T.contiguous(), x=M),
    row("x.T", M.T.contiguous(), x=M),
    row("tl.permute(x, (1, 0))", M.T.contiguous(), x=M),
    row("x.permute(1, 0)", M.T.contiguous(), x=M),
    row("tl.cat(x, y, can_reorder=True)", torch.cat([X, Y]), x=X, y=Y),
    row("tl.join(x, y)", torch.stack([X, Y], -1), x=X, y=Y),
    row("tl.interleave(x, y)", torch.stack([X, Y], -1).reshape(-1), x=X, y=Y),
    row(
        "a, b = tl.split(x);;a - 2 * b",
        M.reshape(64, 2)[:, 0] - 2 * M.reshape(64, 2)[:, 1],
        x=M.reshape(64, 2),
    ),
    row("a, b = x.split();;b", M.reshape(64, 2)[:, 1], x=M.reshape(64, 2)),
    row("tl.flip(x, 0)", X.flip(0), x=X),
    row("x.flip(1)", M.flip(1), x=M),
    row("tl.gather(x, i, 0)", X[[3, 1, 15, 0]], x=X, i=integers(3, 1, 15, 0)),
    row("x.gather(i, 0)", X[[3, 1, 15, 0]], x=X, i=integers(3, 1, 15, 0)),
    row(
        "a, b = tl.swizzle2d(i // 4, i % 4, 4, 4, 2);;a * 4 + b",
        torch.tensor([0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15]),
        i=torch.arange(16, dtype=torch.int32),
    ),
    row("tl.multiple_of(x, 1)", K, x=K),
    row("tl.max_contiguous(x, 1)", K, x=K),
    row("tl.max_constancy(x, 1)", K, x=K),
    row("tl.to_tensor(3)", 3),
    row("tl.cast(x, tl.int32)", X.to(torch.int32), x=X),
    row("x.cast(tl.float16)", X.half(), x=X),
    row("x.to(tl.bfloat16)", X.bfloat16(), x=X),
    row("x.to(tl.int32, bitcast=True)", X.view(torch.int32), x=X),
    row("tl.sum(x, 0).item() if False else 1.0", 1.0, x=X),
    row("x.item() + 1", 8.0, x=torch.tensor(7.0)),
]

REDUCTIONS = [
    row("tl.sum(x, 0)", MI.sum(0), x=MI),
    row("tl.sum(x)", MI.sum(), x=MI),
    row("x.sum(1)", MI.sum(1), x=MI),
    row("tl.sum(x, 1, keep_dims=True)", MI.sum(1, keepdim=True), x=MI),
    row("tl.max(x, 0)", M.amax(0), x=M),
    row("x.max(1)", M.amax(1), x=M),
    row("a, i = tl.max(x, 1, return_indices=True);;i", M.argmax(1), x=M),
    row("tl.min(x, 0)", M.amin(0), x=M),
    row("x.min(1)", M.amin(1), x=M),
    row("a, i = tl.min(x, 1, return_indices=True);;a", M.amin(1), x=M),
    row("tl.argmax(x, 1)", M.argmax(1), x=M),
    row("x.argmax(0)", M.argmax(0), x=M),
    row("tl.argmin(x, 1)", M.argmin(1), x=M),
    row("x.argmin(0)", M.argmin(0), x=M),
    row("tl.xor_sum(x, 1)", np.bitwise_xor.reduce(MI.numpy(), 1), x=MI),
    row("x.xor_sum(0)", np.bitwise_xor.reduce(MI.numpy(), 0), x=MI),
    row("tl.reduce_or(x, 1)", np.bitwise_or.reduce(MI.numpy(), 1), x=MI),
    row("x.reduce_or(0)", np.bitwise_or.reduce(MI.numpy(), 0), x=MI),
    row(ADD + "tl.reduce(x, 1, add)", MI.sum(1), x=MI),
    row(ADD + "x.reduce(0, add)", MI.sum(0), x=MI),
    row(
        LARGER + "a, j = tl.reduce((x, i), 0, larger);;j",
        5,
        x=floats(1, 0, 3, 2, 1, 4, 4, 0),
        i=torch.arange(8, dtype=torch.int32),
    ),
    row(ADD + "tl.associative_scan(x, 1, add)", MI.cumsum(1), x=MI),
    row(ADD + "x.associative_scan(0, add)", MI.cumsum(0), x=MI),
    row(ADD + "tl.associative_scan(x, 1, add, reverse=True)", MI.flip(1).cumsum(1).flip(1), x=MI),
    row("tl.cumsum(x, 1)", MI.cumsum(1), x=MI),
    row("x.cumsum(0)", MI.cumsum(0), x=MI),
    row("tl.cumprod(x, 0)", torch.tensor([2, 6, -30, -210, -210, 210, 1890, 7560]), x=J),
    row("x.cumprod(0)", torch.tensor([2, 6, -30, -210, -210, 210, 1890, 7560]), x=J),
    row("tl.sort(x)", M.sort(1).values, x=M),
    row("tl.topk(x, 4)", M.topk(4, 1).values, x=M),
    row(
        "tl.bitonic_merge(x)",
        X.sort().values,
        x=torch.cat([X[:8].sort().values, X[8:].sort(descending=True).values]),
    ),
    row(
        "tl.histogram(x, 8)", torch.bincount(MI.reshape(-1) % 8, minlength=8), x=MI.reshape(-1) % 8
    ),
    row("x.histogram(8)", torch.bincount(MI.reshape(-1) % 8, minlength=8), x=MI.reshape(-1) % 8),
    row("tl.histogram(x, 4, mask=x < 2)", [2, 2, 0, 0], x=integers(0, 1, 2, 3, 0, 1, 2, 3)),
]
