"""Which encoding a file is in: what PowerShell and Windows editors write is UTF-16."""

from __future__ import annotations

import codecs

_MARKS = (
    # UTF-32's little-endian mark starts with UTF-16's, so it is asked for first.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
_SAMPLE = 4096


def encoding_of(head: bytes) -> str:
    """The name of the encoding of a text that starts with ``head``, with a mark or without.

    UTF-16 without a mark is told by the zero bytes that text of mostly ASCII has in every other
    place; a log that a rotation left with zeros at its start has them in all.
    """
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    sample = head[:_SAMPLE]
    even, odd = sample[0::2], sample[1::2]
    share_even = even.count(0) / max(len(even), 1)
    share_odd = odd.count(0) / max(len(odd), 1)
    if share_odd > 0.6 and share_even < 0.2:
        return "utf-16-le"
    if share_even > 0.6 and share_odd < 0.2:
        return "utf-16-be"
    return "utf-8"
