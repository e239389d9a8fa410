"""What a request can fail with: the `kind`s of the protocol's error event."""

from __future__ import annotations

from typing import Any

# The file name under which kernel sources are compiled: frames are recognised by it.
KERNEL_FILE = "<triton kernel>"


class RequestError(Exception):
    """A request that gets an error reply; `fields` are sent beside `kind` and `message`."""

    def __init__(self, kind: str, message: str, **fields: Any) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.fields = fields


def bad_request(message: str) -> RequestError:
    """The request names something that is not there or cannot be done as asked."""
    return RequestError("bad-request", message)


def refused(reason: str, kernel_line: int | None) -> RequestError:
    """The source is not what Inductor emits, so it is not run."""
    place = f" (kernel line {kernel_line})" if kernel_line else ""
    return RequestError(
        "refused",
        f"the kernel's source was not run: {reason}{place}",
        reason=reason,
        kernel_line=kernel_line,
    )


def unsupported(reason: str, kernel_line: int | None = None) -> RequestError:
    """Nothing wrong with the request, but a CPU cannot do what it asks."""
    place = f" (kernel line {kernel_line})" if kernel_line else ""
    return RequestError("unsupported", reason + place, reason=reason, kernel_line=kernel_line)


def unavailable(missing: str, message: str) -> RequestError:
    """torch or triton is missing or too old in this Python."""
    return RequestError("unavailable", message, missing=missing)


class Cancelled(BaseException):
    """SIGINT came while a request was running."""
