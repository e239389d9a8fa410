"""Kernels that reach for more than a kernel has: nothing of them runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from aoti_tui.worker.inductor.visible import LANGUAGE, LANGUAGE_MATH
from tests.worker.talking import HEADER, Talk

EMITTED = """
tl.abs tl.arange tl.argmax tl.associative_scan tl.assume tl.atomic_add tl.atomic_cas tl.atomic_xchg
tl.bfloat16 tl.broadcast_to tl.cdiv tl.constexpr tl.cumsum tl.debug_barrier tl.device_assert
tl.device_print tl.dot tl.exp tl.float16 tl.float32 tl.float64 tl.float8e4nv tl.float8e5 tl.fma
tl.full tl.inline_asm_elementwise tl.int1 tl.int16 tl.int32 tl.int64 tl.int8 tl.interleave tl.join
tl.load tl.make_tensor_descriptor tl.math.erf tl.math.exp2 tl.math.log2 tl.math.rsqrt tl.max
tl.max_contiguous tl.maximum tl.min tl.minimum tl.multiple_of tl.num_programs tl.permute
tl.pointer_type tl.program_id tl.rand tl.randint4x tl.randn tl.range tl.reduce tl.reshape tl.rsqrt
tl.sigmoid tl.sort tl.split tl.sqrt tl.sqrt_rn tl.static_assert tl.static_range tl.store tl.sum
tl.topk tl.trans tl.uint32 tl.uint64 tl.where tl.zeros tl.PropagateNan.ALL tl_math.abs tl_math.cos
tl_math.exp tl_math.log tl_math.sin triton.cdiv triton.next_power_of_2 libdevice.asinh
libdevice.atan2 libdevice.ceil libdevice.copysign libdevice.erf libdevice.erfcx libdevice.erfinv
libdevice.exp libdevice.expm1 libdevice.fast_expf libdevice.floor libdevice.fmod libdevice.hypot
libdevice.isinf libdevice.isnan libdevice.lgamma libdevice.log1p libdevice.nearbyint
libdevice.nextafter libdevice.pow libdevice.round libdevice.rsqrt libdevice.signbit libdevice.sinh
libdevice.tanh libdevice.trunc triton_helpers.any triton_helpers.bucketize_binary_search
triton_helpers.constexpr_next_power_of_2 triton_helpers.exclusive_scan_decoupled_lookback
triton_helpers.fmax2 triton_helpers.if_mask triton_helpers.max2
triton_helpers.max_with_first_index triton_helpers.max_with_index triton_helpers.maximum
triton_helpers.maximum_with_index triton_helpers.min2 triton_helpers.minimum
triton_helpers.online_softmax_combine triton_helpers.online_softmax_reduce triton_helpers.prod
triton_helpers.promote_to_tensor triton_helpers.randint64 triton_helpers.select_one
triton_helpers.sort_with_index triton_helpers.welford triton_helpers.welford_reduce
triton_helpers.x_grid_barrier triton_helpers.pack_value_flag
"""
"""What generated and user kernels of nine torch releases call, on three kinds of GPUs."""

HIDDEN = """
tl.math.wraps tl.math.core tl.core.sys tl.tensor tl.dtype tl.str_to_ty tl.core.jit tl.standard.jit
tl.math.T tl.math.List tl.condition tl.core.builtin tl.core.wraps
tl.standard.constexpr_function triton_helpers.warnings triton_helpers.triton
triton_helpers.JITFunction triton_helpers.Any triton_helpers.pymath
triton_helpers.get_backend_options triton_helpers.builtins_use_semantic_kwarg triton.runtime
triton.jit tl.extra.cuda.utils
"""


def refused(worker: Talk, text: str) -> str:
    """Why the kernel `k` of a source is not run."""
    error = worker.fail("kernel", key="k", source=HEADER + text, function="k", signature={})
    assert error["kind"] == "refused", dict(error)
    return str(error["reason"])


@pytest.mark.parametrize("name", EMITTED.split())
def test_what_kernels_use_is_there(worker: Talk, name: str) -> None:
    text = f"{HEADER}@triton.jit\ndef k(x):\n    tmp0 = {name}\n"
    worker.ask("kernel", key="k", source=text, function="k", signature={})


@pytest.mark.parametrize("name", HIDDEN.split())
def test_what_no_kernel_uses_is_not(worker: Talk, name: str) -> None:
    assert refused(worker, f"@triton.jit\ndef k(x):\n    tmp0 = {name}\n")


def test_nothing_listed_can_be_walked() -> None:
    assert not {"wraps", "jit", "builtin", "tensor", "dtype"} & {*LANGUAGE, *LANGUAGE_MATH}


def test_an_annotation_alone_gives_a_name_no_value(worker: Talk) -> None:
    text = "@triton.jit\ndef k(x):\n    importlib: tl.constexpr\n    tmp0 = importlib\n"
    assert refused(worker, text) == "the unknown name importlib"
    text = "@triton.jit\ndef k(x):\n    tl: tl.constexpr\n    tmp0 = tl.math.wraps\n"
    assert "tl.math.wraps" in refused(worker, text)


def test_a_later_value_makes_it_a_name_of_its_own(worker: Talk) -> None:
    text = f"{HEADER}@triton.jit\ndef k(x):\n    y: tl.constexpr\n    y = 1\n    tmp0 = y\n"
    worker.ask("kernel", key="k", source=text, function="k", signature={})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import triton as __builtins__\n@triton.jit\ndef k(x):\n    pass\n", "__builtins__"),
        ("import triton as __kernel_source__\n@triton.jit\ndef k(x):\n    pass\n", "__kernel_"),
        ("@triton.jit\ndef k(x):\n    pass\n@triton.jit\ndef tl(x):\n    pass\n", "second meaning"),
        ("tl = 1\n@triton.jit\ndef k(x):\n    pass\n", "second meaning"),
        ("N = 1\n@triton.jit\ndef N(x):\n    pass\n@triton.jit\ndef k(x):\n    pass\n", "second"),
        ("@triton.jit\ndef k(y, x=y):\n    pass\n", "the unknown name y"),
        ("@triton.jit\ndef k(x):\n    tmp0 = f'{x:99999999999}'\n", "a format"),
    ],
)
def test_names_and_sizes_that_deceive_are_refused(worker: Talk, text: str, reason: str) -> None:
    assert reason in refused(worker, text)


DEEP = {
    "signs": "-" * 3000 + "1",
    "sums": "x" + "+x" * 5000,
    "parentheses": "(" * 3000 + "x" + ")" * 3000,
    "digits": "9" * 5000,
    "not so deep": "x" + "+x" * 700,
}


@pytest.mark.parametrize("kind", DEEP)
def test_what_is_nested_beyond_reason_is_refused(worker: Talk, kind: str) -> None:
    reason = refused(worker, f"@triton.jit\ndef k(x):\n    tmp0 = {DEEP[kind]}\n")
    assert "not Python" in reason or "nested" in reason
    assert len(reason) < 300


def test_one_kernel_cannot_prepare_the_next(worker: Talk, tmp_path: Path) -> None:
    """Three kernels that together reached a shell: each is refused, and nothing is written."""
    target = tmp_path / "pwned"
    first = (
        "@triton.jit\ndef apply1(f, x):\n    f(x)\n    return x\n"
        "@triton.jit\ndef k(x):\n"
        "    apply1(tl.math.wraps(triton_helpers.welford, (), ('__globals__',)), apply1)\n"
    )
    second = (
        "@triton.jit\ndef k(x):\n    module = tl.math.import_module('subprocess')\n"
        "    tl.math.wraps(module, (), ('__dict__',))\n"
    )
    third = f"@triton.jit\ndef k(x):\n    tl.math.getoutput('touch {target}')\n"
    for text in (first, second, third):
        assert "for kernels" in refused(worker, text)
    assert not target.exists()


def test_a_file_that_is_imported_is_checked_before_any_other_runs(worker: Talk) -> None:
    modules = [
        {"name": "one", "file": "one.py", "source": "SIZE = 1 << 4000\n"},
        {"name": "two", "file": "two.py", "source": "import os\nX = os.getcwd()\n"},
    ]
    error = worker.fail(
        "kernel",
        key="k",
        source="from one import SIZE\n@triton.jit\ndef k(x):\n    tmp0 = SIZE\n",
        function="k",
        signature={},
        modules=modules,
    )
    assert error["kind"] == "refused"
    assert error["file"] == "two.py"


def test_the_program_that_benchmarks_a_kernel_is_left_out(worker: Talk) -> None:
    """What `torch._inductor.config.benchmark_kernel` writes after a kernel."""
    text = (
        HEADER
        + "import torch\nfrom torch._C import _cuda_getCurrentRawStream as get_raw_stream\n"
        + "@triton.jit\ndef k(x):\n    pass\n"
        + "def get_args():\n    return torch.rand(3)\n"
        + "if __name__ == '__main__':\n    args = get_args()\n"
    )
    worker.ask("kernel", key="k", source=text, function="k", signature={})
