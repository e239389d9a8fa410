"""A bound's equations hold: where a step changes the number, the chain of equals signs ends."""

from __future__ import annotations

import pytest

from aoti_tui.failure.model import ProvenanceNode, ValueProvenance
from aoti_tui.failure.prose.equations import equations
from aoti_tui.failure.provenance.known import known_from_inputs
from aoti_tui.failure.provenance.tracing import Tracer
from aoti_tui.failure.steps import Bound, Passed
from tests.failure.wrapper import FLOW, INDEX, MAIN, number, program_of


def bound(text: str, passed: str, value: int | None, rows: int) -> ValueProvenance:
    """A bound whose ``ks0`` a launch sets to ``passed``, for a table of so many rows."""
    known = known_from_inputs(INDEX, {(0, 0): rows}, {})
    argument = number("ks0", passed)
    assert argument.value is not None
    tracer = Tracer(INDEX, program_of, FLOW, known)
    at = FLOW.at_line(MAIN, 50)
    behind = tuple(tracer.sizes.of(name, at) for name in argument.value.names())
    node = ProvenanceNode(
        Passed("ks0", argument), value=argument.value.known_int(known.symbols), children=behind
    )
    return ValueProvenance(text, None, ProvenanceNode(Bound(text), children=(node,)), (), value)


@pytest.mark.parametrize(
    ("text", "passed", "value", "rows", "said"),
    [
        ("ks0", "s0", 5, 5, "ks0 = s0 = table.size(0) = 5"),
        ("ks0", "s0", None, 5, "ks0 = s0 = table.size(0) = 5"),
        ("4*ks0", "s0", 20, 5, "4*ks0 = 20, where ks0 = s0 = table.size(0) = 5"),
        ("ks0", "s1", 2, 8, "ks0 = s1 = table.size(0)/4 = 2"),
        ("ks0", "s1", 1, 7, "ks0 = s1 = table.size(0)/4 cut to a whole number = 1"),
        ("ks0", "s2", 8, 8, "ks0 = s2 = 4*s1 = 8, where s1 = table.size(0)/4 = 2"),
        ("ks0", "s0 + 1L", 6, 5, "ks0 = table.size(0) + 1 = 6"),
    ],
)
def test_each_step_is_the_same_number(
    text: str, passed: str, value: int | None, rows: int, said: str
) -> None:
    assert equations(bound(text, passed, value, rows)) == said


def test_the_number_can_be_left_out() -> None:
    assert equations(bound("ks0", "s0", 5, 5), value=False) == "ks0 = s0 = table.size(0)"
