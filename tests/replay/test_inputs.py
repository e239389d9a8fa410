"""Inputs files that do not fit: each is told what was expected and what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from aoti_tui.replay.errors import ReplayError

from .models import DATA, Opened, demo_index, model

OFFSETS = torch.zeros(4, dtype=torch.int64)
ROWS = torch.zeros(4, 16)
WEIGHTS = torch.zeros(3, 640)


def saved(tmp_path: Path, value: Any) -> Path:
    path = tmp_path / "inputs.pt"
    torch.save(value, path)
    return path


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ((OFFSETS, ROWS), "takes 3 inputs.*holds 2"),
        ((OFFSETS, ROWS, WEIGHTS, WEIGHTS), "takes 3 inputs.*holds 4"),
        ((OFFSETS.int(), ROWS, WEIGHTS), r"input 0 \(arg2_1\) is int32 \[4\].*takes int64 \[\?\]"),
        ((OFFSETS, ROWS.flatten(), WEIGHTS), r"arg3_1\) is float32 \[64\].*float32 \[\?, 16\]"),
        ((WEIGHTS, ROWS, OFFSETS), "input 0.*input 2"),
        ((OFFSETS, None, WEIGHTS), "arg3_1"),
    ],
)
def test_a_file_that_does_not_fit(opened: Opened, tmp_path: Path, value: Any, told: str) -> None:
    session = opened(demo_index(), inputs=saved(tmp_path, value))
    with pytest.raises(ReplayError, match=told) as caught:
        session.given_inputs()
    assert caught.value.kind == "bad-inputs"


def test_the_inputs_of_another_model_are_recognised(opened: Opened) -> None:
    path = DATA / "unbacked_item" / "inputs.good.pt"
    with pytest.raises(ReplayError, match="does not hold this model's inputs"):
        opened(demo_index(), inputs=path).symbols()


@pytest.mark.parametrize("content", [b"", b"not a torch file", b"PK\x03\x04 broken"])
def test_a_file_that_torch_cannot_read(opened: Opened, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "inputs.pt"
    path.write_bytes(content)
    with pytest.raises(ReplayError, match="cannot be read") as caught:
        opened(demo_index(), inputs=path).given_inputs()
    assert caught.value.kind == "bad-inputs"


def test_a_missing_file_and_a_folder(opened: Opened, tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="there is no such file"):
        opened(demo_index(), inputs=tmp_path / "absent.pt").given_inputs()
    with pytest.raises(ReplayError, match="it is a folder"):
        opened(demo_index(), inputs=tmp_path).given_inputs()


def test_odd_sizes_and_strides_are_problems_but_no_errors(opened: Opened, tmp_path: Path) -> None:
    value = (OFFSETS, torch.zeros(16, 4).t(), torch.zeros(1, 641))
    session = opened(demo_index(), inputs=saved(tmp_path, value))
    told = session.input_problems()
    assert (
        "input 1 (arg3_1): stride 1 at dimension 0, where the model was compiled for 16"
        in " ".join(told)
    )
    assert any("size 641 at dimension 1, where the model was compiled for 640" in t for t in told)
    assert any("size 1 at dimension 0 violates the guard >= 2" in t for t in told)


def test_dicts_and_lists_are_taken_in_order(opened: Opened, tmp_path: Path) -> None:
    value = {"offsets": OFFSETS, "rest": [ROWS, WEIGHTS]}
    session = opened(demo_index(), inputs=saved(tmp_path, value))
    assert [g.name for g in session.given_inputs()] == ["arg2_1", "arg3_1", "arg4_1"]
    assert {s.name: s.value for s in session.symbols()}["s7"] == 3


def test_a_number_stands_for_a_one_element_tensor(opened: Opened, tmp_path: Path) -> None:
    session = opened(model("unbacked_item"), inputs=saved(tmp_path, (torch.zeros(5, 16), 7)))
    assert {s.name: s.value for s in session.symbols()}["u0"] == 7


def test_an_input_that_a_kernel_writes_is_read_anew(opened: Opened, tmp_path: Path) -> None:
    """Running twice gives the same, though the first run may have changed an input's data."""
    inputs = DATA / "gather_half" / "inputs.below_minus_n.pt"
    session = opened(model("gather_half"), inputs=inputs)
    launch = session.index.launches[0]
    first = session.run(launch)
    session.sources.spoiled = True
    session.set_symbol("s17", 7)
    session.unset_symbol("s17")
    assert session.run(launch).asserts == first.asserts
