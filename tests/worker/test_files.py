"""A kernel whose helpers live in another file: every line is attributed to its own."""

from __future__ import annotations

from typing import Any

import pytest

from .talking import Reply, Talk, line_of

HELPERS = """\
import triton
import triton.language as tl

LOWEST = 0

@triton.jit
def clip_row(row, n_rows):
    low = tl.maximum(row, LOWEST)
    tl.device_assert(low < n_rows, "low < n_rows")
    return low

@triton.jit
def pick(table_ptr, row):
    taken = tl.load(table_ptr + row)
    return taken
"""
KERNEL = """\
import triton
import triton.language as tl
from rows import clip_row
import rows

@triton.jit
def gather(in_ptr0, in_ptr1, out_ptr0, n_rows, XBLOCK: tl.constexpr):
    index = tl.arange(0, XBLOCK)
    row = tl.load(in_ptr0 + index)
    clipped = clip_row(row, n_rows)
    value = rows.pick(in_ptr1, clipped)
    tl.store(out_ptr0 + index, value + rows.LOWEST)
"""
FIELDS: dict[str, Any] = {
    "key": "gather",
    "file": "model/gather.py",
    "source": KERNEL,
    "function": "gather",
    "signature": {"in_ptr0": "*i64", "in_ptr1": "*i64", "out_ptr0": "*i64", "n_rows": "i64"},
}
ROWS = {"name": "rows", "file": "model/rows.py", "source": HELPERS}
LAUNCH: dict[str, Any] = {
    "kernel": "gather",
    "args": {
        "in_ptr0": {"tensor": "in"},
        "in_ptr1": {"tensor": "table"},
        "out_ptr0": {"tensor": "out"},
        "n_rows": {"int": 3},
    },
    "blocks": {"XBLOCK": 4},
    "grid": [1],
}


@pytest.fixture
def gather(worker: Talk) -> Talk:
    worker.ask("kernel", modules=[ROWS], **FIELDS)
    worker.put("in", [2, -1, 9, 1], "int64")
    worker.put("table", [10, 20, 30], "int64")
    worker.ask("zeros", name="out", shape=[4], stride=None, dtype="int64")
    return worker


def place(found: dict[str, Any]) -> tuple[str, int]:
    return found["file"], found["kernel_line"]


def test_asserts_and_bad_accesses_are_those_of_the_helpers_file(gather: Talk) -> None:
    reply = gather.ask("scan", write=True, **LAUNCH)
    (fired,) = reply["asserts"]
    assert place(fired) == ("model/rows.py", line_of(HELPERS, "tl.device_assert"))
    assert fired["first"] == {
        "program": [0, 0, 0],
        "lane": [2],
        "values": {"row": 9, "low": 9, "n_rows": 3},
    }
    (fault,) = reply["faults"]
    assert place(fault) == ("model/rows.py", line_of(HELPERS, "taken ="))
    assert (fault["argument"], fault["element"], fault["size"]) == ("in_ptr1", 9, 3)
    assert gather.values("out").tolist() == [30, 10, 0, 20]


def recorded(gather: Talk) -> Reply:
    return gather.ask("record", program=[0, 0, 0], **LAUNCH)


def test_the_helpers_steps_are_recorded_at_their_own_lines(gather: Talk) -> None:
    reply = recorded(gather)
    assert reply["file"] == "model/gather.py"
    inner = [
        (s["name"], s["function"], s["depth"], *place(s)) for s in reply["steps"] if s["depth"]
    ]
    helpers = "model/rows.py"
    assert inner == [
        ("low", "clip_row", 1, helpers, line_of(HELPERS, "low = ")),
        ("low < n_rows", "clip_row", 1, helpers, line_of(HELPERS, "tl.device_assert")),
        ("", "clip_row", 1, helpers, line_of(HELPERS, "return low")),
        ("taken", "pick", 1, helpers, line_of(HELPERS, "taken = ")),
        ("", "pick", 1, helpers, line_of(HELPERS, "return taken")),
    ]
    outer = [(s["name"], *place(s)) for s in reply["steps"] if not s["depth"]]
    assert outer[-1] == ("out_ptr0", "model/gather.py", line_of(KERNEL, "tl.store"))
    assert {file for _, file, _ in outer} == {"model/gather.py"}
    again = recorded(gather)
    assert [s["name"] for s in again["steps"]] == [s["name"] for s in reply["steps"]]


def test_who_wrote_names_the_file(gather: Talk) -> None:
    reply = gather.ask("who_wrote", argument="out_ptr0", element=1, **LAUNCH)
    assert place(reply["last"]) == ("model/gather.py", line_of(KERNEL, "tl.store"))


def test_lines_of_two_files_that_are_the_same_number_are_told_apart(worker: Talk) -> None:
    body = "@triton.jit\ndef check(x):\n    tl.device_assert(x < 0, 'same')\n    return x\n"
    head = "import triton\nimport triton.language as tl\n"
    modules = [{"name": n, "file": f"{n}.py", "source": head + body} for n in ("one", "two")]
    kernel = (
        "import one\nimport two\n@triton.jit\ndef both(out_ptr0):\n"
        "    tmp0 = one.check(two.check(1))\n"
    )
    worker.ask("kernel", key="both", function="both", source=kernel, modules=modules, signature={})
    worker.ask("zeros", name="out", shape=[1], stride=None, dtype="int64")
    args = {"out_ptr0": {"tensor": "out"}}
    reply = worker.ask("scan", kernel="both", args=args, blocks={}, grid=[1])
    assert [place(fired) for fired in reply["asserts"]] == [("two.py", 5), ("one.py", 5)]


def test_the_other_file_is_checked_too(worker: Talk) -> None:
    wild = {**ROWS, "source": HELPERS + "\n@triton.jit\ndef bad(x):\n    return x.__class__\n"}
    error = worker.fail("kernel", modules=[wild], **FIELDS)
    assert (error["kind"], *place(error)) == ("refused", "model/rows.py", 19)
    error = worker.fail("kernel", **FIELDS)
    assert (error["kind"], error["reason"]) == ("refused", "clip_row, imported from rows")
    assert error["file"] == "model/gather.py"


def test_an_error_of_the_helpers_own_python_has_its_place(worker: Talk) -> None:
    broken = {**ROWS, "source": HELPERS.replace("row, LOWEST", "row, tl.arange(0, 8)")}
    worker.ask("kernel", modules=[broken], **FIELDS)
    worker.put("in", [2, -1, 9, 1], "int64")
    worker.put("table", [10, 20, 30], "int64")
    worker.ask("zeros", name="out", shape=[4], stride=None, dtype="int64")
    error = worker.fail("scan", **LAUNCH)
    assert (error["kind"], *place(error)) == (
        "python",
        "model/rows.py",
        line_of(HELPERS, "low = "),
    )
