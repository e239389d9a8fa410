"""Loads, stores, block pointers and descriptors, product by product and number by number."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from .lab import evaluate, random, run

M = random(16, 32, seed=1)


@pytest.mark.parametrize(
    "options",
    [
        "",
        ", mask=i < 5, other=7.0",
        ", mask=i < 5",
        ", cache_modifier='.cg'",
        ", eviction_policy='evict_last'",
        ", volatile=True",
    ],
)
def test_loads(options: str) -> None:
    x = random(8)
    i = torch.arange(8, dtype=torch.int32)
    text = f"""
    def kernel(x_ptr, out):
        i = tl.arange(0, 8)
        tl.store(out + i, tl.load(x_ptr + i{options}))
    """
    out = torch.zeros(8)
    run(text, {"x_ptr": x, "out": out})
    rest = 7.0 if "other" in options else 0.0
    assert torch.equal(out, torch.where(i < 5, x, rest) if "mask" in options else x)


@pytest.mark.parametrize("call", ["tl.store(at, x, mask=i < 3)", "at.store(x, mask=i < 3)"])
def test_a_masked_store_leaves_the_rest(call: str) -> None:
    text = f"""
    def kernel(x_ptr, out):
        i = tl.arange(0, 8)
        x = tl.load(x_ptr + i)
        at = out + i
        {call}
    """
    x, out = random(8), torch.full((8,), 9.0)
    run(text, {"x_ptr": x, "out": out})
    assert out.tolist() == [*x[:3].tolist(), *[9.0] * 5]


@pytest.mark.parametrize("padding", ["", "zero", "nan"])
@pytest.mark.parametrize("step", ["tl.advance(window, (8, 0))", "window.advance((8, 0))"])
def test_block_pointers_step_over_a_matrix(padding: str, step: str) -> None:
    text = f"""
    def kernel(x_ptr, out):
        window = tl.make_block_ptr(x_ptr, (12, 32), (32, 1), (0, 0), (8, 32), (1, 0))
        window = {step}
        block = tl.load(window, boundary_check=(0,), padding_option="{padding}")
        target = tl.make_block_ptr(out, (6, 32), (32, 1), (0, 0), (8, 32), (1, 0))
        tl.store(target, block, boundary_check=(0,))
    """
    out = torch.full((8, 32), 9.0)
    run(text, {"x_ptr": M, "out": out})
    beyond = float("nan") if padding == "nan" else 0.0
    torch.testing.assert_close(out[:4], M[8:12], rtol=0, atol=0)
    assert torch.equal(out[4:6].nan_to_num(5.0), torch.full((2, 32), beyond).nan_to_num(5.0))
    assert (out[6:] == 9.0).all()


def described(body: str, *tensors: str) -> str:
    made = "\n".join(
        f"    {name} = tl.make_tensor_descriptor({name}_ptr, [12, 30], [32, 1], [8, 16])"
        for name in tensors
    )
    parameters = ", ".join(f"{name}_ptr" for name in tensors)
    return f"def kernel({parameters}):\n{made}\n{body}\n"


@pytest.mark.parametrize("form", ["method", "function"])
def test_descriptors_load_and_store_within_their_shape(form: str) -> None:
    body = "    out.store([8, 16], x.load([8, 16]))"
    if form == "function":
        body = (
            "    block = tl.load_tensor_descriptor(x, [8, 16])\n"
            "    tl.store_tensor_descriptor(out, [8, 16], block)"
        )
    out = torch.full((16, 32), 9.0)
    run(described(body, "x", "out"), {"x_ptr": M, "out_ptr": out})
    expected = torch.full((16, 32), 9.0)
    expected[8:12, 16:30] = M[8:12, 16:30]
    assert torch.equal(out, expected)


def test_descriptors_gather_and_scatter_rows() -> None:
    text = """
    def kernel(x_ptr, rows_ptr, out_ptr):
        rows = tl.load(rows_ptr + tl.arange(0, 8))
        x = tl.make_tensor_descriptor(x_ptr, [16, 30], [32, 1], [1, 16])
        out = tl.make_tensor_descriptor(out_ptr, [14, 32], [32, 1], [1, 16])
        out.scatter(x.gather(rows, 16), rows, 0)
    """
    rows = torch.tensor([3, 15, 0, 7, 1, 2, 13, 9], dtype=torch.int32)
    out = torch.zeros(16, 32)
    run(text, {"x_ptr": M, "rows_ptr": rows, "out_ptr": out})
    expected = torch.zeros(16, 32)
    for row in rows.tolist():
        if row < 14:
            expected[row, :14] = M[row, 16:30]
    assert torch.equal(out, expected)


@pytest.mark.parametrize(
    ("method", "dtype", "rule"),
    [
        ("atomic_add", torch.float32, np.add),
        ("atomic_add", torch.int32, np.add),
        ("atomic_max", torch.int64, np.maximum),
        ("atomic_min", torch.uint32, np.minimum),
        ("atomic_and", torch.int32, np.bitwise_and),
        ("atomic_or", torch.uint32, np.bitwise_or),
        ("atomic_xor", torch.int64, np.bitwise_xor),
    ],
)
def test_descriptors_change_what_is_there(method: str, dtype: torch.dtype, rule: np.ufunc) -> None:
    if method == "atomic_and":
        dtype = torch.uint32
    body = f"    out.{method}([8, 16], x.load([8, 16]))"
    x = torch.from_numpy(np.arange(512).reshape(16, 32) * 37 % 101).to(dtype)
    out = torch.from_numpy(np.arange(512).reshape(16, 32) * 11 % 73).to(dtype)
    expected = out.numpy().copy()
    expected[8:12, 16:30] = rule(expected, x.numpy())[8:12, 16:30]
    run(described(body, "x", "out"), {"x_ptr": x, "out_ptr": out})
    np.testing.assert_array_equal(out.numpy(), expected)


HALVES = [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8]


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_products(dtype: torch.dtype) -> None:
    a, b = random(16, 32, seed=2), random(32, 16, seed=3)
    if dtype == torch.int8:
        a, b = a * 40, b * 40
    a, b = a.to(dtype), b.to(dtype)
    result = {torch.int8: torch.int32, torch.float64: torch.float64}.get(dtype, torch.float32)
    given = evaluate("tl.dot(a, b)", (16, 16), result, a=a, b=b)
    expected = a.double() @ b.double()
    torch.testing.assert_close(given.value.double(), expected, rtol=1e-5, atol=1e-5)
    assert any("tf32" in flag for flag in given.flags) == (dtype == torch.float32)


def test_a_product_is_added_to_its_accumulator_and_batched() -> None:
    a, b, c = random(2, 16, 32), random(2, 32, 16, seed=1), random(2, 16, 16, seed=2)
    given = evaluate(
        "tl.dot(a, b, c, input_precision='ieee')", (2, 16, 16), torch.float32, a=a, b=b, c=c
    )
    torch.testing.assert_close(given.value, a @ b + c, rtol=1e-5, atol=1e-5)
    assert given.flags == []


E2M1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]


@pytest.mark.parametrize("left", ["e2m1", "e4m3", "e5m2", "bf16"])
@pytest.mark.parametrize("right", ["e2m1", "e4m3"])
def test_products_of_scaled_groups(left: str, right: str) -> None:
    generator = np.random.default_rng(4)

    def drawn(kind: str, rows: int) -> tuple[torch.Tensor, np.ndarray]:
        """Elements (rows, 64) as a kernel gets them, and their values."""
        if kind == "e2m1":
            codes = generator.integers(0, 16, (rows, 64))
            values = np.array(E2M1)[codes & 7] * np.where(codes & 8, -1, 1)
            return torch.from_numpy((codes[:, ::2] | codes[:, 1::2] << 4).astype(np.uint8)), values
        dtype = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "bf16": torch.bfloat16}
        exact = torch.from_numpy(generator.standard_normal((rows, 64))).to(dtype[kind])
        return exact, exact.double().numpy()

    a, a_values = drawn(left, 16)
    b, b_values = drawn(right, 32)
    scales = [
        torch.from_numpy(generator.integers(124, 131, (n, 2)).astype(np.uint8)) for n in (16, 32)
    ]
    expression = f"tl.dot_scaled(a, s, '{left}', b.T, t, '{right}')"
    given = evaluate(expression, (16, 32), torch.float32, a=a, b=b, s=scales[0], t=scales[1])
    wide = [
        values * np.repeat(2.0 ** (scale.numpy().astype(float) - 127), 32, axis=1)
        for values, scale in ((a_values, scales[0]), (b_values, scales[1]))
    ]
    np.testing.assert_allclose(given.value.numpy(), wide[0] @ wide[1].T, rtol=1e-5, atol=1e-3)
    assert any("bfloat16" in flag for flag in given.flags)
