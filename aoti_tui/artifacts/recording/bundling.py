"""The bundle of a recorded process: an ordinary zip, with a manifest that says what is in it."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aoti_tui.artifacts.bundle import write_bundle
from aoti_tui.artifacts.recording.kept_launches import launch_files, launches_words
from aoti_tui.artifacts.recording.launched import launched_wrapper
from aoti_tui.artifacts.recording.reading import ENDS, Recorded, RecordedCall, suspects
from aoti_tui.artifacts.recording.torch_file import write_values
from aoti_tui.record.hooks.aoti import wrapper_in

_LONGEST_LOG = 8 << 20


def bundle_recorded(
    recorded: Recorded, target: Path, log: Path | None, ended: str
) -> tuple[int, str]:
    """Write the bundle; its bytes, and words on what is in it. ``ended`` says how the program
    ended. Raises ArtifactError when it cannot be written."""
    with tempfile.TemporaryDirectory(prefix="aoti-tui-bundle-") as folder:
        files: dict[str, Path | str] = {}
        calls = [
            _call(recorded, one, Path(folder), files)
            for one in sorted(recorded.calls, key=lambda one: one.number)
        ]
        launches = launch_files(recorded, Path(folder), files)
        first = next(iter(suspects(recorded)), None)
        by_number = {one["number"]: one for one in calls}
        suspect = by_number.get(first.number) if first is not None else None
        manifest: dict[str, Any] = {
            "made_by": "record",
            "wrapper": suspect["wrapper"] if suspect else None,
            "inputs": suspect["inputs"] if suspect else None,
            "core": None,
            "log": None,
            "redacted": False,
            "suspects": [one.number for one in suspects(recorded)],
            "raised": recorded.failed or None,
            "error": recorded.error,
            "ended": ended or ENDS[recorded.state],
            "calls_begun": recorded.begun,
            "calls": calls,
            "launches": launches,
            "process": recorded.facts,
        }
        if log is not None and log.exists():
            manifest["log"] = "log.txt"
            files["log.txt"] = _end_of(log)
        words = f"the last {len(calls)} of {recorded.begun:,} calls"
        if launched := launches_words(recorded, launches):
            words += f"; {launched}"
        return write_bundle(target, manifest, files), words


def _call(
    recorded: Recorded, call: RecordedCall, folder: Path, files: dict[str, Path | str]
) -> dict[str, Any]:
    site = recorded.sites.get(call.site, {})
    kind = str(site.get("kind", ""))
    inputs = f"calls/{call.number}.pt"
    path = folder / f"{call.number}.pt"
    values = call.values
    wrapper = None
    text = site.get("text")
    if kind == "launch":
        source = (recorded.folder / str(text)).read_text(encoding="utf-8") if text else ""
        made = launched_wrapper(site, source, call)
        wrapper = f"wrappers/{call.number}/{site.get('name', 'kernel')}.py"
        files[wrapper] = made
        values = tuple(
            v for v, a in zip(values, call.arguments, strict=True) if a["kind"] == "tensor"
        )
    elif text:
        name = "output_code.py" if kind == "compile" else f"{site.get('name', 'model')}.wrapper.cpp"
        wrapper = f"wrappers/site-{call.site}/{name}"
        files.setdefault(wrapper, recorded.folder / str(text))
    elif kind == "aoti" and (found := wrapper_in(str(site.get("path", "")), str(site.get("name")))):
        # A C++ program does not look into its packages.
        wrapper = f"wrappers/site-{call.site}/{site.get('name', 'model')}.wrapper.cpp"
        files.setdefault(wrapper, found)
    write_values(path, values)
    files[inputs] = path
    return {
        "number": call.number,
        "kind": kind,
        "name": site.get("name", ""),
        "of": site.get("path") or site.get("cache_key") or "",
        "state": call.state,
        "time": call.time,
        "stream": call.stream,
        "thread": call.thread,
        "wrapper": wrapper,
        "inputs": inputs,
        "arguments": list(call.arguments),
        **call.more,
    }


def _end_of(log: Path) -> str:
    """The log, or its beginning and end where it is long: a failure's first lines count most."""
    data = log.read_bytes()
    if len(data) > _LONGEST_LOG:
        half = _LONGEST_LOG // 2
        data = data[:half] + b"\n... lines cut ...\n" + data[-half:]
    return data.decode("utf-8", errors="replace")


def missing_words(calls: Sequence[RecordedCall]) -> str:
    """What of the calls' data is not kept, for people; ``""`` where all is."""
    why: dict[str, int] = {}
    for call in calls:
        for one in call.arguments:
            if one.get("why"):
                why[one["why"]] = why.get(one["why"], 0) + 1
    return "; ".join(f"{count} × {words}" for words, count in why.items())
