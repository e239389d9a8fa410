"""The demo's failure, from the inputs file to the lane that fails and back to its input."""

from __future__ import annotations

import pytest

from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import Block, Recording
from aoti_tui.replay.questions.elements import TensorElements, read_argument, read_input
from aoti_tui.replay.recorded.breakpoints import Breakpoint, continue_from, why_not
from aoti_tui.replay.recorded.recording import (
    failing_lanes,
    first_failing,
    next_step,
    previous_step,
    state,
    steps_of,
    trail,
    who_made,
    who_uses,
)
from aoti_tui.replay.session import ReplaySession

from .models import REDUCE, demo_index, launch_of


def recorded(demo: ReplaySession) -> Recording:
    launch = launch_of(demo_index(), REDUCE)
    result = demo.run(launch)
    return demo.record(launch, result.asserts[0].first_program)


def test_symbols_come_from_the_shapes_of_the_inputs(demo: ReplaySession) -> None:
    values = {s.name: (s.value, s.source, s.how) for s in demo.symbols()}
    assert values["s7"] == (0, "input", "arg4_1.size(0)")
    assert values["s19"] == (4, "input", "arg2_1.size(0)")
    assert values["triton_poi_fused_zeros_like_3_xnumel"] == (64, "input", "16L*s19")


def test_given_inputs_are_described_and_the_violated_guard_is_named(demo: ReplaySession) -> None:
    given = demo.given_inputs()
    assert [(g.name, g.dtype, g.shape) for g in given] == [
        ("arg2_1", "int64", (4,)),
        ("arg3_1", "float32", (4, 16)),
        ("arg4_1", "float32", (0, 640)),
    ]
    assert given[0].summary == "min 0  max 0  1 distinct"
    assert demo.input_problems() == (
        "input 2 (arg4_1): size 0 at dimension 0 violates the guard >= 2 (wrapper line 1243)",
    )


def test_only_the_cumsum_is_replayed_first(demo: ReplaySession) -> None:
    plan = demo.plan(launch_of(demo_index(), REDUCE))
    assert [(s.what, s.reads, s.writes) for s in plan.steps] == [
        ("triton_red_fused_cumsum_0", ("arg2_1",), ("buf0",))
    ]
    assert plan.inputs == ("arg2_1", "arg4_1")
    assert plan.constants == ()


def test_the_scan_finds_the_assert_of_the_log(demo: ReplaySession) -> None:
    result = demo.run(launch_of(demo_index(), REDUCE))
    (fired,) = result.asserts
    assert (fired.kernel_line, fired.message) == (46, "index out of bounds: 0 <= tmp10 < ks0")
    assert fired.programs == ((0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0))
    assert fired.failing_lanes == 4
    assert fired.values["tmp10"] == -1
    assert fired.values["ks0"] == 0
    assert not fired.depends_on_made_up
    assert result.grid == (4, 1, 1)
    sources = {a.name: (a.source, a.value) for a in result.arguments}
    assert sources["in_ptr0"] == ("replayed", None)
    assert sources["in_ptr1"] == ("input", None)
    assert sources["ks0"] == ("input", 0)
    assert sources["r0_numel"] == ("fixed", 640)


def test_program_by_program_gives_the_same_as_one_big_block(demo: ReplaySession) -> None:
    launch = launch_of(demo_index(), REDUCE)
    big, full = demo.run(launch, mode="big"), demo.run(launch, mode="full")
    assert [(a.kernel_line, a.programs, a.failing_lanes) for a in big.asserts] == [
        (a.kernel_line, a.programs, a.failing_lanes) for a in full.asserts
    ]
    assert big.faults[0].element == full.faults[0].element == -640


def test_one_program_alone_can_be_run(demo: ReplaySession) -> None:
    result = demo.run(launch_of(demo_index(), REDUCE), program=(2, 0, 0))
    assert result.asserts[0].programs == ((2, 0, 0),)


def test_the_recording_steps_both_ways(demo: ReplaySession) -> None:
    recording = recorded(demo)
    wrong = first_failing(recording)
    assert wrong is not None
    assert wrong.kernel_line == 46
    assert list(failing_lanes(wrong)) == [(0, 0)]
    before = previous_step(recording, wrong.position)
    assert before is not None
    assert recording.steps[before].name == "tmp10"
    assert next_step(recording, before) == wrong.position
    assert next_step(recording, len(recording.steps) - 1) is None
    assert previous_step(recording, 0) is None
    assert next_step(recording, -1) == 0


def test_values_of_a_temporary_and_what_changed(demo: ReplaySession) -> None:
    recording = recorded(demo)
    (tmp10,) = steps_of(recording, "tmp10")
    assert isinstance(tmp10.value, Block)
    assert tmp10.value.dtype == "int64"
    assert list(tmp10.value.values) == [-1]
    shown = {v.name: v for v in state(recording, tmp10.position)}
    assert shown["tmp10"].changed
    assert not shown["tmp6"].changed
    assert "tmp12" not in shown
    assert recording.scalars["ks0"] == 0


def test_who_made_leads_from_the_index_to_the_load_of_the_buffer(demo: ReplaySession) -> None:
    recording = recorded(demo)
    program = demo.kernels.program(REDUCE)
    (tmp10,) = steps_of(recording, "tmp10")
    made = who_made(recording, program, tmp10.position, (0, 0))
    assert made.value == -1
    assert [(o.name, o.value) for o in made.operands] == [
        ("tmp9", True),
        ("tmp8", -1),
        ("tmp6", -1),
    ]
    loads = [
        load for one in trail(recording, program, tmp10.position, (0, 0)) for load in one.loads
    ]
    assert [(load.argument, load.element, load.in_bounds) for load in loads] == [
        ("in_ptr0", 0, True)
    ]


def test_the_bad_load_after_the_assert_is_known(demo: ReplaySession) -> None:
    recording = recorded(demo)
    program = demo.kernels.program(REDUCE)
    (tmp12,) = steps_of(recording, "tmp12")
    assert tmp12.faults[0].argument == "in_ptr1"
    made = who_made(recording, program, tmp12.position, (0, 3))
    (load,) = made.loads
    assert (load.argument, load.element) == ("in_ptr1", 3 - 640)


def test_who_uses_the_raw_index(demo: ReplaySession) -> None:
    recording = recorded(demo)
    program = demo.kernels.program(REDUCE)
    (tmp6,) = steps_of(recording, "tmp6")
    users = [s.name for s in who_uses(recording, program, tmp6.position)]
    assert users == ["tmp8", "tmp9", "tmp10"]


def test_breakpoints_stop_on_the_way_and_the_assert_stops_by_itself(demo: ReplaySession) -> None:
    recording = recorded(demo)
    stop = continue_from(recording, -1, [Breakpoint(name="tmp8")])
    assert (stop.reason, recording.steps[stop.position].name) == ("breakpoint", "tmp8")
    stop = continue_from(recording, stop.position, [Breakpoint(name="tmp8")])
    assert (stop.reason, recording.steps[stop.position].kernel_line) == ("assert", 46)
    back = continue_from(recording, stop.position, [Breakpoint(name="tmp8")], -1)
    assert recording.steps[back.position].name == "tmp8"
    assert continue_from(recording, back.position, [], -1).reason == "start"


def test_a_condition_decides_whether_a_breakpoint_stops(demo: ReplaySession) -> None:
    recording = recorded(demo)
    never = continue_from(recording, -1, [Breakpoint(name="tmp6", condition="any(tmp6 > 0)")])
    assert never.reason == "assert"
    stops = continue_from(recording, -1, [Breakpoint(name="tmp6", condition="tmp6[0] == ks0 - 1")])
    assert (stops.reason, recording.steps[stops.position].name) == ("breakpoint", "tmp6")


def test_a_log_point_writes_values_down_and_goes_on(demo: ReplaySession) -> None:
    recording = recorded(demo)
    stop = continue_from(recording, -1, [Breakpoint(name="tmp6", log="tmp6 + ks0")])
    assert stop.reason == "assert"
    assert stop.logged == ("line 41: tmp6 + ks0 = [-1] (1×1)",)


def test_a_line_without_an_assignment_names_the_nearest(demo: ReplaySession) -> None:
    program = demo.kernels.program(REDUCE)
    assert why_not(program, Breakpoint(kernel_line=45)) is None
    assert why_not(program, Breakpoint(kernel_line=30)) == (
        "line 30 cannot stop: it is the head of a loop; the nearest that can is line 31"
    )
    assert why_not(program, Breakpoint(name="tmp99")) == f"tmp99 is assigned nowhere in {REDUCE}"
    assert why_not(program, Breakpoint(name="tmp6", condition="tmp6 <")) is not None


def test_elements_of_an_argument_can_be_read(demo: ReplaySession) -> None:
    launch = launch_of(demo_index(), REDUCE)
    found = read_argument(demo, launch, "in_ptr0")
    assert list(found.block.values) == [0, 0, 0, 0]
    assert found.summary is not None
    assert found.summary.max == 0
    assert (found.shape, found.source) == ((4,), "replayed")
    assert list(read_argument(demo, launch, "in_ptr0", start=3, count=1).block.values) == [0]
    with pytest.raises(ReplayError, match=r"ks0 of .* is no tensor"):
        read_argument(demo, launch, "ks0")


def test_elements_of_a_given_input_can_be_read(demo: ReplaySession) -> None:
    found = read_input(demo, 2)
    assert (found.name, found.shape, found.count) == ("arg4_1", (0, 640), 0)
    assert found.source == "input"
    with pytest.raises(ReplayError, match="no inputs were given"):
        read_input(ReplaySession(demo_index(), client=demo.client), 2)


def test_an_element_in_memory_is_found_in_the_order_of_the_dimensions() -> None:
    block = Block("int64", (0,), memoryview(b""))
    turned = TensorElements("x", "int64", (2, 3), (1, 2), "input", "", 0, block, None)
    assert [turned.position_of(at) for at in range(7)] == [0, 3, 1, 4, 2, 5, None]
    spread = TensorElements("x", "int64", (2, 3), (0, 1), "input", "", 0, block, None)
    assert spread.position_of(1) is None
