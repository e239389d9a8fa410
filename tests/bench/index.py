"""The index against tree-sitter's own parse of the same file, of growing size, and its memory."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import tree_sitter_cpp
from tree_sitter import Language, Parser

from aoti_tui.index.reader import read_wrapper
from tests.bench.ratios import Ratio
from tests.tui.large import large_wrapper

SIZES = (870, 2300, 7250)
"""Kernels of wrappers of about 5, 13 and 41 MB."""
ROUNDS = 3


def ratios() -> Iterator[Ratio]:
    parser = Parser(Language(tree_sitter_cpp.language()))
    for kernels in SIZES:
        text = large_wrapper(kernels)
        encoded = text.encode()
        parse = _least(lambda encoded=encoded: parser.parse(encoded))
        index = _least(lambda text=text: read_wrapper(text, "large"))
        size = f"{len(encoded) / 1e6:.0f} MB"
        yield Ratio(
            f"index / tree-sitter's parse, {size}",
            index / parse,
            1.8,
            False,
            f"parse {parse:.2f} s, index {index:.2f} s of CPU",
        )
    yield Ratio(f"memory of the index / file, {size}", _memory(), 15.0, False, "peak")


def _least(run: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def _memory() -> float:
    """Bytes a process of its own grows by while it indexes the largest file, for each of its."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.index"], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def _grown() -> float:
    text = large_wrapper(SIZES[-1])
    before = _resident()
    index = read_wrapper(text, "large")
    # Gaps make it read every kernel that nobody has asked for.
    assert not index.gaps
    return (_resident() - before) / len(text)


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


if __name__ == "__main__":
    print(_grown())
