"""How much of the machine the worker may take."""

from __future__ import annotations

import os
from typing import Any

_SHARE_OF_MEMORY = 0.8
_LEAST_MEMORY = 2 << 30
_LARGEST_FILE = 256 << 20
_MOST_FILES = 1024


def limit_memory() -> str:
    """Memory that can be written to, which is what a process uses; its size in words."""
    resource = _resource()
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    size = max(int(pages * _SHARE_OF_MEMORY), _LEAST_MEMORY)
    _lower(resource, resource.RLIMIT_DATA, size)
    return f"{size / 2**30:.1f} GiB of memory"


def limit_files() -> None:
    """Few files, none of them large, and no image of a process that crashes."""
    resource = _resource()
    _lower(resource, resource.RLIMIT_FSIZE, _LARGEST_FILE)
    _lower(resource, resource.RLIMIT_NOFILE, _MOST_FILES)
    _lower(resource, resource.RLIMIT_CORE, 0)


def _resource() -> Any:
    import resource

    return resource


def _lower(resource: Any, which: int, size: int) -> None:
    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        size = min(size, hard)
    resource.setrlimit(which, (size, size))
