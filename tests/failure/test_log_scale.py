"""A log of any length and of any malice is read in time and memory that it deserves."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator

import pytest

from aoti_tui.failure.log.asserts import read_log
from aoti_tui.failure.log.gathering import MOST_PROGRAMS

UNIT = "block: [{0},0,0], thread: [3,0,0] Assertion `index out of bounds: 0 <= tmp1 < 9` failed.\n"
HOSTILE = {
    "nothing but letters": "QUJD" * 8 + "ssertion",
    "heads without an end": "unknown: block: [1,0,0], thread: [3,0,0] Assertion `index ",
    "numbers": "ssertion [1,2,3,4,5,6,7,8,9],[10,11,12]",
    "places without a block": "a.py:1: f: a.cu:2: Assertion ",
    "checks without an end": "Expected s0 Expected s1 input_handles[3]: Expected ",
    "spaces": "Assertion `            block:            [            ",
    "HIP without a place": "device assertion failed: 'x ', in ",
    "escapes": "\\u003c\\n\\u001b[31m ssertion",
    "bars": "Epoch 3: 99%|██ ssertion ",
    "faults": "Memory access fault by GPU amdgpu Xid MMU Fault Segmentation fault from GPU at ",
    "braces": '{"ssertion": [{"',
    "prefixes": "[rank0]: (x pid=1) ERROR: block:",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_time_grows_with_the_length_and_no_faster(what: str) -> None:
    def seconds(characters: int) -> float:
        text = HOSTILE[what] * (characters // len(HOSTILE[what]))
        began = time.process_time()
        read_log(text)
        return time.process_time() - began

    small, large = seconds(50_000), seconds(400_000)
    assert large < 4, "quadratic time takes minutes"
    assert large < 24 * small + 0.2, f"{small} s for 50,000 characters, {large} s for 400,000"


def test_a_long_log_of_asserts_is_not_kept_in_memory() -> None:
    def lines() -> Iterator[str]:
        for block in range(60_000):
            yield "/CACHE/ab/cabc.py:37: unknown: " + UNIT.format(block % 50)
            yield f"request {block} served\n"

    tracemalloc.start()
    try:
        began = time.process_time()
        reading = read_log(lines())
        taken = time.process_time() - began
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    found = reading.asserts[0]
    assert (found.threads, len(found.programs), reading.lines) == (60_000, 50, 120_000)
    assert peak < 2 << 20, "what is read is let go"
    assert taken < 20, "two microseconds a line, a hundred times that under measurement"


def test_more_programs_than_are_kept_are_said() -> None:
    text = "".join("c.py:3: unknown: " + UNIT.format(n) for n in range(MOST_PROGRAMS + 5))
    reading = read_log(text)
    assert len(reading.asserts[0].programs) == MOST_PROGRAMS
    assert reading.asserts[0].threads == MOST_PROGRAMS + 5
    assert "more programs than are kept" in reading.notes[0]


def test_numbers_of_absurd_length_are_no_ids() -> None:
    line = "c.py:3: unknown: " + UNIT.format("9" * 5000)
    good = "c.py:3: unknown: " + UNIT.format(7)
    assert read_log(line + good).asserts[0].programs == ((7, 0, 0),)
