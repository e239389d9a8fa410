"""Where the graphs of a run lie: folders, and the caches that a log or the environment names."""

from __future__ import annotations

import getpass
import gzip
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from aoti_tui.artifacts.graphs.kernel_names import (
    base_name,
    code_alone,
    code_file_name,
    function_text,
    is_code_file_name,
    kernel_files_of,
)
from aoti_tui.artifacts.wrapper_file import WrapperText, is_graph_file, read_text

_MOST_FILES = 100_000
_MOST_BESIDE = 5_000
_MOST_GRAPHS = 200
_NOT_CODE = frozenset({"triton", "fxgraph", "aotautograd", "cutlass_backend", "__pycache__"})
"""Folders of a cache that hold no wrappers, and can hold very many files."""
READABLE = "fx_graph_readable.py"
"""The graph with the lines of the model, beside ``output_code.py`` in a debug folder."""
CACHE_VARIABLE = "TORCHINDUCTOR_CACHE_DIR"
_MOST_UNPACKED = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CacheSearch:
    """What a search for the files that a log names has found."""

    graphs: tuple[WrapperText, ...]
    """Those that the log leads to first."""
    kernels: Mapping[str, str]
    """Texts of the kernel files that the log names, by file name."""
    looked: tuple[Path, ...]
    """The folders that were searched."""
    missing: tuple[str, ...] = ()
    """Kernel files that the log names and that no folder nor wrapper holds."""


def graphs_below(folder: Path, most: int = _MOST_FILES) -> Iterator[WrapperText]:
    """The wrappers of torch.compile in a folder and below, each code once."""
    found: dict[str, WrapperText] = {}
    for path in _code_files(folder, most):
        if not is_graph_file(path):
            continue
        text = read_text(path)
        told = path.with_name(READABLE)
        graph = WrapperText(path, text, debug=path.parent if told.is_file() else None)
        first = found.setdefault(code_alone(text), graph)
        if first.debug is None and graph.debug is not None:
            found[code_alone(text)] = replace(first, debug=graph.debug)
    yield from found.values()


def search_caches(
    kernel_paths: Iterable[str],
    code_paths: Iterable[str],
    beside: Path | None,
    environment: Mapping[str, str],
) -> CacheSearch:
    """The graphs that hold the kernel files ``kernel_paths`` or are the files ``code_paths`` (as a
    log names both), and the others of the same folder.

    Looked for where the log says, in the cache folder of the ``environment``, in Inductor's default
    folder, and in the folder ``beside`` which is the log's own. Files are known by the names that
    their texts have, so that a folder that was moved is as good.
    """
    wanted = {base_name(path) for path in kernel_paths if is_code_file_name(base_name(path))}
    named = {base_name(path) for path in code_paths if is_code_file_name(base_name(path))}
    looked: list[Path] = []
    kernels: dict[str, str] = {}
    for folder, is_cache in _places((*code_paths, *kernel_paths), beside, environment):
        looked.append(folder)
        most = _MOST_FILES if is_cache else _MOST_BESIDE
        found = list(graphs_below(folder, most))
        kernels |= _kernel_files(folder, wanted, is_cache)
        functions = {function_text(text) for text in kernels.values()}
        first: list[WrapperText] = []
        rest: list[WrapperText] = []
        for graph in found:
            held = kernel_files_of(graph.text)
            kernels |= {name: held[name] for name in wanted & held.keys()}
            texts = {function_text(text) for text in held.values()}
            leads = bool(wanted & held.keys() or functions & texts)
            leads = leads or {graph.path.name, code_file_name(graph.text)} & named != set()
            (first if leads else rest).append(graph)
        if first or (found and not is_cache):
            several = (*first, *rest)[:_MOST_GRAPHS]
            missing = tuple(sorted(wanted - kernels.keys()))
            return CacheSearch(several, kernels, tuple(looked), missing)
    missing = tuple(sorted(wanted - kernels.keys()))
    return CacheSearch((), kernels, tuple(looked), missing)


def unpacked(path: Path) -> str | None:
    """The text of a gzip file, as a trace is often kept; None for any other file."""
    try:
        with path.open("rb") as file:
            if file.read(2) != b"\x1f\x8b":
                return None
        with gzip.open(path, "rb") as packed:
            return packed.read(_MOST_UNPACKED).decode("utf-8", errors="replace")
    except (OSError, EOFError, zlib.error):
        return None


def _places(
    paths: Iterable[str], beside: Path | None, environment: Mapping[str, str]
) -> Iterator[tuple[Path, bool]]:
    """Folders to search, each once, and whether it is a cache."""
    seen: set[Path] = set()
    caches = [Path(p).parent.parent for p in paths if is_code_file_name(base_name(p))]
    said = environment.get(CACHE_VARIABLE)
    if said:
        caches.append(Path(said))
    caches.append(default_cache())
    for folder, is_cache in [*((c, True) for c in caches), *([(beside, False)] if beside else [])]:
        if folder in seen or not _is_folder(folder):
            continue
        seen.add(folder)
        yield folder, is_cache


def default_cache() -> Path:
    """Inductor's cache folder where nothing says another (``cache_dir``,
    torch/_inductor/runtime/cache_dir_utils.py)."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    name = "".join("_" if c in '\\/:*?"<>|' else c for c in user)
    return Path(tempfile.gettempdir()) / f"torchinductor_{name}"


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir() and path != Path(path.anchor)
    except OSError:
        return False


def _code_files(folder: Path, most: int) -> Iterator[Path]:
    count = 0
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in _NOT_CODE and not f.startswith("."))
        for name in sorted(files):
            count += 1
            if count > most:
                return
            if name.endswith(".py"):
                yield Path(root) / name


def _kernel_files(folder: Path, wanted: set[str], is_cache: bool) -> dict[str, str]:
    """Texts of the wanted files that stand in a folder, where they are what their name says."""
    found: dict[str, str] = {}
    for name in wanted:
        places = [folder / name[1:3] / name]
        if not is_cache:
            places += [folder / name, *folder.glob(f"*/{name[1:3]}/{name}")]
        for path in places:
            try:
                text = path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            if code_file_name(text) == name:
                found[name] = text
                break
    return found
