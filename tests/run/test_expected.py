"""The script's own check fails: the answer is the lane that wrote the worst element."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.running import run, script

SCALE = """
import numpy as np

@triton.jit
def scale(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    factor = tl.where(i == 37, 3.0, 2.0)
    tl.store(o_ptr + i, x * factor, mask=i < n)

x = torch.arange(60.0)
o = torch.empty_like(x)
scale[(4,)](x, o, 60, BLOCK=16)
"""
CHECKS = [
    "torch.testing.assert_close(o, x * 2)",
    "torch.testing.assert_close({'o': o.view(6, 10)}, {'o': (x * 2).view(6, 10)})",
    "assert torch.allclose(o.double().cpu().reshape(6, 10), (x * 2).double().view(6, 10))",
    "print(torch.equal(x * 2, o))",
    "np.testing.assert_allclose(o.numpy(), (x * 2).numpy())",
    "print(np.allclose(o.view(6, 10)[3:].double().numpy(), (x * 2).view(6, 10)[3:].numpy()))",
    "assert (o - x * 2).abs().max() < 1e-3",
    "assert (o.float() == x * 2).all(), 'not equal'",
    "worst = (o - x * 2).abs().max().item()\nassert worst < 1e-3, worst",
    "error = float(torch.max(torch.abs(x * 2 - o)))\nif error > 1e-3:\n    sys.exit('wrong')",
]


@pytest.mark.parametrize("check", CHECKS)
def test_a_failed_check_leads_to_the_lane(tmp_path: Path, check: str) -> None:
    path = script(tmp_path, f"import sys\n{SCALE}\n{check}\n")
    ran = run(tmp_path, "main.py")
    assert ran.code != 0
    (found,) = ran.report["differences"]
    assert (found["actual"], found["expected"]) == (111.0, 74.0)
    assert (found["launch"], found["program"], found["lane"]) == (0, [2, 0, 0], [5])
    assert (found["file"], found["line"]) == (str(path), 13)
    assert (found["argument"], found["argument_element"]) == ("o_ptr", 37)
    assert f"{path}:13: " in ran.err


def test_an_element_that_no_program_wrote_is_told_as_that(tmp_path: Path) -> None:
    text = SCALE.replace("(4,)", "(3,)").replace("empty", "zeros").replace("37, 3.0", "37, 2.0")
    script(tmp_path, text + "\ntorch.testing.assert_close(o, x * 2)\n")
    (found,) = run(tmp_path, "main.py").report["differences"]
    assert (found["element"], found["launch"], found["program"]) == ([59], 0, None)
    assert "scale wrote to that tensor, but no program to this element" in found["text"]


def test_checks_that_hold_or_that_no_kernel_has_to_do_with(tmp_path: Path) -> None:
    script(
        tmp_path,
        SCALE.replace("37, 3.0", "37, 2.0")
        + """
torch.testing.assert_close(o, x * 2)
assert not torch.allclose(o, x)
print(torch.equal(o, x * 2), np.allclose(o, x * 2), (o - x * 2).abs().max().item())
assert (o - x).abs().max() > 1
print((o - x).abs().max().item())
""",
    )
    ran = run(tmp_path, "main.py")
    assert (ran.code, ran.out) == (0, "True True 0.0\n59.0\n")
    assert ran.report["differences"] == []


def test_a_failing_test_of_pytest_leads_to_the_lane(tmp_path: Path) -> None:
    text = SCALE.replace("\nx = torch", "\n\ndef test_scale():\n    x = torch")
    text = text.replace("\no = ", "\n    o = ").replace("\nscale[", "\n    scale[")
    body = "    worst = (o - x * 2).abs().max().item()\n    assert worst < 1e-3\n"
    script(tmp_path, text + body, "test_scale.py")
    ran = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_scale.py::test_scale")
    assert ran.code == 1
    (found,) = ran.report["differences"]
    assert (found["program"], found["lane"], found["line"]) == ([2, 0, 0], [5], 12)
