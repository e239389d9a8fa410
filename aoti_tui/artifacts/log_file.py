"""Reading a log: from a file, from standard input, or as pasted.

A log can have hundreds of megabytes, of which a few lines matter: it is handed out line by line.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, TypeAlias

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.pipes import open_to_read
from aoti_tui.artifacts.text_encoding import encoding_of

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LogText: TypeAlias = str | Iterable[str]
"""A log's text, or its lines (each with its line end), to be read once."""

LONGEST_LINE = 1 << 20
"""Characters after which a line is handed out in pieces."""
_HEAD = 1 << 16
_SPOOL = 1 << 24


def open_log(path: str) -> Iterator[str]:
    """The lines of a log; ``-`` reads standard input. Bytes that are no text are replaced.

    Lines keep their ``\\n``; one that is longer than :data:`LONGEST_LINE` comes in pieces. UTF-8
    and UTF-16, with a byte order mark or without. Raises :class:`ArtifactError` when the file
    cannot be read, is empty or is compressed.
    """
    name = "standard input" if path == "-" else path
    try:
        stream: IO[bytes] = _spooled_input() if path == "-" else open_to_read(path)
        head = stream.read(_HEAD)
    except OSError as error:
        raise ArtifactError(
            f"the log {path} cannot be read",
            error.strerror or str(error),
            "Give the path of the log, - for standard input, or paste it in the interface.",
        ) from error
    if not head.strip():
        raise ArtifactError(
            f"the log from {name} is empty", "it holds no text", "Give the log of the failed run."
        )
    if head.startswith((b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd")):
        raise ArtifactError(
            f"the log {name} is compressed",
            "it is no text as it stands",
            "Unpack it first, or pipe it: zcat FILE | aoti-tui … --log -",
        )
    return _lines(io.BufferedReader(_Again(head, stream), _HEAD), encoding_of(head))


def lines_of(text: str) -> Iterator[str]:
    """The lines of a text as :func:`open_log` hands them out, without a copy of the whole."""
    start = 0
    while start < len(text):
        end = text.find("\n", start, start + LONGEST_LINE) + 1 or start + LONGEST_LINE
        yield text[start:end]
        start = end


class _Again(io.RawIOBase):
    """A stream with the part that was read to look at it put back."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head = memoryview(head)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        target = memoryview(buffer).cast("B")
        given = bytes(self._head[: len(target)]) or self._rest.read(len(target))
        while given and not given.strip(b"\0") and self._skip_hole():
            given = self._rest.read(len(target))
        self._head = self._head[len(given) :]
        target[: len(given)] = given
        return len(given)

    def _skip_hole(self) -> bool:
        """Go on after a hole of a file, as the rotation of a log leaves one; whether it was one."""
        try:
            here = self._rest.tell()
            try:
                there = os.lseek(self._rest.fileno(), here, os.SEEK_DATA)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    return False
                there = os.fstat(self._rest.fileno()).st_size
            self._rest.seek(there)
        except (OSError, AttributeError):
            # A pipe has none, and not every system tells of them.
            return False
        return there > here

    def close(self) -> None:
        self._rest.close()
        super().close()


def _lines(stream: io.BufferedReader, encoding: str) -> Iterator[str]:
    # newline="\n": a carriage return is part of a line, progress bars are full of them.
    with io.TextIOWrapper(stream, encoding, errors="replace", newline="\n") as text:
        while line := text.readline(LONGEST_LINE):
            yield line


def _spooled_input() -> IO[bytes]:
    """Standard input, read whole: the interface takes the terminal in its place."""
    spool = tempfile.SpooledTemporaryFile(max_size=_SPOOL)  # noqa: SIM115
    shutil.copyfileobj(sys.stdin.buffer, spool)
    spool.seek(0)
    return spool
