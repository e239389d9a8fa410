"""libdevice by name, against functions of torch and Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from .talking import Talk, element_by_element

REAL = [-3.7, -2.5, -1.0, -0.5, -1e-3, -0.0, 0.0, 1e-3, 0.25, 0.5, 1.0, 1.5, 2.5, 3.0, 7.25, 40.0]
POSITIVE = [1e-6, 0.01, 0.25, 0.5, 0.9, 1.0, 1.5, 2.0, 3.75, 10.0, 100.0, 1e6]
UNIT = [-0.99, -0.5, -0.1, 0.0, 0.1, 0.5, 0.75, 0.99]


def each(function: Callable[[float], float]) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda x: torch.tensor([function(v) for v in x.tolist()], dtype=torch.float64)


ONE: list[tuple[str, list[float], Any]] = [
    ("abs", REAL, torch.abs),
    ("acos", UNIT, torch.acos),
    ("acosh", [1.0, 1.5, 30.0], torch.acosh),
    ("asin", UNIT, torch.asin),
    ("asinh", REAL, torch.asinh),
    ("atan", REAL, torch.atan),
    ("atanh", UNIT, torch.atanh),
    ("cbrt", REAL, each(lambda v: math.copysign(abs(v) ** (1 / 3), v))),
    ("ceil", REAL, torch.ceil),
    ("cos", REAL, torch.cos),
    ("cosh", REAL, torch.cosh),
    ("cospi", [0.0, 0.5, 1.0, 1.25, -2.75], each(lambda v: math.cos(math.pi * v))),
    ("cyl_bessel_i0", REAL, torch.special.i0),
    ("cyl_bessel_i1", REAL, torch.special.i1),
    ("erf", REAL, torch.erf),
    ("erfc", REAL, torch.erfc),
    (
        "erfcinv",
        [0.1, 0.5, 1.0, 1.5, 1.9],
        each(lambda v: torch.erfinv(torch.tensor(1 - v)).item()),
    ),
    ("erfcx", REAL, torch.special.erfcx),
    ("erfinv", UNIT, torch.erfinv),
    ("exp", REAL, torch.exp),
    ("exp10", [-3.0, 0.0, 0.5, 4.0], each(lambda v: 10.0**v)),
    ("exp2", REAL, torch.exp2),
    ("expm1", REAL, torch.expm1),
    ("fast_expf", REAL, torch.exp),
    ("floor", REAL, torch.floor),
    ("j0", REAL, torch.special.bessel_j0),
    ("j1", REAL, torch.special.bessel_j1),
    ("lgamma", POSITIVE, torch.lgamma),
    ("log", POSITIVE, torch.log),
    ("log10", POSITIVE, torch.log10),
    ("log1p", POSITIVE, torch.log1p),
    ("log2", POSITIVE, torch.log2),
    ("logb", POSITIVE, each(lambda v: float(math.frexp(v)[1] - 1))),
    ("nearbyint", REAL, torch.round),
    ("normcdf", REAL, torch.special.ndtr),
    ("normcdfinv", [0.01, 0.5, 0.9], torch.special.ndtri),
    ("rcbrt", POSITIVE, each(lambda v: v ** (-1 / 3))),
    ("rint", REAL, torch.round),
    ("round", REAL, each(lambda v: math.copysign(math.floor(abs(v) + 0.5), v))),
    ("rsqrt", POSITIVE, torch.rsqrt),
    ("saturatef", REAL, lambda x: x.clamp(0, 1)),
    ("sin", REAL, torch.sin),
    ("sinh", REAL, torch.sinh),
    ("sinpi", [0.0, 0.5, 1.0, 1.25, -2.75], each(lambda v: math.sin(math.pi * v))),
    ("sqrt", POSITIVE, torch.sqrt),
    ("tan", REAL, torch.tan),
    ("tanh", REAL, torch.tanh),
    ("tgamma", [-2.5, -1.5, 0.5, 1.0, 4.5], each(math.gamma)),
    ("trunc", REAL, torch.trunc),
    ("y0", POSITIVE, torch.special.bessel_y0),
    ("y1", POSITIVE, torch.special.bessel_y1),
]
TWO: list[tuple[str, Any]] = [
    ("atan2", torch.atan2),
    ("copysign", torch.copysign),
    ("fdim", lambda x, y: (x - y).clamp(min=0)),
    ("fmod", torch.fmod),
    ("hypot", torch.hypot),
    ("nextafter", None),
    (
        "remainder",
        lambda x, y: torch.tensor([*map(math.remainder, x, y)]),
    ),
    ("div_rn", torch.div),
    ("add_rn", torch.add),
]


@pytest.mark.parametrize(("name", "values", "reference"), ONE, ids=[case[0] for case in ONE])
def test_functions_of_one_number(
    worker: Talk, name: str, values: list[float], reference: Any
) -> None:
    single = torch.tensor(values, dtype=torch.float32).double()
    expected = reference(single).numpy()
    found = element_by_element(worker, f"libdevice.{name}(x0)", [(values, "float32")], "float32")
    np.testing.assert_allclose(found, expected, rtol=3e-7, atol=1e-45)
    double = element_by_element(worker, f"libdevice.{name}(x0)", [(values, "float64")], "float64")
    expected = reference(torch.tensor(values, dtype=torch.float64)).numpy()
    np.testing.assert_allclose(double, expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize(("name", "reference"), TWO, ids=[case[0] for case in TWO])
def test_functions_of_two_numbers(worker: Talk, name: str, reference: Any) -> None:
    x = [5.5, -5.5, 1.0, 0.25, -1e-3]
    y = [2.0, 2.0, -3.0, 7.0, 0.5]
    found = element_by_element(
        worker, f"libdevice.{name}(x0, x1)", [(x, "float32"), (y, "float32")], "float32"
    )
    a, b = torch.tensor(x), torch.tensor(y)
    if reference is None:
        np.testing.assert_array_equal(found, np.nextafter(a.numpy(), b.numpy()))
    else:
        expected = reference(a.double(), b.double()).numpy()
        np.testing.assert_allclose(found, expected, rtol=2e-7)


def test_pow_keeps_cs_special_cases(worker: Talk) -> None:
    x = [2.0, -2.0, -2.0, 0.0, 0.0, 1.0, -1.0]
    y = [0.5, 3.0, 0.5, 0.0, -1.0, math.nan, math.inf]
    found = element_by_element(
        worker, "libdevice.pow(x0, x1)", [(x, "float32"), (y, "float32")], "float32"
    )
    np.testing.assert_allclose(found, [math.sqrt(2), -8, math.nan, 1, math.inf, 1, 1], rtol=1e-6)


def test_questions_about_a_number_give_int32(worker: Talk) -> None:
    values = [math.nan, math.inf, -math.inf, -0.0, 1.0, 6.0]

    def ask(name: str) -> list[int]:
        text = f"libdevice.{name}(x0).to(tl.int32)"
        return element_by_element(worker, text, [(values, "float32")], "int32").tolist()

    assert ask("isnan") == [1, 0, 0, 0, 0, 0]
    assert ask("isinf") == [0, 1, 1, 0, 0, 0]
    assert ask("signbit")[1:] == [0, 1, 1, 0, 0]
    assert ask("finitef") == [0, 0, 0, 1, 1, 1]
    assert ask("ilogb")[4:] == [0, 2]


def test_bits_of_integers(worker: Talk) -> None:
    values = [1, 0x0F0F0F0F, -1, 8]

    def ask(name: str) -> list[int]:
        text = f"libdevice.{name}(x0)"
        return element_by_element(worker, text, [(values, "int32")], "int32").tolist()

    assert ask("popc") == [1, 16, 32, 1]
    assert ask("clz") == [31, 4, 0, 28]
    assert ask("ffs") == [1, 1, 1, 4]
    assert ask("brev") == [-(2**31), -(0x0F0F0F10), -1, 0x10000000]
    pair = [([2**31 - 1, -3], "int32"), ([2, 7], "int32")]
    assert element_by_element(worker, "libdevice.mulhi(x0, x1)", pair, "int32").tolist() == [0, -1]
    assert element_by_element(worker, "libdevice.hadd(x0, x1)", pair, "int32").tolist() == [
        2**30,
        2,
    ]


def test_directed_rounding(worker: Talk) -> None:
    values = [1.0 + 2.0**-25, -(1.0 + 2.0**-25)]
    above = float(np.nextafter(np.float32(1), np.float32(2)))

    def ask(mode: str) -> list[float]:
        text = f"libdevice.double2float_{mode}(x0)"
        return element_by_element(worker, text, [(values, "float64")], "float32").tolist()

    assert ask("rn") == [1.0, -1.0]
    assert ask("rd") == [1.0, -above]
    assert ask("ru") == [above, -1.0]
    assert ask("rz") == [1.0, -1.0]
    whole = element_by_element(
        worker, "libdevice.float2int_rd(x0)", [([-1.5, 2.5], "float32")], "int32"
    )
    assert whole.tolist() == [-2, 2]


def test_every_name_of_the_installed_libdevice_is_there(worker: Talk) -> None:
    # In another process, since importing triton here would decide how it behaves.
    import subprocess
    import sys

    listing = subprocess.run(
        [
            sys.executable,
            "-c",
            "from triton.language.extra import libdevice as d; "
            "print(*[n for n in dir(d) if not n.startswith('_') and callable(getattr(d, n))])",
        ],
        env={"TRITON_INTERPRET": "1", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    names = [name for name in listing.stdout.split() if name != "core"]
    assert len(names) > 150
    body = "".join(f"    tmp{n} = libdevice.{name}\n" for n, name in enumerate(names))
    text = (
        "from torch._inductor.runtime.triton_helpers import libdevice\n"
        f"@triton.jit\ndef all_names(in_ptr0):\n{body}"
    )
    # A name that the namespace lacks is refused.
    reply = worker.ask("kernel", key="k", source=text, function="all_names", signature={})
    assert reply["flags"] == []
