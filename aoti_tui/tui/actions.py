"""Every action once: its keys, words and place. Bindings, footer, palette and help read this."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class Action:
    """Something the user can do on the main screen.

    ``needs`` names the state without which it does nothing: ``incident`` (a wrapper is open),
    ``failure``, ``recording``, ``replay`` (one is running), or ``""``.
    """

    id: str
    keys: str
    """Comma-separated; none for an action of the palette alone."""
    label: str
    """One or two words for the footer."""
    tooltip: str
    """One sentence for palette and help."""
    group: str
    needs: str = "incident"
    footer: bool = False
    also: str = ""
    """Other words that people look for it by."""
    short: str = ""
    """The label where the footer has little room."""
    only: str = ""
    """``wrapper`` or ``script``, where it makes no sense for the other."""


ACTIONS: tuple[Action, ...] = (
    Action(
        "model_input",
        "i",
        "Input",
        "From the assert, or any value, to the model input it comes from",
        "Find",
        footer=True,
    ),
    Action(
        "continue",
        "c,f5",
        "Run",
        "Run the kernel in the interpreter, or continue to the next breakpoint or failing assert",
        "Replay",
        footer=True,
    ),
    Action(
        "fixes",
        "exclamation_mark",
        "Fix",
        "Show what to change, with the condition that a call must meet",
        "Find",
        needs="failure",
        footer=True,
        also="fixes advice repair workaround solution requires",
        only="wrapper",
    ),
    Action(
        "script_on",
        "ctrl+n",
        "Go on",
        "Let the script go on to the next thing that is wrong, or to its end",
        "Replay",
        also="continue script resume next stop",
        only="script",
    ),
    Action(
        "precision",
        "E",
        "Precision",
        "Run the program in float64 beside itself, and go to the next step that lost precision",
        "Replay",
        needs="recording",
        also="float64 error rounding cancellation overflow expect reference",
        only="script",
    ),
    Action(
        "continue_back",
        "C",
        "Run back",
        "Go back to the breakpoint or failing assert before",
        "Replay",
        needs="recording",
    ),
    Action(
        "step",
        "n,f10",
        "Step",
        "Step to the next temporary",
        "Replay",
        needs="recording",
        footer=True,
    ),
    Action(
        "step_back",
        "N",
        "Back",
        "Step back to the temporary before",
        "Replay",
        needs="recording",
        footer=True,
    ),
    Action("step_into", "s,f11", "Into", "Step into a helper", "Replay", needs="recording"),
    Action("step_out", "f", "Out", "Finish the helper", "Replay", needs="recording"),
    Action(
        "run_to_cursor",
        "t",
        "To cursor",
        "Run to the line of the cursor",
        "Replay",
    ),
    Action(
        "breakpoint",
        "b,f9",
        "Break",
        "Set or clear a breakpoint on the line or temporary of the cursor",
        "Replay",
        footer=True,
        also="breakpoint breakpoints toggle delete",
    ),
    Action(
        "breakpoint_state",
        "B",
        "Toggle",
        "Disable or enable the breakpoint of the line",
        "Replay",
        also="breakpoint enable",
    ),
    Action(
        "breakpoint_condition",
        "K",
        "Condition",
        "Stop here only when a condition holds in some lane (tmp10 < 0)",
        "Replay",
        also="conditional breakpoint if ignore hit count log tracepoint",
    ),
    Action(
        "breakpoints",
        "",
        "Breakpoints",
        "Go to the list of breakpoints, to enable, change or clear them",
        "Replay",
        also="info list",
    ),
    Action(
        "clear_breakpoints",
        "",
        "Clear breakpoints",
        "Clear all breakpoints of this wrapper",
        "Replay",
        also="delete remove all",
    ),
    Action(
        "watch",
        "e",
        "Watch",
        "Watch an expression of temporaries above them (tmp10 - ks0)",
        "Replay",
        also="print display evaluate value inspect",
    ),
    Action(
        "lock",
        "L",
        "Lock",
        "Keep the lanes on the selected temporary while stepping, or let them follow again",
        "Replay",
        needs="recording",
    ),
    Action(
        "number_format",
        "number_sign",
        "Numbers",
        "Show numbers in hexadecimal, floats as their bits, or in decimal again",
        "Replay",
        needs="recording",
        also="hex format radix base value",
    ),
    Action(
        "next_nan",
        "alt+n",
        "Next NaN",
        "Go to the next step that first gives a name a NaN or an infinity",
        "Find",
        needs="recording",
    ),
    Action(
        "previous_nan",
        "alt+p",
        "Previous NaN",
        "Go to the step before that first gave a name a NaN or an infinity",
        "Find",
        needs="recording",
    ),
    Action("who_made", "w", "Who made", "Go to the step that made this value", "Find"),
    Action(
        "who_wrote",
        "W",
        "Who wrote",
        "From a wrong element of an output to the program, lane and store that wrote it",
        "Find",
    ),
    Action(
        "elements",
        "v",
        "Elements",
        "View the elements of the tensor under the cursor, with those that failing lanes read",
        "Find",
        also="tensor memory dump print value values examine",
    ),
    Action("who_uses", "u", "Who uses", "Go to the step that uses this value", "Find"),
    Action(
        "next_failing",
        "]",
        "Next bad lane",
        "Select the next failing lane",
        "Replay",
        needs="recording",
        footer=True,
        short="Lane",
    ),
    Action(
        "previous_failing",
        "[",
        "Previous bad lane",
        "Select the failing lane before",
        "Replay",
        needs="recording",
    ),
    Action(
        "set_symbol",
        "=",
        "What if",
        "Set a symbol to another value, and see the assert come or go",
        "Replay",
        footer=True,
    ),
    Action(
        "choose_program",
        "P",
        "Program",
        "Record another program of the grid",
        "Replay",
    ),
    Action(
        "search",
        "/",
        "Search",
        "Search in the sources and the values",
        "Find",
        footer=True,
        also="go to find grep value",
        short="Find",
    ),
    Action(
        "command",
        "colon",
        "Command",
        "Type a command as in gdb: p tmp4 - ks0, b tmp10 if tmp10 < 0, info b, 777, tmp7, [3,1]",
        "Find",
    ),
    Action("search_next", "full_stop", "Next match", "Go to the next match", "Find"),
    Action("search_previous", "comma", "Previous match", "Go to the match before", "Find"),
    Action("jump_back", "ctrl+o", "Back to", "Back to the place before the last jump", "Find"),
    # Some terminals send alt+right as what others send for ctrl+right.
    Action("jump_forward", "alt+right,ctrl+right", "Forward", "Forward to the place after", "Find"),
    Action("go_assert", "a", "Assert", "Go to the assert of the failure", "Find", needs="failure"),
    Action(
        "next_failure",
        "F",
        "Next failure",
        "Show the next failure of the log",
        "Find",
        short="Next",
    ),
    Action(
        "find_fault",
        "d",
        "Bad access",
        "Replay the model to its first access outside of a tensor: what a memory fault came from",
        "Find",
        only="wrapper",
        also="illegal memory access fault segmentation out of bounds",
    ),
    Action(
        "paste_log",
        "p",
        "Paste log",
        "Paste a log to find the failure it reports",
        "Bring",
        only="wrapper",
    ),
    Action("load_log", "o", "Load log", "Read a log from a file", "Bring", only="wrapper"),
    Action(
        "load_inputs",
        "O",
        "Load inputs",
        "Read the model's inputs from a .pt file",
        "Bring",
        only="wrapper",
    ),
    Action("copy", "y", "Copy", "Copy the value, line or chain under the cursor", "Take"),
    Action("copy_chain", "Y", "Copy chain", "Copy the provenance chain as text", "Take"),
    Action(
        "report",
        "R",
        "Report",
        "Write the report of the failure to a file and copy it",
        "Take",
        only="wrapper",
    ),
    Action(
        "script",
        "X",
        "Script",
        "Write a stand-alone Python script that makes the failure happen again",
        "Take",
        only="wrapper",
    ),
    Action("suspend", "ctrl+z", "Suspend", "Back to the shell; fg comes back", "View", needs=""),
    Action("redraw", "ctrl+l", "Redraw", "Paint the screen again", "View", needs=""),
    Action("screenshot", "S", "Screenshot", "Save a picture of the screen (SVG)", "Take", needs=""),
    Action(
        "jump_mode",
        "g",
        "Panes",
        "Show a letter on each pane; type it to go there",
        "View",
        needs="",
        footer=True,
    ),
    Action("maximize", "z", "Zoom", "Give the focused pane the whole screen", "View", needs=""),
    Action("pane_1", "1", "Source", "Show the source", "View", needs=""),
    Action("pane_2", "2", "Call", "Show the call site", "View", needs=""),
    Action("pane_3", "3", "Chain", "Show the provenance chain", "View", needs=""),
    Action("pane_4", "4", "Run", "Show the run pane", "View", needs=""),
    Action("pane_5", "5", "Navigator", "Show the navigator", "View", needs=""),
    Action(
        "filter",
        "ctrl+f",
        "Filter",
        "Filter the temporaries in the run pane, elsewhere the navigator",
        "View",
        also="go to find kernel input symbol list",
    ),
    Action("wider", ">", "Edge right", "Move the right edge of the pane", "View", needs=""),
    Action("narrower", "<", "Edge left", "Move the right edge of the pane back", "View", needs=""),
    Action("taller", "}", "Taller", "Give the focused pane more rows", "View", needs=""),
    Action("shorter", "{", "Shorter", "Give the focused pane fewer rows", "View", needs=""),
    Action("reset_layout", "0", "Reset", "Show all panes, each in its own place", "View", needs=""),
    Action("hide", "minus", "Hide", "Hide the focused pane, or show all again", "View", needs=""),
    Action("answer", "A", "Answer", "Show the whole answer", "View"),
    Action("messages", "M", "Messages", "Show all messages so far in full", "View", needs=""),
    Action("cancel", "escape", "Cancel", "Cancel a running replay; leave zoom", "View", needs=""),
    Action(
        "help",
        "question_mark",
        "Help",
        "Explain the focused pane and all keys",
        "View",
        "",
        footer=True,
    ),
    Action("quit", "q,ctrl+q", "Quit", "Leave", "View", "", footer=True),
)

BY_ID = {action.id: action for action in ACTIONS}


def bindings(actions: Iterable[Action] = ACTIONS) -> list[Binding]:
    """Bindings with the actions' ids, so that a config file can give them other keys.

    An action without a key is bound to a name that no terminal sends.
    """
    return [
        Binding(
            action.keys or f"no_key_{action.id}",
            f"act('{action.id}')",
            action.label,
            show=action.footer,
            tooltip=action.tooltip,
            id=action.id,
        )
        for action in actions
    ]
