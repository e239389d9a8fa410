"""Prints every ratio with its goal: ``python -m tests.bench [replay] [index] [start] …``."""

from __future__ import annotations

import sys

from tests.bench import index, interface, launches, replay, start
from tests.bench.ratios import Ratio, show


def main() -> None:
    wanted = set(sys.argv[1:]) or {"replay", "launches", "interface", "index", "start"}
    ratios: list[Ratio] = []
    if "replay" in wanted:
        ratios += show(replay.ratios())
    if "launches" in wanted:
        ratios += show(launches.ratios())
    if "interface" in wanted:
        ratios += show(interface.ratios())
    if "index" in wanted:
        ratios += show(index.ratios())
    if "start" in wanted:
        ratios += show(start.ratios())
    missed = [r for r in ratios if not r.reached]
    print(f"\n{len(ratios) - len(missed)} of {len(ratios)} goals reached")


if __name__ == "__main__":
    main()
