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
