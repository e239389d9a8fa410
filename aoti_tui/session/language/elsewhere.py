"""Words of gdb, cuda-gdb and pdb that are no command here, and what there is instead."""

from __future__ import annotations

_ELSEWHERE = {
    ("thread", "threads"): "A program's lanes stand side by side: lane [3], lane next, info lanes.",
    ("block", "cuda"): "program 2 records another program of the grid; launch and kernel choose.",
    ("args", "a"): "info args shows the arguments of the kernel.",
    ("whatis", "ptype"): "info locals shows dtype and shape, info args those of tensors.",
    ("locals",): "info locals shows the temporaries.",
    ("ll", "longlist"): "list shows the source where it stands, list again the lines after.",
    ("jump", "j"): "No line can be left out: until k46 runs to one, rn and rc go back.",
    ("call",): "p prints an expression; a kernel's functions cannot be called.",
    ("kill", "k", "detach"): "Nothing runs between commands: run starts again, quit leaves.",
    ("stepi", "si", "nexti", "ni", "disassemble", "disas"): (
        "A step is a statement of the kernel: n and s take one."
    ),
    ("commands",): "A breakpoint can write values down: b tmp4 log tmp4, or display tmp4.",
    ("attach", "file", "core"): "Another wrapper is opened from the shell: aoti-tui debug WRAPPER.",
}
"""What other debuggers call something that goes by another name here, or cannot be."""


def elsewhere(typed: str) -> str:
    """What there is for a command of another debugger; ``""`` for any other word."""
    word = typed.split(maxsplit=1)[0]
    found = (told for words, told in _ELSEWHERE.items() if word in words)
    told = next(found, "")
    return f"There is no command {word}. {told}" if told else ""
