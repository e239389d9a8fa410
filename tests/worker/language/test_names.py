"""That every public name of triton.language is spoken of here, and the few that fit no table."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
import torch

from .lab import evaluate, floats, integers, names, random, run

HERE = Path(__file__).parent
MODULES = {"core", "extra", "math", "random", "semantic", "standard", "target_info"}
# Types that only the compiler makes, or that annotate what it is given.
OF_THE_COMPILER = {
    "block_type",
    "const",
    "constexpr_type",
    "dtype",
    "pi32_t",
    "pointer_type",
    "slice",
    "str_to_ty",
    "tensor_descriptor",
    "tensor_descriptor_type",
    "tuple_type",
    "void",
}


def test_every_name_of_the_language_is_tried() -> None:
    tl = names()["tl"]
    text = "".join(path.read_text() for path in HERE.glob("*.py"))
    used = {*re.findall(r"""\btl(?:"])?\.(\w+)""", text), *re.findall(r'"(\w+)"', text)}
    public = {name for name in dir(tl) if not name.startswith("_")}
    assert public - used - MODULES - OF_THE_COMPILER == set()


def test_every_method_of_a_block_is_tried() -> None:
    tl = names()["tl"]
    text = "".join(path.read_text() for path in HERE.glob("*.py"))
    used = set(re.findall(r"""[."](\w+)""", text))
    # 3.7.1 has x.sort as a stub that gives None, in its compiler too.
    public = {name for name, _ in inspect.getmembers(tl.tensor) if not name.startswith("_")}
    assert public - used - {"sort"} == set()


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("tl.int1", torch.bool),
        ("tl.int8", torch.int8),
        ("tl.int16", torch.int16),
        ("tl.int32", torch.int32),
        ("tl.int64", torch.int64),
        ("tl.uint8", torch.uint8),
        ("tl.uint16", torch.uint16),
        ("tl.uint32", torch.uint32),
        ("tl.uint64", torch.uint64),
        ("tl.float16", torch.float16),
        ("tl.bfloat16", torch.bfloat16),
        ("tl.float32", torch.float32),
        ("tl.float64", torch.float64),
        ("tl.float8e4nv", torch.float8_e4m3fn),
        ("tl.float8e5", torch.float8_e5m2),
        ("tl.float8e4b8", torch.float8_e4m3fnuz),
        ("tl.float8e5b16", torch.float8_e5m2fnuz),
    ],
)
def test_a_type_holds_what_torch_holds(kind: str, dtype: torch.dtype) -> None:
    x = floats(0.0, 1.0, 2.0, 3.0, 5.0, 6.5, 20.0, 100.0)
    given = evaluate(f"x.to({kind})", (8,), dtype, x=x).value
    assert torch.equal(given.float(), x.to(dtype).float())
    back = evaluate("y.to(tl.float32)", (8,), torch.float32, y=given).value
    assert torch.equal(back, x.to(dtype).float())


def test_the_format_of_sixteen_that_torch_lacks() -> None:
    """Rounded as an H200 does: ties away from zero, and past float16, which is cut."""
    x = floats(0.0, 0.1, 1.0, 1.7, 1.8, -0.5, 2.0, -1.6, 1.0625, -1.1875, 1.0624, float("nan"))
    call = "x.to(tl.float8e4b15).to(tl.float32)"
    given = evaluate(call, (4,), torch.float32, x=x[:4]).value
    given = torch.cat([given, evaluate(call, (8,), torch.float32, x=x[4:]).value])
    expected = [0.0, 0.1015625, 1.0, 1.75, 1.75, -0.5, 1.75, -1.625, 1.125, -1.25, 1.0, 1.75]
    assert given.tolist() == expected


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_casts_towards_zero(dtype: torch.dtype) -> None:
    x = random(256, seed=7) * 100
    kind = f"tl.{str(dtype)[6:]}"
    given = evaluate(f"x.to({kind}, fp_downcast_rounding='rtz')", (256,), dtype, x=x).value
    nearest = x.to(dtype)
    below = torch.nextafter(nearest, torch.zeros_like(nearest))
    expected = torch.where(nearest.double().abs() > x.double().abs(), below, nearest)
    assert torch.equal(given, expected)
    assert not torch.equal(given, nearest)


def test_a_bf16_constant_is_rounded() -> None:
    x = random(4096, seed=1).bfloat16()
    given = evaluate("x * 0.1", (4096,), torch.bfloat16, x=x).value
    assert torch.equal(given, x * torch.tensor(0.1).bfloat16())


def test_a_loop_with_a_condition_ends() -> None:
    text = """
    def kernel(out):
        n = 0
        while tl.condition(n < 5, disable_licm=True):
            n += 2
        tl.store(out, n)
    """
    out = torch.zeros(1, dtype=torch.int32)
    run(text, {"out": out})
    assert out.item() == 6


def test_loops_of_the_language() -> None:
    text = """
    def kernel(out, n):
        total = 0
        for i in tl.range(0, n, 2, num_stages=2):
            total += i
        for i in tl.static_range(3):
            total += 100 * i
        for i in range(n, 0, -3):
            total += 1000 * i
        tl.store(out, total)
    """
    out = torch.zeros(1, dtype=torch.int32)
    run(text, {"out": out}, n=8)
    assert out.item() == 12 + 300 + 1000 * (8 + 5 + 2)


def test_a_scalar_function_is_mapped_with_its_branches() -> None:
    selu = """
    def selu(x, alpha):
        if x > 0:
            return x
        elif x < -1:
            return alpha
        else:
            return alpha * (tl.exp(x) - 1)
    ---
    tl.map_elementwise(selu, x, 2.0 + x * 0)
    """
    x = random(64, seed=2)
    given = evaluate(textwrap.dedent(selu).strip(), (64,), torch.float32, x=x).value
    expected = torch.where(x > 0, x, torch.where(x < -1, 2.0, 2.0 * (x.exp() - 1)))
    torch.testing.assert_close(given, expected)


def test_a_mapped_function_of_pairs_gives_several_blocks() -> None:
    text = """
    def swapped(a0, a1, b0, b1):
        return a1, a0, b0 + b1, b0 - b1
    ---
    a, b = tl.map_elementwise(swapped, x, y, pack=2);;a * 1000 + b
    """
    x, y = integers(1, 2, 3, 4), integers(5, 7, 11, 13)
    given = evaluate(textwrap.dedent(text).strip(), (4,), torch.int32, x=x, y=y).value
    assert given.tolist() == [2012, 998, 4024, 2998]


def test_grids_and_constants() -> None:
    text = """
    def kernel(out, SIZE: tl.constexpr):
        tl.static_assert(SIZE == 4, "four")
        half: tl.constexpr = tl.constexpr(SIZE // 2)
        tl.assume(SIZE > 0)
        pair = tl.tuple([tl.program_id(1), tl.num_programs(1)])
        tl.device_assert(pair[0] < pair[1], "inside")
        tl.debug_barrier()
        tl.store(out + pair[0], half * 10 + pair[1])
    """
    out = torch.zeros(3, dtype=torch.int32)
    assert not run(text, {"out": out}, (1, 3, 1), SIZE=4).failed
    assert out.tolist() == [23, 23, 23]
    assert names()["tl"].TRITON_MAX_TENSOR_NUMEL >= 1 << 20


def philox(seed: int, counters: np.ndarray) -> list[np.ndarray]:
    """Philox 4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"."""
    mask = np.uint64(0xFFFFFFFF)
    c = [counters.astype(np.uint64), *(np.zeros_like(counters, np.uint64) for _ in range(3))]
    k = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        high = [b >> np.uint64(32), a >> np.uint64(32)]
        c = [high[0] ^ c[1] ^ k[0], b & mask, high[1] ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + np.uint64(0x9E3779B9)) & mask, (k[1] + np.uint64(0xBB67AE85)) & mask]
    return [part.astype(np.uint32) for part in c]


N = 1024
OFFSETS = torch.arange(N, dtype=torch.int32)
DRAWN = philox(77, np.arange(N))


def uniform(bits: np.ndarray) -> np.ndarray:
    signed = bits.view(np.int32)
    folded = np.where(signed < 0, -signed - 1, signed)
    return (folded.astype(np.float32) * np.float32(4.6566127342e-10)).astype(np.float32)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("tl.randint(77, i).to(tl.int32, bitcast=True)", DRAWN[0].view(np.int32)),
        ("a, b, c, d = tl.randint4x(77, i);;d.to(tl.int32, bitcast=True)", DRAWN[3].view(np.int32)),
        ("tl.rand(77, i)", uniform(DRAWN[0])),
        ("a, b, c, d = tl.rand4x(77, i);;c", uniform(DRAWN[2])),
        ("tl.uint_to_uniform_float(tl.randint(77, i))", uniform(DRAWN[0])),
        (
            "a, b, c, d = tl.philox(77, i, i * 0, i * 0, i * 0);;b.to(tl.int32, bitcast=True)",
            DRAWN[1].view(np.int32),
        ),
        (
            "o = i.to(tl.uint32);;k = o * 0;;"
            "a, b, c, d = tl.philox_impl(o, k, k, k, k + 77, k);;b.to(tl.int32, bitcast=True)",
            DRAWN[1].view(np.int32),
        ),
    ],
)
def test_random_numbers_are_those_of_philox(expression: str, expected: np.ndarray) -> None:
    kind = torch.from_numpy(expected).dtype
    given = evaluate(expression, (N,), kind, i=OFFSETS).value
    np.testing.assert_array_equal(given.numpy(), expected)


@pytest.mark.parametrize(
    "expression",
    [
        "tl.randn(77, i)",
        "a, b, c, d = tl.randn4x(77, i);;a",
        "a, b, c, d = tl.rand4x(77, i);;p, q = tl.pair_uniform_to_normal(a, b);;p",
    ],
)
def test_normal_numbers_are_box_and_mullers(expression: str) -> None:
    first = np.maximum(uniform(DRAWN[0]).astype(np.float64), 1.0e-7)
    second = uniform(DRAWN[1]).astype(np.float64)
    expected = np.sqrt(-2.0 * np.log(first)) * np.cos(6.283185307179586 * second)
    given = evaluate(expression, (N,), torch.float32, i=OFFSETS).value
    np.testing.assert_allclose(given.numpy(), expected, rtol=1e-5, atol=1e-6)
