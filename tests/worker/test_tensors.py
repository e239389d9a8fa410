"""Making, reading, comparing and loading tensors."""

from __future__ import annotations

import collections
import math
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from .talking import Talk


def test_loading_flattens_tuples_lists_and_dicts(worker: Talk, tmp_path: Path) -> None:
    base = torch.arange(12.0).reshape(3, 4)
    value = (base.t(), 3, {"mask": [torch.tensor([True, False]), 2.5]}, None, True, base[1:, 1:])
    path = tmp_path / "inputs.pt"
    torch.save(value, path)
    values = worker.ask("load", path=str(path), prefix="input")["values"]
    assert [(v["key"], v["kind"], v["name"]) for v in values] == [
        ("0", "tensor", "input0"),
        ("1", "int", "input1"),
        ("2.mask.0", "tensor", "input2"),
        ("2.mask.1", "float", "input3"),
        ("3", "none", "input4"),
        ("4", "bool", "input5"),
        ("5", "tensor", "input6"),
    ]
    assert (values[1]["value"], values[3]["value"], values[5]["value"]) == (3, 2.5, True)
    assert (values[0]["shape"], values[0]["stride"], values[0]["offset"]) == ([4, 3], [1, 4], 0)
    assert (values[6]["shape"], values[6]["offset"]) == ([2, 3], 5)
    assert worker.values("input6").tolist() == base[1:, 1:].reshape(-1).tolist()
    assert worker.values("input2").tolist() == [True, False]


def test_a_parameter_loads_as_a_tensor(worker: Talk, tmp_path: Path) -> None:
    path = tmp_path / "p.pt"
    torch.save(torch.nn.Parameter(torch.ones(2)), path)
    assert worker.ask("load_one", path=str(path), name="p")["shape"] == [2]


def write_pickle_of_a_class(path: Path) -> None:
    torch.save(collections.Counter([torch.device("cpu").type]), path)
    torch.save(torch.nn.Linear(2, 2), path)


def write_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")


def write_truncated(path: Path) -> None:
    torch.save(torch.ones(1000), path)
    path.write_bytes(path.read_bytes()[:900])


@pytest.mark.parametrize(
    ("write", "part"),
    [
        (None, "does not exist"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: path.write_bytes(b""), "is empty"),
        (lambda path: path.write_text("hello"), "not a file written by torch.save"),
        (lambda path: path.write_bytes(bytes(range(256))), "not a file written by torch.save"),
        (write_pickle_of_a_class, "objects other than tensors and numbers"),
        (write_zip, "torch.save did not write it"),
        (write_truncated, "not a file written by torch.save"),
        (lambda path: torch.save(["text"], path), "a value of type str"),
    ],
)
def test_files_that_cannot_be_loaded_say_why(
    worker: Talk, tmp_path: Path, write: object, part: str
) -> None:
    path = tmp_path / "x.pt"
    if callable(write):
        write(path)
    error = worker.fail("load", path=str(path), prefix="input")
    assert error["kind"] == "bad-request"
    assert part in error["message"]
    assert "\n" not in error["message"]


def test_views_share_storage_and_stay_inside(worker: Talk) -> None:
    worker.put("base", np.arange(12), "int64", [12])
    worker.ask("view", name="v", base="base", shape=[2, 3], stride=[6, 2], offset=1, dtype=None)
    assert worker.values("v").tolist() == [1, 3, 5, 7, 9, 11]
    worker.ask("write", name="v", element=4, value=-1)
    assert worker.values("base")[9] == -1
    worker.ask("view", name="half", base="base", shape=[4], stride=[1], offset=2, dtype="int32")
    assert worker.values("half").tolist() == [1, 0, 2, 0]
    error = worker.fail(
        "view", name="w", base="base", shape=[3, 3], stride=[6, 2], offset=1, dtype=None
    )
    assert "12 elements" in error["message"]


def test_empty_has_exactly_the_storage_of_its_strides_and_is_poisoned(worker: Talk) -> None:
    worker.ask("empty", name="e", shape=[2, 3], stride=[4, 1], dtype="float32", poison=True)
    assert all(math.isnan(v) for v in worker.values("e"))
    reply = worker.ask("read", name="e", elements=[0, 6])
    assert len(reply.block(reply)) == 2
    assert "0..6" in worker.fail("read", name="e", elements=[7])["message"]
    for dtype, value in (("int32", -1414812757), ("int64", -6076574518398440533), ("bool", True)):
        worker.ask("empty", name="i", shape=[2], stride=None, dtype=dtype, poison=True)
        assert worker.values("i").tolist() == [value, value]


@pytest.mark.parametrize(
    "dtype", ["float32", "bfloat16", "float8_e4m3fn", "int64", "uint8", "bool"]
)
def test_made_up_data_is_reproducible(worker: Talk, dtype: str) -> None:
    fields = {"shape": [50], "stride": None, "dtype": dtype, "low": 2, "high": 5}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        worker.ask("made_up", name=name, seed=seed, **fields)
    a, b, c = (worker.values(name) for name in "abc")
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()
    if "int" in dtype:
        assert set(a.tolist()) == {2, 3, 4}
    assert worker.ask("describe", name="a")["dtype"] == dtype


def test_comparing(worker: Talk) -> None:
    worker.put("a", [1.0, 100.0, math.nan, math.inf], "float32")
    worker.put("b", [1.0, 100.0, math.nan, math.inf], "float32")
    ask = {"name": "a", "with": "b", "rtol": 1e-5, "atol": None}
    same = worker.ask("compare", **ask)
    assert (same["equal"], same["bit_equal"], same["different"]) == (True, True, 0)
    worker.ask("write", name="a", element=1, value=100.0005)
    near = worker.ask("compare", **ask)
    assert (near["equal"], near["bit_equal"]) == (True, False)
    assert (near["different"], near["worst"]) == (1, 1)
    assert near["max_rel"] == pytest.approx(5e-6, rel=0.1)
    worker.ask("write", name="a", element=2, value=0.0)
    far = worker.ask("compare", **ask)
    assert (far["equal"], far["worst"], far["different"]) == (False, 2, 2)
    worker.put("i", [1, 2], "int64")
    worker.put("j", [1, 3], "int64")
    assert not worker.ask("compare", **{"name": "i", "with": "j", "rtol": 1.0})["equal"]
    assert "shape" in worker.fail("compare", **{"name": "a", "with": "i", "rtol": 1.0})["message"]


def test_items_and_aliases_and_dropping(worker: Talk) -> None:
    worker.put("one", [41], "int64")
    worker.ask("alias", name="other", base="one")
    worker.ask("write", name="other", element=0, value=42)
    assert worker.ask("item", name="one")["value"] == 42
    worker.ask("drop", names=["one"])
    assert worker.ask("item", name="other")["value"] == 42
    assert "no tensor one" in worker.fail("item", name="one")["message"]
    worker.put("two", [1, 2], "int64")
    assert "2 elements" in worker.fail("item", name="two")["message"]


def test_a_summary_of_a_tensor(worker: Talk) -> None:
    worker.put("a", [3.0, -1.0, math.nan, 3.0], "float32")
    summary = worker.ask("describe", name="a")["summary"]
    assert summary == {"min": -1.0, "max": 3.0, "nan": 1, "distinct": 3, "count": 4}
    worker.ask("zeros", name="none", shape=[0, 5], stride=None, dtype="float32")
    summary = worker.ask("describe", name="none")["summary"]
    assert summary == {"min": None, "max": None, "nan": 0, "distinct": 0, "count": 0}
