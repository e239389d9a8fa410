"""`run --check --reference`: a name of a kernel beside what torch says it should be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.running import run, script

SOFTMAX = """
@triton.jit
def softmax(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + row * n + i, mask=i < n, other=float("-inf"))
    top = tl.max(v, axis=0)
    e = tl.exp(v - {top})
    total = tl.sum(e, axis=0)
    tl.store(o_ptr + row * n + i, e / total, mask=i < n)

@triton.jit
def scale(x_ptr, o_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i) * 2)

x = torch.rand(5, 8) * 3
x[3] += 1
o = torch.empty_like(x)
softmax[(5,)](x, o, 8, BLOCK=8)
scale[(1,)](x, torch.empty(8), BLOCK=8)
print("done")
"""
REFERENCES = [
    "--reference",
    "total = torch.exp(x_ptr[pid[0]] - x_ptr[pid[0]].max()).sum()",
    "--reference",
    "softmax: e = torch.exp(x_ptr[pid[0]] - x_ptr[pid[0]].max())",
    "--reference",
    "top = x_ptr[pid[0]].max()",
]


def test_the_first_line_that_departs_is_named(tmp_path: Path) -> None:
    path = script(tmp_path, SOFTMAX.format(top="tl.minimum(top, 3.0)"))
    ran = run(tmp_path, *REFERENCES, "main.py")
    assert (ran.code, ran.out) == (4, "done\n")
    (found,) = ran.report["differences"]
    assert found["what"].startswith("e = torch.exp(")
    assert (found["file"], found["line"], found["kernel"]) == (str(path), 11, "softmax")
    assert (found["launch"], found["program"], found["count"]) == (0, [3, 0, 0], 8)
    assert found["actual"] > found["expected"]
    assert f"{path}:11: e departs in line 11" in ran.err
    assert ran.report["exit_code"] == 4


def test_references_that_hold_say_nothing(tmp_path: Path) -> None:
    script(tmp_path, SOFTMAX.format(top="top"))
    ran = run(tmp_path, *REFERENCES, "main.py")
    assert (ran.code, ran.out, ran.err) == (0, "done\n", "")
    assert ran.report["differences"] == []


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("mean = x_ptr.mean()", "assigns nothing to mean"),
        ("top = y_ptr.max()", "name 'y_ptr' is not defined"),
        ("top = torch.zeros(2, 3)", "has the shape [2, 3], but top has []"),
        ("other: top = 1", "there is no launch that it fits"),
    ],
)
def test_a_reference_that_fits_nothing_is_told(tmp_path: Path, reference: str, said: str) -> None:
    script(tmp_path, SOFTMAX.format(top="top"))
    ran = run(tmp_path, "--reference", reference, "main.py")
    assert ran.code == 2
    assert "was compared nowhere" in ran.err
    assert said in ran.err


def test_what_is_no_reference_is_a_message(tmp_path: Path) -> None:
    script(tmp_path, "print(1)\n")
    ran = run(tmp_path, "--reference", "top == 3", "main.py")
    assert (ran.code, ran.out) == (2, "")
    assert "is not NAME = EXPR" in ran.err
