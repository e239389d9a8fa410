"""Memory faults: what a log tells of a bad address, by platform."""

from __future__ import annotations

import pytest

from aoti_tui.failure.log.asserts import read_log
from aoti_tui.failure.log.faults import fault_words

SANITIZER = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at triton_poi_fused_index_0+0x1d0 in /CACHE/ab/cabc.py:36
=========     by thread (32,0,0) in block (7,0,0)
=========     Access to 0x7f32cf400a00 is out of bounds
=========     and is 513 bytes after the nearest allocation at 0x7f32cf400800 of size 512 bytes
========= Invalid __global__ read of size 4 bytes
=========     at triton_poi_fused_index_0+0x1d0 in /CACHE/ab/cabc.py:36
=========     by thread (33,0,0) in block (7,0,0)
=========     Access to 0x7f32cf400a04 is out of bounds
RuntimeError: CUDA error: an illegal memory access was encountered
"""
OLDER_SANITIZER = """\
========= Invalid __global__ write of size 16 bytes
=========     at 0xda0 in /CACHE/ab/cabc.py:41:triton_red_fused_sum_1
=========     by thread (96,0,0) in block (44,1,0)
=========     Address 0x763995f9f000 is out of bounds
"""


@pytest.mark.parametrize(
    ("text", "platform", "kind", "address", "access"),
    [
        ("RuntimeError: CUDA error: an illegal memory access was encountered", "cuda", "illegal",
         None, ""),
        ("Triton Error [CUDA]: an illegal memory access was encountered", "cuda", "illegal", None,
         ""),
        ("c10::Error: CUDA_ERROR_ILLEGAL_ADDRESS (700)", "cuda", "illegal", None, ""),
        ("RuntimeError: CUDA error: misaligned address", "cuda", "misaligned", None, ""),
        ("kernel: NVRM: Xid (PCI:0000:3b:00): 31, pid=77, name=python, Ch 00000008, intr 00000000. "
         "MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f12_34567000. Fault is of type "
         "FAULT_PDE ACCESS_TYPE_VIRT_READ", "cuda", "page", 0x7F1234567000, "read"),
        ("CUDA Exception: CUDA_EXCEPTION_14, Warp Illegal Address.", "cuda", "illegal", None, ""),
        ("Memory access fault by GPU node-2 (Agent: 0x55) on address 0x7f2cf1201000. Reason: "
         "Page not present or supervisor privilege.", "hip", "page", 0x7F2CF1201000, ""),
        ("Memory access fault by GPU node-1 (Agent: 0x55) on address (nil). Reason: Unknown.",
         "hip", "page", 0, ""),
        (":0:rocdevice.cpp :2778: HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: the agent", "hip",
         "page", None, ""),
        ("RuntimeError: HIP error: an illegal memory access was encountered", "hip", "illegal",
         None, ""),
        ("Jan 09 18:55:45 h kernel: amdgpu 0000:0b:00.0: amdgpu: [gfxhub] page fault (src_id:0)\n"
         "Jan 09 18:55:45 h kernel: amdgpu 0000:0b:00.0: amdgpu:   in page starting at address "
         "0x00007f2a5318b000 from client 10", "hip", "page", 0x7F2A5318B000, ""),
        ("Segmentation fault from GPU at 0xff00000917b81000, ctx_id: 1 (CCS) type: 0 (NotPresent), "
         "level: 2 (PDP), access: 1 (Write), banned: 1, aborting.", "xpu", "page",
         0xFF00000917B81000, "write"),
    ],
)  # fmt: skip
def test_a_fault_is_read_with_what_the_log_tells(
    text: str, platform: str, kind: str, address: int | None, access: str
) -> None:
    reading = read_log(f"step 1\n{text}\nAborted (core dumped)\n")
    assert reading.asserts == ()
    assert [(f.platform, f.kind, f.address, f.access, f.log_line) for f in reading.faults] == [
        (platform, kind, address, access, 2)
    ]


@pytest.mark.parametrize(
    ("text", "kernel", "line", "program", "address"),
    [
        (SANITIZER, "triton_poi_fused_index_0", 36, (7, 0, 0), 0x7F32CF400A00),
        (OLDER_SANITIZER, "triton_red_fused_sum_1", 41, (44, 1, 0), 0x763995F9F000),
    ],
)
def test_a_checker_names_kernel_line_and_block(
    text: str, kernel: str, line: int, program: tuple[int, int, int], address: int
) -> None:
    faults = read_log(text).faults
    assert len(faults) == 1, "one for the place, not for each thread or the runtime's own words"
    found = faults[0]
    assert (found.kernel, found.line, found.program) == (kernel, line, program)
    assert (found.path, found.address) == ("/CACHE/ab/cabc.py", address)
    assert f"kernel {kernel} at kernel line {line}" in fault_words(found)


def test_a_debugger_names_the_line() -> None:
    text = (
        "CUDA Exception: CUDA_EXCEPTION_14, Warp Illegal Address.\n"
        "The exception was triggered at PC 0x7fffd0b2a1f0 (cabc.py:36)\n"
    )
    assert [(f.path, f.line) for f in read_log(text).faults] == [("cabc.py", 36)]


@pytest.mark.parametrize(
    ("text", "words", "not_words"),
    [
        ("CUDA error: an illegal memory access was encountered", "CUDA_LAUNCH_BLOCKING", "AMD_"),
        ("Memory access fault by GPU node-2 on address 0x7f0. Reason", "AMD_SERIALIZE", "CUDA_"),
        ("Segmentation fault from GPU at 0xff0, ctx_id: 1", "UR_L0_SERIALIZE", "CUDA_"),
    ],
)
def test_advice_names_what_the_platform_has(text: str, words: str, not_words: str) -> None:
    told = read_log(text).look_alikes[0].explanation
    assert words in told
    assert not_words not in told


@pytest.mark.parametrize(
    "text",
    ["the default page was shown", "memory access pattern: coalesced", "no fault of ours"],
)
def test_words_of_daily_life_are_no_fault(text: str) -> None:
    assert read_log(text).faults == ()
