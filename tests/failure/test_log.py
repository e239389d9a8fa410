"""Logs as people have them: prefixed, coloured, wrapped, interleaved, and full of look-alikes."""

from __future__ import annotations

import pytest

from aoti_tui.failure.log.asserts import read_log
from tests.cases import DEMO

MESSAGE = "index out of bounds: 0 <= tmp1 < 248320"
PLAIN = (
    "/CACHE/ab/cabc.py:37: unknown: block: [23,0,0], thread: [90,0,0] Assertion "
    f"`{MESSAGE}` failed."
)


def wrapped_at(text: str, width: int) -> str:
    return "\n".join(text[i : i + width] for i in range(0, len(text), width))


FORMS = {
    "plain": PLAIN,
    "rank": f"[rank0]:{PLAIN}",
    "rank with a space": f"[rank12]: {PLAIN}",
    "ray": f"(RayWorkerVllm pid=4242) {PLAIN}",
    "ray with ip": f"(RayWorker pid=4242, ip=10.0.0.3) {PLAIN}",
    "compose": f"llava_worker-1      | {PLAIN}",
    "pod timestamp": f"2026-01-02T03:04:05.123456789Z {PLAIN}",
    "container runtime": f"2026-01-02T03:04:05.123456789Z stderr F {PLAIN}",
    "colours": f"\x1b[31m\x1b[1m{PLAIN}\x1b[0m",
    "html entities": PLAIN.replace("<", "&lt;"),
    "typographic quotes": PLAIN.replace("<", "‹"),
    "progress bar": f" 99%|███▉| 987/999 [00:22<00:00, 131.15it/s]{PLAIN}",
    "carriage return bar": f"\r 12%|█ | 1/9\r{PLAIN}",
    "pytest capture": f"E   {PLAIN}",
    "windows line ends": f"{PLAIN}\r\n",
    "no final stop": PLAIN.removesuffix("."),
    "wrapped before the block": PLAIN.replace("block: [", "block:\n ["),
    "wrapped twice": PLAIN.replace("37: unknown", "37: \nunknown").replace(
        "] Assertion", "] \nAssertion"
    ),
    "wrapped by a terminal of 80": wrapped_at(PLAIN, 80),
    "wrapped by a terminal of 40": wrapped_at(PLAIN, 40),
    "wrapped inside the message": PLAIN.replace("0 <= tmp1", "0 <=\ntmp1"),
    "wrapped with the prefix again": f"[rank0]:{PLAIN[:60]}\n[rank0]:{PLAIN[60:]}",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_failure(form: str) -> None:
    reading = read_log(f"Traceback before\n{FORMS[form]}\nand words after\n")
    assert len(reading.asserts) == 1
    found = reading.asserts[0]
    assert "".join(found.message.split()) == "".join(MESSAGE.split())
    assert (found.line, found.programs, found.threads) == (37, ((23, 0, 0),), 1)


def test_two_asserts_on_one_line() -> None:
    other = PLAIN.replace("[90,0,0]", "[91,0,0]").replace("[23,0,0]", "[24,0,0]")
    found = read_log(PLAIN + other).asserts
    assert len(found) == 1
    assert found[0].programs == ((23, 0, 0), (24, 0, 0))
    assert found[0].highest_thread == 91


@pytest.mark.parametrize(
    "head",
    [
        "unknown:0: unknown",
        "<frozen importlib._bootstrap_external>:843: _call_with_frames_removed",
        "<frozen runpy>:198: _run_code",
        "/usr/lib/torch/_inductor/runtime/compile_tasks.py:45: <module>",
    ],
)
def test_a_useless_path_gives_no_kernel_line(head: str) -> None:
    line = f"{head}: block: [45,2,0], thread: [32,0,0] Assertion `{MESSAGE}` failed."
    found = read_log(line).asserts[0]
    assert found.line is None
    assert (found.message, found.programs) == (MESSAGE, ((45, 2, 0),))


def test_xpu_counts_ids_instead_of_blocks() -> None:
    text = (
        "AssertHandler::printMessage\n/x/triton_helpers.py:248: unknown: global id: [7,0,0], "
        f"local id: [0,0,0] Assertion `{MESSAGE}` failed."
    )
    found = read_log(text).asserts[0]
    assert (found.message, found.programs, found.line) == (MESSAGE, ((7, 0, 0),), None)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "/pytorch/aten/src/ATen/native/cuda/IndexKernel.cu:92: operator(): block: [0,0,0], "
            'thread: [3,0,0] Assertion `index >= -sizes[i] && index < sizes[i] && "index out of '
            'bounds"` failed.',
            "aten-index-kernel",
        ),
        (
            "../aten/src/ATen/native/cuda/Indexing.cu:1236: indexSelectSmallIndex: block: [0,0,0],"
            " thread: [3,0,0] Assertion `srcIndex < srcSelectDimSize` failed.",
            "aten-index-kernel",
        ),
        ("!!! Uncaught exception: index out of bounds: 0 <= tmp7 < ks1", "cpu-check"),
        ("RuntimeError: kernel, /x/main.cpp:13, index out of bounds: tmp1 < 2L", "cpu-check"),
        (
            '    tl.device_assert((0 <= tmp10) & (tmp10 < ks0), "index out of bounds: tmp10")',
            "source-dump",
        ),
        (":0:rocdevice.cpp Device-side assertion `index out of bounds' failed.", "hip"),
        ("input_handles[2]: dim value is too small at 0, expected it to be >= 2", "guard"),
        ("CUDA error: an illegal memory access was encountered", "illegal-memory-access"),
    ],
)
def test_look_alikes_are_named(text: str, kind: str) -> None:
    reading = read_log(text)
    assert reading.asserts == ()
    assert [a.kind for a in reading.look_alikes] == [kind]


def test_the_demo_log_counts_programs_and_threads() -> None:
    reading = read_log((DEMO / "error.empty_weights.log").read_text())
    assert len(reading.asserts) == 1
    found = reading.asserts[0]
    assert sorted(found.programs) == [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)]
    assert (found.line, found.threads, found.log_line) == (46, 396, 1)


def test_text_without_asserts_gives_none() -> None:
    assert read_log("hello\nworld\n").asserts == ()
    assert read_log("").asserts == ()
