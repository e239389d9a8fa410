"""What damage and malice do to a file: strategies of hypothesis over bytes, texts and zips."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

from hypothesis import strategies as st

HOSTILE = [
    *(b"", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\n", b"\r", b"\t", b"\\", b"'", b'"', b'"""'),
    *(b"-1", b"0", b"1e999", b"nan", b"9" * 30, b"9" * 5000, b"0x" + b"f" * 400, b"1 << 99999"),
    *(b"(" * 3000, b"[" * 3000, b"{" * 3000, b"-" * 3000, b"a+" * 3000, b"*/", b"/*", b"//"),
    *(b"\x1b]52;c;QQ==\x07", b"\x1b[2J", b"\xc2\x9b31m", "\u202eevil".encode(), b"%n%s{0}{x!r}"),
    *(b"__import__('os').system('true')", b"lambda: 0", b"tl.math.wraps", b"xnumel", b"nan // 0"),
    *(b"../../../etc/passwd", b"/dev/zero", b"AAAAAAAA" * 4000, b"inf", b"True", b"None"),
]
"""Tokens that have broken readers: numbers, nesting, orders to a terminal, code, paths."""

_NUMBER = re.compile(rb"\d+")
_NAME = re.compile(rb"[A-Za-z_]\w*")
MOST_EDITS = 6


@st.composite
def mutated(draw: st.DrawFn, seed: bytes) -> bytes:
    """A file with a few places of it changed, left out, doubled or replaced by a hostile token."""
    data = bytearray(seed)
    for _ in range(draw(st.integers(1, MOST_EDITS))):
        _edit(draw, data)
    return bytes(data)


def _edit(draw: st.DrawFn, data: bytearray) -> None:
    at = draw(st.integers(0, max(0, len(data) - 1)))
    end = min(len(data), at + draw(st.integers(0, 64)))
    how = draw(st.sampled_from(["flip", "cut", "double", "put", "number", "name", "end", "move"]))
    if how == "flip" and data:
        data[at] = draw(st.integers(0, 255))
    elif how == "cut":
        del data[at:end]
    elif how == "double":
        data[end:end] = data[at:end] * draw(st.sampled_from([1, 2, 50]))
    elif how == "put":
        data[at:at] = draw(st.sampled_from(HOSTILE))
    elif how in ("number", "name"):
        found = (_NUMBER if how == "number" else _NAME).search(data, at)
        if found is not None:
            data[found.start() : found.end()] = draw(st.sampled_from(HOSTILE))
    elif how == "end":
        del data[at:]
    else:
        piece = data[at:end]
        del data[at:end]
        to = draw(st.integers(0, len(data)))
        data[to:to] = piece


def mutated_zip(seed: bytes) -> st.SearchStrategy[bytes]:
    """A zip whose bytes are damaged, or that is whole and has a damaged member."""
    with zipfile.ZipFile(io.BytesIO(seed)) as package:
        members = {name: package.read(name) for name in package.namelist()}

    def packed(name: str, method: int) -> Callable[[bytes], bytes]:
        def pack(content: bytes) -> bytes:
            target = io.BytesIO()
            with zipfile.ZipFile(target, "w", method) as package:
                for other, data in members.items():
                    package.writestr(other, content if other == name else data)
            return target.getvalue()

        return pack

    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    whole = [
        mutated(data).map(packed(name, method))
        for name, data in members.items()
        for method in methods
    ]
    return st.one_of(mutated(seed), *whole)
