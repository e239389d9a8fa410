"""A guard in words: what it allows, whether it runs, what it would have caught."""

from __future__ import annotations

from aoti_tui.failure.model import GuardFinding
from aoti_tui.index.model import RUNTIME_CHECKS


def guard_words(guard: GuardFinding) -> str:
    """The whole sentence of one row."""
    limits = limit_words(guard)
    if guard.enforced == "absent":
        if guard.dim is None:
            return f"{limits} is not checked at all"
        return f"no guard on {limits}: any size is let in"
    if guard.dim is None:
        return f"{limits}, checked on every run"
    said = f"{limits} is compiled in"
    if guard.enforced == "always":
        said += " and runs on every call"
    else:
        said += f", but off: it only runs under {RUNTIME_CHECKS}=1"
    if guard.would_catch is True:
        said += "; it would have caught this"
    elif guard.would_catch is False:
        said += "; the given input passes it"
    return said


def limit_words(guard: GuardFinding) -> str:
    """``2 <= arg4_1.size(0) <= 1024``."""
    said = (
        f"{guard.name}.size({guard.dim})" if guard.dim is not None else f"the value of {guard.name}"
    )
    if guard.equals is not None:
        return f"{said} == {guard.equals}"
    if guard.min is not None and guard.max is not None:
        return f"{guard.min} <= {said} <= {guard.max}"
    if guard.min is not None:
        return f"{said} >= {guard.min}"
    return f"{said} <= {guard.max}" if guard.max is not None else said


def short_guard(guard: GuardFinding) -> str:
    """What a guard does or could do, in one short line."""
    if guard.enforced != RUNTIME_CHECKS or guard.would_catch is None:
        return f"guard: {guard_words(guard)}"
    limits = limit_words(guard)
    if guard.would_catch:
        return f"guard {limits} would catch it, but needs {RUNTIME_CHECKS}=1"
    return f"guard {limits} lets it in"
