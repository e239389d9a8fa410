"""Reading a log: from a file, from standard input, or as pasted."""

from __future__ import annotations

import sys
from pathlib import Path

from aoti_tui.artifacts.errors import ArtifactError


def open_log(path: str) -> str:
    """The text of a log; ``-`` reads standard input. Bytes that are no UTF-8 are replaced.

    Raises :class:`ArtifactError` when the file cannot be read or is empty.
    """
    if path == "-":
        data = sys.stdin.buffer.read()
        name = "standard input"
    else:
        name = path
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise ArtifactError(
                f"the log {path} cannot be read",
                error.strerror or str(error),
                "Give the path of the log, - for standard input, or paste it in the interface.",
            ) from error
    if not data.strip():
        raise ArtifactError(
            f"the log from {name} is empty", "it holds no text", "Give the log of the failed run."
        )
    if data.startswith((b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd")):
        raise ArtifactError(
            f"the log {name} is compressed",
            "it is no text as it stands",
            "Unpack it first, or pipe it: zcat FILE | aoti-tui … --log -",
        )
    return data.decode("utf-8", errors="replace")
