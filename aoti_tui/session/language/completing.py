"""What a command that is being typed can go on with."""

from __future__ import annotations

import glob
import os
import re

from aoti_tui.session.language.naming import current_kernel
from aoti_tui.session.language.parts import Parts
from aoti_tui.session.language.table import BY_WORD, COMMANDS
from aoti_tui.session.language.topics import TOPICS

_LAST = re.compile(r"[\w.]*$")
_FILES = ("source", "inputs", "save")
MOST = 200


def completions(parts: Parts, text: str) -> tuple[str, ...]:
    """What ``text`` can become, whole, the likeliest first: a command, or one with a name of the
    kernel, an input, a symbol, a topic or a file in its end."""
    verb, space, rest = text.partition(" ")
    if not space:
        words = [one.name for one in COMMANDS if one.name.startswith(verb)]
        return tuple(words) if verb else ()
    known = BY_WORD.get(verb)
    if known is None:
        return ()
    if known.name in _FILES:
        given = rest.rpartition(" ")[2]
        head = text[: len(text) - len(given)]
        found = sorted(glob.glob(os.path.expanduser(glob.escape(given)) + "*"))[:MOST]
        return tuple(head + (path + "/" if os.path.isdir(path) else path) for path in found)
    match = _LAST.search(text)
    start = match.group() if match is not None else ""
    head = text[: len(text) - len(start)]
    if known.name == "info":
        names = [topic for topic in TOPICS if topic.startswith(start)]
    elif known.name == "help":
        names = [one.name for one in COMMANDS if one.name.startswith(start)]
    else:
        names = [name for name in _names(parts, known.name) if start and name.startswith(start)]
    return tuple(head + name for name in names[:MOST])


def _names(parts: Parts, command: str) -> list[str]:
    incident, state = parts.state.incident, parts.state
    if incident is None:
        return []
    index = incident.index
    if command == "kernel":
        return list(index.kernels)
    kernel = current_kernel(parts.session)
    found: list[str] = []
    if kernel is not None:
        program = incident.kernel_program(kernel.name)
        found += [*program.by_name, *program.parameters, *program.constexprs]
    found += [item.name for item in index.inputs]
    found += [symbol.name for symbol in index.symbols]
    found += [buffer.name for buffer in index.buffers]
    found += state.watches
    return list(dict.fromkeys(found))
