"""The command language without a screen: what a user of gdb types, and what comes back."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from aoti_tui.artifacts.given import Given
from aoti_tui.session.headless import Headless
from aoti_tui.session.language.table import COMMANDS
from aoti_tui.session.request import OpenRequest
from tests.cases import DATA


def demo() -> OpenRequest:
    folder = Path(str(resources.files("aoti_tui.demo")))
    return OpenRequest(
        folder / "jagged_reduce.wrapper.cpp",
        log=folder / "error.empty_weights.log",
        given=Given(inputs=folder / "inputs.empty_weights.pt"),
    )


def failing(name: str, which: str) -> OpenRequest:
    folder = DATA / name
    return OpenRequest(
        folder / "wrapper.cpp",
        log=folder / f"error.{which}.log",
        given=Given(inputs=folder / f"inputs.{which}.pt"),
    )


@pytest.fixture(scope="module")
def debugged() -> Iterator[Headless]:
    session = Headless(demo())
    session.open()
    yield session
    session.close()


@pytest.fixture
def user(debugged: Headless) -> Headless:
    """The demo, run to its failing assert, with nothing set."""
    debugged.do("delete")
    debugged.do("undisplay")
    debugged.do("assert")
    debugged.do("run")
    return debugged


def test_every_listed_command_is_known_to_the_engine_and_no_other(debugged: Headless) -> None:
    handlers = debugged.engine.language.handlers
    assert set(handlers) == {one.name for one in COMMANDS}
    words = [word for one in COMMANDS for word in one.words]
    assert len(words) == len(set(words))
    for one in COMMANDS:
        assert debugged.do(f"help {one.name}").text.startswith(one.usage)


def test_down_to_the_guilty_element(user: Headless) -> None:
    stopped = user.do("run")
    assert stopped.text.startswith("The assert at kernel line 46 fails in 1 lane of program 2")
    at = stopped.where
    assert (at["program"], at["kernel_line"], at["lanes"]["failing"]) == ([2, 0, 0], 46, [[0, 0]])
    assert user.do("p tmp7[0,0]").text == "tmp7[0,0] = 0"
    assert user.do("p tmp10 - ks0").values[0]["value"] == -1
    assert user.do("w").text == "tmp10 = where(tmp9=True, tmp8=-1, tmp6=-1) → -1"
    verdict = user.do("verdict")
    assert verdict.values[0]["guilty"] == [
        {"kind": "input_dim", "position": 2, "name": "arg4_1", "dim": 0, "value": 0}
    ]
    assert verdict.values[0]["cause"]["confirmed"] is True
    assert verdict.values[0]["fixes"][0]["requires"] == "inputs[2].size(0) > 0"


def test_what_is_not_understood_is_said_and_never_jumps(user: Headless) -> None:
    before = user.where()
    for typed, told in [
        ("contine", "Did you mean continue"),
        ("quux", "is no command"),
        ("b k46 if tmp99 < 0", "has no tmp99"),
        ("b 46", "Line 46 is in no kernel; k46 means line 46 of"),
        ("condition 7 tmp10 < 0", "There is no breakpoint 7"),
        ("n x", "is no count"),
        ("p nosuch", "has no nosuch"),
        ("p tmp10 +", "is no expression"),
        ("launch 77", "No launch stands on line 77"),
        ("info threads", "info knows breakpoints"),
        ("watch nosuch", "has no nosuch"),
        ("until k9999", "did not run"),
        ("x nosuch", "is no tensor"),
    ]:
        answer = user.do(typed)
        assert not answer.ok, typed
        assert told in answer.text, (typed, answer.text)
        assert user.where() == before, typed


def test_breakpoints_by_number(user: Headless) -> None:
    assert user.do("b tmp10 if tmp10 < 0").values[0]["condition"] == "tmp10 < 0"
    once = user.do("tbreak k40")
    assert once.text.endswith(f"It is number {once.values[0]['number']}.")
    assert len(user.do("info b").values) == 2
    assert "breakpoint line 40 once" in user.do("run").text
    assert len(user.do("info b").values) == 1  # the temporary one is gone
    first = user.do("info b").values[0]["number"]
    assert "Stopped at breakpoint line 45 if tmp10 < 0" in user.do("c").text
    assert user.do(f"disable {first}").ok
    assert user.do("run").text.startswith("The assert at kernel line 46")
    user.do(f"enable {first}")
    assert user.do(f"ignore {first} 1").values[0]["ignore"] == 1
    assert user.do("run").text.startswith("The assert at kernel line 46")
    assert user.do(f"delete {first}").ok
    assert user.do("info b").text.startswith("No breakpoint is set")


def test_a_watchpoint_stops_where_a_lane_changes(user: Headless) -> None:
    user.do("watch tmp6")
    stopped = user.do("run")
    assert "watchpoint tmp6: no value → [-1] (1×1)" in stopped.text
    assert stopped.values[0]["name"] == "tmp6"


def test_steps_are_counted_both_ways(user: Headless) -> None:
    at = user.where()["step"]
    assert user.do("reverse-next 3").where["step"] == at - 3
    assert user.do("n 2").where["step"] == at - 1
    assert user.do("until k46").where["kernel_line"] == 46


def test_inputs_symbols_and_sizes_have_values() -> None:
    session = Headless(failing("embedding_ln", "id_too_large"))
    try:
        session.open()
        guilty = session.do("verdict").values[0]["elements"][0]
        where = ",".join(map(str, guilty["index"]))
        shown = session.do(f"p {guilty['name']}[{where}]")
        assert shown.values[0]["value"] == guilty["value"]
        by_position = session.do(f"p inputs[{guilty['position']}][{where}]")
        assert by_position.values[0]["value"] == guilty["value"]
        symbol = session.do("info symbols").values[0]
        assert session.do(f"p {symbol['name']} + 1").values[0]["value"] == symbol["value"] + 1
        some = session.do(f"x/3 {guilty['name']}")
        assert len(some.values) == 3
        assert some.text.startswith(f"{guilty['name']} (int64 ")
    finally:
        session.close()


def test_up_and_down_are_the_launch_and_the_kernel_and_the_step_stays(user: Headless) -> None:
    at = user.where()
    told = user.do("bt").text.splitlines()
    assert told[0].startswith("program 2 of ")
    assert told[1].startswith("#0 triton_")
    assert "(k46)" in told[1]
    assert told[2].startswith(f"#1 launch :{at['launch']}: ")
    up = user.do("up")
    assert (up.values[0]["frame"], up.where["line"]) == (1, at["launch"])
    assert up.where["step"] == at["step"]
    assert "is the outermost frame" in user.do("up").text
    assert user.do("down").where["line"] == at["line"]
    assert not user.do("frame 9").ok


def test_list_goes_on_and_its_arrow_stays_at_the_step(user: Headless) -> None:
    first = user.do("list").values
    assert user.do("list").values[0]["line"] == first[-1]["line"] + 1
    assert user.do("list -").values[-1]["line"] == first[-1]["line"]
    stands = user.where()["line"]
    assert [row["line"] for row in user.do(f"list {stands - 2},{stands}").values] == [
        stands - 2,
        stands - 1,
        stands,
    ]
    elsewhere = user.do("list tmp6").text.splitlines()
    marked = [line for line in elsewhere if line.startswith("→")]
    assert all(f" {stands} " in line for line in marked)


def test_a_breakpoint_on_a_function_or_a_line_of_the_file(user: Headless) -> None:
    kernel, line = user.where()["kernel"], user.where()["line"]
    first = user.do(f"tbreak {kernel}").values[0]
    assert user.do("run").where["kernel_line"] == first["line"]
    assert user.where()["step"] == 1
    assert user.do(f"b jagged_reduce.wrapper.cpp:{line}").values[0]["line"] == 46
    assert not user.do("b other.cpp:3").ok


def test_what_other_debuggers_have_is_answered_and_not_guessed(user: Headless) -> None:
    before = user.where()
    for typed, told in [
        ("thread 3", "lane [3]"),
        ("jump 4", "until k46"),
        ("ptype tmp4", "info locals"),
        ("p/x tmp4", "in decimal"),
        ("set tmp10 = 3", "computed by the kernel"),
        ("set var tmp10 = 3", "computed by the kernel"),
        ("until", "stands on the cursor's line already"),
    ]:
        answer = user.do(typed)
        assert not answer.ok, typed
        assert told in answer.text, (typed, answer.text)
        assert user.where() == before, typed
    assert "no helper to step out of" in user.do("finish").text
    assert user.where()["step"] == before["step"]
