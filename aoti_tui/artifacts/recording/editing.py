"""A bundle made fit to be given away: the failing call alone, or noise in place of its floats."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aoti_tui.artifacts.bundle import MANIFEST, write_bundle
from aoti_tui.artifacts.core_dump.noise import FLOATS, noise_like
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.recording.torch_file import put_member
from aoti_tui.artifacts.saved_tensors import storage_types


def edited(source: Path, target: Path, *, only: int | None, redact: bool) -> tuple[int, int]:
    """Write ``source`` to ``target`` with call ``only`` alone (None: all), its floats replaced by
    noise where ``redact`` says so; the bytes written and how many tensors were replaced.

    Raises ArtifactError for a bundle of a core dump, which is redacted when it is extracted.
    """
    try:
        files = _files(source)
        manifest: dict[str, Any] = json.loads(files.pop(MANIFEST))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ArtifactError(
            f"the bundle {source} cannot be read", str(error), "Copy it again."
        ) from error
    if redact and manifest.get("core"):
        raise ArtifactError(
            f"{source} is of a core dump",
            "its floats are known where it is extracted",
            "Extract it again: aoti-tui core FILE --extract OUT.aoti --wrapper FILE --redact.",
        )
    if only is not None:
        _keep(manifest, only)
    if redact or only is not None:
        manifest["launches"] = []  # noise compares with nothing
    wanted = _wanted(manifest)
    kept = {name: data for name, data in files.items() if name in wanted}
    replaced = 0
    if redact:
        manifest["redacted"] = True
        for name in [name for name in kept if name.endswith(".pt")]:
            kept[name], changed = _noisy(kept[name], name)
            replaced += changed
    manifest.pop("format", None)
    manifest.pop("version", None)
    return write_bundle(target, manifest, kept), replaced


def _keep(manifest: dict[str, Any], only: int) -> None:
    (call,) = (one for one in manifest["calls"] if one["number"] == only)
    manifest |= {
        "calls": [call],
        "suspects": [only],
        "wrapper": call["wrapper"],
        "inputs": call["inputs"],
    }


def _wanted(manifest: Mapping[str, Any]) -> set[str]:
    """Names of the files that a manifest still speaks of."""
    named = [manifest.get(what) for what in ("wrapper", "core", "log", "inputs")]
    for call in manifest.get("calls") or ():
        named += [call.get("wrapper"), call.get("inputs")]
    for group in manifest.get("launches") or ():
        named += [group.get("wrapper"), group.get("file")]
    return {name for name in named if isinstance(name, str)}


def _files(source: Path) -> dict[str, bytes]:
    if source.is_dir():
        paths = (one for one in source.rglob("*") if one.is_file() and not one.is_symlink())
        return {one.relative_to(source).as_posix(): one.read_bytes() for one in paths}
    with zipfile.ZipFile(source) as packed:
        return {one.filename: packed.read(one) for one in packed.infolist() if not one.is_dir()}


def _noisy(data: bytes, name: str) -> tuple[bytes, int]:
    """A file of torch.save with its floats replaced, and how many tensors that were."""
    made = io.BytesIO()
    changed = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as held, zipfile.ZipFile(made, "w") as packed:
            types = storage_types(held)
            for number, entry in enumerate(held.infolist()):
                content = held.read(entry)
                dtype = types.get(entry.filename, "")
                if dtype.startswith(("float", "bfloat", "complex")) and content:
                    content = (
                        noise_like(content, dtype, number)
                        if dtype in FLOATS
                        else bytes(len(content))
                    )
                    changed += 1
                put_member(packed, entry.filename, content)
    except (ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ArtifactError(
            f"{name} of the bundle cannot be redacted", str(error), "Leave it out: --minimal."
        ) from error
    return made.getvalue(), changed
