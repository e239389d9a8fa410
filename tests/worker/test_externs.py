"""Ops outside of kernels, as wrappers call them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from .talking import Talk


def made_up(
    worker: Talk, name: str, shape: list[int], seed: int = 1, dtype: str = "float32"
) -> torch.Tensor:
    fields = {"shape": shape, "stride": None, "dtype": dtype, "low": 0, "high": 4}
    worker.ask("made_up", name=name, seed=seed, **fields)
    return torch.from_numpy(worker.values(name).copy()).reshape(shape).to(getattr(torch, dtype))


def T(name: str) -> dict[str, str]:
    return {"tensor": name}


NONE: dict[str, Any] = {"none": None}


def same(worker: Talk, name: str, expected: torch.Tensor) -> None:
    facts = worker.ask("describe", name=name)
    assert facts["shape"] == list(expected.shape)
    assert facts["dtype"] == str(expected.dtype).replace("torch.", "")
    values = worker.values(name).reshape(facts["shape"])
    np.testing.assert_allclose(values, expected.float().numpy(), rtol=1e-5, atol=1e-6)


def test_mm_addmm_bmm_write_into_their_buffers(worker: Talk) -> None:
    a, b = made_up(worker, "a", [3, 4]), made_up(worker, "b", [4, 5], 2)
    bias = made_up(worker, "bias", [5], 3)
    worker.ask("empty", name="out", shape=[3, 5], stride=[1, 3], dtype="float32", poison=True)
    worker.ask("alias", name="same", base="out")
    worker.ask("extern", op="aoti_torch_cuda_mm_out", args=[T("out"), T("a"), T("b")], outputs=[])
    same(worker, "same", a @ b)
    worker.ask(
        "extern",
        op="aoti_torch_cuda_addmm_out",
        args=[T("out"), T("bias"), T("a"), T("b"), {"int": 1}, {"int": 2}],
        outputs=["out"],
    )
    same(worker, "same", (bias + a @ b).addmm(a, b))
    assert worker.ask("describe", name="out")["stride"] == [1, 3]
    x, y = made_up(worker, "x", [2, 3, 4]), made_up(worker, "y", [2, 4, 3], 2)
    worker.ask("zeros", name="z", shape=[2, 3, 3], stride=None, dtype="float32")
    worker.ask("extern", op="aoti_torch_bmm_out", args=[T("z"), T("x"), T("y")], outputs=[])
    same(worker, "z", torch.bmm(x, y))


def test_convolution(worker: Talk) -> None:
    x, w = made_up(worker, "x", [2, 3, 8, 8]), made_up(worker, "w", [4, 3, 3, 3], 2)
    reply = worker.ask(
        "extern",
        op="aoti_torch_cuda_convolution",
        args=[
            T("x"),
            T("w"),
            NONE,
            {"ints": [2, 2]},
            {"ints": [1, 1]},
            {"ints": [1, 1]},
            {"int": 0},
            {"ints": [0, 0]},
            {"int": 1},
        ],
        outputs=["y"],
    )
    expected = torch.nn.functional.conv2d(x, w, stride=2, padding=1)
    assert reply["outputs"][0]["shape"] == list(expected.shape)
    same(worker, "y", expected)


def test_nonzero_topk_sort_cumsum_embedding(worker: Talk) -> None:
    x = made_up(worker, "x", [4, 6])
    index = made_up(worker, "i", [5], dtype="int64")
    worker.ask("extern", op="aoti_torch_cuda_nonzero", args=[T("i")], outputs=["nz"])
    same(worker, "nz", index.nonzero())
    args = [T("x"), {"int": 3}, {"int": -1}, {"int": 1}, {"int": 1}]
    worker.ask("extern", op="aoti_torch_cuda_topk", args=args, outputs=["v", "p"])
    same(worker, "v", x.topk(3).values)
    same(worker, "p", x.topk(3).indices)
    args = [T("x"), {"bool": True}, {"int": 1}, {"int": 0}]
    worker.ask("extern", op="aoti_torch_cuda_sort_stable", args=args, outputs=["s", None])
    same(worker, "s", x.sort(1).values)
    worker.ask("extern", op="aoti_torch_cpu_cumsum", args=[T("x"), {"int": 1}, NONE], outputs=["c"])
    same(worker, "c", x.cumsum(1))
    worker.ask("extern", op="aoti_torch_cuda_embedding", args=[T("x"), T("i")], outputs=["e"])
    same(worker, "e", x[index])


def test_index_and_index_put(worker: Talk) -> None:
    x, index = made_up(worker, "x", [4, 6]), made_up(worker, "i", [3], dtype="int64")
    values = made_up(worker, "v", [3, 6], 4)
    args: list[Any] = [T("x"), {"tensors": ["i"]}]
    worker.ask("extern", op="aoti_torch_cuda_index_Tensor", args=args, outputs=["y"])
    same(worker, "y", x[index])
    worker.ask(
        "extern",
        op="aoti_torch_cuda_index_put_out",
        args=[T("x"), T("x"), {"tensors": ["i"]}, T("v"), {"bool": True}],
        outputs=[],
    )
    same(worker, "x", x.index_put((index,), values, accumulate=True))


def test_in_place_ops(worker: Talk) -> None:
    made_up(worker, "x", [3])
    y = made_up(worker, "y", [3], 2)
    worker.ask("extern", op="aoti_torch_copy_", args=[T("x"), T("y"), {"int": 0}], outputs=[])
    same(worker, "x", y)
    worker.ask("extern", op="aoti_torch_cuda_fill__Scalar", args=[T("x"), {"float": 2}], outputs=[])
    assert worker.values("x").tolist() == [2.0, 2.0, 2.0]
    worker.ask("extern", op="aoti_torch_zero_", args=[T("x")], outputs=[])
    assert worker.values("x").tolist() == [0.0, 0.0, 0.0]


def test_random_ops_run_and_say_that_their_numbers_differ(worker: Talk) -> None:
    worker.ask("zeros", name="seed", shape=[3], stride=None, dtype="int64")
    reply = worker.ask(
        "extern",
        op="aoti_torch_cuda_randint_low_out",
        args=[T("seed"), {"int": -(2**63)}, {"int": 2**63 - 1}, {"ints": [3]}],
        outputs=[],
    )
    assert len(set(worker.values("seed").tolist())) == 3
    assert reply["flags"] == ["random numbers: the GPU's generator gives others"]


@pytest.mark.parametrize(
    ("op", "more", "count"),
    [
        ("flash", [{"float": 0.0}, {"int": 1}, {"int": 0}, NONE], 9),
        ("cudnn", [NONE, {"int": 0}, {"float": 0.0}, {"int": 1}, {"int": 0}, NONE], 9),
        ("efficient", [NONE, {"bool": False}, {"float": 0.0}, {"bool": True}], 4),
    ],
)
def test_attention(worker: Talk, op: str, more: list[Any], count: int) -> None:
    q, k, v = (made_up(worker, n, [2, 3, 8, 16], s) for s, n in enumerate("qkv"))
    outputs: list[str | None] = ["out", "lse", *[None] * (count - 2)]
    reply = worker.ask(
        "extern",
        op=f"aoti_torch_cuda__scaled_dot_product_{op}_attention",
        args=[T("q"), T("k"), T("v"), *more],
        outputs=outputs,
    )
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    same(worker, "out", expected)
    # The CUDA ops give (batch, sequence, head, dim) memory.
    assert reply["outputs"][0]["stride"] == [384, 16, 48, 1]
    scores = (q @ k.transpose(-1, -2) / 4).masked_fill(~torch.ones(8, 8).tril().bool(), -torch.inf)
    same(worker, "lse", scores.logsumexp(-1))


@pytest.mark.parametrize(
    ("op", "aten", "args", "part"),
    [
        ("aoti_torch_cuda_no_such_op", None, [], "no op no_such_op"),
        ("aoti_torch_cuda_mm_out", None, [T("x")], "mm"),
        ("aoti_torch_cuda_mm_out", None, [T("x"), T("x"), T("x")], "failed on the CPU"),
        ("aoti_torch_proxy_executor_call_function", None, [], "does not say which op"),
        ("aoti_torch_proxy_executor_call_function", "mylib.op.default", [], "custom op"),
    ],
)
def test_what_cannot_be_run_is_unsupported(
    worker: Talk, op: str, aten: str | None, args: list[Any], part: str
) -> None:
    made_up(worker, "x", [3, 4])
    error = worker.fail("extern", op=op, aten=aten, args=args, outputs=["y"])
    assert error["kind"] == "unsupported"
    assert part in error["message"]


def test_an_op_behind_the_proxy_executor_runs_by_its_aten_name(worker: Talk) -> None:
    x = made_up(worker, "x", [3, 4])
    worker.ask(
        "extern",
        op="aoti_torch_proxy_executor_call_function",
        aten="torch.ops.aten.cumprod.default",
        args=[T("x"), {"int": 1}],
        outputs=["y"],
    )
    same(worker, "y", x.cumprod(1))
