"""Logs as files: encodings, pipes, devices, lines without an end."""

from __future__ import annotations

import codecs
import os
import threading
from pathlib import Path

import pytest

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.log_file import LONGEST_LINE, lines_of, open_log

TEXT = "99%|█▉| 9/9\rstep 1\r\n/x/cabc.py:37: unknown: block: [1,0,0] ≤\nend"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (b"", "utf-16-le"),
        (b"", "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
    ],
)
def test_every_encoding_is_the_same_text(tmp_path: Path, mark: bytes, encoding: str) -> None:
    path = tmp_path / "error.log"
    path.write_bytes(mark + TEXT.encode(encoding))
    assert "".join(open_log(str(path))) == TEXT


def test_zeros_at_the_start_are_not_taken_for_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "rotated.log"
    path.write_bytes(b"\0" * 8192 + TEXT.encode())
    assert "".join(open_log(str(path))).lstrip("\0") == TEXT


def test_a_line_without_an_end_comes_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "long.log"
    text = "x" * (LONGEST_LINE + 7) + "\nnext\n"
    path.write_text(text)
    pieces = list(open_log(str(path)))
    assert [len(p) for p in pieces] == [LONGEST_LINE, 8, 5]
    assert list(lines_of(text)) == pieces


def test_a_pipe_that_someone_writes_to_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(TEXT,))
    writer.start()
    try:
        assert "".join(open_log(str(path))) == TEXT
    finally:
        writer.join()


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/full"])
def test_a_device_is_a_message_and_no_wait(path: str) -> None:
    with pytest.raises(ArtifactError) as error:
        open_log(path)
    assert "device" in error.value.why


def test_a_folder_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError) as error:
        open_log(str(tmp_path))
    assert "folder" in error.value.why
