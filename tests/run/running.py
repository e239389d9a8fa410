"""Runs a script as its user would: the command in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aoti_tui.replay.client import Reply
from aoti_tui.replay.script.command import ScriptCommand
from aoti_tui.replay.script.process import Connection, ScriptProcess

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


class Watched:
    """A script that waits when it has ended (or at `stop_at`), and can be asked about launches."""

    def __init__(self, folder: Path, *arguments: str, stop_at: tuple[str, ...] = ()) -> None:
        self.events: list[dict[str, Any]] = []
        self._news = threading.Condition()
        settings = {"stay": True, "stop_at": stop_at}
        self.process = ScriptProcess(
            ScriptCommand(sys.executable, arguments, settings), self._on_event
        )
        self.process.start(
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            folder=folder,
        )

    def _on_event(self, connection: Connection, event: Reply) -> None:
        with self._news:
            self.events.append(event)
            self._news.notify_all()

    def until(self, kind: str) -> dict[str, Any]:
        """The next event of a kind; those before it are taken away."""
        with self._news:
            while True:
                for at, event in enumerate(self.events):
                    if event["event"] == kind:
                        del self.events[: at + 1]
                        return event
                if not self._news.wait(60):
                    raise AssertionError(f"no {kind} came: {self.events}")

    def ask(self, do: str, **fields: Any) -> Reply:
        """The reply of the script's first process."""
        return self.process.connections[0].ask(do, **fields)

    def tell(self, do: str) -> None:
        self.process.connections[0].tell(do)

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.close()


def numbers(reply: Reply, block: dict[str, Any]) -> list[float]:
    """The numbers of a block of a reply."""
    kinds = {"f4": "f", "f8": "d", "i8": "q", "u8": "Q", "b1": "?"}
    return list(memoryview(reply.blobs[block["blob"]]).cast("B").cast(kinds[block["packed"]]))
