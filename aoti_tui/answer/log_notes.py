"""What the user should know of a log."""

from __future__ import annotations

from aoti_tui.failure.cause.runtime_checks import check_of, check_words
from aoti_tui.failure.log.nearest import nearest_asserts
from aoti_tui.failure.model import Failure, LoggedAssert, LogReading
from aoti_tui.index.model import WrapperIndex

_MOST_TOLD = 8


def log_notes(
    reading: LogReading, failures: tuple[Failure, ...], index: WrapperIndex, *, given: bool
) -> tuple[str, ...]:
    """What the user should know of a log: no assert, another model's, look-alikes. ``given`` says
    that there are inputs to replay with."""
    notes = [
        f"log line {a.log_line}: {a.explanation} ({a.text})"
        for a in reading.look_alikes[:_MOST_TOLD]
    ]
    checks = [check_of(index, a.text) for a in reading.look_alikes if a.kind == "guard"]
    notes.extend(check_words(index, check) for check in checks if check is not None)
    notes.extend(reading.notes)
    explained = {"".join(f.message.split()) for f in failures}
    nowhere = [a for a in reading.asserts if "".join(a.message.split()) not in explained]
    notes.extend(_no_kernel_has(logged, index) for logged in nowhere[:_MOST_TOLD])
    if len(nowhere) > _MOST_TOLD:
        notes.append(f"{len(nowhere) - _MOST_TOLD} more asserts of the log are in no kernel")
    logged = [fault for fault in reading.faults if fault.log_line]
    if reading.faults and not reading.asserts:
        if logged and not given:
            notes.append(
                "the log reports a memory fault and no assert: with --inputs, explain replays the "
                "model up to its first access outside of a tensor (`aoti-tui replay WRAPPER --all` "
                "without a log)"
            )
    elif not reading.asserts and not any(checks) and reading.loading is None:
        notes.append(
            f"no Triton assert is in the log ({reading.lines} lines): expected a line such as "
            "`….py:46: unknown: block: [0,0,0], thread: [0,0,0] Assertion `…` failed.`; "
            "give the standard error of the failed process"
        )
    return tuple(notes)


def _no_kernel_has(logged: LoggedAssert, index: WrapperIndex) -> str:
    """Why an assert of the log is in no kernel: sources that are missing, or another model."""
    place = f"{logged.path}:{logged.line}" if logged.line else logged.path or "unknown"
    where = f"log line {logged.log_line}" if logged.log_line else "in the core dump"
    which = f"the assert `{logged.message}` ({place}, {where})"
    missing = [k for k in index.kernels.values() if not k.has_source]
    if missing:
        told = (
            f"{which} is in no kernel whose source is known: the sources of {len(missing)} of "
            f"{len(index.kernels)} kernels are not in this wrapper "
            f"({', '.join(k.name for k in missing[:3])}{', …' if len(missing) > 3 else ''}); give "
            "--kernels with the file or folder that has them (output_code.py, the compile-time "
            "autotune block, or the compiler's cache)"
        )
    else:
        told = (
            f"no kernel of this wrapper has {which}: is the log of another model, or of another "
            "compilation?"
        )
    near = "; ".join(
        f"{n.kernel} line {n.kernel_line}"
        + (f" (:{n.wrapper_line})" if n.wrapper_line is not None else "")
        + f" `{n.message}`"
        for n in nearest_asserts(index, logged)
    )
    return f"{told} Nearest here: {near}" if near else told
