"""Frames on the worker's pipes: one JSON header line, then the bytes of its blobs."""

from __future__ import annotations

import json
from typing import Any, BinaryIO, Union

Blob = Union[bytes, bytearray, memoryview]


class FrameError(Exception):
    """The stream is not made of frames; nothing sensible can follow."""


class Blobs:
    """Collects the blobs of one reply; `add` gives the position to refer to it by."""

    def __init__(self) -> None:
        self.parts: list[Blob] = []

    def add(self, data: Blob) -> int:
        self.parts.append(data)
        return len(self.parts) - 1


def read_frame(stream: BinaryIO) -> tuple[dict[str, Any], list[bytes]] | None:
    """The next header and its blobs, or None at the end of the stream.

    Raises FrameError when the bytes are no frame or stop in the middle of one.
    """
    line = stream.readline()
    if not line:
        return None
    try:
        header = json.loads(line)
    except ValueError as error:
        raise FrameError(f"not a JSON header: {line[:80]!r}") from error
    if not isinstance(header, dict):
        raise FrameError(f"a header must be an object: {line[:80]!r}")
    blobs = []
    for length in header.get("blobs") or ():
        data = stream.read(length)
        if len(data) != length:
            raise FrameError("the stream ended inside a blob")
        blobs.append(data)
    return header, blobs


def write_frame(stream: BinaryIO, header: dict[str, Any], blobs: Blobs | None = None) -> None:
    """Write one frame and flush it."""
    if blobs is not None and blobs.parts:
        header = {**header, "blobs": [len(memoryview(part).cast("B")) for part in blobs.parts]}
    stream.write(json.dumps(header, separators=(",", ":")).encode() + b"\n")
    if blobs is not None:
        for part in blobs.parts:
            stream.write(part)
    stream.flush()
