"""Reading a torch.save file without torch: sizes, small contents, and nothing that runs."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path

import pytest
import torch

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.saved_tensors import read_saved


def saved(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "inputs.pt"
    torch.save(content, path)
    return path


def test_what_torch_saves_is_read(tmp_path: Path) -> None:
    base = torch.arange(24, dtype=torch.int64).view(4, 6)
    content = (
        torch.zeros(0, 640),
        base.t(),
        base[1:, 2:],
        torch.tensor(7, dtype=torch.int32),
        torch.tensor([True, False]),
        torch.ones(3, dtype=torch.bfloat16),
        5,
        2.5,
        True,
    )
    found = read_saved(saved(tmp_path, content))
    assert found is not None
    assert [v.shape for v in found] == [(0, 640), (6, 4), (3, 4), (), (2,), (3,), (), (), ()]
    assert [v.dtype for v in found[:6]] == [
        "float32",
        "int64",
        "int64",
        "int32",
        "bool",
        "bfloat16",
    ]
    assert found[1].stride == (1, 6)
    assert (found[1].span, found[2].span) == ((0, 23), (8, 23))
    assert found[0].words == "float32[0, 640], empty"
    assert [v.value for v in found[3:]] == [7, None, None, 5, 2.5, True]


def test_nested_inputs_come_in_order(tmp_path: Path) -> None:
    content = ({"a": torch.ones(1), "b": [torch.ones(2), 3]}, torch.nn.Parameter(torch.ones(4)))
    found = read_saved(saved(tmp_path, content))
    assert found is not None
    assert [(v.key, v.shape) for v in found] == [
        ("0.a", (1,)),
        ("0.b[0]", (2,)),
        ("0.b[1]", ()),
        ("1", (4,)),
    ]


@pytest.mark.parametrize("dtype", [torch.uint16, torch.uint32, torch.float8_e4m3fn])
def test_newer_dtypes_keep_their_names(tmp_path: Path, dtype: torch.dtype) -> None:
    found = read_saved(saved(tmp_path, (torch.zeros(2, 3).to(dtype),)))
    assert found is not None
    assert (found[0].dtype, found[0].shape) == (str(dtype).removeprefix("torch."), (2, 3))


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (exec, ("raise SystemExit('it ran')",))


def test_nothing_of_a_pickle_is_called(tmp_path: Path) -> None:
    stream = io.BytesIO()
    pickle.dump((1, Evil()), stream)
    path = tmp_path / "evil.pt"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("evil/data.pkl", stream.getvalue())
        package.writestr("evil/byteorder", b"little")
    assert read_saved(path) is None


def test_other_files_get_a_message(tmp_path: Path) -> None:
    text = tmp_path / "inputs.pt"
    text.write_text("not tensors")
    with pytest.raises(ArtifactError, match=r"not a torch\.save file"):
        read_saved(text)
    package = tmp_path / "model.pt2"
    with zipfile.ZipFile(package, "w") as made:
        made.writestr("m/archive_format", "pt2")
    with pytest.raises(ArtifactError, match=r"without data\.pkl"):
        read_saved(package)


def test_nan_is_counted_and_hides_no_other_value(tmp_path: Path) -> None:
    nan = float("nan")
    content = (torch.tensor([nan, 2.0, -1.0]), torch.tensor([nan, nan]), torch.tensor([1.0, nan]))
    found = read_saved(saved(tmp_path, content))
    assert found is not None
    assert [v.words for v in found] == [
        "float32[3], min -1, max 2, 1 nan",
        "float32[2], all nan",
        "float32[2], min 1, max 1, 1 nan",
    ]
