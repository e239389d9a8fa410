"""A value is followed to where it comes from, as facts that one file turns into words."""

from __future__ import annotations

import pytest

from aoti_tui.failure.model import GuardFinding, ProvenanceNode, Source
from aoti_tui.failure.prose.chain import chain_lines, step_words, value_words
from aoti_tui.failure.provenance.bounds import Asserted, bound_tree, index_tree
from aoti_tui.failure.provenance.known import Known, known_from_inputs
from aoti_tui.failure.provenance.sizes import divided
from aoti_tui.failure.provenance.tracing import Tracer
from aoti_tui.failure.provenance.tree import sources_of, walk
from aoti_tui.failure.steps import (
    BufferData,
    ConstantData,
    ConstantDim,
    Defined,
    FixedSize,
    FloatRatio,
    InputData,
    InputDim,
    Launched,
    NotFollowed,
    Passed,
    Step,
    Temporary,
    Unlimited,
    Written,
)
from aoti_tui.index.cpp.expression import read
from tests.failure.wrapper import FLOW, INDEX, MAIN, PROGRAMS, program_of

SECOND = INDEX.launches[1]
ASSERTED = Asserted(
    INDEX.kernels["second"], PROGRAMS["second"], PROGRAMS["second"].asserts[0], SECOND
)


def tracer(known: Known | None = None) -> Tracer:
    return Tracer(INDEX, program_of, FLOW, known)


def test_an_index_is_followed_through_the_launch_that_wrote_its_buffer() -> None:
    tree = index_tree(tracer(), ASSERTED)
    assert [type(n.step).__name__ for n in walk(tree)] == [
        "Index",
        "Temporary",
        "Load",
        "Passed",
        "BufferData",
        "Written",
        "Temporary",
        "Load",
        "Passed",
        "InputData",
    ]
    assert sources_of(tree) == (Source("input", 1, name="ids", line=11),)
    assert chain_lines(tree) == (
        "tmp0 = tl.load(in_ptr0 + x0, xmask)    :106",
        "in_ptr0 = buf0    :40",
        "written by first (:30) as out_ptr0    :30",
        "  in_ptr0 = ids    :30",
        "  input 1 (ids)    :11",
    )


def test_a_bound_ends_at_the_dimension_with_its_value_and_its_guard() -> None:
    tree = bound_tree(tracer(known_from_inputs(INDEX, {(0, 0): 5}, {})), ASSERTED)
    words = [f"{step_words(n)} {value_words(n)}".rstrip() for n in walk(tree)]
    assert words == [
        "bound ks0",
        "ks0 = s0",
        "s0 = table.size(0) = 5",
        "dimension 0 of input 0 (table) = 5",
        "size(0) >= 2",
    ]
    assert sources_of(tree) == (Source("input_dim", 0, 0, "table", line=12),)


def test_a_step_that_is_met_again_is_only_named() -> None:
    ask = tracer()
    first = ask.sizes.of("s2", FLOW.at_line(MAIN, 50))
    again = ask.sizes.of("s1", FLOW.at_line(MAIN, 50))
    assert [step_words(n) for n in walk(first)] == [
        "s2 = 4L*s1",
        "s1 = (1.0/4.0)*s0",
        "s0 = table.size(0)",
        "dimension 0 of input 0 (table)",
        "size(0) >= 2",
        "s1 is computed with a float reciprocal, which can truncate to the wrong integer",
    ]
    assert (step_words(again), again.children) == ("s1 = (1.0/4.0)*s0, see above", ())


@pytest.mark.parametrize(
    ("name", "words", "kind"),
    [
        ("u9", "no definition of u9 stands before line 50", "unknown"),
        ("w", "constant emb.weight [7, 8]", "constant"),
        ("ids", "input 1 (ids)", "input"),
    ],
)
def test_a_name_of_the_wrapper_is_no_dead_end_without_a_word(
    name: str, words: str, kind: str
) -> None:
    node = tracer().sizes.of(name, FLOW.at_line(MAIN, 50))
    assert (step_words(node), node.kind) == (words, kind)


def test_a_buffer_that_nothing_wrote_yet_is_said_to_be_so() -> None:
    view = SECOND.arguments[2].tensor
    assert view is not None
    node = tracer().sizes.buffers.data(view, FLOW.at_line(MAIN, 25))
    assert node.step == NotFollowed("buf1", "no writer", 25)
    assert node.source == Source("unknown", name="buf1")


@pytest.mark.parametrize(
    ("numel", "divisor", "left"),
    [
        ("s0*s1", "s1", ("s0",)),
        ("8L*s0*s1", "s0", ("s1",)),
        ("s0*s1", "s2", None),
        ("s0 + s1", "s1", None),
    ],
)
def test_a_divisor_takes_its_factors_out_of_an_extent(
    numel: str, divisor: str, left: tuple[str, ...] | None
) -> None:
    assert divided(read(numel), read(divisor)) == left


def test_sources_are_listed_once_inputs_first_by_position() -> None:
    sources = (
        Source("unknown", name="x"),
        Source("constant", name="w", fqn="emb.weight"),
        Source("input_dim", 1, 0, "b"),
        Source("input", 2, name="c"),
        Source("input", 0, name="a"),
        Source("unknown", name="x"),
    )
    leaves = tuple(ProvenanceNode(BufferData("b"), source=s) for s in sources)
    found = sources_of(ProvenanceNode(BufferData("all"), children=leaves))
    assert [s.name for s in found] == ["a", "c", "b", "w", "x"]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Temporary("tmp1", "tmp0 + 1", "arithmetic"), "tmp1 = tmp0 + 1"),
        (Passed("in_ptr0", SECOND.arguments[0], 12), "in_ptr0 = buf0, indexed on kernel line 12"),
        (Defined("s0", INDEX.symbols[0]), "s0 = table.size(0)"),
        (InputDim("table", 0, 1), "dimension 1 of input 0 (table)"),
        (InputData("ids", INDEX.inputs[1]), "input 1 (ids)"),
        (ConstantData("w", INDEX.constants[0]), "constant emb.weight [7, 8]"),
        (ConstantDim("w", INDEX.constants[0], 0), "7 is dimension 0 of constant emb.weight [7, 8]"),
        (BufferData("buf2", ("buf0", "buf1")), "buf2 shares memory with buf0, buf1"),
        (BufferData("buf2"), "buf2"),
        (Written("second", SECOND, "out_ptr0"), "written by second (:40) as out_ptr0"),
        (Launched("second", 2), "second, launched 2 times"),
        (Unlimited("0"), "the assert has no upper bound, only 0"),
        (
            FixedSize("7", SECOND.arguments[:1]),
            "7 is a size fixed when compiled; which tensor's is not known "
            "(looked at in_ptr0 = buf0)",
        ),
        (
            NotFollowed("ks0", "never launched", kernel="second"),
            "second is never launched in this wrapper",
        ),
        (NotFollowed("ks0", "no argument"), "no argument of the launch becomes ks0"),
        (
            FloatRatio("s1"),
            "s1 is computed with a float reciprocal, which can truncate to the wrong integer",
        ),
        (
            GuardFinding("table", 0, 0, None, None, None, "absent", None),
            "no guard on table.size(0): any size is let in",
        ),
    ],
    ids=lambda part: type(part).__name__ if isinstance(part, Step) else None,
)
def test_every_step_has_words(step: Step, words: str) -> None:
    assert step_words(ProvenanceNode(step)) == words


@pytest.mark.parametrize(
    ("step", "value", "words"),
    [
        (Temporary("tmp4", "tmp2 >= tmp3", "test"), True, "→ True"),
        (Defined("s0", INDEX.symbols[0]), 0, "= 0"),
        (BufferData("buf0"), None, ""),
    ],
)
def test_a_value_is_no_further_comparison(step: Step, value: int | None, words: str) -> None:
    assert value_words(ProvenanceNode(step, value=value)) == words
