"""Places as they are typed, told apart the same way in every command.

``k46`` is line 46 of the kernel that is current, ``1344`` line 1344 of the source that is shown,
``main.py:24`` a line of a file of the script, ``tmp10`` where the kernel assigns it.
"""

from __future__ import annotations

import os
import re
from difflib import get_close_matches

from aoti_tui.index.model import Kernel
from aoti_tui.session.listed.entries import source_name
from aoti_tui.session.session import Session
from aoti_tui.session.source.document import SourceDocument

Line = tuple[str, int]
"""A source (a kernel by its name, a file of a script) and a line of it."""
KERNEL_LINE = re.compile(r"k(\d+)")


def current_kernel(session: Session) -> Kernel | None:
    """The kernel that names and lines are of: that of the cursor, which is what the user sees,
    else the current one."""
    return session.kernel_here() or session.state.kernel


def named_line(session: Session, text: str) -> Line | str:
    """The line that a place names, where it can run in a kernel; in words why it names none."""
    file, _, line = text.rpartition(":")
    if file and line.isdigit() and not session.document.is_script:
        opened = session.state.incident.index.path if session.state.incident is not None else ""
        if file in (opened, os.path.basename(opened)):
            text, file = line, ""
    if line.isdigit() and (file or session.document.is_script):
        return _in_file(session, file, int(line))
    if text.isdigit():
        found = session.source_line(int(text))
        if found is not None:
            return found
        kernel = current_kernel(session)
        hint = f"; k{text} means line {text} of {kernel.name}" if kernel is not None else ""
        return f"Line {text} is in no kernel{hint}."
    return _in_kernel(session, text)


def _in_file(session: Session, file: str, line: int) -> Line | str:
    if not file:
        return session.document.path, line
    known = [document.path for _, document in session.documents() if _is_script(document)]
    path = next((path for path in known if path == file or os.path.basename(path) == file), "")
    if path:
        return path, line
    names = ", ".join(os.path.basename(path) for path in known) or "none yet"
    return f"No source is called {file}; there is {names}."


def _is_script(document: SourceDocument) -> bool:
    return document.is_script


def _in_kernel(session: Session, text: str) -> Line | str:
    kernel, incident = current_kernel(session), session.state.incident
    if kernel is None and incident is not None and text in incident.index.kernels:
        kernel = incident.index.kernels[text]
    if kernel is None or incident is None:
        return "No kernel is current: kernel NAME or launch LINE chooses one."
    program = incident.kernel_program(kernel.name)
    digits = KERNEL_LINE.fullmatch(text)
    if digits is not None:
        return source_name(kernel), int(digits[1])
    made = program.by_name.get(text, ())
    if not made and text in incident.index.kernels:
        return _first_of(session, incident.index.kernels[text])
    if made:
        return source_name(kernel), made[-1].line
    near = get_close_matches(text, program.by_name, 3, 0.5)
    hint = f" There is {', '.join(near)}." if near else ""
    return f"{text} is assigned nowhere in {kernel.name}, and it is no line.{hint}"


def _first_of(session: Session, kernel: Kernel) -> Line | str:
    """The first statement of a kernel, where a breakpoint on a function stops."""
    incident = session.state.incident
    assert incident is not None
    made = [
        step.line
        for steps in incident.kernel_program(kernel.name).by_name.values()
        for step in steps
    ]
    if not made:
        return f"{kernel.name} assigns nothing: k46 or a line names a place in it."
    return source_name(kernel), min(made)
