"""Small recordings made by hand: blocks whose every lane a test knows."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from aoti_tui.index.model import LaunchId, Site
from aoti_tui.replay.model import Block, Recording, Step
from aoti_tui.replay.recorded.blocks import summarize

KERNEL = "triton_poi_fused_log_0"


def ints(shape: tuple[int, ...], values: Sequence[int]) -> Block:
    return Block("int64", shape, memoryview(array("q", values)))


def floats(shape: tuple[int, ...], values: Sequence[float], dtype: str = "float32") -> Block:
    return Block(dtype, shape, memoryview(array("d", values)))


def bools(shape: tuple[int, ...], values: Sequence[bool]) -> Block:
    return Block("bool", shape, memoryview(bytes(values)).cast("?"))


def recording(*assigned: tuple[str, Block | int | float, tuple[int, ...]]) -> Recording:
    """Assignments in order: name, value, and the rounds of the loops around it. The first is on
    kernel line 2."""
    steps = tuple(
        Step(
            position=at,
            file=KERNEL,
            kernel_line=at + 2,
            name=name,
            function="k",
            depth=0,
            iteration=rounds,
            kind="assign",
            value=value,
            summary=summarize(value) if isinstance(value, Block) else None,
            changed=True,
        )
        for at, (name, value, rounds) in enumerate(assigned)
    )
    return Recording(
        kernel=KERNEL,
        file=KERNEL,
        launch=LaunchId(0),
        site=Site("", 1, 1),
        program=(0, 0, 0),
        grid=(1, 1, 1),
        blocks={"XBLOCK": 4},
        steps=steps,
        arguments=(),
        symbols=(),
        scalars={"ks0": 3},
    )
