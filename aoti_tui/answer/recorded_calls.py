"""A bundle of recorded calls: which of them is the one that failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aoti_tui.answer.incident import Incident
from aoti_tui.artifacts.bundle import Bundle, BundledCall
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.log_file import LogText

_NAMED = 6


def open_recorded(
    bundle: Bundle,
    open_call: Callable[[BundledCall, LogText | None], Incident],
    log: LogText | None,
) -> Incident:
    """The incident of the call that the log is of: the first, from the likeliest on, whose inputs
    hold what its assert fails for; else the likeliest whose code the log is of.

    Raises ArtifactError where no call can be opened.
    """
    text = log
    if text is None and bundle.log is not None:
        text = bundle.log.read_text(encoding="utf-8", errors="replace")
    problem: ArtifactError | None = None
    best: tuple[int, BundledCall, Incident] | None = None
    for call in bundle.calls:
        if call.wrapper is None:
            continue
        try:
            found = open_call(call, text)
        except ArtifactError as error:
            problem = problem or error
            continue
        rank = 2 if found.failures and found.explains_all else 1 if found.failures else 0
        if best is None or rank > best[0]:
            if best is not None:
                best[2].close()
            best = (rank, call, found)
        else:
            found.close()
        if rank == 2:
            break
    if best is None:
        raise problem or ArtifactError(
            "no call of the bundle can be opened",
            "the code that they ran is not in it",
            "Record again where the package, or the cache of torch.compile, can be read.",
        )
    rank, call, found = best
    notes = (_words(bundle, call, rank, found), *_missing(call))
    return replace(found, notes=(*notes, *found.notes), recorded=(bundle, call))


def _words(bundle: Bundle, call: BundledCall, rank: int, found: Incident) -> str:
    """Which call the values are of, why it is that, and which others there are."""
    begun = bundle.manifest.get("calls_begun")
    said = f"the values are those of call {call.number}" + (f" of {begun:,}" if begun else "")
    said += f" ({call.kind} {call.name})"
    if rank == 2:
        said += ": its inputs hold what the assert of the log fails for"
    elif call.number == bundle.manifest.get("raised"):
        said += ": the one that raised"
    elif call is bundle.calls[0]:
        said += ": the last that the device got to"
    elif found.failures:
        said += ": the last whose code the log is of"
    others = [str(one.number) for one in bundle.calls if one is not call]
    if not others:
        return said
    shown = ", ".join(sorted(others, key=int)[-_NAMED:])
    return f"{said}; {len(others)} others are kept ({shown})"


def _missing(call: BundledCall) -> tuple[str, ...]:
    if not call.missing:
        return ()
    return (f"not recorded, made up where a replay needs it: {', '.join(call.missing[:_NAMED])}",)
