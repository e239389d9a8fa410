"""CUDA's own functions: libdevice in all of its types, inline PTX, and what asks for the device."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import numpy as np
import pytest
import torch

from aoti_tui.worker.engine.errors import Unsupported
from aoti_tui.worker.engine.language.language import language
from aoti_tui.worker.engine.library.externs import forms

from .lab import evaluate, floats, random, run

KINDS = {
    "int32": torch.int32,
    "uint32": torch.uint32,
    "int64": torch.int64,
    "uint64": torch.uint64,
    "fp32": torch.float32,
    "fp64": torch.float64,
    "fp16": torch.float16,
    "int16": torch.int16,
}
FORMS = [(name, form) for name, found in sorted(forms().items()) for form in found]


@pytest.mark.parametrize(("name", "form"), FORMS, ids=lambda one: str(one))
def test_libdevice_takes_each_of_its_types(name: str, form: tuple[str, ...]) -> None:
    """Each form gives a result of its own type, and one that the double form agrees with."""
    *operands, result = form
    inputs = {}
    for place, kind in enumerate(operands):
        values = torch.tensor([0.25, 0.5, 0.75, 1.0]) + place / 8
        whole = torch.tensor([1, 2, 3, 5]) + place
        inputs["xyzw"[place]] = (values if kind.startswith("fp") else whole).to(KINDS[kind])
    call = f"libdevice.{name}({', '.join(inputs)})"
    given = evaluate(call, (4,), KINDS[result], **inputs).value
    assert given.dtype == KINDS[result]
    if all(kind == "fp32" for kind in form) and (name, tuple("fp64" for _ in form)) in FORMS:
        wide = {key: value.double() for key, value in inputs.items()}
        double = evaluate(call, (4,), torch.float64, **wide).value
        torch.testing.assert_close(given, double.float(), rtol=2e-7, atol=0, equal_nan=True)


def test_libdevice_refuses_types_that_the_compiler_refuses() -> None:
    with pytest.raises(KeyError):
        evaluate("libdevice.tanh(x)", (4,), torch.float16, x=random(4).half())


def test_functions_by_their_symbol() -> None:
    call = (
        "tl.core.extern_elementwise('', '', [x, y],"
        " {(tl.float32, tl.float32): ('__nv_powf', tl.float32)}, is_pure=True)"
    )
    x, y = floats(2.0, 3.0), floats(3.0, 0.5)
    assert torch.equal(evaluate(call, (2,), torch.float32, x=x, y=y).value, x**y)
    unknown = call.replace("__nv_powf", "my_pow")
    with pytest.raises(Unsupported, match="my_pow") as error:
        evaluate(unknown, (2,), torch.float32, x=x, y=y)
    assert error.value.place is not None


def ptx(text: str, constraints: str, args: str, kind: str, pack: int = 1) -> str:
    return (
        f"tl.inline_asm_elementwise('''{text}''', '{constraints}', [{args}],"
        f" dtype={kind}, is_pure=True, pack={pack})"
    )


X, Y = random(16, seed=1), random(16, seed=2)
I32 = torch.arange(-8, 8, dtype=torch.int32) * 1000003
SHIFTED = "{ .reg .b32 a<2>; mov.b32 a0, $1; /* up */ shl.b32 a1, a0, 3; add.u32 $0, a1, 7; } // x"
PTX: list[tuple[str, dict[str, torch.Tensor], Any]] = [
    (ptx("tanh.approx.f32 $0, $1;", "=f,f", "x", "tl.float32"), {"x": X}, torch.tanh(X)),
    (ptx("ex2.approx.ftz.f32 $0, $1;", "=f,f", "x", "tl.float32"), {"x": X}, torch.exp2(X)),
    (ptx("rcp.approx.ftz.f32 $0, $1;", "=f,f", "x", "tl.float32"), {"x": X}, 1 / X),
    (ptx("rsqrt.approx.f32 $0, $1;", "=f,f", "x", "tl.float32"), {"x": X**2}, 1 / X.abs()),
    (ptx("div.full.f32 $0, $1, $2;", "=r,r,r", "x, y", "tl.float32"), {"x": X, "y": Y}, X / Y),
    (ptx("neg.ftz.f32 $0, $1;", "=f,f", "x", "tl.float32"), {"x": X}, -X),
    (ptx("mov.b32 $0, 0f3FC00000;", "=f,f", "x", "tl.float32"), {"x": X}, torch.full((16,), 1.5)),
    (ptx("mul.f32 $0, $1, 2.0;", "=f,f", "x", "tl.float32"), {"x": X}, 2 * X),
    (ptx("cvt.rzi.s32.f32 $0, $1;", "=r,f", "x", "tl.int32"), {"x": X * 9}, (X * 9).int()),
    (ptx("cvt.rni.f32.f32 $0, $1;", "=f,f", "x", "tl.float32"), {"x": X * 9}, (X * 9).round()),
    (
        ptx("cvt.rn.bf16x2.f32 $0, $2, $1;", "=r,f,f", "x", "tl.bfloat16", 2),
        {"x": X},
        X.bfloat16(),
    ),
    (
        ptx("cvt.rn.satfinite.e4m3x2.f32 $0, $2, $1;", "=h,f,f", "x", "tl.float8e4nv", 2),
        {"x": X},
        X.to(torch.float8_e4m3fn),
    ),
    (
        ptx("fma.rn.f16x2 $0, $1, $2, $2;", "=r,r,r", "x, y", "tl.float16", 2),
        {"x": X.half(), "y": Y.half()},
        (X.half().double() * Y.half().double() + Y.half().double()).half(),
    ),
    (ptx(SHIFTED, "=r,r", "x", "tl.int32"), {"x": I32}, I32 * 8 + 7),
    (
        ptx("lop3.b32 $0, $1, $2, $2, 0x3c;", "=r,r,r", "x, y", "tl.int32"),
        {"x": I32, "y": I32.flip(0)},
        I32 ^ I32.flip(0),
    ),
    (
        ptx(
            "{ .reg .pred p; setp.lt.s32 p, $1, $2; selp.b32 $0, $1, $2, p; }",
            "=r,r,r",
            "x, y",
            "tl.int32",
        ),
        {"x": I32, "y": I32.flip(0)},
        torch.minimum(I32, I32.flip(0)),
    ),
    (
        ptx(
            "{ .reg .pred p; setp.gt.f32 p, $1, 0.0; mov.b32 $0, $1; @!p neg.f32 $0, $1; }",
            "=f,f",
            "x",
            "tl.float32",
        ),
        {"x": X},
        X.abs(),
    ),
    (ptx("bfe.u32 $0, $1, 4, 8;", "=r,r", "x", "tl.int32"), {"x": I32}, (I32 >> 4) & 0xFF),
    (
        ptx("popc.b32 $0, $1;", "=r,r", "x", "tl.int32"),
        {"x": I32},
        torch.tensor([bin(int(v) & 0xFFFFFFFF).count("1") for v in I32]),
    ),
    (
        ptx("fns.b32 $0, 0x64, $1, $2;", "=r,r,r", "x, y", "tl.int32"),
        {
            "x": torch.tensor([0, 0, 3, 5, 4, 31, 0, 6] * 2, dtype=torch.int32),
            "y": torch.tensor([1, 3, 1, 0, 0, -1, 4, -2] * 2, dtype=torch.int32),
        },
        torch.tensor([2, 6, 5, 5, -1, 6, -1, 5] * 2, dtype=torch.int32),
    ),
    (
        ptx("mad.lo.s32 $0, $1, 3, $2;", "=r,r,r", "x, y", "tl.int32"),
        {"x": I32, "y": I32},
        I32 * 4,
    ),
    (
        ptx("mul.hi.s32 $0, $1, $1;", "=r,r", "x", "tl.int32"),
        {"x": I32},
        (I32.long() * I32.long()) >> 32,
    ),
    (
        "a, b = "
        + ptx("mov.b32 {$0, $1}, $2;", "=h,=h,r", "x", "(tl.int16, tl.int16)")
        + ";;a.to(tl.int32) + 65536 * b.to(tl.int32)",
        {"x": I32},
        I32 - 65536 * (I32.short() < 0),
    ),
]


@pytest.mark.parametrize(("call", "inputs", "expected"), PTX, ids=lambda one: str(one)[:60])
def test_inline_ptx_that_calculates(
    call: str, inputs: dict[str, torch.Tensor], expected: torch.Tensor
) -> None:
    dtype = torch.int32 if expected.dtype == torch.int64 else expected.dtype
    given = evaluate(call, (16,), dtype, **inputs).value
    if dtype == torch.float32:
        torch.testing.assert_close(given, expected, rtol=3e-7, atol=0)
    else:
        assert torch.equal(given.view(torch.uint8), expected.to(dtype).view(torch.uint8))


def test_an_approximation_is_flagged() -> None:
    flags = evaluate(
        ptx("sin.approx.f32 $0, $1;", "=f,f", "x", "tl.float32"), (16,), torch.float32, x=X
    ).flags
    assert any("sin.approx is calculated exactly here" in flag for flag in flags)


@pytest.mark.parametrize(
    "text",
    [
        "ld.global.u32 $0, [$1];",
        "mov.u32 $0, %laneid;",
        "shfl.sync.bfly.b32 $0, $1, 1, 31, -1;",
        "loop: bra loop;",
        "nonsense $0, $1;",
    ],
)
def test_other_ptx_is_refused_at_its_line(text: str) -> None:
    with pytest.raises(Unsupported, match=re.escape(text.split(";")[0])) as error:
        evaluate(ptx(text, "=r,r", "x", "tl.int32"), (16,), torch.int32, x=I32)
    assert error.value.place is not None
    assert error.value.place.line == 3


def test_what_asks_for_the_device() -> None:
    text = """
    def kernel(out):
        before = cuda.globaltimer()
        cuda.gdc_wait()
        cuda.gdc_launch_dependents()
        tl.store(out, cuda.num_warps() * 32 == cuda.num_threads())
        tl.store(out + 1, cuda.smid() == 0)
        tl.store(out + 2, cuda.globaltimer() >= before)
    """
    out = torch.zeros(3, dtype=torch.bool)
    run(text, {"out": out})
    assert out.all()


def test_every_function_of_cudas_is_tried() -> None:
    core = language().tl.core
    cuda: Any = importlib.import_module("triton.language.extra.cuda")
    named = inspect.getsource(test_what_asks_for_the_device)
    functions = {n for n, f in vars(cuda).items() if core.is_builtin(f)}
    # How the compiler casts to and from tl.float8e4b15: `x.to` stands for them.
    internal = {"convert_custom_float8_sm70", "convert_custom_float8_sm80"}
    assert {n for n in functions - internal if f"cuda.{n}(" not in named} == set()
    device: Any = importlib.import_module("triton.language.extra.cuda.libdevice")
    assert {n for n, f in vars(device).items() if core.is_builtin(f)} == {n for n, _ in FORMS}


def test_zero_lanes_of_a_register_are_no_elements() -> None:
    half = floats(1.5, -2.0).half()
    given = evaluate(ptx("neg.f16 $0, $1;", "=h,h", "x", "tl.float16"), (2,), torch.float16, x=half)
    np.testing.assert_array_equal(given.value.numpy(), -half.numpy())
