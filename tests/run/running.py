"""Runs a script as its user would: the command in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEAD = """\
import torch
import triton
import triton.language as tl
"""


@dataclass(frozen=True)
class Ran:
    """`out` and `err` are the command's; `report` is what --json wrote."""

    code: int
    out: str
    err: str
    report: dict[str, Any]

    @property
    def findings(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.report["findings"]
        return found


def script(folder: Path, text: str, name: str = "main.py") -> Path:
    """A script with torch, triton and tl imported in lines 1 to 3."""
    path = folder / name
    path.write_text(HEAD + textwrap.dedent(text), encoding="utf-8")
    return path


def run(folder: Path, *arguments: str, stdin: str | None = None) -> Ran:
    """`aoti-tui run --check --json` with these arguments, in a folder."""
    report = folder / "report.json"
    line = [sys.executable, "-m", "aoti_tui", "run", "--check", "--json", str(report), *arguments]
    ended = subprocess.run(
        line, cwd=folder, input=stdin or "", capture_output=True, text=True, timeout=120
    )
    found = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
    return Ran(ended.returncode, ended.stdout, ended.stderr, found)
