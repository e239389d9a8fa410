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
    "vllm": f"(VllmWorker rank=3 pid=24287) {PLAIN}",
    "vllm engine": f"(EngineCore_DP0 pid=118) {PLAIN}",
    "sglang": f"[2026-01-02 03:04:05 TP0] {PLAIN}",
    "slurm labels": f"12: {PLAIN}",
    "mpirun tags": f"[1,3]<stderr>:{PLAIN}",
    "fschat": f"2026-01-02 03:04:05 | ERROR | stderr | {PLAIN}                    ",
    "journald": f"Jan 09 18:55:45 gpu-7 python[134090]: {PLAIN}",
    "actions": f"2026-07-06T00:14:18.1317565Z {PLAIN}",
    "quotation": f"> {PLAIN}",
    "issue title": f"[Bug]: h {PLAIN}",
    "wrapped by a logger of vllm": (
        f"(Worker_TP0 pid=118) {PLAIN[:50]}\n(Worker_TP0 pid=118) {PLAIN[50:]}"
    ),
    "wrapped under journald": (
        f"Jan 09 18:55:45 gpu-7 python[1]: {PLAIN[:50]}\n"
        f"Jan 09 18:55:45 gpu-7 python[1]: {PLAIN[50:]}"
    ),
    "wrapped, a piece a JSON record": (
        '{"log":"' + PLAIN[:50] + '\\n","stream":"stderr"}\n'
        '{"log":"' + PLAIN[50:].replace("<", "\\u003c") + '\\n","stream":"stderr"}'
    ),
    "JSON of docker": '{"log":"' + PLAIN.replace("<", "\\u003c") + '\\n","stream":"stderr"}',
    "JSON of a logger": '{"severity":"ERROR","jsonPayload":{"message":"' + PLAIN + '"},"n":1}',
    "JSON behind a prefix": '2026-01-02T03:04:05Z stderr F {"msg":"' + PLAIN + '","level":"error"}',
    "JSON cut off": '{"log":"' + PLAIN.replace("<", "\\u003c") + '\\n","str',
    "JSON in JSON": '{"message":"{\\"log\\":\\"' + PLAIN.replace("<", "\\\\u003c") + '\\"}"}',
    "JSON with colours": '{"log":"\\u001b[31m' + PLAIN + '\\u001b[0m\\n"}',
    "repr of what a test printed": f"AssertionError: 'x' not found in 'W1\\n{PLAIN}\\n/opt/y'",
    "escaped backticks": PLAIN.replace("`", "\\`"),
    "no backticks": PLAIN.replace("`", ""),
    "one backtick lost": PLAIN.replace("` failed", " failed"),
    "syslog's escapes": f"#033[31m{PLAIN}#033[0m",
    "8-bit colours": f"\x9b31m{PLAIN}\x9b0m",
    "a bar inside": PLAIN.replace("0 <= ", "0 <=  99%|███▉| 987/999 [00:22<00:00, 131.15it/s] "),
    "a bar of an epoch inside": PLAIN.replace(
        "< 2", "< Epoch 3:  7%|▋ | 7/99 [00:01<00:20, 4.1it/s]2"
    ),
    "a redrawn bar inside": PLAIN.replace("< 2", "< \r 12%|█ | 1/9 [00:00<00:01, 8.0it/s]\r2"),
    "a bar of rich inside": PLAIN.replace("< 2", "< Training ━━━━╸━━━ 45% 0:00:12 • 0:00:09 2"),
    "a bar between the pieces": PLAIN.replace(
        "block: [", "block: 99%|███▉| 987/999 [00:22<00:00, 131.15it/s]\n["
    ),
    "zeros of a rotated file": "\0" * 40 + PLAIN,
    "windows": PLAIN.replace("/CACHE/ab/", "C:\\Temp\\new\\torchinductor_me\\ab\\"),
    "windows without a function": PLAIN.replace("/CACHE/ab/", "C:\\Temp\\ab\\").replace(
        " unknown:", ""
    ),
    "windows in JSON": '{"log":"'
    + PLAIN.replace("/CACHE/ab/", "C:\\\\Temp\\\\new\\\\ab\\\\")
    + '\\n"}',
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_failure(form: str) -> None:
    reading = read_log(f"Traceback before\n{FORMS[form]}\nand words after\n")
    assert len(reading.asserts) == 1
    found = reading.asserts[0]
    assert "".join(found.message.split()) == "".join(MESSAGE.split())
    assert (found.line, found.programs, found.threads) == (37, ((23, 0, 0),), 1)


def test_a_path_of_windows_stays_whole() -> None:
    text = PLAIN.replace("/CACHE/ab/", "C:\\Temp\\new\\ab\\")
    assert read_log(text).asserts[0].path == "C:\\Temp\\new\\ab\\cabc.py"
    assert read_log('{"log":"' + text.replace("\\", "\\\\") + '"}').asserts[0].path.startswith("C:")


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_counted_once_among_others_of_its_kind(form: str) -> None:
    lines = [FORMS[form].replace("[90,0,0]", f"[{thread},0,0]") for thread in range(40)]
    found = read_log("\n".join(lines)).asserts
    assert [(a.line, a.threads, a.programs) for a in found] == [(37, 40, ((23, 0, 0),))]


HIP = (
    f"device assertion failed: '{MESSAGE}', in unknown at /CACHE/ab/cabc.py:33\n"
    ":0:rocdevice.cpp            :3018: 62491722575d us:  Callback: Queue 0x7fa730c00000 aborting "
    "with error : HSA_STATUS_ERROR_EXCEPTION: An HSAIL operation resulted in an exception.\n"
)


@pytest.mark.parametrize(
    "text",
    [
        HIP * 3,
        "".join(f"[rank0]:{HIP}" for _ in range(3)),
        wrapped_at(HIP, 60) + "\n" + wrapped_at(HIP, 60) + "\n" + wrapped_at(HIP, 60),
        '{"log":"' + 3 * HIP.split("\n")[0].replace("<", "\\u003c").join(("", "\\n")) + '"}',
    ],
    ids=["plain", "rank", "wrapped", "JSON"],
)
def test_hip_prints_a_line_for_each_lane_and_no_block(text: str) -> None:
    reading = read_log(text)
    found = reading.asserts[0]
    assert len(reading.asserts) == 1
    assert (found.form, found.line, found.programs, found.threads) == ("hip", 33, (), 3)
    assert "".join(found.message.split()) == "".join(MESSAGE.split())
    assert reading.look_alikes == ()


@pytest.mark.parametrize(
    "text",
    [
        f"Assertion `{MESSAGE}` failed.",
        f"Assertion {MESSAGE} failed",
        f"[rank1]: Assertion `{MESSAGE}` failed.",
        f"RuntimeError: {MESSAGE}",
        f"terminate called after throwing an instance of 'x'\n  what():  {MESSAGE}\n",
    ],
)
def test_a_text_without_block_and_place_is_read(text: str) -> None:
    found = read_log(f"before\n{text}\nafter\n").asserts
    assert [(a.form, a.message, a.line, a.programs, a.threads) for a in found] == [
        ("bare", MESSAGE, None, (), 0)
    ]


def test_a_text_that_only_repeats_an_assert_is_no_other_failure() -> None:
    found = read_log(f"Assertion `{MESSAGE}` failed.\n{PLAIN}\n").asserts
    assert [(a.form, a.line) for a in found] == [("cuda", 37)]


def test_a_message_that_lost_its_end_does_not_take_the_next_one_along() -> None:
    cut = PLAIN[: PLAIN.index("< 248320")]
    found = read_log(f"{cut}{PLAIN}\n{PLAIN}").asserts
    assert [(a.message, a.threads) for a in found] == [(MESSAGE, 2)]


AUTOTUNED = {
    "compile-time": 'wrapper.py", line 1612, in generate_and_run_autotune_block\nRuntimeError: '
    "Failed to run autotuning code block: CUDA error: device-side assert triggered",
    "choices": 'File "/x/torch/_inductor/select_algorithm.py", line 1701, in benchmark',
    "configs": 'File "/x/triton_heuristics.py", line 830, in benchmark_all_configs',
}


@pytest.mark.parametrize("kind", AUTOTUNED)
def test_autotuning_is_told_with_what_avoids_it(kind: str) -> None:
    reading = read_log(f"{PLAIN}\n{AUTOTUNED[kind]}\n")
    assert reading.autotuning is not None
    assert (reading.autotuning.kind, reading.autotuning.log_line) == (kind, 2)
    assert "autotune_at_compile_time=False" in reading.notes[0] or kind == "configs"
    assert "random" in reading.notes[0]


def test_code_that_imports_an_autotuner_is_no_autotuning() -> None:
    dumped = "from torch._inductor.select_algorithm import extern_kernels\n"
    assert read_log(f"{PLAIN}\n{dumped}").autotuning is None


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


def work_item(global_id: int, local_id: int, y: int = 0) -> str:
    return (
        f"/x/triton_helpers.py:248: unknown: global id: [{global_id},{y},0], "
        f"local id: [{local_id},0,0] Assertion `{MESSAGE}` failed.\n"
    )


def test_xpu_counts_work_items_and_a_program_is_a_work_group() -> None:
    # Local id 127 takes a group of at least 128, and one begins at 128.
    text = "AssertHandler::printMessage\n" + work_item(127, 127) + work_item(384, 0, y=2)
    found = read_log(text + work_item(128, 0)).asserts[0]
    assert (found.message, found.form, found.line) == (MESSAGE, "xpu", None)
    assert found.programs == ((0, 0, 0), (3, 2, 0), (1, 0, 0))


def test_xpu_groups_of_unknown_size_wait_for_the_kernel() -> None:
    # Work groups of 64 and of 128 both begin at 384.
    found = read_log(work_item(416, 32) + work_item(423, 39)).asserts[0]
    assert (found.programs, found.origins, found.highest_thread) == ((), ((384, 0, 0),), 39)


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
        (
            "/pytorch/aten/src/ATen/native/hip/IndexKernel.hip:94: operator(): Device-side "
            'assertion `-sizes[i] <= index && "index out of bounds"\' failed.',
            "aten-index-kernel",
        ),
        (
            "/x/native/cuda/IndexKernel.cu:53: lambda [](int)->auto::operator()(int)->auto: block: "
            '[5,0,0], thread: [2,0,0] Assertion `index < 9 && "index out of bounds"` failed.',
            "aten-index-kernel",
        ),
        (
            "C:\\cb\\aten\\src\\ATen\\native\\cuda\\ScatterGatherKernel.cu:145: block: [0,0,0], "
            'thread: [5,0,0] Assertion `idx_dim < index_size && "index out of bounds"` failed.',
            "aten-index-kernel",
        ),
        (
            "/x/native/cuda/IndexKernel.cu:142: operator(): block: [0,0,0], thread: [6,0,0] "
            'Assertion index < sizes[i] && "index out of bounds" failed.',
            "aten-index-kernel",
        ),
        (
            "python: /x/llvm/ADT/SmallVector.h:291: T& llvm::SmallVector<T>::operator[](size_t): "
            "Assertion `idx < size()' failed.",
            "host-assert",
        ),
        ("RuntimeError: index out of bounds: 0 <= tmp55 < 32L", "cpu-check"),
        ("Memory access fault by GPU node-1 on address (nil). Reason: Unknown.", "memory-fault"),
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
