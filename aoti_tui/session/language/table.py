"""Every command once: its words, its arguments, what it does and what its answer holds.

The engine looks a word up here, ``aoti-tui help commands`` prints it, completion reads it; what
each does is in the rooms of this folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True)
class Command:
    """One command. ``needs`` names the state without which it does nothing, as keys have it."""

    name: str
    also: tuple[str, ...]
    arguments: str
    does: str
    gives: str
    """What ``values`` of its answer holds; ``""`` for nothing."""
    group: str
    needs: str = "incident"

    @property
    def words(self) -> tuple[str, ...]:
        return (self.name, *self.also)

    @property
    def usage(self) -> str:
        return f"{self.name} {self.arguments}".rstrip()


_STEP = "the step where it stands: name, value in the lane, failing lanes"
_ELEMENTS = "name, dtype, shape, index and value of elements"

COMMANDS: tuple[Command, ...] = (
    # -- running
    Command(
        "continue",
        ("c", "cont"),
        "[N]",
        "Run the launch, or go on to the next stop: a breakpoint, a failing assert, a bad access",
        _STEP,
        "Running",
    ),
    Command(
        "run", ("r", "start", "restart"), "", "Run the launch from its start", _STEP, "Running"
    ),
    Command("next", ("n",), "[N]", "Step to the next temporary", _STEP, "Running", "recording"),
    Command("step", ("s",), "[N]", "Step, also into a helper", _STEP, "Running", "recording"),
    Command(
        "finish",
        ("fin", "return"),
        "",
        "Step out of the helper",
        _STEP,
        "Running",
        "recording",
    ),
    Command(
        "until",
        ("u", "unt", "advance"),
        "[PLACE]",
        "Run to a line (k46, 1344, main.py:24) or a temporary; else to the cursor",
        _STEP,
        "Running",
    ),
    Command(
        "reverse-continue",
        ("rc",),
        "[N]",
        "Go back to the stop before",
        _STEP,
        "Running",
        "recording",
    ),
    Command(
        "reverse-next",
        ("rn",),
        "[N]",
        "Step back to the temporary before",
        _STEP,
        "Running",
        "recording",
    ),
    Command(
        "reverse-step",
        ("rs",),
        "[N]",
        "Step back, also into a helper",
        _STEP,
        "Running",
        "recording",
    ),
    Command(
        "reverse-finish",
        ("rfin",),
        "",
        "Step back out of the helper",
        _STEP,
        "Running",
        "recording",
    ),
    Command(
        "program",
        (),
        "[X[,Y,Z]]",
        "Record another program of the grid; alone: which there are and which fail",
        "program, grid, failing programs",
        "Running",
    ),
    Command(
        "launch",
        (),
        "[LINE]",
        "Choose the launch that c runs, by its line or number; alone: the one that is chosen",
        "kernel, line, grid",
        "Running",
    ),
    Command("kernel", (), "[NAME]", "Choose a kernel, with its first launch", "name", "Running"),
    Command(
        "go-on",
        ("script_on",),
        "",
        "Let the script go on to the next thing that is wrong, or to its end",
        "",
        "Running",
    ),
    # -- stopping
    Command(
        "break",
        ("b", "br"),
        "[PLACE] [if CONDITION]",
        "Stop at a line (k46, 1344, main.py:24) or temporary; alone: where it stands",
        "number, place, condition",
        "Stopping",
    ),
    Command(
        "tbreak",
        ("tb",),
        "[PLACE] [if CONDITION]",
        "As break, and gone after its first stop",
        "number, place, condition",
        "Stopping",
    ),
    Command(
        "watch",
        (),
        "EXPRESSION",
        "Stop where the value of an expression changes in any lane",
        "number, expression",
        "Stopping",
    ),
    Command(
        "delete",
        ("d", "del", "clear"),
        "[N… | PLACE]",
        "Delete breakpoints by number or place; alone: all of them",
        "",
        "Stopping",
    ),
    Command("disable", ("dis",), "[N…]", "Keep breakpoints, without stopping", "", "Stopping"),
    Command("enable", ("en",), "[N…]", "Let disabled breakpoints stop again", "", "Stopping"),
    Command(
        "condition",
        ("cond",),
        "N [CONDITION]",
        "Stop at a breakpoint only when a condition holds in some lane; alone: always",
        "number, place, condition",
        "Stopping",
    ),
    Command(
        "ignore",
        (),
        "N COUNT",
        "Let the first hits of a breakpoint pass",
        "number, place, ignore",
        "Stopping",
    ),
    # -- looking
    Command(
        "print",
        ("p", "inspect", "pp"),
        "EXPRESSION",
        "The value of an expression of temporaries, sizes (ks0), symbols (s22), elements "
        "(arg5_1[1,1], inputs[1][1,1], buf0[3]) and shapes (arg5_1.size(0))",
        "expression, value in the lane, dtype, shape, summary, lanes",
        "Looking",
    ),
    Command(
        "x",
        ("elements",),
        "[/N] TENSOR[INDEX]",
        "N elements of a tensor from an index on: x/8 buf0[0,2]",
        _ELEMENTS,
        "Looking",
    ),
    Command(
        "info",
        ("i",),
        "TOPIC",
        "What there is: breakpoints, locals, args, lanes, launches, inputs, symbols, watches, "
        "worker, kernels, failures, guards, buffers, constants",
        "one object a row of the topic",
        "Looking",
    ),
    Command(
        "list",
        ("l",),
        "[PLACE | N,M | -]",
        "The source around a place, or where it stands; again: the lines after, with - before",
        "lines with number and text",
        "Looking",
    ),
    Command(
        "where",
        ("bt", "backtrace"),
        "",
        "Where it stands: program, step and lane, and the frames: helper, kernel, launch",
        "",
        "Looking",
    ),
    Command(
        "frame",
        ("f",),
        "[N]",
        "Look at a frame by its number in bt; alone: the one looked at",
        "frame, function, line",
        "Looking",
    ),
    Command(
        "up",
        (),
        "[N]",
        "Look at the caller: of a helper the kernel, of a kernel its launch",
        "frame, function, line",
        "Looking",
    ),
    Command("down", (), "[N]", "Back towards the step", "frame, function, line", "Looking"),
    Command(
        "lane",
        (),
        "[I,J]",
        "Look at another lane; alone or with next, previous: failing ones",
        "lane, value",
        "Looking",
    ),
    Command(
        "display",
        (),
        "EXPRESSION",
        "Show an expression from now on",
        "expression, value",
        "Looking",
    ),
    Command("undisplay", (), "[N | EXPRESSION]", "Show it no longer", "", "Looking"),
    Command(
        "goto",
        ("g",),
        "PLACE",
        "Put the cursor on a line (1344, k46), a name or a launch",
        "",
        "Looking",
    ),
    # -- asking
    Command(
        "verdict",
        ("why",),
        "",
        "Who is guilty, why, the fix and how sure; replays the failure where there are inputs",
        "guilty input with element or dimension and value, cause, confirmed, fixes",
        "Asking",
    ),
    Command(
        "explain",
        (),
        "",
        "All that is concluded of the failure",
        "as verdict",
        "Asking",
    ),
    Command("failure", (), "[N]", "Open a failure of the log; alone: the next one", "", "Asking"),
    Command(
        "assert",
        ("go_assert",),
        "",
        "Go to the assert of the failure, or to where the script stands",
        "",
        "Asking",
    ),
    Command(
        "last",
        ("w", "who_made", "origin"),
        "[NAME]",
        "Go to the step that made a value; again: to the one that made its operand",
        _STEP,
        "Asking",
    ),
    Command("uses", ("who_uses",), "[NAME]", "Go to the step that uses a value", _STEP, "Asking"),
    Command(
        "wrote",
        ("W", "who_wrote"),
        "TENSOR[INDEX]",
        "Go to the program, lane and store that wrote an element",
        _STEP,
        "Asking",
    ),
    Command(
        "input",
        ("model_input",),
        "[NAME]",
        "From the assert, or a name, to the model input it comes from",
        "",
        "Asking",
    ),
    Command(
        "find",
        (),
        "[CONDITION | next | previous]",
        "In which programs and lanes of the launch a condition holds (find tmp4 >= ks0, find "
        "isnan(tmp9)), over the whole grid; next and previous walk the list",
        "program, lanes, values; how many programs were looked at",
        "Asking",
    ),
    Command(
        "plot",
        (),
        "NAME",
        "A small picture of a temporary over the programs of the launch: map and histogram",
        "program, min, max, nan of each",
        "Asking",
    ),
    Command(
        "expect",
        (),
        "NAME = EXPRESSION",
        "Compare a name of a script's kernel with an expression of torch over its arguments, and "
        "go to where it departs",
        _STEP,
        "Asking",
    ),
    Command(
        "precision",
        (),
        "",
        "Run the recorded program of a script in float64 beside itself, and go to the next step "
        "that lost precision",
        _STEP,
        "Asking",
    ),
    # -- trying
    Command(
        "set",
        (),
        "NAME=VALUE",
        "Try another value: of a symbol (s7 = 17), an element of an input (arg5_1[1,1] = 1, "
        "inputs[1][0] = 2) or a size (arg5_1.size(0) = 3); s7= takes a symbol back",
        "the changes as a diff",
        "Trying",
    ),
    Command(
        "whatif",
        (),
        "minimal",
        "Look for the smallest change of the inputs after which the whole model runs clean",
        "clean, the changes as a diff, guard that would have refused the call, what is left",
        "Trying",
    ),
    Command(
        "inputs",
        (),
        "[FILE | original]",
        "Take another inputs file, or the original one again; alone: what was changed",
        "the changes as a diff",
        "Trying",
    ),
    Command(
        "good",
        (),
        "FILE",
        "The run with good inputs beside this one: symbols that differ, the first launch, "
        "temporary and lanes where they part",
        "symbols, first and failing: launch, program, name, lanes, both values",
        "Trying",
    ),
    Command(
        "save",
        (),
        "inputs FILE",
        "Write the inputs as they are now, with what was changed",
        "file, guard",
        "Trying",
    ),
    # -- the session
    Command(
        "source",
        (),
        "FILE",
        "Do the commands of a file, a line each",
        "those of its commands",
        "Session",
        "",
    ),
    Command("history", (), "", "The commands so far", "number, command", "Session", ""),
    Command(
        "help", ("h",), "[COMMAND]", "What commands there are, or what one does", "", "Session", ""
    ),
    Command("quit", ("q", "exit"), "", "Leave", "", "Session", ""),
)

HINT = (
    "1344 or k46 (a line of the wrapper or kernel), a name, [3,1] (a lane) go there.  "
    "p tmp4 - ks0 prints · b tmp10 if tmp10 < 0 · info b · x/8 arg0_1[0,1] (elements) · "
    "program 2 · set s7=3 · watch tmp4 · until k46 · verdict · n, c, rc, help, quit"
)
BY_WORD: dict[str, Command] = {word: one for one in COMMANDS for word in one.words}


def proposed(word: str) -> tuple[str, ...]:
    """Commands that are spelt like a word."""
    starts = [known for known in BY_WORD if len(word) > 1 and known.startswith(word)]
    return tuple(dict.fromkeys([*starts, *get_close_matches(word, BY_WORD, 3, 0.6)]))[:3]


def listing() -> Iterator[str]:
    """The list of all commands as Markdown lines."""
    group = ""
    for one in COMMANDS:
        if one.group != group:
            group = one.group
            yield from ("", f"## {group}", "")
        also = f" ({', '.join(one.also)})" if one.also else ""
        yield f"- `{one.usage}`{also}: {one.does}."
        if one.gives:
            yield f"  values: {one.gives}."
