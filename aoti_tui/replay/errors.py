"""The one error of a replay."""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "unavailable",
    "refused",
    "unsupported",
    "cancelled",
    "died",
    "timeout",
    "python",
    "bad-inputs",
    "bad-request",
    "unknown",
]


class ReplayError(Exception):
    """A replay cannot go on; it says what happened, why, and what to do next.

    ``kind`` is one of :data:`Kind`: ``unavailable`` (no Python, torch or triton to replay with),
    ``refused`` (the source is not what Inductor emits), ``unsupported`` (cannot be replayed
    faithfully on a CPU), ``cancelled``, ``died`` (the worker process ended), ``timeout`` (it
    took longer than ``--timeout`` allows), ``python`` (the
    kernel's own Python raised), ``bad-inputs`` (a file or setting the user gave does not fit),
    ``bad-request`` (a fault of ours), ``unknown`` (a value that is needed is not known).
    ``file`` and ``kernel_line`` are set when one line of a kernel's source is to blame.
    """

    def __init__(
        self,
        kind: Kind,
        what: str,
        why: str,
        do: str,
        *,
        file: str | None = None,
        kernel_line: int | None = None,
    ) -> None:
        super().__init__(f"{what}: {why}. {do}")
        self.kind = kind
        self.what = what
        self.why = why
        self.do = do
        self.file = file
        self.kernel_line = kernel_line

    @property
    def is_final(self) -> bool:
        """Whether any other question would end the same way: the user said stop, or there is no
        worker to ask."""
        return self.kind in ("cancelled", "unavailable")

    @property
    def ends_run(self) -> bool:
        """Whether the run that it happened in cannot go on: all that stood in the worker is
        gone with it."""
        return self.is_final or self.kind == "died"

    @property
    def stops_one_launch(self) -> bool:
        """Whether one launch or op cannot be replayed while those after it still can."""
        return self.kind in ("refused", "unsupported", "python", "unknown", "timeout")
