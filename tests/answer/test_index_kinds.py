"""What an index can be made of, and what the call must hold so that it stays in range: false for
the call that failed, true for a good one, and said in the terms of the model."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from aoti_tui.failure.model import Failure
from tests.answer.conftest import Made
from tests.answer.wrappers import ASSERT_LINE, call, indices, inputs, logged, wrapper

KERNEL = "triton_poi_fused_index_0"
LOAD = "tmp5 = tl.load(in_ptr0 + (x0), xmask)"


@dataclass(frozen=True)
class Kind:
    """How tmp0 comes out of what a kernel loads, with inputs that fail and that do not."""

    name: str
    lines: tuple[str, ...]
    bad: tuple[int, ...]
    good: tuple[int, ...]
    demanded: str
    """Part of the condition on the call."""
    title: str = ""
    """Of a fix beside it."""
    said: str = ""
    """Part of that fix."""
    ops: str = "aten.index"

    def __str__(self) -> str:
        return self.name


def _loss(ignored: int) -> tuple[str, ...]:
    """A loss's targets: those to ignore become 0 and are left out of the sum."""
    return (
        LOAD,
        f"tmp6 = tl.full([1], {ignored}, tl.int64)",
        "tmp7 = tmp5 != tmp6",
        "tmp8 = tl.full([1], 0, tl.int64)",
        "tmp0 = tl.where(tmp7, tmp5, tmp8)",
    )


LOSS = "aten.nll_loss_forward"
KINDS = (
    Kind(
        "a target of -1",
        _loss(-100),
        (0, -1, 2, 3),
        (0, -100, 2, 4),
        "0 <= int(inputs[0].masked_fill(inputs[0] == (-100), 0).min())",
        f"leave the element out with ignore_index=-1 at {LOSS}",
        "only -100 is left out",
        LOSS,
    ),
    Kind(
        "a target of -100 where -1 is ignored",
        _loss(-1),
        (0, -100, 2, 3),
        (0, -1, 2, 4),
        "masked_fill(inputs[0] == (-1), 0)",
        f"leave the element out with ignore_index=-100 at {LOSS}",
        "only -1 is left out",
        LOSS,
    ),
    Kind(
        "classes that are counted from 1",
        _loss(-100),
        (1, 2, 5, 3),
        (0, 1, 4, 2),
        "masked_fill(inputs[0] == (-100), 0).max()) < 5",
        f"give the loss at {LOSS} a class for each target",
        "are the classes counted from 1",
        LOSS,
    ),
    Kind(
        "floats of a router",
        (LOAD, "tmp6 = tmp5.to(tl.float32)", "tmp7 = tmp6 * 2.5", "tmp0 = tmp7.to(tl.int64)"),
        (0, 1, 2, 1),
        (0, 1, 1, 0),
        "(inputs[0].float() * 2.5).long()",
    ),
    Kind(
        "floats that are no less than 0",
        (
            LOAD,
            "tmp6 = tmp5.to(tl.float32)",
            "tmp7 = tmp6 * 0.5",
            "tmp8 = triton_helpers.maximum(tmp7, 0.0)",
            "tmp0 = tmp8.to(tl.int64)",
        ),
        (0, 10, -2, 1),
        (0, 9, -80, 1),
        "(inputs[0].float() * 0.5).clamp(min=0.0)",
    ),
    Kind(
        "the first two of an input, padded",
        (
            "tmp6 = x0",
            "tmp7 = tmp6 < 2",
            "tmp0 = tl.load(in_ptr0 + (x0), tmp7 & xmask, other=0.0)",
        ),
        (0, 5, 2, 1),
        (0, 4, 90, -90),
        "int(inputs[0].masked_fill(",
    ),
    Kind(
        "bits under a mask",
        (LOAD, "tmp6 = tl.full([1], 7, tl.int64)", "tmp0 = tmp5 & tmp6"),
        (0, 13, 2, 1),
        (0, 12, 2, 1),
        "int((inputs[0] & 7).max()) < 5",
        "give the table the rows that the index can reach",
        "masked with `& 7`: it runs from 0 to 7",
    ),
    Kind(
        "a page of a position",
        (LOAD, "tmp6 = tl.full([1], 4, tl.int64)", "tmp0 = tmp5 >> tmp6"),
        (0, 80, 2, 1),
        (0, 79, 2, 1),
        "int(inputs[0].max()) // 16 < 5",
    ),
    Kind(
        "a mask, of a table with one row too few",
        (LOAD, "tmp6 = tmp5 > 3", "tmp7 = tmp6.to(tl.int64)", "tmp0 = tmp7 + 4"),
        (0, 4, 2, 1),
        (0, 3, 2, 1),
        "(inputs[0] > 3).long()",
    ),
    Kind(
        "a clamp to the size itself",
        (
            LOAD,
            "tmp6 = triton_helpers.maximum(tmp5, tl.full([1], 0, tl.int64))",
            "tmp0 = triton_helpers.minimum(tmp6, ks0)",
        ),
        (0, 9, 2, 1),
        (0, -4, 2, 1),
        "min(max(int(inputs[0].max()), 0), 5) < 5",
        "clamp to the last row",
        "so to 4 here",
    ),
)


@dataclass(frozen=True)
class Part:
    """Which part of an input of 4 a kernel walks, as a condition on the call says it."""

    name: str
    address: str
    extent: str
    demanded: str | None
    """None where the part is another one of an input of another size."""

    def __str__(self) -> str:
        return self.name


HALF = "c10::div_floor_integer(static_cast<int64_t>(s0), static_cast<int64_t>(2L))"
PARTS = (
    Part("each element twice", "x0 // 2", "s0", None),
    Part("the first two again and again", "x0 % 2", "s0", "inputs[0][:2]"),
    Part("the first half", "x0", HALF, None),
    Part("the second half", "2 + x0", HALF, None),
    Part("the first two", "x0", "2L", "inputs[0][:2]"),
    Part("the two after the first", "1 + x0", "2L", "inputs[0][1:3]"),
    Part("all", "x0", "s0", "inputs[0]"),
    Part("all but the last", "x0", "s0 + (-1L)", "inputs[0][:-1]"),
    Part("all but the first", "1 + x0", "s0 + (-1L)", "inputs[0][1:]"),
)


def explained(made: Made, kind: Kind) -> Failure:
    text = wrapper(call(KERNEL, "arg0_1"), KERNEL)
    load = "tmp0 = tl.load(in_ptr0 + (x0), xmask)"
    text = text.replace(load, ("\n" + " " * 8).join(kind.lines))
    comment = f"    // Topologically Sorted Source Nodes: [n], Original ATen: [{kind.ops}]\n"
    text = text.replace(f"    call_{KERNEL}(arg0_1", f"{comment}    call_{KERNEL}(arg0_1")
    line = ASSERT_LINE + len(kind.lines) - 1
    incident = made(text, logged(0, line=line), inputs(indices(*kind.bad)))
    return incident.judge(incident.failures[0]).failure


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_condition_holds_for_good_calls_alone(made: Made, kind: Kind) -> None:
    failure = explained(made, kind)
    assert failure.cause.confirmed
    requires = failure.fixes[0].requires
    assert requires is not None
    assert kind.demanded in requires
    assert eval(requires, {"inputs": list(inputs(indices(*kind.bad)))}) is False
    assert eval(requires, {"inputs": list(inputs(indices(*kind.good)))}) is True


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.title], ids=str)
def test_beside_it_stands_what_the_model_can_do(made: Made, kind: Kind) -> None:
    fixes = {fix.title: fix.text for fix in explained(made, kind).fixes}
    assert kind.said in fixes[kind.title]


@pytest.mark.parametrize("part", PARTS, ids=str)
def test_a_part_that_another_size_moves_makes_no_condition(made: Made, part: Part) -> None:
    """Half of 4 elements is ``[:-2]``, and half of 8 is not: no condition rather than that."""
    text = wrapper(call(KERNEL, "arg0_1", extent=part.extent), KERNEL)
    text = text.replace("in_ptr0 + (x0)", f"in_ptr0 + ({part.address})")
    bad = inputs(indices(0, 9, 9, 1))
    incident = made(text, logged(0), bad)
    failure = incident.judge(incident.failures[0]).failure
    assert failure.cause.confirmed
    validate = failure.fixes[0]
    if part.demanded is None:
        assert validate.requires is None
        assert "check it where it is computed, it must stay below 5" in validate.text
        assert "[:" not in validate.text
    else:
        assert validate.requires is not None
        assert f"int({part.demanded}.max()) < 5" in validate.requires
        assert eval(validate.requires, {"inputs": list(bad)}) is False
