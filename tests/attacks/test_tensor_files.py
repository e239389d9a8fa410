"""Tensor files that lie about sizes: both readers say so before they count or allocate anything."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path
from types import FunctionType
from typing import Any, ClassVar

import pytest
import torch

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.saved_tensors import read_saved
from tests.worker.talking import Talk


class _Called:
    """Pickles as the call of a named function."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> Any:
        return self.call


def _rebuild(*_: Any) -> None:
    """Stands for torch._utils._rebuild_tensor_v2 while pickling."""


_rebuild.__module__, _rebuild.__qualname__ = "torch._utils", "_rebuild_tensor_v2"


class _Storage:
    def __init__(self, key: str, elements: int) -> None:
        self.key, self.elements = key, elements


class _Pickler(pickle._Pickler):
    def persistent_id(self, one: Any) -> Any:
        if isinstance(one, _Storage):
            return ("storage", torch.LongStorage, one.key, "cpu", one.elements)
        return None

    def save_global(self, one: Any, name: str | None = None) -> None:
        if one is _rebuild:
            self.write(b"ctorch._utils\n_rebuild_tensor_v2\n")
        elif one is torch.LongStorage:
            self.write(b"ctorch\nLongStorage\n")
        else:
            super().save_global(one, name)

    dispatch: ClassVar = {**pickle._Pickler.dispatch, FunctionType: save_global, type: save_global}


def write(path: Path, content: Any, compress: int = zipfile.ZIP_STORED) -> None:
    """A file as torch.save writes it, whose one storage has 8 int64 elements."""
    with zipfile.ZipFile(path, "w", compress) as package:
        with package.open("a/data.pkl", "w") as member:
            _Pickler(member, protocol=2).dump(content)
        package.writestr("a/byteorder", "little")
        package.writestr("a/data/0", bytes(64))
        package.writestr("a/version", "3\n")


def tensor(offset: Any, shape: tuple[Any, ...], stride: tuple[Any, ...]) -> _Called:
    return _Called(_rebuild, _Storage("0", 8), offset, shape, stride, False, None)


LAYOUTS: dict[str, tuple[Any, tuple[Any, ...], tuple[Any, ...]]] = {
    "a shape beyond the storage": (0, (400_000,), (1,)),
    "one element beyond it": (1, (8,), (1,)),
    "an offset beyond it": (1 << 40, (4,), (1,)),
    "a stride beyond it": (0, (4,), (1 << 40,)),
    "a negative shape": (0, (-4,), (1,)),
    "a negative stride": (0, (4,), (-1,)),
    "a negative offset": (-4, (4,), (1,)),
    "sizes that multiply": (0, (1 << 35, 1 << 35), (1 << 35, 1)),
    "sizes that multiply over one element": (0, (1 << 30, 1 << 30), (0, 0)),
    "fewer strides than sizes": (0, (2, 2), (1,)),
    "a size that is a float": (0, (2.0,), (1,)),
    "a size that is a text": (0, ("8",), (1,)),
    "a size that is a list": (0, ([8],), (1,)),
    "a shape that is no tuple": (0, 8, 1),
    "many dimensions": (0, (1,) * 100, (1,) * 100),
}


@pytest.mark.parametrize("kind", LAYOUTS)
def test_a_layout_that_no_storage_has(worker: Talk, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "inputs.pt"
    write(path, (tensor(*LAYOUTS[kind]),))
    if kind != "sizes that multiply over one element":
        # A view of one element many times over is fine as long as nobody unpacks it.
        with pytest.raises(ArtifactError) as caught:
            read_saved(path)
        assert "damaged" in caught.value.what
        assert len(caught.value.why) < 200
    error = worker.fail("load", path=str(path), prefix="x")
    assert error["kind"] == "bad-request"
    assert len(error["message"]) < 600


def test_a_file_that_is_well_is_read_by_both(worker: Talk, tmp_path: Path) -> None:
    path = tmp_path / "inputs.pt"
    write(path, (tensor(2, (2, 3), (3, 1)), 7))
    saved = read_saved(path)
    assert saved is not None
    assert [one.shape for one in saved] == [(2, 3), ()]
    values = worker.ask("load", path=str(path), prefix="x")["values"]
    assert [one["shape"] for one in values] == [[2, 3], None]


@pytest.mark.parametrize("dtype", ["uint16", "float8_e5m2", "bfloat16", "bool"])
def test_layouts_of_every_kind_of_element_are_known(
    worker: Talk, tmp_path: Path, dtype: str
) -> None:
    path = tmp_path / "inputs.pt"
    whole = torch.zeros(6, 4, dtype=getattr(torch, dtype))
    torch.save((whole[1:, ::2], whole.t(), torch.zeros(0, 3)), path)
    saved = read_saved(path)
    assert saved is not None
    assert [one.shape for one in saved] == [(5, 2), (4, 6), (0, 3)]
    values = worker.ask("load", path=str(path), prefix="x")["values"]
    assert [one["shape"] for one in values] == [[5, 2], [4, 6], [0, 3]]


def test_lists_that_hold_one_another_many_times(worker: Talk, tmp_path: Path) -> None:
    many: list[Any] = [1] * 10
    for _ in range(12):
        many = [many] * 10
    deep: list[Any] = []
    for _ in range(200):
        deep = [deep, 1]
    circle: list[Any] = [1]
    circle.append(circle)
    for content in (many, deep, circle):
        path = tmp_path / "inputs.pt"
        write(path, content)
        with pytest.raises(ArtifactError) as caught:
            read_saved(path)
        assert "it holds" in caught.value.why
        assert worker.fail("load", path=str(path), prefix="x")["kind"] == "bad-request"


def test_a_file_that_unpacks_to_more_than_it_holds(worker: Talk, tmp_path: Path) -> None:
    path = tmp_path / "inputs.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("a/data.pkl", bytes(100 << 20))
    with pytest.raises(ArtifactError):
        read_saved(path)
    assert worker.fail("load", path=str(path), prefix="x")["kind"] == "bad-request"


def test_damage_at_the_end_of_the_zip(worker: Talk, tmp_path: Path) -> None:
    path = tmp_path / "inputs.pt"
    torch.save((torch.zeros(4),), path)
    data = path.read_bytes()
    end = data.rindex(b"PK\x05\x06")
    for at, value in [(end + 4, b"\x09\x00"), (end + 6, b"\x09\x00"), (end + 16, b"\xff" * 4)]:
        path.write_bytes(data[:at] + value + data[at + len(value) :])
        try:
            read_saved(path)
        except ArtifactError as error:
            assert "damaged" in error.what or "not a torch.save" in error.what  # noqa: PT017
        worker.send("load", path=str(path), prefix="x")
        answer = worker.answer()
        assert answer["event"] == "result" or answer["kind"] == "bad-request"


def test_a_pipe_or_a_device_is_no_file(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(ArtifactError) as caught:
            read_saved(path)
        assert "no file" in caught.value.what
