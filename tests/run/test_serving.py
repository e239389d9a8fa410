"""Any launch of a script can be looked into afterwards, as it was when it ran."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.running import Watched, numbers, script

TWO = """
@triton.jit
def double(v):
    twice = v * 2
    return twice

@triton.jit
def step(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = double(x) + 1
    tl.store(o_ptr + i, y, mask=i < n)

SIZE = {size}
x = torch.arange(float(SIZE))
o = torch.zeros_like(x)
step[(2,)](x, o, 8, BLOCK=4)
x[:8].mul_(10)
step[(1,)](o, x, 4, BLOCK=4)
x.neg_()
"""
MUL_LINE, NEG_LINE = 21, 23


@pytest.fixture(params=[8, 1 << 20], ids=["small", "large"])
def two(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Watched]:
    """Two launches on small tensors, which are copied, or on large ones, which are not."""
    script(tmp_path, TWO.format(size=request.param))
    with Watched(tmp_path, "main.py") as watched:
        assert watched.until("exit")["code"] == 0
        yield watched


def test_a_launch_is_recorded_with_the_values_it_was_given(two: Watched) -> None:
    reply = two.ask("record", launch=0, program=[1, 0, 0])
    steps = {(one["function"], one["name"]): one for one in reply["steps"]}
    assert numbers(reply, steps["step", "x"]["value"]) == [4, 5, 6, 7]
    assert numbers(reply, steps["double", "twice"]["value"]) == [8, 10, 12, 14]
    assert steps["double", "twice"]["depth"] == 1
    assert steps["double", "twice"]["file"].endswith("main.py")
    assert steps["double", "twice"]["kernel_line"] == 7
    second = two.ask("record", launch=1, program=[0, 0, 0])
    steps = {(one["function"], one["name"]): one for one in second["steps"]}
    assert numbers(second, steps["step", "x"]["value"]) == [1, 3, 5, 7]


def test_a_tensor_is_read_before_and_after_a_launch(two: Watched) -> None:
    def read(launch: int, argument: str, when: str) -> list[float]:
        reply = two.ask("read", launch=launch, argument=argument, when=when, start=0, count=5)
        return numbers(reply, dict(reply))

    assert read(0, "x_ptr", "before") == [0, 1, 2, 3, 4]
    assert read(0, "o_ptr", "before") == [0, 0, 0, 0, 0]
    assert read(0, "o_ptr", "after") == [1, 3, 5, 7, 9]
    assert read(1, "o_ptr", "before") == [0, 10, 20, 30, 40]
    assert read(1, "o_ptr", "after") == [3, 7, 11, 15, 40]


def test_who_wrote_goes_back_over_launches_and_operations(two: Watched, tmp_path: Path) -> None:
    reply = two.ask("who_wrote", launch=0, argument="o_ptr", element=5)
    assert (reply["count"], reply["before"], reply["after"]) == (1, 0, 11)
    assert (reply["last"]["program"], reply["last"]["lane"]) == ([1, 0, 0], [1])
    assert reply["before_by"]["op"] == "aten::zero_" or "zeros" in reply["before_by"]["op"]
    reply = two.ask("who_wrote", launch=1, argument="x_ptr", element=3)
    assert reply["count"] == 0
    before = reply["before_by"]
    assert (before["launch"], before["program"], before["lane"]) == (0, [0, 0, 0], [3])
    reply = two.ask("who_wrote", launch=1, argument="o_ptr", element=6)
    assert reply["count"] == 0
    assert reply["before_by"] == {
        "op": "aten::mul_",
        "file": str(tmp_path / "main.py"),
        "line": MUL_LINE,
    }


def test_what_if_an_element_or_a_scalar_were_another(two: Watched) -> None:
    sets = [
        {"argument": "x_ptr", "element": 1, "value": 50.0},
        {"argument": "n", "value": 2},
    ]
    assert two.ask("what_if", launch=0, sets=sets)["event"] == "result"
    reply = two.ask("who_wrote", launch=0, argument="o_ptr", element=1)
    assert reply["after"] == 101
    assert two.ask("who_wrote", launch=0, argument="o_ptr", element=2)["count"] == 0
    two.ask("what_if", launch=0, sets=[])
    assert two.ask("who_wrote", launch=0, argument="o_ptr", element=1)["after"] == 3


def test_a_whole_launch_is_scanned_again(two: Watched) -> None:
    reply = two.ask("scan", launch=0)
    assert (reply["programs"], reply["faults"], reply["asserts"]) == (2, [], [])


def test_a_launch_that_is_not_there_is_an_error(two: Watched) -> None:
    reply = two.ask("record", launch=7, program=[0, 0, 0])
    assert (reply["event"], reply["kind"]) == ("error", "bad-request")
    assert "no launch 7" in reply["message"]


def test_a_script_stops_at_its_first_finding_until_it_may_go_on(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        @triton.jit
        def read(x_ptr, BLOCK: tl.constexpr):
            x = tl.load(x_ptr + tl.arange(0, BLOCK))
            tl.store(x_ptr, tl.sum(x, 0))

        x = torch.ones(6)
        read[(1,)](x, BLOCK=8)
        raise ValueError("at the end")
        """,
    )
    with Watched(tmp_path, "main.py", stop_at=("finding", "exception")) as watched:
        assert watched.until("stopped")["why"] == "finding"
        reply = watched.ask("record", launch=0, program=[0, 0, 0])
        assert reply["faults"][0]["element"] == 6
        watched.tell("continue")
        stopped = watched.until("stopped")
        assert (stopped["why"], stopped["line"]) == ("exception", 12)
        watched.tell("continue")
        assert watched.until("exit")["exception"]["text"] == "at the end"


def test_a_temporary_is_compared_with_what_it_should_be(two: Watched) -> None:
    wanted = ["y = 2 * x_ptr[pid[0] * BLOCK:][:BLOCK] + 2", "x = x_ptr[i.long()]"]
    reply = two.ask("expect", launch=0, program=[1, 0, 0], expectations=wanted)
    assert [one["holds"] for one in reply["expected"]] == [False, True]
    first = reply["first"]
    assert (first["name"], first["actual"], first["expected"]) == ("y", 9.0, 10.0)


def test_each_value_has_its_error_beside_float64(two: Watched) -> None:
    reply = two.ask("precision", launch=0, program=[1, 0, 0])
    assert reply["first"] is None
    assert {one["name"]: one["error"] for one in reply["steps"]} == {"x": 0, "twice": 0, "y": 0}
