"""A bundle: one zip with all that a replay needs, to be attached to a ticket.

``manifest.json`` says what is in it (``format``, ``version``, ``made_by``) and where: ``wrapper``,
``core``, ``log``, ``inputs``, each a path inside of the zip or null; ``calls`` are those that were
recorded. A folder with the same files is one as well. Nothing in it is trusted: names are only read
from the manifest, sizes are limited, and nothing is written outside of a folder of our own.
"""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from aoti_tui.artifacts.errors import ArtifactError

FORMAT = "aoti-tui bundle"
VERSION = 1
MANIFEST = "manifest.json"
_LARGEST = 1 << 32
_LARGEST_MANIFEST = 1 << 24
_PIECE = 1 << 20
_LOOK_EVERY = _PIECE << 6
_SPARE = 1 << 30
"""Bytes that are left free on the disk."""
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    OverflowError,
    MemoryError,
    OSError,
    ValueError,
    KeyError,
    EOFError,
    RuntimeError,
    TypeError,
    AttributeError,
)


@dataclass(frozen=True)
class Bundle:
    """What a bundle holds, unpacked; the files are gone when ``opened`` is closed."""

    manifest: Mapping[str, Any]
    wrapper: Path | None
    core: Path | None
    log: Path | None
    opened: ExitStack
    inputs: Path | None = None
    calls: tuple[BundledCall, ...] = ()
    """Recorded calls, that which most likely failed first."""
    launches: tuple[BundledLaunches, ...] = ()


@dataclass(frozen=True)
class BundledLaunches:
    """Launches of a wrapper's kernels with their arguments before and after, unpacked."""

    wrapper: Path
    file: Path


@dataclass(frozen=True)
class BundledCall:
    """A recorded call; ``wrapper`` and ``inputs`` are unpacked, None for what it has not."""

    number: int
    kind: str
    name: str
    wrapper: Path | None
    inputs: Path | None
    missing: tuple[str, ...]
    """Of which arguments the data is not recorded, and why."""


def is_bundle(path: Path) -> bool:
    """Whether a file is a zip with a manifest of ours, or a folder has one."""
    if not path.is_file() and not (path / MANIFEST).is_file():
        return False
    try:
        with _opened(path) as packed:
            return _manifest(packed).get("format") == FORMAT
    except _DAMAGE:
        return False


def write_bundle(
    path: Path, manifest: Mapping[str, Any], files: Mapping[str, Path | str | bytes]
) -> int:
    """Write a bundle of files and texts by their names in it; how many bytes it has. Raises
    ArtifactError when it cannot be written; a file that was there is kept then."""
    partial = path.with_name(f".{path.name}.partial")
    whole = {"format": FORMAT, "version": VERSION, **manifest}
    try:
        if path.exists() and not path.is_file():
            raise OSError(0, "it is a folder, a pipe or a device")
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
        with suppress(OSError):
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
        with _opened(path) as packed:
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
                for what in ("wrapper", "core", "log", "inputs")
            }
            calls = _calls(packed, manifest, folder)
            launches = _launches(packed, manifest, folder)
    except _DAMAGE as error:
        stack.close()
        raise ArtifactError(
            f"the bundle {path} cannot be read", str(error) or "it is damaged", "Copy it again."
        ) from error
    return Bundle(
        manifest, held["wrapper"], held["core"], held["log"], stack, held["inputs"], calls, launches
    )


class _Folder:
    """An unpacked bundle, read as a zip is."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()

    def __enter__(self) -> _Folder:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def size(self, name: str) -> int:
        return self._inside(name).stat().st_size

    def open(self, name: str) -> IO[bytes]:
        return self._inside(name).open("rb")

    def _inside(self, name: str) -> Path:
        found = (self._path / name).resolve()
        if not found.is_relative_to(self._path) or not found.is_file():
            raise ValueError(f"{name} is no file of its folder")
        return found


class _Zip(zipfile.ZipFile):
    def size(self, name: str) -> int:
        return self.getinfo(name).file_size


def _opened(path: Path) -> _Folder | _Zip:
    return _Folder(path) if path.is_dir() else _Zip(path)


def _manifest(packed: _Folder | _Zip) -> dict[str, Any]:
    size = packed.size(MANIFEST)
    if size > _LARGEST_MANIFEST:
        raise ValueError(f"its manifest has {size:,} bytes")
    with packed.open(MANIFEST) as file:
        found = json.loads(file.read())
    if not isinstance(found, dict):
        raise ValueError("its manifest is no object")
    return found


def _calls(
    packed: _Folder | _Zip, manifest: Mapping[str, Any], folder: Path
) -> tuple[BundledCall, ...]:
    """The recorded calls, unpacked; a wrapper that several share once."""
    order = {number: place for place, number in enumerate(manifest.get("suspects") or ())}
    wrappers: dict[object, Path | None] = {}
    found = []
    for one in manifest.get("calls") or ():
        own = folder / f"call-{int(one['number'])}"
        own.mkdir(exist_ok=True)
        name = one.get("wrapper")
        if name not in wrappers:
            wrappers[name] = _unpacked(packed, name, own)
        missing = tuple(
            f"argument {place} ({words})"
            for place, argument in enumerate(one.get("arguments") or ())
            if (words := str(argument.get("why") or ""))
        )
        inputs = _unpacked(packed, one.get("inputs"), own)
        call = BundledCall(
            int(one["number"]), str(one.get("kind", "")), str(one.get("name", "")),
            wrappers[name], inputs, missing,
        )  # fmt: skip
        found.append(call)
    return tuple(sorted(found, key=lambda call: order.get(call.number, len(order))))


def _launches(
    packed: _Folder | _Zip, manifest: Mapping[str, Any], folder: Path
) -> tuple[BundledLaunches, ...]:
    found = []
    for number, one in enumerate(manifest.get("launches") or ()):
        own = folder / f"launches-{number}"
        own.mkdir(exist_ok=True)
        wrapper = _unpacked(packed, one.get("wrapper"), own)
        file = _unpacked(packed, one.get("file"), own)
        if wrapper is not None and file is not None:
            found.append(BundledLaunches(wrapper, file))
    return tuple(found)


def _unpacked(packed: _Folder | _Zip, name: object, folder: Path) -> Path | None:
    """A file of the bundle in the folder, under its own name without folders."""
    if not isinstance(name, str):
        return None
    size = packed.size(name)
    if size > _LARGEST:
        raise ValueError(f"{name} has {size:,} bytes")
    target = folder / (PurePosixPath(name).name or "file")
    with packed.open(name) as source, target.open("wb") as sink:
        read = 0
        while piece := source.read(_PIECE):
            if read % _LOOK_EVERY == 0:
                disk = os.fstatvfs(sink.fileno())
                if disk.f_bavail * disk.f_frsize < _SPARE:
                    raise ValueError(f"there is no room to unpack {name}")
            read += len(piece)
            if read > _LARGEST:
                raise ValueError(f"{name} unpacks to more than it says")
            if piece.count(0) == len(piece):
                # Much of little is zeros: they take no room.
                sink.seek(read)
            else:
                sink.write(piece)
        sink.truncate(read)
    return target
