"""Which Python, torch and triton this is, told without importing them; and warming up."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import platform
import sys
import time
from typing import Any

from ..protocol.problems import unavailable

OLDEST_TORCH = (2, 6)
OLDEST_TRITON = (3, 2)
# A ROCm or nightly build brings its triton under another distribution name.
TRITON_DISTRIBUTIONS = ("triton", "pytorch-triton", "pytorch-triton-rocm", "triton-windows")


def _version(*distributions: str) -> str | None:
    for name in distributions:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def _release(version: str) -> tuple[int, ...]:
    numbers = []
    for part in version.split("+")[0].split(".")[:2]:
        digits = "".join(c for c in part if c.isdigit())
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)


def found() -> dict[str, Any]:
    """Versions of what replay needs, and `problems` in words; imports none of it."""
    torch = _version("torch")
    triton = _version(*TRITON_DISTRIBUTIONS)
    numpy = _version("numpy")
    problems = []
    for name, version, oldest, present in (
        ("torch", torch, OLDEST_TORCH, importlib.util.find_spec("torch") is not None),
        ("triton", triton, OLDEST_TRITON, importlib.util.find_spec("triton") is not None),
        ("numpy", numpy, (1, 22), importlib.util.find_spec("numpy") is not None),
    ):
        wanted = ".".join(map(str, oldest))
        if version is None and not present:
            problems.append(f"{name} is not installed in {sys.executable}: {_cure(name, wanted)}")
        elif version is not None and _release(version) < oldest:
            problems.append(
                f"{name} {version} in {sys.executable} is too old, {wanted} or later is needed: "
                + _cure(name, wanted)
            )
    return {
        "python": platform.python_version(),
        "executable": sys.executable,
        "torch": torch,
        "triton": triton,
        "numpy": numpy,
        "problems": problems,
    }


def _cure(name: str, wanted: str) -> str:
    if name == "triton" and platform.system() != "Linux":
        return "triton has wheels for Linux only; name a Python on Linux that has it"
    return f"run `{sys.executable} -m pip install '{name}>={wanted}'`, or name a Python that has it"


def require() -> None:
    """Raise `unavailable` unless torch, triton and numpy are here and new enough."""
    facts = found()
    if facts["problems"]:
        missing = [n for n in ("torch", "triton", "numpy") if _named(n, facts["problems"])]
        raise unavailable(", ".join(missing), "; ".join(facts["problems"]))


def _named(name: str, problems: list[str]) -> bool:
    return any(text.startswith(name) for text in problems)


def warm() -> dict[str, Any]:
    """Import torch and triton under TRITON_INTERPRET=1 and apply the cures; versions, seconds."""
    require()
    start = time.perf_counter()
    # triton reads it once, at import, to decide what @triton.jit gives.
    os.environ["TRITON_INTERPRET"] = "1"
    try:
        torch: Any = importlib.import_module("torch")
        triton: Any = importlib.import_module("triton")
    except ImportError as error:
        name = "triton" if "triton" in str(error) else "torch"
        raise unavailable(
            name, f"{name} is installed in {sys.executable} but does not import: {error}"
        ) from error
    from ..engine.language.language import language

    language()
    return {
        "torch": torch.__version__,
        "triton": triton.__version__,
        "seconds": time.perf_counter() - start,
    }
