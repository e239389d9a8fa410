"""Calls as a process would have recorded them: real wrappers, inputs and logs of an H200."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aoti_tui.artifacts.recording.watching import Made, make_bundles
from aoti_tui.record.options import Options
from aoti_tui.record.recorder import Recorder

DATA = Path(__file__).parents[1] / "data"


def recorder_in(folder: Path, **options: Any) -> Recorder:
    return Recorder(folder, Options(**{"ring": 1 << 20, **options}))


def record_calls(kept: Recorder, wrapper: Path, calls: Sequence[Sequence[Any]]) -> list[int]:
    """The numbers of calls of one wrapper with these arguments, each of which returned."""
    kind = "compile" if wrapper.suffix == ".py" else "aoti"
    suffix = ".py" if kind == "compile" else ".wrapper.cpp"
    site = kept.site(str(wrapper), {"kind": kind, "name": "model"}, wrapper.read_text(), suffix)
    numbers = []
    for arguments in calls:
        number = kept.begin(site, arguments)
        kept.end(number)
        numbers.append(number)
    return numbers


def bundled(folder: Path, log: Path | None, ended: str = "signal SIGABRT") -> list[Made]:
    """The bundles of what was recorded in a folder, by a program that failed."""
    if log is not None:
        shutil.copy(log, folder / "log.txt")
    return make_bundles(folder, folder / "call.aoti", failed=True, ended=ended, on_exit=False)
