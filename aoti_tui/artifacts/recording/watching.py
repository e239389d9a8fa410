"""Keeping a program's errors as it runs, and making its bundles when it is gone."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.recording.bundling import bundle_recorded, missing_words
from aoti_tui.artifacts.recording.reading import ENDS, processes_in, read_recorded
from aoti_tui.record import layout

_LOG = "log.txt"
_MOST_LOG = 256 << 20
_SIGNS = (b"Assertion `", b"CUDA error", b"CUDA driver error", b"illegal memory access")


@dataclass(frozen=True)
class Made:
    """A bundle that was written, and words on it."""

    path: Path
    words: str


def keep_errors(source: BinaryIO, sink: BinaryIO, folder: Path) -> bool:
    """Pass a program's errors on until there are no more, and keep them; whether a device's error
    was among them."""
    kept = 0
    seen = False
    before = b""
    log = _opened(folder / _LOG)
    while piece := source.read1(1 << 16) if hasattr(source, "read1") else source.read(1 << 16):
        sink.write(piece)
        sink.flush()
        seen = seen or any(sign in before[-40:] + piece for sign in _SIGNS)
        before = piece
        if log is not None and kept < _MOST_LOG:
            try:
                log.write(piece)
                log.flush()
                kept += len(piece)
            except OSError:
                log = None
    if log is not None:
        log.close()
    return seen


def _opened(path: Path) -> BinaryIO | None:
    try:
        return path.open("wb")
    except OSError:
        return None


def make_bundles(
    folder: Path, target: Path, *, failed: bool, ended: str, on_exit: bool
) -> list[Made]:
    """The bundles of all processes that failed: ``target`` itself for one, with the rank (or the
    process) in its name for several. Raises ArtifactError when one cannot be written."""
    found = [read_recorded(one) for one in processes_in(folder)]
    found = [one for one in found if one.calls]
    wanted = [
        one for one in found
        if on_exit or one.failed or one.state in (layout.RAISED, layout.FROZEN)
        or (failed and one.state == layout.RUNNING)
    ]  # fmt: skip
    if failed and not wanted:
        wanted = found[-1:]
    made = []
    for number, one in enumerate(wanted):
        path = target
        if len(wanted) > 1:
            rank = one.facts.get("rank")
            part = f"rank{rank}" if rank is not None else f"pid{one.facts.get('pid', number)}"
            path = target.with_name(f"{target.stem}.{part}{target.suffix}")
        said = ended if len(wanted) == 1 else ENDS[one.state]
        size, held = bundle_recorded(one, path, folder / _LOG, said)
        missing = missing_words(one.calls)
        words = f"{path}: {size:,} bytes, {held}"
        made.append(Made(path, words + (f"; not kept: {missing}" if missing else "")))
    return made


def watch(argv: Sequence[str]) -> None:
    """The watcher of a process that recorded by itself: its errors come on standard input, and the
    end of them is its end."""
    folder, target, on_exit = Path(argv[0]), Path(argv[1]), argv[2] == "1"
    seen = keep_errors(sys.stdin.buffer, sys.stdout.buffer, folder)
    time.sleep(0.1)
    clean = all(read_recorded(one).state == layout.ENDED for one in processes_in(folder))
    finish(folder, target, failed=seen or not clean, ended="", on_exit=on_exit)


def finish(folder: Path, target: Path, *, failed: bool, ended: str, on_exit: bool) -> list[Made]:
    """Make the bundles, say so, and remove the recording; it stays where they cannot be written."""
    try:
        made = make_bundles(folder, target, failed=failed, ended=ended, on_exit=on_exit)
    except (ArtifactError, OSError) as error:
        kept = f"the recording is kept: aoti-tui bundle {folder} -o FILE.aoti"
        print(f"aoti-tui record: {error}\naoti-tui record: {kept}", file=sys.stderr)
        return []
    for one in made:
        print(f"aoti-tui record: {one.words}", file=sys.stderr)
    if failed and not made:
        print("aoti-tui record: it failed, and no call was recorded before", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    sys.stderr.flush()
    return made


def environment(home: Path) -> dict[str, str]:
    """What makes every Python that is started look whether it is to record."""
    start = str(home / "aoti_tui" / "record" / "startup")
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {
        "PYTHONPATH": os.pathsep.join([start, *(one for one in path if one not in ("", start))])
    }
