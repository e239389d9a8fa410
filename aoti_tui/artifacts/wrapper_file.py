"""Finding the wrapper's text in what the user has: a file, a ``.pt2`` package or a folder.

torch.compile writes ``output_code.py`` into its debug folder, and the same text under the name of
its hash into the cache folder. A package is a zip with
``…/data/aotinductor/<model>/<hash>.wrapper.cpp`` for each model
(torch/export/pt2_archive/constants.py); it is read in place.
"""

from __future__ import annotations

import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.graph_ids import graph_id
from aoti_tui.artifacts.pipes import open_to_read
from aoti_tui.artifacts.text_encoding import encoding_of

_WRAPPER_END = ".wrapper.cpp"
_WRAPPER_MARK = b"AOTInductorModel::run_impl("
"""What a wrapper under another name holds: torch 2.6 and older call it ``<hash>.cpp``."""
_GRAPH_MARK = b"# AOT ID: ["
"""What a wrapper of torch.compile begins with, whatever it is called."""
_BLOCK_MARK = b"Compile-time auto-tuning block:"
"""What it begins with where kernels are tuned first; then either mark below follows."""
_BEHIND_BLOCK = (_GRAPH_MARK, b"\ncpp_wrapper_src = ")
_LARGEST = 512 * 1024 * 1024
_MOST_FILES = 200_000
_MOST_RATIO = 200
"""Text of a wrapper packs about ten to one."""
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
    IndexError,
    struct.error,
)
"""What reading a damaged zip raises."""


class NoWrapper(ArtifactError):
    """A folder or package holds no wrapper of AOTInductor."""


@dataclass(frozen=True, slots=True)
class WrapperText:
    """The text of a wrapper and how to call it.

    ``member`` is the path inside a package; ``model`` the package's name of the model.
    """

    path: Path
    text: str
    member: str = ""
    model: str = ""
    debug: Path | None = None
    """The folder of TORCH_COMPILE_DEBUG that holds the same graph, with what else is told of it."""

    @property
    def graph(self) -> str:
        """The AOT id of a graph of torch.compile (``0_inference``); ``""`` of any other."""
        return graph_id(self.text, str(self.path))

    @property
    def name(self) -> str:
        return f"{self.path.name}:{self.model}" if self.model else self.path.name

    @property
    def folder(self) -> Path:
        return self.path.parent


def open_wrapper(path: Path, model: str | None = None) -> WrapperText:
    """The wrapper of a file, or AOTInductor's of a package or folder.

    ``model`` chooses one of several. Raises :class:`ArtifactError` when there is none, when
    several are there and none was chosen, and when the file cannot be read as text.
    """
    if path.is_dir():
        return _from_folder(path, model)
    if not path.exists():
        raise ArtifactError(
            f"{path} was not found",
            "no file of that name exists",
            "Give the path of a *.wrapper.cpp, an output_code.py, a .pt2 package or a folder that "
            "holds one.",
        )
    if is_package(path):
        return _from_package(path, model)
    return WrapperText(path, read_text(path))


def is_package(path: Path) -> bool:
    """Whether a file is a zip; a pipe is none, and a device an :class:`ArtifactError`."""
    mode = path.stat().st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        raise ArtifactError(
            f"{path} cannot be read", "it is a device, not a file", "Give the wrapper's file."
        )
    try:
        return stat.S_ISREG(mode) and zipfile.is_zipfile(path)
    except (zipfile.BadZipFile, OSError):
        # is_zipfile() itself stumbles over some ends of a file; opening it says over what.
        return True


def read_text(path: Path) -> str:
    """The text of a file; an :class:`ArtifactError` for one that is unreadable, empty or binary."""
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            raise ArtifactError(
                f"{path} is too large",
                f"it has {size // 2**20} MB, at most {_LARGEST // 2**20} MB are read",
                "Give the wrapper itself.",
            )
        with open_to_read(str(path)) as file:
            data = file.read(_LARGEST)
    except OSError as error:
        raise ArtifactError(
            f"{path} cannot be read", error.strerror or str(error), "Check the path and its rights."
        ) from error
    return decode(data, str(path))


def decode(data: bytes, name: str) -> str:
    """Text out of bytes; an :class:`ArtifactError` when they are empty or no text."""
    if not data.strip():
        raise ArtifactError(
            f"{name} is empty",
            "it holds no text",
            "Give the *.wrapper.cpp or output_code.py that the compiler wrote, or the .pt2 "
            "package.",
        )
    encoding = encoding_of(data)
    if encoding == "utf-8" and b"\0" in data[:65536]:
        raise ArtifactError(
            f"{name} is not text",
            f"it is a binary file ({_kind_of(data)})",
            "Give the *.wrapper.cpp that stands beside it, or the .pt2 package.",
        )
    return data.decode(encoding, errors="replace").replace("\r\n", "\n")


def _kind_of(data: bytes) -> str:
    if data.startswith(b"\x7fELF"):
        return "an ELF object or shared library, perhaps the compiled wrapper.so"
    if data.startswith(b"PK"):
        return "a damaged zip"
    return "not source code"


def _from_folder(folder: Path, model: str | None) -> WrapperText:
    wrappers: list[Path] = []
    packages: list[Path] = []
    others: list[Path] = []
    for count, name in enumerate(_files_below(folder)):
        if count > _MOST_FILES:
            break
        if name.endswith((_WRAPPER_END, f"{os.sep}wrapper.cpp")):
            wrappers.append(Path(name))
        elif name.endswith(".pt2"):
            packages.append(Path(name))
        elif name.endswith(".cpp"):
            others.append(Path(name))
    wrappers = wrappers or [p for p in others if _is_wrapper(p)]
    found = sorted(wrappers) or sorted(packages)
    chosen = [p for p in found if model is None or model in (p.parent.name, p.name, str(p))]
    if model is not None and not chosen and len(packages) == 1 and not wrappers:
        chosen = packages
    if not chosen:
        if found and model is not None:
            raise no_such_model(folder, model, [_label(folder, p) for p in found])
        raise NoWrapper(
            f"{folder} holds no wrapper",
            "no *.wrapper.cpp, no .pt2 and no output_code.py was found in it or below",
            "Give the folder of an unpacked package or of TORCHINDUCTOR_CACHE_DIR, or the file.",
        )
    if len(chosen) > 1:
        raise ArtifactError(
            f"{folder} holds {len(chosen)} wrappers",
            "which one is meant is not known:\n  "
            + "\n  ".join(_label(folder, p) for p in chosen[:40]),
            "Give the path of one of them, or choose with --model NAME.",
        )
    return open_wrapper(chosen[0], model if chosen[0].suffix == ".pt2" else None)


def _is_wrapper(path: Path) -> bool:
    try:
        return path.stat().st_size <= _LARGEST and _WRAPPER_MARK in path.read_bytes()
    except OSError:
        return False


def is_graph_file(path: Path) -> bool:
    """Whether a file begins as a wrapper of torch.compile does."""
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return False
        with path.open("rb") as file:
            head = file.read(4096)
            return is_graph(head, lambda: head + file.read())
    except OSError:
        return False


def is_graph(head: bytes, whole: Callable[[], bytes]) -> bool:
    """Whether a text that begins with ``head`` is a wrapper of torch.compile; ``whole`` gives all
    of it, where the beginning does not decide."""
    if _BLOCK_MARK in head:
        text = whole()
        return any(mark in text for mark in _BEHIND_BLOCK)
    return _GRAPH_MARK in head


def _label(folder: Path, path: Path) -> str:
    return str(path.relative_to(folder))


def _files_below(folder: Path) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(files):
            yield os.path.join(root, name)


def no_such_model(path: Path, model: str, names: list[str]) -> ArtifactError:
    return ArtifactError(
        f"{path} holds no model {model}",
        "it holds:\n  " + "\n  ".join(names[:40]),
        "Choose one of these with --model NAME.",
    )


def package_models(path: Path) -> dict[str, str]:
    """The wrappers of a package: model name to member path.

    Two wrappers of one model are told apart by their file name.
    """
    with zipfile.ZipFile(path) as package:
        names = [i.filename for i in package.infolist()]
        if len(names) > _MOST_FILES:
            raise zipfile.BadZipFile(f"it holds {len(names)} files")
        members = [n for n in names if n.endswith(_WRAPPER_END)] or [
            n for n in names if n.endswith(".cpp") and _WRAPPER_MARK in member_of(package, n)
        ]
    models: dict[str, str] = {}
    for member in members:
        parts = member.split("/")
        model = parts[-2] if len(parts) > 1 else parts[-1]
        models[model if model not in models else f"{model}/{parts[-1]}"] = member
    return models


def member_of(package: zipfile.ZipFile, name: str) -> bytes:
    """A file of a package, unpacked; BadZipFile for one that unpacks beyond reason."""
    entry = package.getinfo(name)
    if entry.file_size > _LARGEST or entry.file_size > _MOST_RATIO * (entry.compress_size + 4096):
        raise zipfile.BadZipFile(
            f"{name} unpacks from {entry.compress_size} bytes to {entry.file_size // 2**20} MB, "
            f"at most {_LARGEST // 2**20} MB and {_MOST_RATIO} times its size are read"
        )
    return package.read(entry)


def _from_package(path: Path, model: str | None) -> WrapperText:
    try:
        models = package_models(path)
        if not models:
            raise NoWrapper(
                f"{path} holds no wrapper",
                "no *.wrapper.cpp is in the package",
                "A package made without sources cannot be explained: take the wrapper from the "
                "compiler's cache, or compile again.",
            )
        if model is not None and model not in models:
            raise no_such_model(path, model, sorted(models))
        if model is None and len(models) > 1:
            raise ArtifactError(
                f"{path} holds {len(models)} models",
                "which one is meant is not known:\n  " + "\n  ".join(sorted(models)),
                "Choose one with --model NAME.",
            )
        name = model if model is not None else next(iter(models))
        with zipfile.ZipFile(path) as package:
            data = member_of(package, models[name])
    except DAMAGE as error:
        raise ArtifactError(
            f"{path} cannot be read as a package",
            str(error) or type(error).__name__,
            "Copy the file again.",
        ) from error
    return WrapperText(path, decode(data, f"{path}:{models[name]}"), models[name], name)
