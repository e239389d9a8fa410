"""Tensors captured on a GPU: found by name, compared with the replay, used as a source."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from aoti_tui.replay.data.captured_files import read_folder
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.questions.check import check

from .models import DATA, Opened, demo_index, model

KERNEL = "triton_per_fused__to_copy_add_index_mean_mul_sum_0"
TENSORS = DATA / "gather_half" / "tensors"


def copied(tmp_path: Path) -> Path:
    folder = tmp_path / "tensors"
    shutil.copytree(TENSORS, folder)
    return folder


def changed(path: Path, element: int, by: float) -> None:
    tensor = torch.load(path, weights_only=True, map_location="cpu")
    tensor.view(-1)[element] += by
    torch.save(tensor, path)


def file_of(folder: Path, when: str, name: str) -> Path:
    return next(folder.glob(f"*{when}_launch_{KERNEL}_{name}_cuda*"))


@pytest.mark.parametrize(
    ("inside", "pattern"),
    [
        ("", "aoti_torch{when}_launch_{kernel}_{name}_cuda:0.pt"),
        ("", "{when}_launch_{kernel}_{name}_cuda:0.pt"),
        ("tmp/aoti_torch", "{when}_launch_{kernel}_{name}_cuda:0.pt"),
        ("tmp", "aoti_torch{when}_launch_{kernel}_{name}_cuda:0.pt"),
        ("", "aoti_torch_{when}_launch_{kernel}_{name}_xpu:1.pt"),
    ],
)
def test_every_way_of_naming_the_files(tmp_path: Path, inside: str, pattern: str) -> None:
    folder = tmp_path / inside
    folder.mkdir(parents=True, exist_ok=True)
    for when in ("before", "after"):
        (folder / pattern.format(when=when, kernel=KERNEL, name="arg0_1")).touch()
    found = read_folder(tmp_path, model("gather_half"))
    assert set(found.files) == {("before", KERNEL, "arg0_1"), ("after", KERNEL, "arg0_1")}


def test_a_folder_without_tensors_of_this_model(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="does not exist"):
        read_folder(tmp_path / "absent", model("gather_half"))
    with pytest.raises(ReplayError, match=r"no \.pt files"):
        read_folder(tmp_path, model("gather_half"))
    with pytest.raises(ReplayError, match="of other kernels"):
        read_folder(TENSORS, demo_index())


@pytest.mark.parametrize("with_inputs", [True, False])
def test_the_replay_gives_what_the_gpu_gave(opened: Opened, with_inputs: bool) -> None:
    """Without inputs, symbols come from the captured tensors' shapes."""
    inputs = DATA / "gather_half" / "inputs.good.pt" if with_inputs else None
    report = check(opened(model("gather_half"), inputs=inputs, tensors=TENSORS))
    assert report.totals == {"pass": 1, "mismatch": 0, "no-data": 0, "unsupported": 0}
    (one,) = report.launches
    assert one.launch.kernel == KERNEL
    assert one.max_rel is not None
    assert one.max_rel <= 1e-5


def test_a_wrong_element_is_a_mismatch_that_names_it(opened: Opened, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    changed(file_of(folder, "after", "buf3"), 7, 0.5)
    (one,) = check(opened(model("gather_half"), tensors=folder)).launches
    assert one.status == "mismatch"
    assert "the worst is element 7" in one.detail


def test_a_tensor_that_was_not_saved_is_named(opened: Opened, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    file_of(folder, "after", "buf3").unlink()
    (one,) = check(opened(model("gather_half"), tensors=folder)).launches
    assert (one.status, one.detail) == ("no-data", "what the GPU wrote to buf3 was not saved")


def test_a_check_needs_a_folder(opened: Opened) -> None:
    with pytest.raises(ReplayError, match="--tensors"):
        check(opened(model("gather_half")))


def test_captured_tensors_stand_in_where_there_are_no_inputs(opened: Opened) -> None:
    session = opened(model("gather_half"), tensors=TENSORS)
    result = session.run(session.index.launches[0])
    assert result.asserts == ()
    assert not result.depends_on_made_up
    sources = {a.name: a.source for a in result.arguments}
    assert sources["in_ptr0"] == "captured"
    assert sources["ks0"] == "captured"
    rows = torch.load(file_of(TENSORS, "before", "arg0_1"), weights_only=True, map_location="cpu")
    assert next(s.value for s in result.symbols if s.name == "s17") == rows.shape[0]


def test_given_inputs_are_better_than_captured_tensors(opened: Opened) -> None:
    inputs = DATA / "gather_half" / "inputs.below_minus_n.pt"
    session = opened(model("gather_half"), inputs=inputs, tensors=TENSORS)
    result = session.run(session.index.launches[0])
    assert result.asserts[0].values["tmp0"] == -8
    assert {a.source for a in result.arguments} == {"input", "fixed", "replayed"}
