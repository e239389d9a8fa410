"""Wrappers of the test data, indexed once."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import aoti_tui.demo
from aoti_tui.index.model import Launch, WrapperIndex
from aoti_tui.index.reader import read_wrapper
from aoti_tui.replay.session import ReplaySession

DATA = Path(__file__).resolve().parent.parent / "data"
DEMO = Path(aoti_tui.demo.__file__).resolve().parent
REDUCE = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"


@cache
def read(path: Path) -> WrapperIndex:
    return read_wrapper(path.read_text(), str(path))


def demo_index() -> WrapperIndex:
    return read(DEMO / "jagged_reduce.wrapper.cpp")


def model(name: str) -> WrapperIndex:
    return read(DATA / name / "wrapper.cpp")


def launch_of(index: WrapperIndex, kernel: str) -> Launch:
    return index.launches_of(kernel)[0]


def expected(name: str, bad: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((DATA / name / f"expected.{bad}.json").read_text())
    return facts


Opened = Callable[..., ReplaySession]
