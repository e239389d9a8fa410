"""Control characters of an artifact, of 7 and of 8 bits, never reach a terminal."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

import pytest

from aoti_tui.cli.main import main
from aoti_tui.cli.terminal_text import without_orders
from tests.replay.models import DEMO

ORDERS = "\x1b]52;c;cHduZWQ=\x07\x1b]0;PWNED\x07\x1b[2J\x9b31m\x85\x7f\u202e"
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
LOG = str(DEMO / "error.empty_weights.log")
INPUTS = str(DEMO / "inputs.empty_weights.pt")


@pytest.fixture
def wrapper(tmp_path: Path) -> Path:
    """The demo with orders to the terminal in every kind of name it has."""
    text = (DEMO / "jagged_reduce.wrapper.cpp").read_text()
    for name in ('"proj.weight"', "[sub, ge", "index out of bounds: 0 <= tmp10"):
        assert name in text, name
    text = text.replace("proj.weight", f"proj{ORDERS}.weight")
    text = text.replace("[sub, ge", f"[sub{ORDERS}, ge")
    text = text.replace("index out of bounds: 0 <= tmp10", f"index {ORDERS}: 0 <= tmp10")
    path = tmp_path / f"wrapper{ORDERS}.cpp"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ["explain", "W", "--log", LOG, "--no-replay"],
        ["explain", "W", "--log", "L", "--no-replay"],
        ["explain", "W", "--log", "L", "--no-replay", "--json"],
        ["explain", "W", "--log", LOG, "--inputs", INPUTS],
        ["index", "W"],
        ["index", "W", "--json"],
        ["replay", "W", "--inputs", INPUTS, "--all"],
        ["replay", "W", "--inputs", INPUTS, "--all", "--json"],
        ["replay", "W", "--inputs", INPUTS, "--kernel", ORDERS],
        ["check", "W", "--tensors", ORDERS],
        ["index", ORDERS],
        ["index", ORDERS, "--no-such-option" + ORDERS],
        ["W", "--log", LOG],
    ],
)
def test_nothing_printed_is_an_order(
    arguments: list[str],
    wrapper: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = tmp_path / "error.log"
    log.write_text(Path(LOG).read_text().replace("index out of bounds", f"index {ORDERS}"))
    named = {"W": str(wrapper), "L": str(log)}
    with contextlib.suppress(SystemExit):
        main([named.get(argument, argument) for argument in arguments])
    printed = capsys.readouterr()
    assert printed.out + printed.err
    assert not FORBIDDEN.search(printed.out + printed.err)
    if "--json" in arguments and printed.out:
        json.loads(printed.out)


def test_json_says_what_was_there() -> None:
    text = json.dumps({"fqn": ORDERS}, ensure_ascii=False)
    assert json.loads(without_orders(text)) == {"fqn": ORDERS}
    assert without_orders("as it is\tand on\n") == "as it is\tand on\n"
