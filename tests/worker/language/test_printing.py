"""What a kernel prints, and what its blocks look like from inside of it."""

from __future__ import annotations

import torch

from aoti_tui.worker.engine.findings.printed import Printed

from .lab import launch_of, run


def printed(text: str, grid: tuple[int, int, int] = (1, 1, 1)) -> list[str]:
    launch = launch_of(text, {"x_ptr": torch.tensor([1.5, -2.0, 0.25, 4.0])}, grid)
    execution = launch.execution()
    heard: list[Printed] = []
    execution.run.printed = heard.append
    launch.whole_grid(execution, True, lambda done, total: None)
    return [one.text for one in heard]


def test_each_program_prints_once_with_all_of_its_lanes() -> None:
    text = """
    def kernel(x_ptr):
        x = tl.load(x_ptr + tl.arange(0, 4))
        tl.device_print("x", x, x.to(tl.int32))
        print("pid", tl.program_id(0), 7)
    """
    assert printed(text, (2, 1, 1)) == [
        "kernel.py:4 program 0,0,0: x [ 1.5  -2.    0.25  4.  ] [ 1 -2  0  4]",
        "kernel.py:5 program 0,0,0: pid 0 7",
        "kernel.py:4 program 1,0,0: x [ 1.5  -2.    0.25  4.  ] [ 1 -2  0  4]",
        "kernel.py:5 program 1,0,0: pid 1 7",
    ]


def test_hexadecimal_shows_the_bits() -> None:
    text = """
    def kernel(x_ptr):
        tl.device_print("bits", tl.load(x_ptr), hex=True)
    """
    assert printed(text) == ["kernel.py:3 program 0,0,0: bits 0x3fc00000"]


def test_what_is_known_before_the_run_is_printed_once() -> None:
    text = """
    def kernel(x_ptr):
        size: tl.constexpr = 4
        tl.static_print("size", size)
    """
    assert printed(text, (50, 1, 1)) == ["kernel.py:4: size 4"]


def test_a_block_in_a_kernel_has_no_axis_of_programs() -> None:
    text = """
    def kernel(x_ptr):
        x = tl.load(x_ptr + tl.arange(0, 4))
        n = tl.program_id(0) + 3
        print(x.handle.data[3], n.handle.data[0], str(x), n)
    """
    assert printed(text) == ["kernel.py:5 program 0,0,0: 4.0 3 [ 1.5  -2.    0.25  4.  ] 3"]


def test_nothing_is_printed_where_nobody_listens() -> None:
    findings = run("def kernel(x_ptr):\n    print(tl.load(x_ptr))\n", {"x_ptr": torch.zeros(1)})
    assert not findings.failed
