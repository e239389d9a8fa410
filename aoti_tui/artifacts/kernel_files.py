"""Python files that may hold the sources of kernels which a wrapper does not embed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from aoti_tui.artifacts.errors import ArtifactError

_MOST_FILES = 20_000
_LARGEST = 64 * 1024 * 1024
_MARKS = ("async_compile.triton(", "triton_heuristics", "@triton.jit")


def kernel_files(path: Path) -> Iterator[tuple[str, str]]:
    """``(path, text)`` of each Python file with Triton kernels, for a file or a folder below.

    Raises :class:`ArtifactError` when the path does not exist or no such file is there.
    """
    if not path.exists():
        raise ArtifactError(
            f"{path} was not found",
            "no file or folder of that name exists",
            "Give an autotune block, an output_code.py or a TORCHINDUCTOR_CACHE_DIR.",
        )
    found = False
    for name, text in _texts([path] if path.is_file() else _below(path)):
        found = True
        yield name, text
    if not found:
        raise ArtifactError(
            f"{path} holds no kernel sources",
            "no Python file with a Triton kernel was found",
            "Give an autotune block, an output_code.py or a TORCHINDUCTOR_CACHE_DIR.",
        )


def kernel_files_beside(wrapper: Path) -> Iterator[tuple[str, str]]:
    """The same for what lies next to a wrapper: files named after it first, then the others."""
    stem = wrapper.name.removesuffix(".cpp").removesuffix(".wrapper")
    try:
        siblings = sorted(p for p in wrapper.parent.iterdir() if p.suffix == ".py")
    except OSError:
        return
    named = [p for p in siblings if p.name.startswith(f"{stem}.") or p.stem == stem]
    if named:
        yield from _texts(named)
        return
    yield from _texts(p for p in siblings if p.name == "output_code.py" or "autotune" in p.name)


def _below(folder: Path) -> Iterator[Path]:
    count = 0
    for root, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if name.endswith(".py"):
                count += 1
                if count > _MOST_FILES:
                    return
                yield Path(root) / name


def _texts(paths: Iterator[Path] | list[Path]) -> Iterator[tuple[str, str]]:
    for path in paths:
        try:
            if not path.is_file() or path.stat().st_size > _LARGEST:
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if any(mark in text for mark in _MARKS):
            yield str(path), text
