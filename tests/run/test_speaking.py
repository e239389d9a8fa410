"""Kernels that print, and kernels that stop for a debugger."""

from __future__ import annotations

from pathlib import Path

from tests.run.running import Watched, numbers, run, script

STOPPING = """
import pdb

@triton.jit
def helper(v):
    w = v * 2
    return w + 1

@triton.jit
def stopping(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid == 1:
        {stop}
    i = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = helper(x)
    tl.store(y_ptr + i, y, mask=i < n)

x = torch.arange(6.0)
y = torch.empty_like(x)
stopping[(2,)](x, y, 6, BLOCK=4)
print(y.tolist())
"""


def test_what_a_kernel_prints_appears_once_with_line_and_program(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        @triton.jit
        def speak(x_ptr, BLOCK: tl.constexpr):
            tl.static_print("block", BLOCK)
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + i)
            print("x", x)
            tl.device_print("bits", i, hex=True)

        speak[(2,)](torch.arange(8), BLOCK=4)
        """,
    )
    assert run(tmp_path, "main.py").out.splitlines() == [
        "main.py:7: block 4",
        "main.py:10 program 0,0,0: x [0 1 2 3]",
        "main.py:11 program 0,0,0: bits [0x0 0x1 0x2 0x3]",
        "main.py:10 program 1,0,0: x [4 5 6 7]",
        "main.py:11 program 1,0,0: bits [0x4 0x5 0x6 0x7]",
    ]


def test_pdb_stops_in_the_kernel_and_steps_into_helpers(tmp_path: Path) -> None:
    for stop in ("pdb.set_trace()", "breakpoint()"):
        path = script(tmp_path, STOPPING.format(stop=stop))
        typed = "n\nn\np x\np x.handle.data[1]\ns\ns\np v\nw\nc\n"
        ran = run(tmp_path, "main.py", stdin=typed)
        lines = ran.out.splitlines()
        assert f"> {path}(17)stopping()" in ran.out
        assert "array([4., 5., 0., 0.]" in ran.out
        assert f"> {path}(9)helper()" in ran.out
        assert "worker" not in ran.out
        assert lines[-1].endswith("[1.0, 3.0, 5.0, 7.0, 9.0, 11.0]")
        assert (ran.code, ran.err) == (0, "")


def test_the_interface_stops_in_the_kernel_and_looks_at_the_launch(tmp_path: Path) -> None:
    script(tmp_path, STOPPING.format(stop="breakpoint()"))
    with Watched(tmp_path, "main.py", stop_at=("breakpoint-call",)) as watched:
        stopped = watched.until("stopped")
        assert (stopped["why"], stopped["line"], stopped["program"]) == (
            "breakpoint-call",
            16,
            [1, 0, 0],
        )
        reply = watched.ask("record", launch=stopped["launch"], program=[1, 0, 0])
        x = next(one for one in reply["steps"] if one["name"] == "x")
        assert numbers(reply, x["value"]) == [4, 5, 0, 0]
        watched.tell("continue")
        assert watched.until("exit")["code"] == 0
