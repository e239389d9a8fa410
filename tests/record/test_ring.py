"""The ring outlives its process, holds the last calls and no more, and says what it has not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import torch

from aoti_tui.artifacts.recording.reading import processes_in, read_recorded
from aoti_tui.artifacts.recording.torch_file import KeptTensor, write_values
from tests.record.recording import recorder_in


def test_the_last_calls_are_kept_with_their_integers_whole(tmp_path: Path) -> None:
    kept = recorder_in(tmp_path, calls=3)
    site = kept.site("m", {"kind": "aoti"})
    for call in range(10):
        kept.end(kept.begin(site, [torch.full((4, call), call), call, 2.5, None]))
    found = read_recorded(processes_in(tmp_path)[0])
    assert found.begun == 10
    assert [one.number for one in found.calls] == [8, 9, 10]
    assert [one.state for one in found.calls] == ["returned"] * 3
    tensor, *numbers = found.calls[-1].values
    assert isinstance(tensor, KeptTensor)
    assert (tensor.dtype, tensor.shape, tensor.data) == (
        "int64",
        (4, 9),
        b"\x09\0\0\0\0\0\0\0" * 36,
    )
    assert numbers == [9, 2.5, None]


def test_floats_are_kept_as_asked_and_parameters_by_their_sizes(tmp_path: Path) -> None:
    kept = recorder_in(tmp_path, data="none")
    weight = torch.nn.Parameter(torch.ones(3))
    kept.begin(1, [torch.ones(2), torch.ones(2, dtype=torch.bool), weight])
    told = read_recorded(processes_in(tmp_path)[0]).calls[0].arguments
    assert [one["data"] for one in told] == [False, True, False]
    assert [one["why"] for one in told] == ["floats (--data)", "", "a parameter (--constants)"]


def test_a_tensor_that_the_ring_has_no_room_for_is_said_to_be_missing(tmp_path: Path) -> None:
    kept = recorder_in(tmp_path, ring=1 << 20, calls=8)
    kept.begin(1, [torch.zeros(1 << 20, dtype=torch.int64), torch.arange(3)])
    told = read_recorded(processes_in(tmp_path)[0]).calls[0].arguments
    assert "do not fit into the ring" in told[0]["why"]
    assert told[1]["data"]


def test_strides_are_kept_and_torch_loads_what_is_written(tmp_path: Path) -> None:
    kept = recorder_in(tmp_path)
    given = [
        torch.arange(12).reshape(3, 4).t(),
        torch.arange(20)[3:9:2],
        torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
        torch.tensor([0.5, 1.0]).to(torch.float8_e4m3fn),
        torch.tensor([1, 2], dtype=torch.uint16),
        torch.tensor(True),
        torch.empty(0, 5, dtype=torch.int32),
        7,
    ]
    kept.begin(1, given)
    call = read_recorded(processes_in(tmp_path)[0]).calls[0]
    write_values(tmp_path / "call.pt", call.values)
    loaded = torch.load(tmp_path / "call.pt", weights_only=True)
    for one, was in zip(loaded, given, strict=True):
        if not isinstance(was, torch.Tensor):
            assert one == was
            continue
        assert (one.dtype, one.shape, one.stride()) == (was.dtype, was.shape, was.stride())
        assert torch.equal(one.contiguous().view(torch.uint8), was.contiguous().view(torch.uint8))


def test_data_that_is_not_kept_is_saved_as_sizes_alone(tmp_path: Path) -> None:
    write_values(tmp_path / "call.pt", [KeptTensor("float32", (2, 3), (3, 1), None)])
    (loaded,) = torch.load(tmp_path / "call.pt", weights_only=True)
    assert loaded.device.type == "meta"
    assert loaded.shape == (2, 3)


def test_a_killed_process_leaves_its_calls(tmp_path: Path) -> None:
    program = (
        "import os, signal, torch, sys; from tests.record.recording import recorder_in;"
        "from pathlib import Path; kept = recorder_in(Path(sys.argv[1]));"
        "kept.begin(1, [torch.arange(5)]); os.kill(os.getpid(), signal.SIGKILL)"
    )
    home = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program, tmp_path], cwd=home, env={**os.environ})
    assert done.returncode == -signal.SIGKILL
    (call,) = read_recorded(processes_in(tmp_path)[0]).calls
    assert (call.state, call.reached) == ("begun", True)


def test_ten_thousand_calls_take_no_more_memory_than_the_ring(tmp_path: Path) -> None:
    kept = recorder_in(tmp_path)
    size = kept.ring.path.stat().st_size
    for call in range(10_000):
        kept.end(kept.begin(1, [torch.full((1 + call % 50,), call)]))
    assert kept.ring.path.stat().st_size == size
    assert len(kept._plans) == 50
    calls = read_recorded(processes_in(tmp_path)[0]).calls
    assert [one.number for one in calls] == list(range(9993, 10_001))
