"""A bundle: one zip with all that a replay needs, to be attached to a ticket.

``manifest.json`` says what is in it (``format``, ``version``, ``made_by``) and where: ``wrapper``,
``core``, ``log``, each a path inside of the zip or null. Nothing in it is trusted: names are only
read from the manifest, sizes are limited, and nothing is written outside of a folder of our own.
"""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from aoti_tui.artifacts.errors import ArtifactError

FORMAT = "aoti-tui bundle"
VERSION = 1
MANIFEST = "manifest.json"
_LARGEST = 1 << 32
_LARGEST_MANIFEST = 1 << 24
_DAMAGE = (zipfile.BadZipFile, OSError, ValueError, KeyError, EOFError, RuntimeError)


@dataclass(frozen=True)
class Bundle:
    """What a bundle holds, unpacked; the files are gone when ``opened`` is closed."""

    manifest: Mapping[str, Any]
    wrapper: Path | None
    core: Path | None
    log: Path | None
    opened: ExitStack


def is_bundle(path: Path) -> bool:
    """Whether a file is a zip with a manifest of ours."""
    if not path.is_file():
        return False
    try:
        with zipfile.ZipFile(path) as packed:
            return _manifest(packed).get("format") == FORMAT
    except _DAMAGE:
        return False


def write_bundle(path: Path, manifest: Mapping[str, Any], files: Mapping[str, Path | str]) -> int:
    """Write a bundle of files and texts by their names in it; how many bytes it has. Raises
    ArtifactError when it cannot be written; a file that was there is kept then."""
    partial = path.with_name(f".{path.name}.partial")
    whole = {"format": FORMAT, "version": VERSION, **manifest}
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(MANIFEST, json.dumps(whole, indent=1, ensure_ascii=False))
            for name, content in files.items():
                if isinstance(content, Path):
                    packed.write(content, name)
                else:
                    packed.writestr(name, content)
        size = partial.stat().st_size
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ArtifactError(
            f"the bundle {path} cannot be written",
            error.strerror or str(error),
            "Name a file in a folder that exists and is yours, with room for it.",
        ) from error
    return size


def open_bundle(path: Path) -> Bundle:
    """Unpack a bundle. Raises ArtifactError for one that is damaged or of a newer version."""
    stack = ExitStack()
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="aoti-tui-bundle-")))
    try:
        with zipfile.ZipFile(path) as packed:
            manifest = _manifest(packed)
            if int(manifest.get("version", 0)) > VERSION:
                stack.close()
                raise ArtifactError(
                    f"the bundle {path} is of version {manifest['version']}",
                    f"this aoti-tui reads bundles up to version {VERSION}",
                    "Update aoti-tui.",
                )
            held = {
                what: _unpacked(packed, manifest.get(what), folder)
                for what in ("wrapper", "core", "log")
            }
    except _DAMAGE as error:
        stack.close()
        raise ArtifactError(
            f"the bundle {path} cannot be read", str(error) or "it is damaged", "Copy it again."
        ) from error
    return Bundle(manifest, held["wrapper"], held["core"], held["log"], stack)


def _manifest(packed: zipfile.ZipFile) -> dict[str, Any]:
    entry = packed.getinfo(MANIFEST)
    if entry.file_size > _LARGEST_MANIFEST:
        raise ValueError(f"its manifest has {entry.file_size:,} bytes")
    found = json.loads(packed.read(entry))
    if not isinstance(found, dict):
        raise ValueError("its manifest is no object")
    return found


def _unpacked(packed: zipfile.ZipFile, name: object, folder: Path) -> Path | None:
    """A file of the bundle in the folder, under its own name without folders."""
    if not isinstance(name, str):
        return None
    entry = packed.getinfo(name)
    if entry.file_size > _LARGEST:
        raise ValueError(f"{name} has {entry.file_size:,} bytes")
    target = folder / (PurePosixPath(name).name or "file")
    with packed.open(entry) as source, target.open("wb") as sink:
        left = _LARGEST
        while piece := source.read(1 << 20):
            left -= len(piece)
            if left < 0:
                raise ValueError(f"{name} unpacks to more than it says")
            sink.write(piece)
    return target
