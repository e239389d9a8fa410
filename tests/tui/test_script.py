"""Looking at a script of one's own while it runs: launches, output, what is wrong, its end."""

import sys
from pathlib import Path

from aoti_tui.replay.script.command import ScriptCommand
from aoti_tui.session.request import RunRequest
from tests.run.running import script
from tests.tui.driving import opened

ADD = """

@triton.jit
def add_kernel(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    tl.store(o_ptr + i, x + y, mask=i < n)


def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 64),)](x, y, out, x.numel(), BLOCK=64)
    return out


first = torch.arange(100.0)
total = add(first, first[:])
print("the sum is", int(add(total, first).sum()))
"""


def asked(path: Path, *arguments: str) -> RunRequest:
    """What ``aoti-tui run --device cpu PATH …`` opens."""
    command = ScriptCommand(sys.executable, (str(path), *arguments), {"device": "cpu"})
    return RunRequest(command)


async def test_a_right_script_lists_its_launches_shows_its_output_and_gives_its_exit_code(
    tmp_path: Path,
) -> None:
    path = script(tmp_path, ADD + "import sys; sys.exit(3)\n")
    async with opened(asked(path), size=(160, 45)) as user:
        await user.see("ended with exit code 3 after 2 launches")
        await user.see("Launches 2", "add_kernel :16 2×1×1", "the sum is 14850")
        await user.press("2")
        await user.see("Call site", "main.py:16 add: add_kernel[(triton.cdiv")
        await user.press("q")
        assert user.app.return_value == 3


async def test_errors_beside_float64_stand_in_the_table_of_temporaries(tmp_path: Path) -> None:
    kernel = """
@triton.jit
def variance(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    mean = tl.sum(x, axis=0) / n
    square = tl.sum(x * x, axis=0) / n
    result = square - mean * mean
    tl.store(o_ptr, result)

variance[(1,)](1000 + torch.arange(64.0) % 7, torch.empty(1), 64, BLOCK=64)
"""
    async with opened(asked(script(tmp_path, kernel)), size=(160, 45)) as user:
        await user.see("ended")
        await user.press("c")
        await user.see("The end of program 0")
        await user.press("E")
        await user.see("result loses precision here (1 of 1)", "error all lanes")
        row = next(row for row in user.rows() if "✱ result" in row)
        assert "fp32" in row or "float32" in row
        await user.type(":expect mean = x_ptr.mean()")
        await user.press("enter")
        await user.see("mean is x_ptr.mean() in program 0.")
