"""Why an assert failed: established from values, or the possible causes with what confirms them.

``confirmed`` says that this very assert fires in a program that the log names. What may set it:

- a *replay* of the given data, in which it does (:func:`confirmed_cause`);
- a *size of 0*: no index is valid, so all lanes that have data fail (:func:`confirmed_cause`);
- *elements* of the given inputs that are the index unchanged, are out of range, and are read in
  such a program (:func:`cause_by_elements`);
- *lane numbers*: an index of lane numbers and sizes alone, which is out of range in such a program
  (:func:`cause_by_range`).

An interval that the index lies in makes nothing fire: it tells which value it must have been, and
confirms nothing. What the log or the values say against a cause, or leave open, takes the
confirmation back (:func:`settled`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from aoti_tui.failure.cause.evidence import Evidence
from aoti_tui.failure.cause.ranges import Interval
from aoti_tui.failure.cause.single_precision import in_single_precision
from aoti_tui.failure.condition.sizes import plainly
from aoti_tui.failure.model import (
    BadElements,
    Cause,
    CauseCode,
    ProvenanceNode,
    Source,
    ValueProvenance,
)
from aoti_tui.failure.prose.chain import step_words
from aoti_tui.failure.prose.words import element_line, input_words, plural
from aoti_tui.failure.provenance.tree import walk
from aoti_tui.failure.steps import Defined, Temporary
from aoti_tui.index.nodes import Binary, Number, Unary
from aoti_tui.index.python.expression import read_python
from aoti_tui.kernel.addresses import masks_lanes_only


@dataclass(frozen=True, slots=True)
class Question:
    """All that the cause of one failure is judged by."""

    index_text: str
    raw: str
    bound_text: str
    bound: ValueProvenance
    index: ValueProvenance
    two_sided: bool
    wraps_negatives: bool
    mask: str | None
    access_masks: tuple[str, ...]
    """Masks of the loads and stores that use the index, as written."""
    lost_masks: tuple[str, ...]
    """Masks of lanes beyond the data that the assert lacks."""
    confirm_command: str
    """What would confirm a cause: a command, or what a replay that was made lacks."""


def settled(cause: Cause, evidence: Evidence, confirm_with: str) -> Cause:
    """A cause as it stands with what else is known: confirmed only where nothing contradicts it
    and nothing that would have to be known is open. ``confirm_with`` is what would tell then."""
    if cause.confirmed and (evidence.contradictions or evidence.undecided):
        return replace(cause, confirmed=False, confirm_with=confirm_with)
    return cause


def confirmed_cause(question: Question, evidence: Evidence) -> Cause | None:
    """The cause that the values establish; None when they establish none.

    A replay on made-up data establishes nothing. That the bound is 0 can be known from the
    inputs alone, before any replay.
    """
    if evidence.made_up:
        return None
    bound = evidence.bound
    facts = _facts(question, evidence)
    # Without a mask that data decide, every lane that has data fails where nothing is valid.
    nothing_valid = bound == 0 and (evidence.fired or masks_lanes_only(question.mask))
    if evidence.fired:
        if evidence.beyond_axes:
            return Cause(
                "mask-too-narrow",
                f"every failing lane lies beyond the axes of the launch ({evidence.beyond_axes}) "
                "and the assert lacks the mask: the compiler checks lanes whose results nothing "
                "keeps, the data is fine",
                True,
                facts,
            )
        if evidence.masked_out:
            return Cause(
                "mask-too-narrow",
                f"every failing lane is masked out of each access that uses {question.index_text}, "
                "but not out of the assert: the compiler checks lanes that do nothing, the data "
                "is fine",
                True,
                facts,
            )
    if evidence.truncated_symbol and (evidence.fired or nothing_valid):
        return Cause(
            "symbol-truncated",
            f"a size came out wrong: {evidence.truncated_symbol}",
            True,
            facts,
        )
    if nothing_valid:
        return Cause("empty-dimension", _empty_text(question), True, facts)
    if not evidence.fired or evidence.failing == 0 or bound is None:
        return None
    if evidence.overflow:
        return Cause("overflow", f"an integer wrapped: {evidence.overflow}", True, facts)
    if evidence.allowed == evidence.failing:
        return Cause("compiler-fault", _other_bound(question, evidence, bound), True, facts)
    if evidence.equal == evidence.failing and evidence.chosen_by:
        return Cause(
            "index-equals-size",
            f"{question.raw} is a fill value, the size {_sized(question, bound)} itself, because "
            f"of a value that is no finite number: {evidence.chosen_by}",
            True,
            facts,
        )
    if evidence.equal == evidence.failing:
        return Cause(
            "index-equals-size",
            f"every failing index {question.raw} is exactly the size {_sized(question, bound)}: "
            f"one past the last valid index {bound - 1}",
            True,
            facts,
        )
    cast = f": {evidence.not_held}" if evidence.not_held else ""
    if evidence.above or evidence.equal:
        return Cause(
            "index-too-large",
            f"{question.raw} goes up to {evidence.raw_max}, but {_sized(question, bound)} "
            f"allows at most {bound - 1}{cast}",
            True,
            facts,
        )
    if evidence.below:
        lowest = -bound if question.wraps_negatives else 0
        return Cause(
            "index-too-negative",
            f"{question.raw} goes down to {evidence.raw_min}, but {_sized(question, bound)} "
            f"allows no less than {lowest}{cast}",
            True,
            facts,
        )
    return None


def _other_bound(question: Question, evidence: Evidence, bound: int) -> str:
    """An assert that fails for indices which its own bound allows."""
    span = f"{evidence.raw_min} to {evidence.raw_max}"
    if evidence.raw_min == evidence.raw_max:
        span = str(evidence.raw_min)
    said = (
        f"{question.raw} = {span} is below the size {_sized(question, bound)}, and the assert "
        f"fails all the same: the kernel compares with {evidence.raw_min} or less"
    )
    if in_single_precision(question.bound_text):
        said += ", because it works the size out in single precision"
    return f"{said}; the data is fine"


def cause_by_range(question: Question, bound: int, span: Interval, reached: bool) -> Cause | None:
    """The cause that follows from the only values which the raw index can have at all.

    Only for an assert that is known to have fired. ``reached`` says that the index is made of lane
    numbers and sizes alone, and is out of range in a program that the log names; otherwise the
    cause is what it must have been if these are the sizes of the failed run.
    """
    if bound <= 0:
        return None
    lowest = -bound if question.wraps_negatives else 0
    low = "…" if span.low is None else span.low
    high = "…" if span.high is None else span.high
    said = (
        f"{question.raw} lies in {low} to {high} with these inputs",
        _sized(question, bound),
    )
    how = "" if reached else question.confirm_command
    never_low = not question.two_sided or (span.low is not None and span.low >= lowest)
    if never_low and span.high == bound:
        return Cause(
            "index-equals-size",
            f"the only failing value that {question.raw} can have is the size {bound} itself: one "
            f"past the last valid index {bound - 1}",
            reached,
            said,
            how,
        )
    if never_low and reached and span.high is not None and span.high > bound:
        return Cause(
            "index-too-large",
            f"{question.raw} goes up to {span.high}, but {_sized(question, bound)} allows at most "
            f"{bound - 1}",
            True,
            said,
        )
    if span.high is not None and span.high < bound and not never_low:
        return Cause(
            "index-too-negative",
            f"{question.raw} never reaches {bound}, so it failed below {lowest}",
            False,
            said,
            question.confirm_command,
        )
    return None


def holds_words(question: Question, bound: int, span: Interval) -> str:
    """``tmp0 lies in 0 to 512, which the size 16000 allows``: an assert that cannot fail."""
    said = f"{question.raw} lies in {span.low} to {span.high}"
    return f"{said}, which the size {_sized(question, bound)} allows"


def within(
    causes: tuple[Cause, ...], bound: int | None, span: Interval, wraps_negatives: bool
) -> tuple[Cause, ...]:
    """The causes that an index which always lies in ``span`` can have; a bound of None is not
    known."""
    lowest = -bound if wraps_negatives and bound is not None else 0
    cannot: set[CauseCode] = set()
    if span.high is not None and bound is not None:
        cannot |= {"index-too-large"} if span.high <= bound else set()
        cannot |= {"index-equals-size"} if span.high < bound else set()
    if span.low is not None and span.low >= lowest:
        cannot.add("index-too-negative")
    return tuple(cause for cause in causes if cause.code not in cannot)


def truncated_on(tree: ProvenanceNode, truncated: Mapping[str, str]) -> str | None:
    """What is said of the truncated symbol that a value is made of; None where it is of none."""
    names = (node.name for node in walk(tree) if node.kind == "symbol")
    return next((truncated[name] for name in names if name in truncated), None)


def cause_by_elements(
    question: Question, bound: int, bad: BadElements, truncated: Mapping[str, str]
) -> Cause | None:
    """The cause that bad elements of the given inputs establish, for an assert that fired.

    Confirmed where a program that the log names reads one. None where the size may be the wrong
    one of the two, or where lanes that do nothing may be the ones that failed: only a replay tells.
    """
    narrower = _narrower_mask(question)
    if narrower is not None and not masks_lanes_only(narrower):
        return None
    if truncated_on(question.bound.tree, truncated) is not None:
        return None
    sized = _sized(question, bound)
    said = (*([sized] if sized != str(bound) else []), element_line(bad))
    code: CauseCode
    if bad.equal == bad.count:
        code = "index-equals-size"
        text = f"{bad.name} holds the size {sized} itself, one past the last valid index "
        text += str(bad.highest)
    elif bad.above or bad.equal:
        code = "index-too-large"
        text = f"{bad.name} holds {bad.largest}, but {sized} allows at most {bad.highest}"
    else:
        code = "index-too-negative"
        text = f"{bad.name} holds {bad.smallest}, but {sized} allows no less than {bad.lowest}"
    how = "" if bad.in_logged else question.confirm_command
    return Cause(code, text, bool(bad.in_logged), said, how)


def _facts(question: Question, evidence: Evidence) -> tuple[str, ...]:
    facts: list[str] = []
    if evidence.bound is not None:
        literal = question.bound_text == str(evidence.bound)
        facts.append("the bound is " * literal + _sized(question, evidence.bound))
    if evidence.fired:
        span = (
            f"{evidence.raw_min}"
            if evidence.raw_min == evidence.raw_max
            else f"{evidence.raw_min} to {evidence.raw_max}"
        )
        looked = plural(evidence.failing, "failing lane")
        facts.append(f"{question.raw} = {span} in {looked} looked at")
    facts.extend(evidence.notes)
    return tuple(facts)


def _sized(question: Question, bound: int) -> str:
    """``ks0 = 7``, and plain ``32000`` for a literal."""
    said = plainly(question.bound_text)
    return said if said == str(bound) else f"{said} = {bound}"


def _empty_text(question: Question) -> str:
    dims = [s for s in question.bound.sources if s.kind == "input_dim"]
    values = [s for s in question.bound.sources if s.kind == "input_value"]
    if len(dims) == 1 and dims[0].position is not None:
        return f"dimension {dims[0].dim} of {input_words(dims[0])} is 0, so no index is valid"
    if not dims and len(values) == 1:
        return (
            f"the size read from the value of {input_words(values[0])} is 0, so no index is valid"
        )
    if question.bound_text != "0":
        return f"the bound {plainly(question.bound_text)} is 0, so no index is valid"
    also = question.bound.may_also_name
    like = f", as dimension {also[0].dim} of {input_words(also[0])} has" if len(also) == 1 else ""
    return f"the indexed dimension was compiled with size 0{like}, so no index is valid"


Weighed = tuple[int, CauseCode, str, str]
"""How likely a cause is, its code, its text, and how it is confirmed without a replay."""


def possible_causes(question: Question) -> tuple[Cause, ...]:
    """Causes that the wrapper alone allows, likeliest first, each with what would confirm it."""
    weighed = [*_empty(question), *_beyond(question), *_of_the_compiler(question)]
    return tuple(
        Cause(code, text, False, confirm_with=f"{how}: {question.confirm_command}")
        for _, code, text, how in sorted(weighed, key=lambda one: -one[0])
    )


def _empty(question: Question) -> Iterator[Weighed]:
    dims = any(s.kind in ("input_dim", "input_value") for s in question.bound.sources)
    if not dims or (question.bound.value is not None and question.bound.value > 0):
        return
    likely, reason = 30, "with size 0 no index is valid"
    if _subtracts_one(question):
        likely = 60
        reason = (
            f"the index is built from {question.bound_text} - 1, which is -1 when the size is 0"
        )
    said = f"{_size_words(question)} is 0: {reason}"
    yield likely, "empty-dimension", said, "look at the size of that input, or"


def _beyond(question: Question) -> Iterator[Weighed]:
    """Indices too large, equal to the size or too negative."""
    size, bound = _size_words(question), plainly(question.bound_text)
    data = [s for s in question.index.sources if s.kind in ("input", "constant")]
    where = compared = " or ".join(_source_words(s) for s in data) or question.raw
    holds, reaches = "holds values", "holds"
    if not data or not _is_loaded(question.index.tree):
        holds, reaches, compared = "goes", "reaches", question.raw
    if data and holds == "goes":
        made_of = " and ".join(_source_words(s) for s in data)
        where = f"{question.raw}, computed from {made_of},"
    yield (
        45 if data else 40,
        "index-too-large",
        f"{where} {holds} beyond {bound}",
        f"compare the maximum of {compared} with {size}, or",
    )
    yield (
        40 if data else 20,
        "index-equals-size",
        f"{where} {reaches} {bound} itself, one past the last index (an end position, or a "
        "sentinel)",
        f"look for values equal to {size} in {compared}, or",
    )
    if question.two_sided and data:
        lowest, such = "0", "a sentinel such as -1, or padding"
        if question.wraps_negatives:
            lowest, such = f"-{_factor(bound)}", "from there up to -1 it counts from the end"
        yield (
            25,
            "index-too-negative",
            f"{where} {holds} below {lowest} ({such})",
            f"compare the minimum of {compared} with {lowest}, or",
        )


def _of_the_compiler(question: Question) -> Iterator[Weighed]:
    rounded = _rounded_down(question)
    if rounded:
        yield (
            35,
            "symbol-truncated",
            f"{rounded} uses a float reciprocal that can truncate to the wrong size",
            "evaluate it for the size you ran with, or",
        )
    narrower = _narrower_mask(question)
    if question.lost_masks:
        lost = " and ".join(question.lost_masks)
        yield (
            39,
            "mask-too-narrow",
            f"the assert lacks {lost}, under which all results are stored: lanes beyond the data, "
            "which compute from whatever was loaded, may fail it",
            "replay, and see whether every failing lane lies beyond the data",
        )
    elif narrower:
        yield (
            38,
            "mask-too-narrow",
            f"the accesses are also masked by {narrower}, the assert is not: lanes that read "
            "nothing may fail it",
            "replay, and see whether a failing lane takes part in an access",
        )


def _factor(text: str) -> str:
    """An expression as it stands behind a sign."""
    return text if re.fullmatch(r"[\w*.]+", text) else f"({text})"


def _is_loaded(tree: ProvenanceNode) -> bool:
    """Whether an index is an input's or constant's own data, read and perhaps cast."""
    if tree.kind in ("input", "constant"):
        return True
    plain = tree.kind in ("index", "load", "argument", "buffer") or (
        isinstance(tree.step, Temporary) and tree.step.operation in ("load", "copy", "cast")
    )
    return bool(plain) and any(_is_loaded(child) for child in tree.children)


def _size_words(question: Question) -> str:
    made_of = [s for s in question.bound.sources if s.kind in ("input_dim", "input_value")]
    if len(made_of) > 1 or (made_of and not question.bound_text.isidentifier()):
        return plainly(question.bound_text)
    for source in question.bound.sources:
        if source.kind == "input_dim":
            return f"dimension {source.dim} of {input_words(source)}"
        if source.kind == "input_value":
            return f"the size in {input_words(source)}"
        if source.kind == "constant_dim":
            return f"dimension {source.dim} of {source.fqn}, {question.bound_text}"
    return plainly(question.bound_text)


def _source_words(source: Source) -> str:
    if source.kind == "constant":
        return f"constant {source.fqn or source.name}"
    return input_words(source)


def _subtracts_one(question: Question) -> bool:
    """Whether the index chain holds ``ks0 - 1`` of the bound's own size parameter."""
    bound = read_python(question.bound_text).root
    forms = [Binary("-", bound, Number(1))]
    for less in (Number(-1), Unary("-", Number(1))):
        forms += [Binary("+", less, bound), Binary("+", bound, less)]
    return any(
        isinstance(node.step, Temporary) and read_python(node.step.written).root in forms
        for node in walk(question.index.tree)
    )


def _rounded_down(question: Question) -> str | None:
    """A symbol of either chain that a float ratio can make too small, with what it is set to."""
    for tree in (question.bound.tree, question.index.tree):
        for node in walk(tree):
            if isinstance(node.step, Defined) and node.step.symbol.expression.has_float_ratio:
                return step_words(node)
    return None


def _narrower_mask(question: Question) -> str | None:
    """Mask terms that every access has and the assert lacks."""
    if not question.access_masks:
        return None
    own = _terms(question.mask or "")
    shared = set.intersection(*(_terms(m) for m in question.access_masks))
    extra = sorted(shared - own - {"None", ""})
    return " & ".join(extra) or None


def _terms(mask: str) -> set[str]:
    return {term.strip("() ") for term in mask.split("&")}
