"""Arithmetic as the GPU does it, against torch where torch does the same."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import torch

from tests.cases import DATA

from .talking import Talk, compiled, element_by_element, line_of

# What one kernel per pair of types, run on an H200, stored for these floats.
H200_CONVERSIONS = json.loads((DATA / "float_to_integer" / "h200.json").read_text())

EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    1.00390625,
    1.01171875,
    3.0e38,
    -3.0e38,
    math.inf,
    -math.inf,
    math.nan,
    448.0,
    464.0,
    465.0,
    1e4,
    57344.0,
    61440.0,
    1e5,
    2.0**-6,
    2.0**-9,
    2.0**-10,
    1.5 * 2.0**-10,
    2.0**-14,
    2.0**-16,
    2.0**-17,
    1.1 * 2.0**-17,
    1e-40,
    0.1,
]


def spread() -> list[float]:
    generator = np.random.default_rng(7)
    values = generator.standard_normal(200) * 10.0 ** generator.integers(-6, 6, 200)
    return EDGES + [float(np.float32(v)) for v in values]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_float32_becomes_16_bits_by_rounding_to_even(worker: Talk, dtype: str) -> None:
    values = spread()
    kind = {"bfloat16": "tl.bfloat16", "float16": "tl.float16"}[dtype]
    found = element_by_element(worker, f"x0.to({kind})", [(values, "float32")], dtype)
    expected = torch.tensor(values).to(getattr(torch, dtype)).float().numpy()
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("dtype", "triton", "largest"),
    [("float8_e4m3fn", "tl.float8e4nv", 448.0), ("float8_e5m2", "tl.float8e5", 57344.0)],
)
def test_float32_becomes_8_bits_and_saturates(
    worker: Talk, dtype: str, triton: str, largest: float
) -> None:
    values = spread()
    found = element_by_element(worker, f"x0.to({triton})", [(values, "float32")], dtype)
    clipped = torch.tensor(values).clamp(-largest, largest)
    expected = clipped.to(getattr(torch, dtype)).float().numpy()
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float8_e4m3fn", "float8_e5m2"])
def test_small_floats_are_read_exactly(worker: Talk, dtype: str) -> None:
    values = torch.tensor(spread()).clamp(-400, 400).to(getattr(torch, dtype)).float().tolist()
    found = element_by_element(worker, "x0.to(tl.float32)", [(values, dtype)], "float32")
    np.testing.assert_array_equal(found, np.array(values, np.float32))


@pytest.mark.parametrize("operator", ["+", "-", "*"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_16_bit_arithmetic_rounds_each_result(worker: Talk, dtype: str, operator: str) -> None:
    generator = np.random.default_rng(3)
    kind = getattr(torch, dtype)
    a = torch.tensor(generator.standard_normal(64) * 50).to(kind)
    b = torch.tensor(generator.standard_normal(64)).to(kind)
    found = element_by_element(
        worker,
        f"x0 {operator} x1",
        [(a.float().tolist(), dtype), (b.float().tolist(), dtype)],
        dtype,
    )
    expected = {"+": a + b, "-": a - b, "*": a * b}[operator].float().numpy()
    np.testing.assert_array_equal(found, expected)


def test_bits_of_a_float_can_be_taken_and_given_back(worker: Talk) -> None:
    values = torch.tensor(spread()).to(torch.bfloat16).float().tolist()
    found = element_by_element(
        worker, "x0.to(tl.int16, bitcast=True)", [(values, "bfloat16")], "int16"
    )
    expected = torch.tensor(values).to(torch.bfloat16).view(torch.int16).numpy()
    finite = np.array([v == v for v in values])
    np.testing.assert_array_equal(found[finite], expected[finite])
    back = element_by_element(
        worker,
        "x0.to(tl.int16, bitcast=True).to(tl.bfloat16, bitcast=True)",
        [(values, "bfloat16")],
        "bfloat16",
    )
    np.testing.assert_array_equal(back, np.array(values, np.float32))


def test_integers_wrap_in_their_own_width(worker: Talk) -> None:
    big = 2**31 - 1
    found = element_by_element(worker, "x0 + 1", [([big, 5], "int32")], "int32")
    assert found.tolist() == [-(2**31), 6]
    found = element_by_element(worker, "x0 * x0", [([100000, 3], "int32")], "int64")
    assert found.tolist() == [1410065408, 9]
    found = element_by_element(worker, "x0.to(tl.int64) * x0", [([100000, 3], "int32")], "int64")
    assert found.tolist() == [10**10, 9]
    found = element_by_element(worker, "x0.to(tl.int8)", [([200, -129], "int64")], "int8")
    assert found.tolist() == [-56, 127]
    found = element_by_element(worker, "x0 - 1", [([0, 1], "uint8")], "uint8")
    assert found.tolist() == [255, 0]


def test_a_scalar_has_the_type_its_signature_says(worker: Talk) -> None:
    compiled(
        worker,
        """
        @triton.jit
        def product(out_ptr0, ks0, ks1, ks2, XBLOCK : tl.constexpr):
            xindex = tl.arange(0, XBLOCK)
            tl.store(out_ptr0 + xindex, ks0 * ks0)
            tl.store(out_ptr0 + 1 + xindex, ks1 * ks1)
            tl.store(out_ptr0 + 2 + xindex, (ks2 * 3.0).to(tl.int64))
        """,
        "product",
        {"out_ptr0": "*i64", "ks0": "i64", "ks1": "i32", "ks2": "fp64"},
    )
    worker.ask("zeros", name="out", shape=[3], stride=None, dtype="int64")
    args = {
        "out_ptr0": {"tensor": "out"},
        "ks0": {"int": 100000},
        "ks1": {"int": 100000},
        "ks2": {"float": 1e10 / 3},
    }
    worker.ask("scan", kernel="product", args=args, blocks={"XBLOCK": 1}, grid=[1], write=True)
    assert worker.values("out").tolist() == [10**10, 1410065408, 10**10]


def test_integer_division_truncates_and_remainder_has_the_dividends_sign(worker: Talk) -> None:
    a, b = [7, -7, 7, -7, 0], [2, 2, -2, -2, 3]
    pair = [(a, "int64"), (b, "int64")]
    assert element_by_element(worker, "x0 // x1", pair, "int64").tolist() == [3, -3, -3, 3, 0]
    assert element_by_element(worker, "x0 % x1", pair, "int64").tolist() == [1, -1, 1, -1, 0]
    floor = element_by_element(worker, "triton_helpers.div_floor_integer(x0, x1)", pair, "int64")
    assert floor.tolist() == [3, -4, -4, 3, 0]
    modulo = element_by_element(worker, "triton_helpers.remainder_integer(x0, x1)", pair, "int64")
    assert modulo.tolist() == [1, 1, -1, -1, 0]


def test_shifts_and_bits(worker: Talk) -> None:
    pair = [([-8, 8, 1], "int32"), ([1, 2, 31], "int32")]
    assert element_by_element(worker, "x0 >> x1", pair, "int32").tolist() == [-4, 2, 0]
    assert element_by_element(worker, "x0 << x1", pair, "int32").tolist() == [-16, 32, -(2**31)]
    unsigned = [([2**32 - 8, 8], "uint32"), ([1, 2], "uint32")]
    assert element_by_element(worker, "x0 >> x1", unsigned, "uint32").tolist() == [2**31 - 4, 2]
    assert element_by_element(worker, "~x0", [([0, 5], "int32")], "int32").tolist() == [-1, -6]
    high = element_by_element(
        worker, "tl.umulhi(x0, x0)", [([2**63, 3, 2**33], "uint64")], "uint64"
    )
    assert high.tolist() == [2**62, 0, 4]


def test_minimum_and_maximum_differ_in_what_they_make_of_nan(worker: Talk) -> None:
    pair = [([1.0, math.nan, 3.0], "float32"), ([math.nan, 2.0, 2.0], "float32")]
    plain = element_by_element(worker, "tl.maximum(x0, x1)", pair, "float32")
    assert plain.tolist() == [1.0, 2.0, 3.0]
    helper = element_by_element(worker, "triton_helpers.maximum(x0, x1)", pair, "float32")
    assert np.isnan(helper[:2]).all()
    assert helper[2] == 3.0
    spread_nan = element_by_element(
        worker, "tl.minimum(x0, x1, propagate_nan=tl.PropagateNan.ALL)", pair, "float32"
    )
    assert np.isnan(spread_nan[:2]).all()
    assert spread_nan[2] == 2.0


def test_not_and_and_or_are_element_by_element(worker: Talk) -> None:
    pair = [([1, 0, 1, 0], "int32"), ([1, 1, 0, 0], "int32")]
    statements = "a = x0 != 0\nb = x1 != 0"

    def ask(text: str) -> list[bool]:
        return element_by_element(worker, text, pair, "bool", statements).tolist()

    assert ask("not a") == [False, True, False, True]
    assert ask("a and b") == [True, False, False, False]
    assert ask("a or not b") == [True, False, True, True]


@pytest.mark.parametrize(
    ("value", "target", "result", "part"),
    [
        (3e9, "int32", 2**31 - 1, "out of range"),
        (-3e9, "int32", -(2**31), "out of range"),
        (-1.0, "uint32", 0, "out of range"),
        (1e20, "int64", 2**63 - 1, "out of range"),
        (math.inf, "int64", 2**63 - 1, "out of range"),
        (math.nan, "int32", 0, "NaN"),
    ],
)
def test_conversions_without_a_defined_result_are_flagged(
    worker: Talk, value: float, target: str, result: int, part: str
) -> None:
    text = compiled(
        worker,
        f"""
        @triton.jit
        def convert(in_ptr0, out_ptr0, XBLOCK : tl.constexpr):
            xindex = tl.arange(0, XBLOCK)
            tmp0 = tl.load(in_ptr0 + xindex)
            tmp1 = tmp0.to(tl.{target})
            tl.store(out_ptr0 + xindex, tmp1)
        """,
        "convert",
        {"in_ptr0": "*fp32", "out_ptr0": target.replace("uint", "*u").replace("int", "*i")},
    )
    worker.put("in", [value, -2.7 if target != "uint32" else 2.7], "float32")
    worker.ask("zeros", name="out", shape=[2], stride=None, dtype=target)
    args = {"in_ptr0": {"tensor": "in"}, "out_ptr0": {"tensor": "out"}}
    reply = worker.ask(
        "scan", kernel="convert", args=args, blocks={"XBLOCK": 2}, grid=[1], write=True
    )
    assert worker.values("out").tolist() == [result, -2 if target != "uint32" else 2]
    (flag,) = reply["flags"]
    assert flag["kernel_line"] == line_of(text, "tmp1 =")
    assert part in flag["text"]


@pytest.mark.parametrize("pair", sorted(H200_CONVERSIONS["bits_as_signed"]))
def test_floats_become_the_integers_that_an_h200_makes_of_them(worker: Talk, pair: str) -> None:
    source, _, target = pair.partition("->")
    values = [float(v) for v in H200_CONVERSIONS["values"]]
    with np.errstate(over="ignore"):
        found = element_by_element(worker, f"x0.to(tl.{target})", [(values, source)], target)
    signed = found.astype(target).view(target.removeprefix("u")).tolist()
    assert signed == H200_CONVERSIONS["bits_as_signed"][pair]


def test_conversions_in_range_are_not_flagged(worker: Talk) -> None:
    values = [float(2**31 - 128), -float(2**31), 0.9, -0.9]
    found = element_by_element(worker, "x0.to(tl.int32)", [(values, "float32")], "int32")
    assert found.tolist() == [2**31 - 128, -(2**31), 0, 0]


def test_division_by_zero_is_flagged_at_its_line(worker: Talk) -> None:
    text = compiled(
        worker,
        """
        @triton.jit
        def divide(in_ptr0, out_ptr0, XBLOCK : tl.constexpr):
            xindex = tl.arange(0, XBLOCK)
            tmp0 = tl.load(in_ptr0 + xindex)
            tmp1 = 10 // tmp0
            tl.store(out_ptr0 + xindex, tmp1)
        """,
        "divide",
        {"in_ptr0": "*i64", "out_ptr0": "*i64"},
    )
    worker.put("in", [5, 0], "int64")
    worker.put("out", [0, 0], "int64")
    args = {"in_ptr0": {"tensor": "in"}, "out_ptr0": {"tensor": "out"}}
    reply = worker.ask("scan", kernel="divide", args=args, blocks={"XBLOCK": 2}, grid=[1])
    assert [flag["kernel_line"] for flag in reply["flags"]] == [line_of(text, "tmp1 =")]


def test_dot_accumulates_in_float32(worker: Talk) -> None:
    compiled(
        worker,
        """
        @triton.jit
        def product(in_ptr0, in_ptr1, out_ptr0, BLOCK : tl.constexpr):
            rows = tl.arange(0, BLOCK)[:, None]
            cols = tl.arange(0, BLOCK)[None, :]
            a = tl.load(in_ptr0 + rows * BLOCK + cols)
            b = tl.load(in_ptr1 + rows * BLOCK + cols)
            acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
            acc = tl.dot(a, tl.trans(b), acc=acc, allow_tf32=False)
            tl.store(out_ptr0 + rows * BLOCK + cols, acc)
        """,
        "product",
        {"in_ptr0": "*bf16", "in_ptr1": "*bf16", "out_ptr0": "*fp32"},
    )
    for seed, name in enumerate(("a", "b")):
        worker.ask("made_up", name=name, shape=[16, 16], stride=None, dtype="bfloat16", seed=seed)
    worker.ask("zeros", name="out", shape=[16, 16], stride=None, dtype="float32")
    args = {
        "in_ptr0": {"tensor": "a"},
        "in_ptr1": {"tensor": "b"},
        "out_ptr0": {"tensor": "out"},
    }
    worker.ask("scan", kernel="product", args=args, blocks={"BLOCK": 16}, grid=[1], write=True)
    a, b = (worker.values(n).reshape(16, 16) for n in ("a", "b"))
    np.testing.assert_allclose(worker.values("out").reshape(16, 16), a @ b.T, rtol=1e-6, atol=1e-6)


def test_a_bfloat16_constant_is_rounded_as_the_compiler_rounds_it(worker: Talk) -> None:
    values = torch.linspace(-40, 40, 200).to(torch.bfloat16)
    result = element_by_element(
        worker, "x0 * 0.1", [(values.float().tolist(), "bfloat16")], "bfloat16"
    )
    # 0.1 as bfloat16 is 0.10009765625: the product of the two, rounded once more.
    expected = (values.float() * 0.10009765625).to(torch.bfloat16).float().numpy()
    assert result.tolist() == expected.tolist()
