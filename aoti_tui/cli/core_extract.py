"""``aoti-tui core FILE --extract``: the failing launch alone, small enough for a ticket."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from aoti_tui.answer.indexing import indexed
from aoti_tui.artifacts.bundle import write_bundle
from aoti_tui.artifacts.core_dump.extract import Part, parts_by_pointer, write_extract
from aoti_tui.artifacts.core_dump.noise import FLOATS, noise_like
from aoti_tui.artifacts.core_dump.reading import DumpFile
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.wrapper_file import WrapperText, open_wrapper
from aoti_tui.cli.core_json import info_json
from aoti_tui.replay.core_dump.failing_launch import failing_launch
from aoti_tui.replay.core_dump.memory import captured_of
from aoti_tui.replay.data.captured_files import CapturedMemory

_MOST_WITHOUT_WRAPPER = 16 << 20
"""Bytes of memory that are kept behind a pointer when nothing says how large its tensor is."""
_CORE = "core.cudacore"


def extracted(opened: DumpFile, target: Path, wrapper: Path | None, *, redact: bool) -> str:
    """Write the extract; what it holds, in words. Raises ArtifactError."""
    launch = opened.dump.failing
    if launch is None:
        raise ArtifactError(
            f"{opened.path} has no launch to extract",
            "no kernel was running, or none of several failed",
            "Look at it with --info.",
        )
    source = open_wrapper(wrapper) if wrapper is not None else None
    if source is None:
        parts = parts_by_pointer(launch, opened, _MOST_WITHOUT_WRAPPER)
        types: dict[int, str] = {}
    else:
        parts, types = _by_tensor(opened, source)
    changed: dict[int, bytes] = {}
    for number, part in enumerate(parts):
        dtype = types.get(part.address, "")
        if redact and dtype in FLOATS:
            held = opened.memory(part.address, part.size) or b""
            changed[part.address] = noise_like(held, dtype, number)
    with tempfile.TemporaryDirectory(prefix="aoti-tui-extract-") as folder:
        core = Path(folder, _CORE)
        with core.open("w+b") as stream:
            write_extract(opened, parts, stream, changed)
        files: dict[str, Path | str] = {_CORE: core}
        manifest: dict[str, Any] = {
            "made_by": "core",
            "core": _CORE,
            "redacted": redact,
            "wrapper": None,
            "log": None,
            "dump": info_json(opened.dump),
        }
        if source is not None:
            manifest["wrapper"] = f"wrapper/{source.path.name}"
            files[manifest["wrapper"]] = source.text
        size = write_bundle(target, manifest, files)
    kept = sum(part.size for part in parts)
    whole = opened.dump.memory_bytes
    noise = f", {len(changed)} tensors of floats replaced by noise" if redact else ""
    return (
        f"{target}: {size:,} bytes; {kept:,} of {whole:,} bytes of memory are kept, those of "
        f"{launch.name or 'the failing launch'}{noise}"
    )


def _by_tensor(opened: DumpFile, source: WrapperText) -> tuple[tuple[Part, ...], dict[int, str]]:
    """The memory of the failing launch's tensors, with the type of each by its address."""
    index = indexed(source, None)
    found = failing_launch(index, opened.dump)
    if found is None or found.passed is None:
        raise ArtifactError(
            f"{source.name} is not the wrapper of this dump",
            found.notes[0] if found is not None else "none of its kernels was running",
            "Leave --wrapper out, or give that of the run.",
        )
    captured, _ = captured_of(index, opened.dump, opened.plain, found)
    parts: dict[int, int] = {}
    types: dict[int, str] = {}
    for held in captured.files.values():
        if not isinstance(held, CapturedMemory):
            continue
        for offset, size in held.pieces:
            inside = next(m for m in opened.dump.memory if m.offset <= offset < m.offset + m.size)
            address = inside.address + offset - inside.offset
            parts[address] = max(size, parts.get(address, 0))
            types[address] = held.dtype
    return _apart(parts), types


def _apart(parts: dict[int, int]) -> tuple[Part, ...]:
    """Parts that do not overlap: a view of a tensor lies inside of it."""
    kept: list[Part] = []
    for address in sorted(parts):
        end = kept[-1].address + kept[-1].size if kept else 0
        start = max(address, end)
        if address + parts[address] > start:
            kept.append(Part(start, address + parts[address] - start))
    return tuple(kept)
