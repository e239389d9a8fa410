"""A launch inside a while loop: the round that fails is the one that is shown."""

from __future__ import annotations

from pathlib import Path

from aoti_tui.artifacts.given import Given
from aoti_tui.index.model import Launch, WrapperIndex
from aoti_tui.index.reader import read_wrapper
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.questions.all_launches import replay_all
from aoti_tui.replay.questions.check import check
from aoti_tui.replay.session import ReplaySession

FOLDER = Path(__file__).parents[1] / "data" / "while_lookup"
LOOKUP = "triton_poi_fused_add_index_sum_zeros_3"


def opened() -> tuple[WrapperIndex, Launch]:
    path = FOLDER / "wrapper.cpp"
    index = read_wrapper(path.read_text(), str(path))
    return index, index.launches_of(LOOKUP)[0]


def test_the_first_failing_round_is_found(worker: WorkerClient) -> None:
    """Row numbers grow by one each round; from 2 they reach the table's 9 rows in round 8."""
    index, launch = opened()
    with ReplaySession(
        index, Given(inputs=FOLDER / "inputs.runs_off.pt"), client=worker
    ) as session:
        result = session.run(launch)
        assert any("round 8 is shown" in note for note in result.notes)
        fired = result.asserts[0]
        assert (fired.kernel_line, fired.failing_lanes, fired.first_lane) == (31, 1, (2,))
        assert (fired.values["tmp0"], fired.values["ks0"]) == (9, 9)
        recording = session.record(launch, fired.first_program)
        assert any(step.kind == "assert" and step.failing is not None for step in recording.steps)


def test_a_loop_that_never_fails_shows_its_first_round(worker: WorkerClient) -> None:
    index, launch = opened()
    with ReplaySession(index, Given(inputs=FOLDER / "inputs.good.pt"), client=worker) as session:
        result = session.run(launch)
        assert (result.asserts, result.faults) == ((), ())
        argument = next(a for a in result.arguments if a.name == "in_ptr0")
        assert argument.source == "input"


def test_memory_of_one_round_is_not_that_of_the_next(worker: WorkerClient) -> None:
    """Every round allocates under the same names while the last round's results live on."""
    index, _ = opened()
    with ReplaySession(index, Given(inputs=FOLDER / "inputs.good.pt"), client=worker) as session:
        done = replay_all(session)
    assert done.first is None
    rounds = [o for o in done.outcomes if o.launch.kernel == LOOKUP]
    assert [o.status for o in rounds] == ["ok"] * 3


def test_launches_of_the_body_equal_what_the_gpu_wrote(worker: WorkerClient) -> None:
    """The loop's condition was not captured; the launches inside are compared all the same."""
    index, _ = opened()
    given = Given(inputs=FOLDER / "inputs.good.pt", tensors=FOLDER / "tensors")
    with ReplaySession(index, given, client=worker) as session:
        report = check(session)
    found = {one.launch.kernel: (one.status, one.bit_equal) for one in report.launches}
    assert found[LOOKUP] == ("pass", True)
    assert found["triton_poi_fused_add_zeros_4"] == ("pass", True)
