"""What the user should know of a log."""

from __future__ import annotations

from aoti_tui.failure.cause.runtime_checks import check_of, check_words
from aoti_tui.failure.model import Failure, LogReading
from aoti_tui.index.model import WrapperIndex


def log_notes(
    reading: LogReading, failures: tuple[Failure, ...], index: WrapperIndex
) -> tuple[str, ...]:
    """What the user should know of a log: no assert, another model's, look-alikes."""
    notes = [f"log line {a.log_line}: {a.explanation} ({a.text})" for a in reading.look_alikes[:8]]
    checks = [check_of(index, a.text) for a in reading.look_alikes if a.kind == "guard"]
    notes.extend(check_words(index, check) for check in checks if check is not None)
    notes.extend(reading.notes)
    explained = {"".join(f.message.split()) for f in failures}
    for logged in reading.asserts:
        if "".join(logged.message.split()) not in explained:
            place = f"{logged.path}:{logged.line}" if logged.line else logged.path or "unknown"
            notes.append(
                f"no kernel of this wrapper has the assert `{logged.message}` ({place}, log line "
                f"{logged.log_line}): is the log of another model, or of another compilation?"
            )
    if not reading.asserts and not any(checks):
        notes.append(
            f"no Triton assert is in the log ({reading.lines} lines): expected a line such as "
            "`….py:46: unknown: block: [0,0,0], thread: [0,0,0] Assertion `…` failed.`; "
            "give the standard error of the failed process"
        )
    return tuple(notes)
