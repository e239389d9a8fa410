"""``aoti-tui debug``: from a shell with -ex, and from a program with --serve."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.cases import DATA

LIMIT = 120


def debug(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "aoti_tui", "debug", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


class Served:
    """A program that debugs through JSON lines."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.asked = 0
        self.opened = self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def send(self, line: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.asked += 1
        return self._answer()

    def ask(self, command: str) -> dict[str, Any]:
        found = self.send(json.dumps({"id": self.asked, "command": command}))
        assert found["asked"] == command
        assert found["id"] == self.asked - 1
        return found


@contextmanager
def served(*arguments: str) -> Iterator[Served]:
    process = subprocess.Popen(
        [sys.executable, "-m", "aoti_tui", "debug", *arguments, "--serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Served(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(LIMIT)


def failing(name: str, which: str) -> tuple[str, ...]:
    folder = DATA / name
    log, inputs = folder / f"error.{which}.log", folder / f"inputs.{which}.pt"
    return str(folder / "wrapper.cpp"), "--log", str(log), "--inputs", str(inputs)


def test_from_a_shell_down_to_the_guilty_value(tmp_path: Path) -> None:
    more = tmp_path / "more.txt"
    more.write_text("# what made it\nw\nverdict\n")
    done = debug("--demo", "-ex", "c", "-ex", "p tmp10", "-x", str(more), "-ex", "p arg4_1.size(0)")
    assert done.returncode == 0, done.stderr
    assert "The assert at kernel line 46 fails" in done.stdout
    assert "tmp10 = where(tmp9=True, tmp8=-1, tmp6=-1) → -1" in done.stdout
    assert "guilty: input 2 (arg4_1), dimension 0 = 0" in done.stdout
    assert done.stdout.endswith("arg4_1.size(0) = 0\n")


def test_what_cannot_be_done_is_said_and_the_rest_is_done() -> None:
    done = debug("--demo", "--json", "-ex", "contine", "-ex", "c", "-ex", "p nosuch", "-ex", "w")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["ok"] for one in answers] == [False, True, False, True]
    assert done.returncode == 2
    assert set(answers[1]) == {"asked", "ok", "where", "values", "text"}
    assert {"kernel", "launch", "program", "step", "line", "lanes"} <= set(answers[1]["where"])


def test_commands_are_read_from_a_pipe() -> None:
    done = debug("--demo", stdin="c\nwhere\nquit\nc\n")
    assert done.returncode == 0
    assert "step 28 of 34" in done.stdout


def test_a_hundred_requests_one_answer_each() -> None:
    walk = ["c", *["n", "reverse-next", "p tmp10", "info locals", "where", "x/4 in_ptr0"] * 16]
    with served("--demo") as program:
        assert program.opened["ok"]
        for command in walk:
            found = program.ask(command)
            assert found["ok"], found
        for line in ("", "{", "[]", '{"command": 3}', '"p nosuch"'):
            if line:
                found = program.send(line)
                assert not found["ok"]
                assert found["text"]
        assert program.ask("p ks0")["values"][0]["value"] == 0
        assert program.asked >= 100


def test_an_agent_gets_the_guilty_element_its_value_and_the_fix() -> None:
    with served(*failing("gather_dynamic", "idx_eq_size")) as program:
        verdict = program.ask("verdict")["values"][0]
        element = verdict["elements"][0]
        where = ",".join(map(str, element["index"]))
        asked = program.ask(f"p inputs[{element['position']}][{where}]")
        assert asked["values"][0]["value"] == element["value"]
        assert verdict["cause"] == {**verdict["cause"], "confirmed": True}
        assert verdict["fixes"]
        assert program.asked == 2


def test_a_script_is_debugged_too(tmp_path: Path) -> None:
    script = tmp_path / "shift.py"
    script.write_text(
        "import torch, triton, triton.language as tl\n"
        "@triton.jit\n"
        "def shift(x, out, n, B: tl.constexpr):\n"
        "    at = tl.program_id(0) * B + tl.arange(0, B)\n"
        "    value = tl.load(x + at + 1)\n"
        "    tl.store(out + at, value, mask=at < n)\n"
        "x = torch.arange(8.0, device='cuda')\n"
        "out = torch.zeros_like(x)\n"
        "shift[(1,)](x, out, 8, B=8)\n"
        "print(out)\n"
    )
    done = debug("--json", "-ex", "where", "-ex", "p at", "-ex", "verdict", "--script", str(script))
    where, printed, verdict = (json.loads(line) for line in done.stdout.splitlines())
    assert where["where"]["line"] == 5, where
    assert printed["values"][0]["lanes"] == list(range(8))
    wrong = verdict["values"][0]["wrong"][0]
    assert (wrong["kind"], wrong["argument"], wrong["element"]) == ("out-of-bounds", "x", 8)
