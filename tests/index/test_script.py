"""A script's kernels, launches and tensors, read without running it."""

from __future__ import annotations

from aoti_tui.index.model import WrapperIndex
from aoti_tui.index.reader import read_wrapper
from aoti_tui.index.recognise import ArtifactKind, describe_artifact

SCRIPT = """\
import torch
import triton
from triton import language as tl


@triton.jit
def scaled(x, s: tl.constexpr):
    return x * s


@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def kernel(x, y, n, scale, BLOCK: tl.constexpr = 32):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, scaled(tl.load(x + at, at < n), 2) * scale, at < n)


def main(rows):
    raise SystemExit("nothing of a script is run")
    x = torch.randn((4, 8), device="cuda").half()
    y, z = torch.empty_like(x), torch.arange(10)
    n = 32
    kernel[(1, 2)](x, y, n, 0.5)
    kernel[lambda m: (1,)](x[1], rows, n, scale=1, num_warps=4)
"""


def index() -> WrapperIndex:
    return read_wrapper(SCRIPT, "main.py")


def test_it_is_taken_for_a_script() -> None:
    assert describe_artifact(SCRIPT).kind is ArtifactKind.SCRIPT


def test_kernels_keep_the_lines_of_the_file_and_what_they_call() -> None:
    kernel = index().kernels["kernel"]
    assert kernel.lines[13 - 1] == "def kernel(x, y, n, scale, BLOCK: tl.constexpr = 32):"
    assert kernel.lines[7 - 1] == "def scaled(x, s: tl.constexpr):"
    assert "autotune" not in kernel.source
    assert "SystemExit" not in kernel.source
    assert kernel.source.startswith("import triton; from triton import language as tl\n")
    assert kernel.constants == {"BLOCK": 32}
    compile(kernel.source, "main.py", "exec")


def test_launches_name_what_they_pass() -> None:
    first, second = index().launches
    assert (first.line, second.line) == (23, 24)
    passed = [(a.parameter, a.text, a.tensor is not None) for a in first.arguments]
    assert passed == [
        ("x", "x", True),
        ("y", "y", True),
        ("n", "n", False),
        ("scale", "0.5", False),
    ]
    assert [size.literal for size in first.grid] == [1, 2]
    assert second.grid == ()
    assert [a.parameter for a in second.arguments] == ["x", "y", "n", "scale"]


def test_tensors_are_known_as_far_as_the_text_tells_them() -> None:
    made = [(b.name, b.dtype, [s.literal for s in b.sizes or ()]) for b in index().buffers]
    assert made == [("x", "float16", [4, 8]), ("y", "float16", [4, 8]), ("z", "int64", [10])]


def test_what_is_no_python_is_a_gap() -> None:
    broken = read_wrapper(SCRIPT + "def (:\n", "main.py")
    assert "not valid Python" in broken.gaps[0].reason
    assert broken.kernels == {}
