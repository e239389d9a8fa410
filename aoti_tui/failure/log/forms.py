"""The forms in which a failed assert is printed, found in cleaned text.

CUDA prints one line per failing thread (``assertfail`` of the device runtime)::

    <path>:<line>: <function>: block: [x,y,z], thread: [x,y,z] Assertion `<text>` failed.

XPU prints ``global id`` and ``local id`` of a work item instead. HIP's Triton prints one line per
lane, without either (``assertFail`` in third_party/amd/lib/TritonAMDGPUToLLVM/TargetInfo.cpp)::

    device assertion failed: '<text>', in <function> at <path>:<line>

Every pattern here takes a bounded number of characters, so that reading stays linear in the text,
whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from aoti_tui.failure.model import AssertForm, Program

_TRIPLE = r"\[\s{0,40}(\d{1,10})\s{0,40},\s{0,40}(\d{1,10})\s{0,40},\s{0,40}(\d{1,10})\s{0,40}\]"
_UNIT = re.compile(
    rf"""(?P<unit>block|global\s{{1,40}}id)\s{{0,40}}:\s{{0,40}}{_TRIPLE}\s{{0,40}},\s{{0,40}}
    (?:thread|local\s{{1,40}}id)\s{{0,40}}:\s{{0,40}}{_TRIPLE}\s{{0,40}}Assertion\s{{0,40}}""",
    re.VERBOSE,
)
_HIP = re.compile(r"device\s{0,40}assertion\s{0,40}failed:\s{0,40}'")
_HIP_PLACE = re.compile(
    r"""'\s{0,40},\s{0,40}in\s{1,40}[^\s']{1,400}\s{1,40}at\s{1,40}
    (?P<path>[^\s'\"]{1,1000}?):(?P<line>\d{1,7})(?!\d)""",
    re.VERBOSE,
)
_BARE = re.compile(r"\bAssertion(?:\s{1,40}|(?=[\\`'‘\"“]))")
_RAISED = re.compile(
    r"(?:RuntimeError|AcceleratorError|Exception|what\(\))\s{0,4}:\s{1,4}"
    r"(?P<message>index out of bounds: [^\n\"\\]{1,300})"
)
_QUOTES = "`'‘\"“"
_CLOSING = "`'’\"”"
_LONGEST_MESSAGE = 1500
_MOST_TRIES = 4
_PLACE = re.compile(
    r"""'\s{0,40},\s{0,40}in\s{1,40}[^\s']{1,400}\s{1,40}at\s{1,40}
    (?P<path>[^\s'\"]{1,1000}?):(?P<line>\d{1,7})(?!\d)""",
    re.VERBOSE,
)
_BARE = re.compile(r"\bAssertion(?:\s{1,40}|(?=[\\`'‘\"“]))")
_RAISED = re.compile(
    r"(?:RuntimeError|AcceleratorError|Exception|what\(\))\s{0,4}:\s{1,4}"
    r"(?P<message>index out of bounds: [^\n\"\\]{1,300})"
)
_QUOTES = "`'‘\"“"
_QUOTED = re.compile(r"\\?[`'‘\"“](.{1,1500}?)\\?[`'’\"”]\s{0,40}failed\b\.?", re.DOTALL)
_UNQUOTED = re.compile(r"[`'‘\"“]?([^\s`][^\n`\0]{0,400}?)\s{1,40}failed\b\.?")
_PLACE = re.compile(r":\s{0,40}(\d{1,7})\s{0,40}:")
_PLACE_REACH = 1500
_LONGEST_FUNCTION = 400
_NO_PATH = frozenset(" \t\n\r\0:'\"`|]=")
_HOST_SOURCE = re.compile(r"\.(?:c|cc|cpp|cxx|h|hpp|cuh?|hip):\d{1,7}: [^\n]{0,1200}$")


@dataclass(frozen=True, slots=True)
class FoundAssert:
    """One printed assert. ``start`` and ``at`` are where it and its block begin in the text."""

    form: AssertForm
    start: int
    at: int
    end: int
    path: str
    line: int | None
    message: str
    unit: Program | None = None
    """Block, or global id of a work item."""
    thread: Program | None = None
    """Thread, or local id of a work item."""


def asserts_in(text: str) -> Iterator[FoundAssert]:
    """Asserts that name a block, a work item or (HIP) a place, in order."""
    position = after = 0
    unit = _UNIT.search(text)
    hip = _HIP.search(text)
    while unit is not None or hip is not None:
        if hip is not None and (unit is None or hip.start() < unit.start()):
            position = hip.end()
            placed = _HIP_PLACE.search(text, position, position + _LONGEST_MESSAGE)
            hip_start, hip = hip.start(), _HIP.search(text, position)
            if placed is not None and (hip is None or placed.start() < hip.start()):
                message, path = text[position : placed.start()], placed["path"]
                position = after = placed.end()
                line = int(placed["line"])
                yield FoundAssert("hip", hip_start, hip_start, position, path, line, message)
        elif unit is not None:
            said = message_at(text, unit.end())
            position = unit.end()
            if said is not None:
                yield _of_unit(text, unit, *said, after)
                position = after = said[1]
            unit = _UNIT.search(text, position)
        if unit is not None and unit.start() < position:
            unit = _UNIT.search(text, position)
        if hip is not None and hip.start() < position:
            hip = _HIP.search(text, position)


def _of_unit(text: str, unit: re.Match[str], message: str, end: int, after: int) -> FoundAssert:
    start, path, line = place_before(text, unit.start(), after)
    x, y, z, tx, ty, tz = (int(unit[i]) for i in range(2, 8))
    form: AssertForm = "cuda" if unit["unit"] == "block" else "xpu"
    return FoundAssert(form, start, unit.start(), end, path, line, message, (x, y, z), (tx, ty, tz))


def bare_asserts_in(text: str) -> Iterator[FoundAssert]:
    """Asserts without any place: the block's line was lost, or an exception repeats the text.

    To be asked for text from which :func:`asserts_in` took what it found.
    """
    for match in _BARE.finditer(text):
        found = message_at(text, match.end())
        if found is None:
            continue
        before = text[max(0, text.rfind("\n", 0, match.start()) + 1) : match.start()]
        if _HOST_SOURCE.search(before[-1300:]):
            continue
        if not found[0].startswith("index out of bounds") and before.strip():
            continue
        yield FoundAssert("bare", match.start(), match.start(), found[1], "", None, found[0])
    for match in _RAISED.finditer(text):
        message = match["message"].rstrip(" .'`)")
        # A number with C++'s suffix is a check of Inductor's C++ code for the CPU.
        if not re.search(r"\dL$", message):
            yield FoundAssert("bare", match.start(), match.start(), match.end(), "", None, message)


def is_host_assertion(text: str) -> bool:
    """Whether a line is an ``assert`` of C or C++ code that runs on the host."""
    at = text.find("Assertion ")
    return at > 0 and _HOST_SOURCE.search(text[max(0, at - 1300) : at]) is not None


def message_at(text: str, position: int) -> tuple[str, int] | None:
    """The message that begins at a position, quoted or not, and the end of its ``failed.``"""
    start = position + (text[position : position + 1] == "\\")
    quoted = text[start : start + 1] in tuple(_QUOTES)
    # A message whose own end is missing must not run on into the next assert.
    limit = position + _LONGEST_MESSAGE
    for other in ("Assertion", "block:", "\0"):
        found = text.find(other, position, limit)
        limit = found if found >= 0 else limit
    at = text.find("failed", position, limit)
    first = at
    for _ in range(_MOST_TRIES if quoted else 0):
        if at < 0:
            break
        said = text[start + 1 : at].rstrip()
        if said[-1:] in tuple(_CLOSING) and said[:-1].strip():
            return said[:-1].removesuffix("\\"), _end_of(text, at)
        at = text.find("failed", at + 1, limit)
    if first < 0:
        return None
    said = text[start + quoted : first]
    if not said[-1:].isspace() or "\n" in said.strip() or not said.strip(_QUOTES + " \n"):
        return None
    return said.strip(), _end_of(text, first)


def _end_of(text: str, failed: int) -> int:
    end = failed + len("failed")
    return end + (text[end : end + 1] == ".")


def place_before(text: str, end: int, floor: int = 0) -> tuple[int, str, int | None]:
    """Start, path and line of the ``path:line: function:`` that ends at a position.

    Nothing before ``floor`` is part of it. Windows prints no function. Without such a place: the
    position itself, ``""``, None.
    """
    begin = max(floor, end - _PLACE_REACH)
    head = text[begin:end].rstrip()
    if not head.endswith(":"):
        return end, "", None
    places = list(_PLACE.finditer(head))
    if not places:
        return end, "", None
    last = places[-1]
    function = head[last.end() : -1].strip() if last.end() < len(head) else ""
    if len(function) > _LONGEST_FUNCTION or "\n" in function or "`" in function:
        return end, "", None
    path = _path_before(head[: last.start()].rstrip())
    if not path:
        return end, "", None
    start = begin + head[: last.start()].rstrip().rfind(path)
    return start, path.replace("\\\\", "\\"), int(last[1])


def _path_before(head: str) -> str:
    if head.endswith(">"):
        return head[max(head.rfind("<"), 0) :]
    start = len(head)
    while start > 0 and head[start - 1] not in _NO_PATH:
        start -= 1
    if re.fullmatch(r"[A-Za-z]:[/\\]", head[max(start - 2, 0) : start + 1]):
        start -= 2
    return head[start:]
