"""A ratio and its goal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ratio:
    """``value`` is ours against ``against``; ``at_least`` says which way the goal lies."""

    name: str
    value: float
    goal: float
    at_least: bool
    detail: str

    @property
    def reached(self) -> bool:
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def show(ratios: Iterable[Ratio]) -> list[Ratio]:
    """Prints each as soon as it is measured."""
    found: list[Ratio] = []
    for ratio in ratios:
        sign = "≥" if ratio.at_least else "≤"
        mark = "ok  " if ratio.reached else "MISS"
        print(
            f"{mark} {ratio.name:<52} {ratio.value:7.2f}×  (goal {sign} {ratio.goal:g}×)  "
            f"{ratio.detail}",
            flush=True,
        )
        found.append(ratio)
    return found
