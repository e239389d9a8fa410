"""Real failures with the answers worked out by hand: wrapper, log, inputs and what is right."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
DEMO = Path(__file__).parents[1] / "aoti_tui" / "demo"


@dataclass(frozen=True, slots=True)
class Case:
    """One failure: ``model`` is the folder, ``bad`` the name of the bad inputs."""

    model: str
    bad: str

    @property
    def folder(self) -> Path:
        return DATA / self.model

    @property
    def wrapper(self) -> Path:
        package = self.folder / "model.pt2"
        return package if package.exists() else self.folder / "wrapper.cpp"

    @property
    def log(self) -> Path:
        return self.folder / f"error.{self.bad}.log"

    @property
    def inputs(self) -> Path:
        return self.folder / f"inputs.{self.bad}.pt"

    @property
    def expected(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / f"expected.{self.bad}.json").read_text())
        return found

    def __str__(self) -> str:
        return f"{self.model}-{self.bad}"


CASES = tuple(
    Case(path.parent.name, path.name.split(".")[1])
    for path in sorted(DATA.glob("*/expected.*.json"))
)
