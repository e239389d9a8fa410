"""The one error of a replay."""

from __future__ import annotations

KINDS = (
    "unavailable",
    "refused",
    "unsupported",
    "cancelled",
    "died",
    "python",
    "bad-inputs",
    "bad-request",
    "unknown",
)


class ReplayError(Exception):
    """A replay cannot go on; it says what happened, why, and what to do next.

    ``kind`` is one of :data:`KINDS`: ``unavailable`` (no Python, torch or triton to replay with),
    ``refused`` (the source is not what Inductor emits), ``unsupported`` (cannot be replayed
    faithfully on a CPU), ``cancelled``, ``died`` (the worker process ended), ``python`` (the
    kernel's own Python raised), ``bad-inputs`` (a file or setting the user gave does not fit),
    ``bad-request`` (a fault of ours), ``unknown`` (a value that is needed is not known).
    ``kernel_line`` is set when one line of the kernel is to blame.
    """

    def __init__(
        self, kind: str, what: str, why: str, do: str, *, kernel_line: int | None = None
    ) -> None:
        super().__init__(f"{what}: {why}. {do}")
        self.kind = kind
        self.what = what
        self.why = why
        self.do = do
        self.kernel_line = kernel_line
