"""From a wrong element to the program and lane that wrote it, and the step that stores it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from aoti_tui.index.model import Launch
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.questions.elements import (
    element_by_hand,
    index_of,
    parse_element,
    read_argument,
)
from aoti_tui.replay.questions.writers import (
    find_wrong,
    record_writer,
    who_wrote,
    written_element,
)
from aoti_tui.replay.recorded.recording import lane_value, store_step, stores_to
from aoti_tui.replay.session import ReplaySession

from .models import DATA, REDUCE, Opened, launch_of, model

GATHER = DATA / "gather_half"
CAPTURED = GATHER / "tensors"


def gather(opened: Opened) -> tuple[ReplaySession, Launch]:
    session = opened(model("gather_half"), inputs=GATHER / "inputs.good.pt", tensors=CAPTURED)
    return session, session.index.launches[0]


def gpu_wrote(name: str) -> torch.Tensor:
    (path,) = CAPTURED.glob(f"*after_launch*_{name}_cuda*.pt")
    found: torch.Tensor = torch.load(path, weights_only=True, map_location="cpu")
    return found


def source_line(session: ReplaySession, launch: Launch, part: str) -> int:
    lines = session.index.kernels[launch.kernel].source.split("\n")
    (line,) = [n for n, text in enumerate(lines, 1) if part in text]
    return line


def test_the_demo_says_who_wrote_an_element(demo: ReplaySession) -> None:
    launch = launch_of(demo.index, REDUCE)
    (writer,) = who_wrote(demo, launch, "out_ptr0", 2)
    assert (writer.program, writer.lane, writer.access) == ((2, 0, 0), (0, 0), "store")
    assert writer.kernel_line == source_line(demo, launch, "tl.store(out_ptr0")
    # Its table is empty: nothing is summed.
    assert writer.value == 0.0
    found = written_element(demo, launch, "out_ptr0", 2)
    assert (found.count, found.last, found.after) == (1, writer, 0.0)
    assert found.before != found.before


def test_the_recording_stops_at_the_store(demo: ReplaySession) -> None:
    launch = launch_of(demo.index, REDUCE)
    (writer,) = who_wrote(demo, launch, "out_ptr0", 3)
    recording, position = record_writer(demo, launch, writer)
    assert recording.program == writer.program
    assert position is not None
    assert store_step(recording, "out_ptr0", 3) == position
    assert store_step(recording, "out_ptr0", 3, (0, 1)) is None
    step = recording.steps[position]
    assert (step.kind, step.kernel_line) == ("store", writer.kernel_line)
    assert lane_value(step, writer.lane) == writer.value
    assert stores_to(recording, "out_ptr0", 3) == ((position, writer.lane),)
    # Another program's element, and an argument that is only read.
    assert store_step(recording, "out_ptr0", 2) is None
    assert store_step(recording, "in_ptr0", 3) is None


def test_an_index_by_dimensions_is_the_element_in_memory(opened: Opened) -> None:
    session, launch = gather(opened)
    assert element_by_hand(session, launch, "out_ptr0[8, 39]") == ("out_ptr0", 8 * 40 + 39)
    assert element_by_hand(session, launch, "out_ptr0[41]") == ("out_ptr0", 41)
    assert index_of(session, launch, "out_ptr0", 41) == (1, 1)
    (writer,) = who_wrote(session, launch, "out_ptr0", 8 * 40 + 39)
    assert (writer.program, writer.lane) == ((1, 0, 0), (0, 39))
    assert writer.value == pytest.approx(float(gpu_wrote("buf3")[8, 39]), rel=1e-5)


def test_what_the_gpu_wrote_is_a_reference(opened: Opened) -> None:
    session, launch = gather(opened)
    assert session.flow.written_parameters(launch) == ("in_out_ptr0", "out_ptr0")
    for argument in session.flow.written_parameters(launch):
        wrong = find_wrong(session, launch, argument, None)
        assert wrong is None or wrong.within_tolerance


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_one_wrong_element_of_a_reference_is_found(
    opened: Opened, tmp_path: Path, dtype: torch.dtype
) -> None:
    session, launch = gather(opened)
    reference = gpu_wrote("buf3").to(dtype)
    right = float(reference[5, 7])
    reference[5, 7] += 0.5
    torch.save(reference, tmp_path / "reference.pt")
    wrong = find_wrong(session, launch, "out_ptr0", tmp_path / "reference.pt")
    assert wrong is not None
    assert (wrong.index, wrong.element) == ((5, 7), 5 * 40 + 7)
    assert wrong.value == pytest.approx(right, rel=1e-5)
    assert wrong.expected == pytest.approx(right + 0.5, rel=1e-5)
    assert wrong.max_abs == pytest.approx(0.5, rel=1e-5)
    assert not wrong.within_tolerance
    (writer,) = who_wrote(session, launch, wrong.argument, wrong.element)
    assert (writer.program, writer.lane, writer.value) == ((0, 0, 0), (5, 7), wrong.value)


def test_looking_for_it_changes_nothing(opened: Opened, tmp_path: Path) -> None:
    session, launch = gather(opened)
    torch.save(torch.zeros(9, 40), tmp_path / "zeros.pt")
    before = read_argument(session, launch, "out_ptr0").block.values.tobytes()
    assert find_wrong(session, launch, "out_ptr0", tmp_path / "zeros.pt") is not None
    who_wrote(session, launch, "out_ptr0", 3)
    assert read_argument(session, launch, "out_ptr0").block.values.tobytes() == before


def test_atomics_are_listed_with_what_they_added(opened: Opened) -> None:
    index = model("scatter_add_atomic")
    inputs = DATA / "scatter_add_atomic" / "inputs.idx_past_rows.pt"
    session = opened(index, inputs=inputs)
    launch = next(la for la in index.launches if la.line == 1090)
    tensors = torch.load(inputs, weights_only=True)
    rows = next(t for t in tensors if t.dtype == torch.int64)
    added = next(t for t in tensors if tuple(t.shape) == tuple(rows.shape) and t is not rows)
    lanes = [r for r in range(len(rows)) if rows[r, 1] == 0]
    found = written_element(session, launch, "out_ptr0", 1)
    assert found.count == len(lanes) > 1
    assert {w.access for w in found.writers} == {"atomic"}
    assert [w.lane for w in found.writers] == [(24 * r + 1,) for r in lanes]
    assert [w.value for w in found.writers] == [float(added[r, 1]) for r in lanes]
    assert found.after == pytest.approx(found.before + float(sum(added[r, 1] for r in lanes)))
    recording = session.record(launch, found.writers[0].program)
    steps = stores_to(recording, "out_ptr0", 1)
    assert [lane for _, lane in steps] == [w.lane for w in found.writers]
    assert recording.steps[steps[0][0]].kind == "atomic"


def test_a_user_kernel_writes_by_row_and_block(opened: Opened) -> None:
    index = model("user_triton_kernel")
    session = opened(index, inputs=DATA / "user_triton_kernel" / "inputs.good.pt")
    launch = launch_of(index, "lookup_kernel_0")
    argument, element = element_by_hand(session, launch, "out_ptr[4,35]")
    (writer,) = who_wrote(session, launch, argument, element)
    assert (writer.program, writer.lane) == ((4, 1, 0), (3,))


def test_an_element_that_is_only_read_has_no_writer(opened: Opened) -> None:
    session, launch = gather(opened)
    found = written_element(session, launch, "in_ptr1", 3)
    assert (found.writers, found.count, found.last) == ((), 0, None)
    assert found.before == found.after


def test_made_up_data_is_called_made_up(opened: Opened) -> None:
    session = opened(model("gather_half"))
    assert written_element(session, session.index.launches[0], "out_ptr0", 0).made_up
    given, launch = gather(opened)
    assert not written_element(given, launch, "out_ptr0", 0).made_up


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("out_ptr9[0]", "its tensors are in_out_ptr0, in_ptr0"),
        ("xnumel[0]", "no tensor"),
        ("out_ptr0[360]", "0 to 359"),
        ("out_ptr0[-1]", "0 to 359"),
        ("out_ptr0[9,0]", "[9, 40]"),
        ("out_ptr0[0,0,0]", "2 dimensions"),
    ],
)
def test_an_element_that_does_not_exist_is_refused(opened: Opened, text: str, says: str) -> None:
    session, launch = gather(opened)
    with pytest.raises(ReplayError) as caught:
        element_by_hand(session, launch, text)
    assert caught.value.kind == "bad-inputs"
    assert says in str(caught.value)


@pytest.mark.parametrize("text", ["out_ptr0", "out_ptr0[]", "out_ptr0[a]", "[3]", "out_ptr0[1"])
def test_what_names_no_element_is_refused(text: str) -> None:
    with pytest.raises(ReplayError, match="names no element"):
        parse_element(text)


def test_a_reference_that_does_not_fit_is_refused(opened: Opened, tmp_path: Path) -> None:
    session, launch = gather(opened)
    cases = {
        "shape.pt": (torch.zeros(40, 9), "[40, 9]"),
        "dtype.pt": (torch.zeros(9, 40, dtype=torch.int64), "int64"),
        "two.pt": ([torch.zeros(1), torch.zeros(1)], "2 tensors"),
    }
    for name, (saved, says) in cases.items():
        torch.save(saved, tmp_path / name)
        with pytest.raises(ReplayError) as caught:
            find_wrong(session, launch, "out_ptr0", tmp_path / name)
        assert caught.value.kind == "bad-inputs"
        assert says in str(caught.value)
    (tmp_path / "text.pt").write_text("no tensor")
    for name in ("text.pt", "missing.pt"):
        with pytest.raises(ReplayError, match="cannot be read"):
            find_wrong(session, launch, "out_ptr0", tmp_path / name)


def test_without_captured_tensors_there_is_no_reference(opened: Opened) -> None:
    session = opened(model("gather_half"), inputs=GATHER / "inputs.good.pt")
    with pytest.raises(ReplayError, match="no folder of captured tensors"):
        find_wrong(session, session.index.launches[0], "out_ptr0", None)
