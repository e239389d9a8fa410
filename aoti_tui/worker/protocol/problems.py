"""What a request can fail with: the `kind`s of the protocol's error event."""

from __future__ import annotations

from typing import Any, Literal

from ..engine.errors import UnknownTriton, Unsupported
from ..engine.findings.kernel_frames import raised_at
from ..source.place import Place
from ..source.refused import Refused

Kind = Literal["bad-request", "refused", "unsupported", "unavailable", "cancelled", "python"]


class RequestError(Exception):
    """A request that gets an error reply; `fields` are sent beside `kind` and `message`."""

    def __init__(self, kind: Kind, message: str, **fields: Any) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.fields = fields


class Cancelled(BaseException):
    """SIGINT came while a request was running."""


def bad_request(message: str) -> RequestError:
    """The request names something that is not there or cannot be done as asked."""
    return RequestError("bad-request", message)


def unavailable(missing: str, message: str) -> RequestError:
    """torch or triton is missing or too old in this Python."""
    return RequestError("unavailable", message, missing=missing)


def unsupported(reason: str) -> RequestError:
    """Nothing wrong with the request, but a CPU cannot do what it asks."""
    return RequestError("unsupported", reason, reason=reason, **where(None))


def where(place: Place | None) -> dict[str, Any]:
    """A place as replies carry it."""
    if place is None or not place.line:
        return {"file": None, "kernel_line": None}
    return {"file": place.file, "kernel_line": place.line}


def problem_of(error: Exception) -> RequestError | None:
    """An exception of the engine or of checking a source as the protocol tells it.

    An exception of a kernel's own Python too; None for one that came from elsewhere.
    """
    if isinstance(error, RequestError):
        return error
    if isinstance(error, Refused):
        message = f"the kernel's source was not run: {error.reason}{_at(error.place)}"
        return RequestError("refused", message, reason=error.reason, **where(error.place))
    if isinstance(error, Unsupported):
        place = error.place or raised_at(error.__traceback__)
        message = f"{error.reason}{_at(place)}"
        return RequestError("unsupported", message, reason=error.reason, **where(place))
    if isinstance(error, UnknownTriton):
        return unavailable("triton", str(error))
    place = raised_at(error.__traceback__)
    if place is None:
        return None
    return RequestError("python", f"{type(error).__name__}: {error}", **where(place))


def _at(place: Place | None) -> str:
    return f" (kernel line {place.line})" if place is not None and place.line else ""
