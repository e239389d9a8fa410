"""What a script does wrong without anything stopping it is found by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.run.running import run, script

COPY = """
@triton.jit
def copy(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i))
"""


def told(found: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(f["kind"], f["line"], f["argument"], f["element"], f["launch"]) for f in found]


def test_memory_that_nobody_wrote_and_a_store_beyond_the_view(tmp_path: Path) -> None:
    script(
        tmp_path,
        COPY
        + """
x = torch.empty(64)
x[:40] = 1.0
o = torch.zeros(128)
copy[(2,)](x, o[:48], 48, BLOCK=32)
copy[(2,)](torch.ones(64), o, 48, BLOCK=32)
""",
    )
    ran = run(tmp_path, "main.py")
    assert ran.code == 4
    assert told(ran.findings) == [
        ("beyond-view", 8, "o_ptr", 48, 0),
        ("unwritten-read", 8, "x_ptr", 40, 0),
    ]


def test_unwritten_memory_is_known_in_threads_and_in_backward(tmp_path: Path) -> None:
    script(
        tmp_path,
        COPY
        + """
import threading

class Copied(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        made = torch.empty_like(gradient)
        copy[(1,)](torch.empty(32), made, 32, BLOCK=32)
        return gradient

x = torch.ones(32, requires_grad=True)
Copied.apply(x).sum().backward()
thread = threading.Thread(
    target=lambda: copy[(1,)](torch.empty(32), torch.empty(32), 32, BLOCK=32)
)
thread.start()
thread.join()
""",
    )
    found = run(tmp_path, "main.py").findings
    assert told(found) == [
        ("unwritten-read", 8, "x_ptr", 0, 0),
        ("unwritten-read", 8, "x_ptr", 0, 1),
    ]


def test_programs_that_race_are_found_on_live_tensors(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        @triton.jit
        def add_to(o_ptr, x_ptr, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            x = tl.load(x_ptr + tl.program_id(0) * BLOCK + i)
            tl.store(o_ptr + i, tl.load(o_ptr + i) + x)

        for _ in range(2):
            add_to[(4,)](torch.zeros(16), torch.rand(64), BLOCK=16)
        """,
    )
    found = run(tmp_path, "main.py").findings
    assert {(f["kind"], f["line"], f["argument"]) for f in found} == {("race", 9, "o_ptr")}
    assert {f["launch"] for f in found} == {0, 1}


def test_what_the_compiler_would_refuse_is_told_once(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        """
        LIMIT = 4

        @triton.jit
        def clipped(x):
            if x > LIMIT:
                return LIMIT
            return x

        @triton.jit
        def kernel(o_ptr, n):
            for i in range(n):
                if i > 2:
                    break
                tl.store(o_ptr + i, clipped(i))

        for n in (3, 5):
            kernel[(1,)](torch.zeros(8, dtype=torch.int32), n)
        """,
    )
    ran = run(tmp_path, "main.py")
    assert ran.code == 0
    lint = [(one["kernel"], one["file"], one["line"]) for one in ran.report["lint"]]
    assert lint == [
        ("kernel", str(path), 9),
        ("kernel", str(path), 10),
        ("kernel", str(path), 17),
    ]
    assert "break" in ran.report["lint"][2]["text"]


def test_loops_that_never_end_are_found(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        @triton.jit
        def spins(x_ptr):
            left = tl.load(x_ptr)
            while left > 0:
                left = left * 1

        @triton.jit
        def waits(lock_ptr):
            while tl.atomic_cas(lock_ptr, 0, 1) == 1:
                pass

        @triton.jit
        def counts(x_ptr):
            while tl.load(x_ptr) < 10000:
                tl.store(x_ptr, tl.load(x_ptr) + 1)

        x = torch.ones(1, dtype=torch.int32)
        counts[(1,)](x)
        print(x.item())
        for kernel in (spins, waits):
            try:
                kernel[(2,)](x)
            except Exception as error:
                print(error)
            x[0] = 1
        """,
    )
    ran = run(tmp_path, "main.py")
    assert ran.out.splitlines()[0] == "10000"
    assert [(f["kind"], f["kernel"], f["line"]) for f in ran.findings] == [
        ("hang", "spins", 8),
        ("hang", "waits", 13),
    ]
