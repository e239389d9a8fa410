"""Bad addresses that the hardware, the driver or a checker reported: a log without an assert.

Forms: CUDA's error texts, the kernel driver's ``Xid``, cuda-gdb's exceptions and the reports of
compute-sanitizer; the ROCm runtime and the amdgpu driver; Intel's compute runtime
(shared/source/os_interface/linux/drm_neo.cpp).
"""

from __future__ import annotations

import re
from dataclasses import replace

from aoti_tui.failure.model import FaultKind, MemoryFault, Platform

_ADDRESS = r"(?P<address>\(nil\)|0x[0-9a-fA-F_]{1,20})"
_FORMS: tuple[tuple[re.Pattern[str], FaultKind, Platform], ...] = (
    (
        re.compile(rf"Memory access fault by GPU[^\n]{{0,200}}? on address {_ADDRESS}"),
        "page",
        "hip",
    ),
    (re.compile(r"HSA_STATUS_ERROR_MEMORY_(?:APERTURE_VIOLATION|FAULT)"), "page", "hip"),
    (re.compile(r"amdgpu[^\n]{0,200}?\bpage fault\b"), "page", "hip"),
    (
        re.compile(
            rf"Segmentation fault from GPU at {_ADDRESS}"
            r"(?:[^\n]{0,200}?access: \d \((?P<access>Read|Write|Atomic))?"
        ),
        "page",
        "xpu",
    ),
    (
        re.compile(
            rf"Xid[^\n]{{0,200}}?MMU Fault[^\n]{{0,200}}?faulted @ {_ADDRESS}"
            r"(?:[^\n]{0,120}?ACCESS_TYPE_\w{0,12}?(?P<access>READ|WRITE|ATOMIC))?"
        ),
        "page",
        "cuda",
    ),
    (
        re.compile(r"Invalid __\w{1,12}__ (?P<access>read|write|atomic) of size [\d,]{1,20} bytes"),
        "checked",
        "cuda",
    ),
    (re.compile(r"CUDA_EXCEPTION_\d+[^\n]{0,40}Illegal Address"), "illegal", "cuda"),
    (re.compile(r"hipErrorIllegalAddress|HIP error: an illegal memory access"), "illegal", "hip"),
    (
        re.compile(r"illegal memory access|cudaErrorIllegalAddress|CUDA_ERROR_ILLEGAL_ADDRESS"),
        "illegal",
        "cuda",
    ),
    (
        re.compile(r"CUDA (?:driver )?error: misaligned address|cudaErrorMisalignedAddress"),
        "misaligned",
        "cuda",
    ),
)
WORDS = (
    "emory access",
    "MEMORY_",
    "page fault",
    "from GPU at",
    "MMU Fault",
    "Invalid __",
    "Illegal Address",
    "IllegalAddress",
    "ILLEGAL_ADDRESS",
    "isaligned",
)
"""What every line that begins a fault has one of."""
_REPORT_LINES = 12
_PLACED = re.compile(
    r"\bat (?:0x[0-9a-f]{1,16} in )?(?:(?P<kernel>[A-Za-z_]\w{0,300})\+0x[0-9a-f]{1,8} in "
    r"(?P<file>[^\s:]{1,1000}):(?P<line>\d{1,7})"
    r"|(?P<file2>[^\s:]{1,1000}):(?P<line2>\d{1,7}):(?P<kernel2>[A-Za-z_]\w{0,300}))"
)
_THREAD = re.compile(r"by thread \(\d+,\d+,\d+\) in block \((\d{1,10}),(\d{1,10}),(\d{1,10})\)")
_NAMED = re.compile(rf"(?:Access to|Address|page starting at address) {_ADDRESS}")
_TRIGGERED = re.compile(
    r"triggered at PC 0x[0-9a-f]+[^\n]{0,300}?\(?([^\s():]{1,500}):(\d{1,7})\)?"
)
_MOST = 50


class FaultReader:
    """Takes a log's lines in order; :attr:`found` are the distinct faults."""

    def __init__(self) -> None:
        self._found: list[MemoryFault] = []
        self._left = 0

    @property
    def found(self) -> tuple[MemoryFault, ...]:
        """One for each place or address: a checker reports each thread."""
        first: dict[tuple[object, ...], MemoryFault] = {}
        for f in self._found:
            place = (f.kernel, f.path, f.line) if f.kind == "checked" else (f.address,)
            first.setdefault((f.kind, f.platform, *place), f)
        return tuple(first.values())

    def take(self, line: str, number: int) -> None:
        fault = fault_of(line, number)
        if fault is not None:
            # The runtime's own words follow what the checker or the driver said of the place.
            known = (f for f in self._found if f.platform == fault.platform)
            if len(self._found) < _MOST and not any(_same(f, fault) for f in known):
                self._found.append(fault)
                self._left = _REPORT_LINES
            else:
                self._left = 0
        elif self._left:
            self._left -= 1
            self._found[-1] = _completed(self._found[-1], line)


def fault_of(line: str, number: int) -> MemoryFault | None:
    """The memory fault that a line reports; None for other lines."""
    if not any(word in line for word in WORDS):
        return None
    for pattern, kind, platform in _FORMS:
        match = pattern.search(line)
        if match is not None:
            found = match.groupdict()
            access = (found.get("access") or "").lower()
            return MemoryFault(
                kind, platform, number, " ".join(line.split())[:300], _number(found.get("address")),
                access,
            )  # fmt: skip
    return None


def _number(address: str | None) -> int | None:
    if address is None:
        return None
    return 0 if address == "(nil)" else int(address.replace("_", ""), 16)


def _same(known: MemoryFault, fault: MemoryFault) -> bool:
    if fault.kind == "illegal":
        return True
    return (known.kind, known.address) == (fault.kind, fault.address) and (
        fault.kind != "checked" or known.kernel == ""
    )


def _completed(fault: MemoryFault, line: str) -> MemoryFault:
    """A fault with what a further line of its report says."""
    if fault.kind == "checked" and not fault.kernel and (placed := _PLACED.search(line)):
        return replace(
            fault,
            kernel=placed["kernel"] or placed["kernel2"] or "",
            path=placed["file"] or placed["file2"] or "",
            line=int(placed["line"] or placed["line2"]),
        )
    if fault.program is None and (thread := _THREAD.search(line)):
        return replace(fault, program=(int(thread[1]), int(thread[2]), int(thread[3])))
    if fault.address is None and (named := _NAMED.search(line)):
        return replace(fault, address=_number(named["address"]))
    if fault.line is None and (triggered := _TRIGGERED.search(line)):
        return replace(fault, path=triggered[1], line=int(triggered[2]))
    return fault


def fault_words(fault: MemoryFault) -> str:
    """What a memory fault means and which way leads to its access, in the platform's terms."""
    where = ""
    if fault.kernel:
        where = f" in kernel {fault.kernel}"
    if fault.line is not None and fault.path.endswith(".py"):
        where += f" at kernel line {fault.line} ({fault.path})"
    what = "a bad address" if fault.kind != "misaligned" else "an address that is not aligned"
    if fault.address is not None:
        what += f" ({fault.address:#x})"
    if where:
        return f"{what}, not an assert{where}"
    switch = {
        "cuda": "CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer names it",
        "hip": "AMD_SERIALIZE_KERNEL=3 ends the process at it; HIP builds up to torch 2.13 leave "
        "Triton's asserts out, so that an index out of range shows like this",
        "xpu": "UR_L0_SERIALIZE=2 makes the process wait for each launch: the last one is it",
    }[fault.platform]
    return f"{what}, not an assert: the message does not say which kernel did it ({switch})"
