"""What the user asked to open."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from aoti_tui.artifacts.given import Given
from aoti_tui.artifacts.log_file import LogText
from aoti_tui.replay.script.command import ScriptCommand


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A script to run."""

    command: ScriptCommand
    stdin: Path | None = None
    given: Given = field(default_factory=Given)
    warm_up: bool = False

    @property
    def title(self) -> str:
        """The command without the folders of what it names."""
        words = self.command.arguments
        return " ".join(word if word.startswith("-") else Path(word).name for word in words)

    @property
    def kept_as(self) -> str:
        """What breakpoints and watches are kept under: the script, whatever it is given."""
        first, *rest = self.command.arguments
        return f"-m {rest[0]}" if first == "-m" else str(Path(first).resolve())


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A wrapper, perhaps a log, and what was given beside them.

    ``log_text`` is a log that was read already (``--log -``); ``log`` names a file.
    """

    wrapper: Path
    log: Path | None = None
    log_text: LogText | None = None
    given: Given = field(default_factory=Given)
    warm_up: bool = True
    """Let the worker import torch and triton while the user reads: no kernel runs by it."""

    @property
    def title(self) -> str:
        return str(self.wrapper)

    @property
    def kept_as(self) -> str:
        """What breakpoints and watches are kept under."""
        return str(self.wrapper.resolve())
