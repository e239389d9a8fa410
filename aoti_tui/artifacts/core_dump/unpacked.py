"""A compressed dump as a plain file: unpacked piece by piece, zeros left as holes."""

from __future__ import annotations

import gzip
import lzma
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

import zstandard

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.pipes import open_to_read

_PIECE = 1 << 20
_DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error, zstandard.ZstdError)
_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
_SPARE = 1 << 30
"""Bytes that are left free on the disk."""


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The file itself, or a temporary one with what it packs, gone when the context ends.

    Raises :class:`ArtifactError` for one that cannot be read, is damaged, or does not fit.
    """
    try:
        with open_to_read(str(path)) as stream:
            head = stream.read(6)
    except OSError as error:
        raise ArtifactError(
            f"the core dump {path} cannot be read",
            error.strerror or str(error),
            "Give the path of the file that the driver wrote.",
        ) from error
    if not head.startswith((_GZIP, _XZ, _ZSTD)):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="aoti-tui-core-") as folder:
        target = Path(folder, path.stem)
        try:
            with _opened(path, head) as source, target.open("wb") as sink:
                _copy(source, sink, path)
        except ArtifactError:
            raise
        except _DAMAGE as error:
            if target.exists() and target.stat().st_size:
                # What is there may hold the failing launch: the reader says what is missing.
                yield target
                return
            raise ArtifactError(
                f"the core dump {path} cannot be unpacked",
                str(error) or type(error).__name__,
                "Copy it again, or unpack it first.",
            ) from error
        yield target


def head_of(path: Path, size: int) -> bytes:
    """The first bytes of a file, unpacked; none of one that cannot be read."""
    try:
        with open_to_read(str(path)) as stream:
            head = stream.read(size)
        if head.startswith((_GZIP, _XZ, _ZSTD)):
            with _opened(path, head) as source:
                head = source.read(size)
    except _DAMAGE:
        return b""
    return head


def _opened(path: Path, head: bytes) -> BinaryIO:
    opener = gzip.open if head.startswith(_GZIP) else lzma.open
    return cast(BinaryIO, zstandard.open(path) if head.startswith(_ZSTD) else opener(path))


def _copy(source: IO[bytes], sink: IO[bytes], path: Path) -> None:
    """Copy, skipping over zeros; stop before the disk is full."""
    zeros = bytes(_PIECE)
    size = 0
    while piece := source.read(_PIECE):
        size += len(piece)
        if piece == zeros[: len(piece)]:
            sink.seek(size)
            continue
        if size % (_PIECE << 6) < _PIECE:
            _check_room(sink, path)
        sink.write(piece)
    sink.truncate(size)


def _check_room(sink: IO[bytes], path: Path) -> None:
    disk = os.fstatvfs(sink.fileno())
    if disk.f_bavail * disk.f_frsize < _SPARE:
        raise ArtifactError(
            f"there is no room to unpack {path}",
            f"less than {_SPARE >> 30} GiB would be left free in {tempfile.gettempdir()}",
            "Unpack it yourself where there is room, or set TMPDIR.",
        )
