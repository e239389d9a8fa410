"""Every key of the table, as the bytes that a terminal without newer protocols sends."""

from __future__ import annotations

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.keys import _character_to_key

from aoti_tui.tui.actions import ACTIONS
from tests.tui.terminal import Terminal

KEYS = sorted({key for action in ACTIONS for key in action.keys.split(",") if key})
NAMED = {
    "escape": "\x1b",
    "f5": "\x1b[15~",
    "f9": "\x1b[20~",
    "f10": "\x1b[21~",
    "f11": "\x1b[23~",
    "alt+right": "\x1b[1;3C",
    "ctrl+right": "\x1bf",  # what some send for alt+right
}
"""xterm's sequences, which tmux and screen pass on."""
BY_NAME = {_character_to_key(chr(code)): chr(code) for code in range(0x21, 0x7F)}


def sent(key: str) -> str:
    """What a legacy terminal sends for a key; a KeyError for one that it cannot say."""
    if key in NAMED:
        return NAMED[key]
    if key.startswith("ctrl+") and len(key) == 6 and key[5].islower():
        return chr(ord(key[5]) & 0x1F)
    if key.startswith("alt+") and len(key) == 5:
        return "\x1b" + key[4]
    return key if len(key) == 1 else BY_NAME[key]


@pytest.mark.parametrize("key", KEYS)
def test_the_key_arrives(key: str) -> None:
    parser = XTermParser()
    arrived = [*parser.feed(sent(key)), *parser.feed("")]
    keys = [event for event in arrived if isinstance(event, events.Key)]
    wanted = _character_to_key(key) if len(key) == 1 else key
    assert [event.key for event in keys] == [wanted]


def test_keys_of_a_legacy_terminal_in_a_real_one() -> None:
    with Terminal(["--demo"]) as user:
        user.see("0 <= tmp10 < ks0")
        user.press("K")
        user.see("Stop at kernel line 46 only when")
        user.press("\x10")
        user.see("The palette opens on the main screen")
        user.press("\r")
        user.see("Breakpoint set: line 46.")
        user.press("i")
        user.see("1329", "auto arg4_1 = std::move")
        user.press("\x0f")
        user.see("777 46 ┃")
        user.press("\x1b[1;3C")
        user.see("auto arg4_1 = std::move")
        # ctrl+c is an old habit, and what it might mean is said.
        user.press("\x03")
        user.see("ctrl+c again quits, as q does; y copies.")
        # Another program wrote over the screen: ctrl+l brings it back.
        user.screen.reset()
        user.press("\x0c")
        user.see("0 <= tmp10 < ks0", "auto arg4_1 = std::move", "q Quit")
        user.press("q")
        assert user.wait() == 0
