"""Everything that is taken away, and a report of it."""

from __future__ import annotations

import os
from typing import Any, Callable

from .kernel_calls import NotOffered, take_no_new_privileges
from .landlock import write_only_below
from .limits import limit_files, limit_memory
from .seccomp import refuse_calls

Report = dict[str, list[str]]
NOTHING: Report = {"active": [], "missing": []}


def contain() -> Report:
    """Contain this process, whose folder is where it stands; must run before any other thread.

    `active` and `missing` say in words what is taken away and what this system does not offer
    (with the reason).
    """
    active: list[str] = []
    missing: list[str] = []

    def attempt(words: str, action: Callable[[], Any]) -> None:
        try:
            said = action()
        except (NotOffered, ImportError, OSError, ValueError, AttributeError) as error:
            missing.append(f"{words} ({error})")
        else:
            active.append(f"{words}: {said}" if isinstance(said, str) else words)

    folder = os.getcwd()
    attempt("limits", limit_memory)
    attempt("limits on files", limit_files)
    attempt("no new privileges", take_no_new_privileges)
    attempt("no writes outside its own folder", lambda: write_only_below(folder))
    attempt("no network, no programs, no other processes", refuse_calls)
    return {"active": active, "missing": missing}
