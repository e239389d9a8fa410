"""Which events a launch needs, and in which order a function's events stand."""

from __future__ import annotations

import pytest

from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.flow.events import Event
from aoti_tui.flow.slicing import needed_events
from aoti_tui.index.model import Buffer, ExternCall, Launch, Symbol, WrapperIndex

from .small import alias, call, empty, last, launch, result, view, wrapper

READ = launch("store", "buf0", "buf9")
B0, B1, B9 = empty("buf0"), empty("buf1"), empty("buf9")


def said(event: Event) -> str:
    fact = event.fact
    if isinstance(fact, Launch):
        return fact.kernel
    if isinstance(fact, ExternCall):
        return fact.op
    return fact.name if isinstance(fact, Buffer | Symbol) else "check"


def needed(index: WrapperIndex, data: frozenset[str] | None = None) -> list[str]:
    flow = DataFlow(index)
    target = flow.event(last(index))
    assert target is not None
    events = flow.events(index.main)
    return [said(e) for e in needed_events(events, target, data, conditions=lambda _: frozenset())]


@pytest.mark.parametrize(
    ("name", "statements", "expected"),
    [
        (
            "what it reads",
            B0 + B1 + launch("store", "arg0_1", "buf1") + launch("store", "arg0_1", "buf0"),
            ["buf0", "store", "buf9"],
        ),
        (
            "what that was made of, all the way",
            B1 + launch("store", "arg0_1", "buf1") + B0 + launch("bare_helper", "buf1", "buf0"),
            ["buf1", "store", "buf0", "bare_helper", "buf9"],
        ),
        (
            "all that wrote a part of it",
            B0
            + call("zero_", "buf0")
            + launch("store", "arg1_1", view("buf0"))
            + launch("atomic", "arg0_1", "buf0"),
            ["buf0", "zero_", "store", "atomic", "buf9"],
        ),
        (
            "an op's result with the op",
            result("nonzero", "buf0", "arg0_1"),
            ["buf0", "nonzero", "buf9"],
        ),
        (
            "who wrote under another name",
            B1 + alias("buf0", "buf1") + launch("store", "arg0_1", "buf1"),
            ["buf1", "buf0", "store", "buf9"],
        ),
        (
            "memory that is taken over, without its dead contents",
            B1
            + launch("store", "arg0_1", "buf1")
            + "\n    auto buf0 = std::move(buf1);  // reuse"
            + launch("takes_over", "buf0", "arg1_1"),
            ["buf1", "buf0", "takes_over", "buf9"],
        ),
        (
            "memory that is taken over, with contents that are read",
            B1
            + launch("store", "arg0_1", "buf1")
            + "\n    auto buf0 = std::move(buf1);  // reuse"
            + launch("in_place", "buf0"),
            ["buf1", "store", "buf0", "in_place", "buf9"],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and "\n" not in value else "",
)
def test_a_launch_needs(name: str, statements: str, expected: list[str]) -> None:
    assert needed(wrapper(statements + B9 + READ)) == expected


def test_data_that_does_not_matter_is_allocated_and_not_computed() -> None:
    index = wrapper(B0 + launch("store", "arg0_1", "buf0") + B9 + READ)
    assert needed(index, frozenset()) == ["buf0", "buf9"]


def test_a_size_needs_its_symbol() -> None:
    index = wrapper(
        "\n    int64_t s1 = 2L*s0;\n    int64_t s2 = 3L*s0;"
        "\n    const int64_t int_array_9[] = {s1};" + empty("buf0", "int_array_9") + B9 + READ
    )
    assert needed(index) == ["s0", "s1", "buf0", "buf9"]


def test_an_ops_result_is_there_before_the_op_writes_it() -> None:
    index = wrapper(result("nonzero", "buf0", "arg0_1") + B9 + READ)
    events = DataFlow(index).events(index.main)
    assert [said(e) for e in events] == ["s0", "buf0", "nonzero", "buf9", "store"]
    assert [e.number for e in events] == [0, 1, 2, 3, 4]


def test_each_function_has_events_of_its_own() -> None:
    index = wrapper(
        B0,
        "\n    static constexpr int64_t int_array_1[] = {1L};"
        "\n    static constexpr int64_t int_array_2[] = {4L};"
        + empty("buf1", "int_array_2")
        + launch("in_place", "buf1"),
    )
    flow = DataFlow(index)
    assert [said(e) for e in flow.events(index.main)] == ["s0", "buf0"]
    assert [said(e) for e in flow.events(index.launches[0].function)] == ["buf1", "in_place"]
