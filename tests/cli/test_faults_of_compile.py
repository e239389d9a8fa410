"""A bad address in a graph of torch.compile, where no assert stands before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from aoti_tui.cli.main import main
from tests.cases import DATA

GNN = DATA / "output_code" / "gnn"
FAULT = "RuntimeError: CUDA driver error: an illegal memory access was encountered\n"


@pytest.fixture
def wrapper(tmp_path: Path) -> Path:
    """A graph whose kernels check no index, as those of a template's score_mod do."""
    lines = (GNN / "output_code.py").read_text().split("\n")
    code = tmp_path / "output_code.py"
    # The lines keep their numbers.
    code.write_text("\n".join("" if "tl.device_assert" in line else line for line in lines))
    return code


def explained(wrapper: Path, log: str, capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    path = wrapper.with_name("error.log")
    path.write_text(log)
    main(["explain", str(wrapper), "--log", str(path), *more, "--json"])
    return json.loads(capsys.readouterr().out)


def test_what_to_do_is_said_in_the_terms_of_torch_compile(
    wrapper: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the condition is on the user's arguments, not on those of ``call``."""
    given = GNN / "users_inputs.bad_src.pt"
    (failure,) = explained(wrapper, FAULT, capsys, "--inputs", str(given))["failures"]
    assert failure["cause"]["code"] == "index-unchecked"
    said = " ".join(f"{fix['title']} {fix['text']}" for fix in failure["fixes"])
    assert "AOT_INDUCTOR" not in said
    assert "TORCHINDUCTOR_CACHE_DIR=FOLDER" in said
    condition = failure["fixes"][0]["requires"]
    assert eval(condition, {"inputs": torch.load(given)}) is False


BLOCKING = f"""Traceback (most recent call last):
  File "/home/app/serve.py", line 49, in <module>
    model(x, edges)
  File "/tmp/cache/dy/output_code.py", line 308, in call
    triton_poi_fused_index_index_add_mul_select_unsqueeze_zeros_like_1.run(arg2_1, buf0)
  File "<string>", line 5, in launcher
{FAULT}"""


def test_a_traceback_alone_names_the_launch_and_what_finds_the_access(
    wrapper: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = explained(wrapper, BLOCKING, capsys)
    kernel = "triton_poi_fused_index_index_add_mul_select_unsqueeze_zeros_like_1"
    assert found["failures"] == []
    (fault,) = found["memory_faults"]
    assert [(t["kernel"], t["launch_line"]) for t in fault["traced"]] == [(kernel, 308)]
    (said,) = (note for note in found["notes"] if "the traceback names" in note)
    assert kernel in said
    assert "launch :308" in said
    assert "which has no assert" in said
    assert "if the run had CUDA_LAUNCH_BLOCKING=1" in said
    assert "--inputs INPUTS.pt" in said
    assert "--core FILE" in said
    main(["explain", str(wrapper), "--log", str(wrapper.with_name("error.log"))])
    first = capsys.readouterr().out.partition("\n\n")[0]
    assert " ".join(first.split()) == (
        f"output_code.py: a bad address and no assert; the traceback names {kernel} (:308)"
    )


def test_a_kernel_with_asserts_is_not_said_to_have_none(
    capsys: pytest.CaptureFixture[str], wrapper: Path
) -> None:
    wrapper.write_text((GNN / "output_code.py").read_text())
    notes = explained(wrapper, BLOCKING, capsys)["notes"]
    (said,) = (note for note in notes if "the traceback names" in note)
    assert "whose 2 asserts did not fire" in said


def test_without_a_traceback_no_launch_is_named(
    wrapper: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = explained(wrapper, FAULT, capsys)
    assert found["memory_faults"][0]["traced"] == []
    assert not [note for note in found["notes"] if "the traceback names" in note]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (313, "fails before it: that fits a run without CUDA_LAUNCH_BLOCKING=1 only"),
        (305, "fails, which only runs after it: are they the inputs of the failed run?"),
    ],
)
def test_a_traceback_of_another_launch_speaks_against_what_the_replay_finds(
    wrapper: Path, capsys: pytest.CaptureFixture[str], line: int, said: str
) -> None:
    given = str(GNN / "users_inputs.bad_src.pt")
    log = BLOCKING.replace("line 308", f"line {line}")
    (failure,) = explained(wrapper, log, capsys, "--inputs", given)["failures"]
    assert failure["launch_line"] == 308
    (against,) = failure["contradictions"]
    assert said in against
    assert f"(:{line})" in against
    assert not failure["cause"]["confirmed"]
    (failure,) = explained(wrapper, BLOCKING, capsys, "--inputs", given)["failures"]
    assert failure["cause"]["confirmed"]
    assert failure["contradictions"] == []
