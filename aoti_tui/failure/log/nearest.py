"""The asserts of a wrapper that resemble one of a log that none of its kernels has."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from aoti_tui.failure.log.match import without_spaces
from aoti_tui.failure.model import LoggedAssert
from aoti_tui.index.model import WrapperIndex

_WRITTEN_ASSERT = re.compile(r'^\s*tl\.device_assert\(.*,\s*"([^"]+)"')
_MOST_COMPARED = 2000


@dataclass(frozen=True, slots=True)
class WrittenAssert:
    """An assert as it stands in a kernel's source."""

    kernel: str
    kernel_line: int
    wrapper_line: int | None
    message: str


def nearest_asserts(
    index: WrapperIndex, logged: LoggedAssert, most: int = 3
) -> tuple[WrittenAssert, ...]:
    """The asserts of a wrapper that resemble one that none of its kernels has, best first.

    Same words with other numbers come first, then the same line of a kernel.
    """
    wanted = without_spaces(logged.message)
    matcher = difflib.SequenceMatcher(b=wanted, autojunk=False)
    near: list[tuple[float, WrittenAssert]] = []
    for found in _written_asserts(index):
        if len(near) == _MOST_COMPARED:
            break
        matcher.set_seq1(without_spaces(found.message)[:400])
        same_line = logged.line is not None and found.kernel_line == logged.line
        near.append((matcher.ratio() + 0.2 * same_line, found))
    near.sort(key=lambda one: -one[0])
    return tuple(found for _, found in near[:most])


def _written_asserts(index: WrapperIndex) -> Iterator[WrittenAssert]:
    for kernel in index.kernels.values():
        for number, line in enumerate(kernel.lines, 1):
            match = _WRITTEN_ASSERT.match(line) if "device_assert(" in line else None
            if match is not None:
                place = kernel.wrapper_line(number)
                yield WrittenAssert(kernel.name, number, place, match[1])
