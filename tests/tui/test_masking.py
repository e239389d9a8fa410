"""Lanes past the end of the data say nothing about a value."""

from __future__ import annotations

import math

from aoti_tui.kernel.parse import parse_kernel
from aoti_tui.session import words
from aoti_tui.session.values.filter import fits
from aoti_tui.session.values.masks import masking
from aoti_tui.session.values.nonfinite import non_finite
from aoti_tui.session.values.temporaries import Temporary, temporaries
from tests.tui.recordings import bools, floats, ints, recording

XMASK = ("xmask", bools((4,), (True, True, True, False)), ())


def table(*assigned: object, lane: int = 0) -> dict[str, Temporary]:
    made = recording(*assigned)  # type: ignore[arg-type]
    return {t.name: t for t in temporaries(made, len(assigned) - 1, (lane,))}


def test_a_summary_leaves_out_the_lanes_without_data() -> None:
    found = table(
        ("xindex", ints((4,), (4, 5, 6, 7)), ()),
        XMASK,
        ("tmp0", ints((4,), (-8, -8, -8, 0)), ()),
        ("tmp1", bools((4,), (False, False, False, True)), ()),
        ("tmp2", bools((4,), (False, True, False, True)), ()),
        ("tmp3", floats((4,), (math.nan, 1.5, 2.5, math.nan)), ()),
        lane=3,
    )
    assert found["tmp0"].summary == "all -8"
    assert found["tmp0"].masked
    assert found["xindex"].summary == "4 … 6  3 distinct"
    assert found["tmp1"].summary == "all False"
    assert found["tmp2"].summary == "1 True of 3"
    assert found["tmp3"].summary == "1.5 … 2.5  1 NaN  2 distinct"
    assert found["xmask"].summary == "3 True of 4", "a mask is not masked by itself"


def test_a_block_without_any_lane_of_data_says_so() -> None:
    found = table(
        ("xmask", bools((2, 1), (False, False)), ()),
        ("tmp0", ints((2, 3), (0,) * 6), ()),
        ("tmp1", ints((1, 3), (7, 8, 9)), ()),
    )
    assert found["tmp0"].summary == "all masked"
    assert found["tmp1"].summary == "all masked"


def test_the_mask_of_a_round_speaks_of_values_of_that_round() -> None:
    full, part = bools((4,), (True,) * 4), bools((4,), (True, True, False, False))
    made = recording(
        ("r0_mask", full, (0,)),
        ("tmp0", ints((4,), (1, 2, 3, 4)), (0,)),
        ("r0_index", ints((4,), (4, 5, 6, 7)), (1,)),
        ("r0_mask", part, (1,)),
        ("tmp1", ints((4,), (5, 6, 0, 0)), (1,)),
    )
    found = {t.name: t.summary for t in temporaries(made, 4, (0,))}
    assert found["tmp0"] == "1 … 4  4 distinct"
    assert found["r0_index"] == "4 … 5  2 distinct"
    assert found["tmp1"] == "5 … 6  2 distinct"
    assert {t.name: t.summary for t in temporaries(made, 2, (0,))}["r0_index"].startswith("4 … 7")


def test_answers_are_worked_out_once() -> None:
    made = recording(XMASK, ("tmp0", ints((4,), (1, 2, 3, 4)), ()))
    masks = masking(made)
    step = made.steps[1]
    assert masks.statistics(step, 1) is masks.statistics(step, 1)
    assert masks.out(step, 1, (4,)) is masks.out(step, 1, (4,))


def test_temporaries_are_found_by_name_and_by_value() -> None:
    found = table(
        XMASK,
        ("tmp0", ints((4,), (-8, 2, 3, 99)), ()),
        ("tmp1", floats((4,), (math.nan, 1.0, 2.0, 3.0)), ()),
        ("tmp2", floats((4,), (1.0, 2.0, 3.0, math.inf)), ()),
        ("tmp3", 7, ()),
        ("tmp4", floats((4,), (1.0, -math.inf, 3.0, 4.0)), ()),
    )

    def names(typed: str) -> list[str]:
        return [name for name, one in found.items() if fits(one, typed)]

    assert names("MP1") == ["tmp1"]
    assert names(">5") == ["tmp3"], "the 99 is in a lane without data"
    assert names("<0") == ["tmp0", "tmp4"]
    assert names("== 7") == ["tmp3"]
    assert names("==3") == ["tmp0", "tmp2", "tmp4"]
    assert names("==99") == []
    assert names("nan") == ["tmp1"]
    assert names("inf") == ["tmp4"]
    assert names("changed") == ["tmp4"]
    assert names("masked") == ["xmask", "tmp0", "tmp1", "tmp2", "tmp4"]
    assert names(">") == list(found), "a comparison that is being typed hides nothing"


SOURCE = """
@triton.jit
def k(in_ptr0, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xmask = xindex < xnumel
    _tmp0 = tl.full([XBLOCK], float("-inf"), tl.float32)
    tmp1 = tl.load(in_ptr0 + x0, xmask)
    tmp2 = tl.log(tmp1)
    tmp3 = tmp2 * 2
    tmp1 = tmp3 + 1
"""


def test_the_step_that_first_gets_a_nan_is_found() -> None:
    bad = floats((4,), (math.nan, 1.0, math.nan, math.nan))
    made = recording(
        ("program", 0, ()),
        ("program", 0, ()),
        XMASK,
        ("_tmp0", floats((4,), (-math.inf,) * 4), ()),
        ("tmp1", floats((4,), (-1.0, 1.0, -2.0, -3.0)), ()),
        ("tmp2", bad, ()),
        ("tmp3", bad, ()),
        ("tmp1", floats((4,), (math.inf, 1.0, 1.0, 1.0)), ()),
    )
    program = parse_kernel(SOURCE, "k")
    found = non_finite(made, program)
    assert [one.step.name for one in found] == ["tmp2", "tmp3", "tmp1"]
    assert words.non_finite(found[0], first=True) == (
        "First NaN: step 6, tmp2, 2 lanes (1 more masked out)."
    )
    assert words.non_finite(found[2], first=False) == "New infinity: step 8, tmp1, 1 lane."


def test_a_nan_in_lanes_without_data_does_not_count_but_is_told() -> None:
    made = recording(XMASK, ("tmp2", floats((4,), (0.0, 0.0, 0.0, math.nan)), ()))
    found = non_finite(made, parse_kernel(SOURCE, "k"))
    assert words.no_non_finite(made, found, 1) == (
        "No NaN and no infinity in a lane that holds data. Masked-out lanes have one, which do "
        "not count: step 2, tmp2, 1 lane."
    )
    clean = recording(XMASK)
    assert words.no_non_finite(clean, (), 1) == (
        "Nothing in program 0 gets a NaN or an infinity, apart from what the source itself writes."
    )
