"""A recording whose steps come from two files keeps their lines apart."""

from __future__ import annotations

import pytest

from aoti_tui.index.model import LaunchId, Site
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.model import Recording
from aoti_tui.replay.recorded.breakpoints import Breakpoint, continue_from
from aoti_tui.replay.recorded.recording import decode

KERNEL = """\
from rows import doubled
@triton.jit
def shift(out_ptr0):
    x = 1
    y = doubled(x)
    tl.store(out_ptr0, y)
"""
ROWS = """\
import triton.language as tl

@triton.jit
def doubled(x):
    y = x * 2
    return y
"""


@pytest.fixture
def recording(worker: WorkerClient) -> Recording:
    worker.request(
        "kernel",
        key="shift",
        file="shift.py",
        source="import triton.language as tl; " + KERNEL,
        function="shift",
        signature={"out_ptr0": "*i64"},
        modules=[{"name": "rows", "file": "rows.py", "source": ROWS}],
    )
    worker.request("zeros", name="two/out", shape=[1], stride=None, dtype="int64")
    reply = worker.request(
        "record",
        kernel="shift",
        args={"out_ptr0": {"tensor": "two/out"}},
        blocks={},
        grid=[1],
        program=[0, 0, 0],
    )
    return decode(
        reply,
        reply.blobs,
        kernel="shift",
        launch=LaunchId(0),
        site=Site("main.py", 1, 1),
        arguments=(),
        symbols=(),
    )


def test_every_step_has_its_file(recording: Recording) -> None:
    assert recording.file == "shift.py"
    assert [(s.name, s.file, s.kernel_line, s.depth) for s in recording.steps] == [
        ("x", "shift.py", 4, 0),
        ("y", "rows.py", 5, 1),
        ("", "rows.py", 6, 1),
        ("y", "shift.py", 5, 0),
        ("out_ptr0", "shift.py", 6, 0),
    ]


def test_a_breakpoint_on_a_line_is_one_of_the_kernels_own_file(recording: Recording) -> None:
    stop = continue_from(recording, -1, [Breakpoint(kernel_line=5)])
    assert (stop.reason, stop.position) == ("breakpoint", 3)
