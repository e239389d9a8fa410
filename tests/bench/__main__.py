"""Prints every ratio with its goal: ``python -m tests.bench [replay] [launches] [interface]``."""

from __future__ import annotations

import sys

from tests.bench import interface, launches, replay
from tests.bench.ratios import Ratio, show


def main() -> None:
    wanted = set(sys.argv[1:]) or {"replay", "launches", "interface"}
    ratios: list[Ratio] = []
    if "replay" in wanted:
        ratios += show(replay.ratios())
    if "launches" in wanted:
        ratios += show(launches.ratios())
    if "interface" in wanted:
        ratios += show(interface.ratios())
    missed = [r for r in ratios if not r.reached]
    print(f"\n{len(ratios) - len(missed)} of {len(ratios)} goals reached")


if __name__ == "__main__":
    main()
