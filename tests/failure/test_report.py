"""A report for a ticket carries what speaks against its answer, and what else fits."""

from __future__ import annotations

from pathlib import Path

import torch

from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.given import Given
from aoti_tui.failure.prose.report import report
from aoti_tui.failure.prose.text import whole_answer
from tests.answer.wrappers import call, indices, inputs, logged, wrapper
from tests.cases import DATA


def test_rivals_with_what_decides_between_them() -> None:
    """Two kernels fit, and without inputs nothing tells them apart."""
    folder = DATA / "llama_bf16"
    (failure,) = open_incident(
        folder / "model.pt2", log=(folder / "error.token_id_eq_vocab.log").read_text()
    ).failures
    (rival,) = failure.rivals
    said = f"{rival.kernel} (:{rival.launch.line}) fits too, decided by {rival.decided_by}"
    text = report((failure,), "wrapper.cpp")
    assert f"### What else fits the log\n\n- {said}" in text
    assert f"rival: {said}" in whole_answer(failure)


def test_contradictions_and_what_would_confirm(tmp_path: Path) -> None:
    kernel = "triton_poi_fused_index_0"
    path = tmp_path / "model.wrapper.cpp"
    path.write_text(wrapper(call(kernel, "arg0_1"), kernel))
    torch.save(inputs(indices(0, 1, 2, 3, 4, 0)), tmp_path / "inputs.pt")
    (failure,) = open_incident(
        path, log=logged(1), given=Given(inputs=tmp_path / "inputs.pt")
    ).failures
    (against,) = failure.contradictions
    text = report((failure,), "model.wrapper.cpp")
    assert f"### What speaks against it\n\n- {against}" in text
    assert f"To confirm: {failure.cause.confirm_with}." in text
    assert f"but: {against}" in whole_answer(failure)
