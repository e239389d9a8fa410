"""A script that says `cuda` runs on a machine without one, and is answered as if it had one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).with_name("on_cuda.py")


@pytest.fixture(scope="module")
def answered() -> dict[str, Any]:
    ran = subprocess.run(
        [sys.executable, str(PROGRAM)], capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize(
    ("what", "answer"),
    [
        ("made", [True, "cuda:0", 0, False]),
        ("views", [True, True, True]),
        ("results", [True, True, True]),
        ("moved", [True, False, True]),
        ("stays", True),
        ("copies", [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        ("as types", ["torch.cuda.FloatTensor", True]),
        ("isinstance", [True, False]),
        ("repr", "tensor([1., 2.], device='cuda:0', dtype=torch.float16)"),
        ("copied in", False),
        ("context", True),
        ("default", True),
        ("deep copy", True),
        ("scalar mixes", True),
        ("under the answers", [False, 6]),
    ],
)
def test_a_tensor_is_where_it_was_made(answered: dict[str, Any], what: str, answer: Any) -> None:
    assert answered[what] == answer


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("mixed", "Expected all tensors to be on the same device"),
        ("numpy", "can't convert cuda:0 device type tensor to numpy"),
        ("second gpu", "invalid device ordinal: cuda:1"),
        ("compared", "The values for attribute 'device' do not match: cuda:0 != cpu."),
        ("graph again", "a CUDA graph is replayed a second time, which aoti-tui cannot do"),
    ],
)
def test_what_a_gpu_refuses_is_refused(answered: dict[str, Any], what: str, text: str) -> None:
    assert text in answered[what]


def test_the_answers_hold_inside_of_backward(answered: dict[str, Any]) -> None:
    assert answered["backward"] == [[True, True, True], [True, True, True]]
    assert answered["grad"]
    assert answered["autograd.grad"]
    assert answered["hook"] == [True]


def test_a_model_trains_and_is_saved_as_on_a_gpu(answered: dict[str, Any]) -> None:
    assert answered["parameters"] == [True] * 4
    assert answered["loaded"] == [True] * 4
    assert answered["loaded to cpu"] == [False] * 4
    assert answered["loaded to cuda"]
    assert answered["autocast"] == "torch.float16"


def test_drawing_on_cuda_leaves_the_numbers_of_the_cpu_alone(answered: dict[str, Any]) -> None:
    assert answered["a stream of its own"]
    assert answered["seeded"]
    assert answered["generator"] == ["cuda:0", True, True]
    assert "random numbers drawn on cuda are not those that a GPU draws" in answered["flags"]


def test_threads_and_graphs_see_the_same_gpu(answered: dict[str, Any]) -> None:
    assert answered["thread"] == [True]
    assert answered["graph"] == [3.0, 3.0]


def test_tuning_times_nothing_and_takes_the_configuration_asked_for(
    answered: dict[str, Any],
) -> None:
    assert answered["tuned"] == [32]
    assert answered["device"] == "cuda:0"
    assert answered["benched"] == 1
    assert any("configuration 1 of 3 was taken" in flag for flag in answered["flags"])
