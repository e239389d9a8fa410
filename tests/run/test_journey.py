"""The seed's journey in a real terminal: a result is off, its test fails, and the interface leads
from the failing element to the line that made it wrong."""

from __future__ import annotations

from pathlib import Path

from tests.run.running import script
from tests.tui.terminal import Terminal

MODEL = """
import pytest

@triton.jit
def weight_of(i, n):
    return 1.0 - i / n

@triton.jit
def scale(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    weight = weight_of(i, n)
    factor = tl.where(i == 37, weight * 2, weight)
    {stop}
    result = x * factor
    tl.store(o_ptr + i, result, mask=i < n)

def scaled(x):
    out = torch.empty_like(x)
    scale[(triton.cdiv(x.numel(), 16),)](x, out, x.numel(), BLOCK=16)
    return out

@pytest.mark.parametrize("n", [20, 60])
def test_scale(n):
    x = torch.arange(1.0, n + 1)
    made = x * 2
    expected = made * (1.0 - torch.arange(n) / n)
    torch.testing.assert_close(scaled(made), expected)
"""


def test_from_a_failing_test_to_the_line_that_made_it_wrong(tmp_path: Path) -> None:
    path = script(tmp_path, MODEL.format(stop=""), "test_model.py")
    pytest_arguments = ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"{path}::test_scale"]
    with Terminal(["run", *pytest_arguments], columns=120, rows=40) as user:
        user.see(
            "test_model.py:31: torch.testing.assert_close fails",
            "element [37]",
            "written by scale, program 2, lane [5]",
            "stands after 2 launches",
        )
        user.see("▶ 19", "result float32", "lane [5]", "The script stands here")
        user.press("w")
        user.see("▶ 18", "result = (x=76) * (factor=0.766667)")
        user.press(":last factor\r")
        user.see("▶ 16", "factor = where((i=37) == 37, (weight=0.383333) * 2")
        user.press("\x0e")
        user.see("ended with exit code 1")
        user.press("q")
        assert user.wait() == 1


def test_from_a_load_to_the_line_of_the_script_that_made_its_tensor(tmp_path: Path) -> None:
    path = script(tmp_path, MODEL.format(stop="") + "\ntest_scale(60)\n")
    with Terminal(["run", "--device", "cpu", str(path)], columns=120, rows=40) as user:
        user.see("assert_close fails", "▶ 19", "The script stands here")
        user.press(":last x\r")
        user.see("▶ 14", "reads x_ptr[37]")
        user.press("w")
        user.see("computed by aten::mul at line 29 of main.py")


def test_the_same_with_set_trace(tmp_path: Path) -> None:
    stop = "import pdb; pdb.set_trace()"
    path = script(tmp_path, MODEL.format(stop=stop) + "\nscaled(torch.ones(60))\n")
    with Terminal(["run", "--device", "cpu", str(path)], columns=120, rows=40) as user:
        user.see(
            "stopped at main.py:17: breakpoint() in a kernel", "▶ 16", "program 0", "factor float32"
        )
        user.press("n")
        user.see("▶ 18", "result")
        user.press("\x0e")
        user.see("program 1")
        user.press("q")
        user.wait()
