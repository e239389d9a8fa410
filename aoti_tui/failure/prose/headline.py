"""The verdict on top of the screen (who is guilty, why, the fix, how sure, what else fits), and
the short lines of it that other texts use too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from aoti_tui.failure.model import (
    BAD_INDEX,
    COMPILER_FAULT,
    DISAGREEMENT,
    BadElements,
    Failure,
    GuardFinding,
    Program,
    ProvenanceNode,
    Source,
)
from aoti_tui.failure.prose.equations import equations, size_equation
from aoti_tui.failure.prose.guards import short_guard
from aoti_tui.failure.prose.words import (
    count_words,
    element_line,
    elements_words,
    indexed_words,
    input_words,
    plural,
    program_words,
    source_words,
    tensor_words,
    valid_words,
)
from aoti_tui.failure.provenance.tree import walk

WIDEST = 96
"""Columns that a line should fit in: a screen of 100 less its margin and mark."""
_SHOWN_ELEMENTS = 2
_SHOWN_SOURCES = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that is said. ``short`` says it in fewer words, for a screen that is too narrow;
    an ``aside`` gives way to what matters more."""

    label: str
    text: str
    short: str = ""
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands on top of the screen: a title, and rows with the most important first.

    ``subject`` is a kernel, whose name may be shortened; ``said`` is what is said of it.
    """

    subject: str = ""
    said: str = ""
    rows: tuple[Row, ...] = ()
    failed: bool = False
    which: str = ""
    """Which of several failures it is."""

    @property
    def title(self) -> str:
        return f"{self.which}{self.subject} {self.said}".strip()

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it as text, a line each."""
        return (self.title, *(f"{row.label}: {row.text}" for row in self.rows))


def heading_of(
    failure: Failure, *, given: bool, number: int = 1, count: int = 1, notes: tuple[Row, ...] = ()
) -> Heading:
    """The verdict on a failure, the ``number``-th of ``count``.

    ``given`` is whether there are inputs to replay with; ``notes`` are what else must be known.
    """
    which = f"{number} of {count}: " if count > 1 else ""
    rows = (*_rows(failure, given=given), *_guard(failure), *notes)
    return Heading(failure.kernel, f"failed: {_failed(failure)}", rows, True, which)


def _rows(failure: Failure, *, given: bool) -> Iterator[Row]:
    sure = sure_row(failure, given=given)
    if failure.contradictions:
        yield sure
    yield from _guilty(failure)
    yield from _why(failure)
    if failure.cause.code in DISAGREEMENT:
        # What to change is known once log and inputs are of one run.
        yield Row("next", failure.cause.confirm_with)
    else:
        yield from _fix(failure)
    if not failure.contradictions:
        yield sure
    yield from _rivals(failure)


# -- who --------------------------------------------------------------------------------------


def _guilty(failure: Failure) -> Iterator[Row]:
    """The guilty input by position and name, with element or dimension and value."""
    label = "guilty" if failure.cause.confirmed else "suspect"
    code = failure.cause.code
    if code in DISAGREEMENT or code == "index-unchecked":
        # It names what is to blame, and all that there is to say of why.
        yield Row(label, failure.cause.text)
    elif code in COMPILER_FAULT:
        yield Row(label, "the generated code, not the data of this call")
    elif failure.bad is not None and code in BAD_INDEX:
        yield Row(label, bad_words(failure.bad))
    else:
        said = [_with_value(failure, source) for source in guilty_sources(failure)]
        more = len(said) - _SHOWN_SOURCES
        shown = ", ".join(said[:_SHOWN_SOURCES]) + (f" and {more} more" if more > 0 else "")
        if shown:
            yield Row(label, shown)


def guilty_sources(failure: Failure) -> tuple[Source, ...]:
    """The sources at the end of the guilty branch: inputs where there are any."""
    tree = guilty_tree(failure)
    sources = failure.index.sources if tree is failure.index.tree else failure.bound.sources
    ends = [s for s in sources if s.kind not in ("literal", "unknown")]
    of_call = [s for s in ends if s.kind.startswith("input")]
    data = [s for s in of_call if s.kind == "input"]
    return tuple(data or of_call or ends)


def guilty_tree(failure: Failure) -> ProvenanceNode:
    """The branch of the provenance that the cause blames: of the bound for a dimension that is
    empty, else of the index."""
    if failure.cause.code == "empty-dimension" or not failure.index.sources:
        return failure.bound.tree
    return failure.index.tree


def trees(failure: Failure) -> tuple[ProvenanceNode, ProvenanceNode]:
    """Where bound and index come from, the guilty branch first."""
    index, bound = failure.index.tree, failure.bound.tree
    return (bound, index) if guilty_tree(failure) is bound else (index, bound)


def guilty_end(failure: Failure) -> ProvenanceNode | None:
    """The step of the guilty branch at which the guilty input is reached; None for no input."""
    ends = [n for n in walk(guilty_tree(failure)) if n.source is not None]
    bad = failure.bad
    if bad is not None and bad.position is not None:
        own = [n for n in ends if n.source and n.source.position == bad.position]
        ends = [n for n in own if n.source and n.source.kind == "input"] or own or ends
    wanted = guilty_sources(failure)
    return next((n for n in ends if n.source in wanted), None)


def bad_words(bad: BadElements) -> str:
    """``input 1 (arg1_1), element [6, 23] = 9``."""
    if bad.position is None:
        who = f"constant {bad.name}"
    else:
        who = input_words(Source("input", bad.position, name=bad.name, user=bad.user))
    if not bad.shape:
        return f"{who} = {bad.first[0].value}"
    shown = bad.first[:_SHOWN_ELEMENTS]
    said = ", ".join(f"{list(one.index)} = {one.value}" for one in shown)
    what = "element" if bad.count == 1 else "elements"
    more = "" if bad.count <= len(shown) else f" …: {count_words(bad)}"
    return f"{who}, {what} {said}{more}"


def _with_value(failure: Failure, source: Source) -> str:
    """``input 2 (arg4_1), dimension 0 = 0``."""
    if source.kind == "input":
        return f"the values of {input_words(source)}"
    if source.kind not in ("input_dim", "input_value"):
        return source_words(source)
    said = input_words(source)
    said += f", dimension {source.dim}" if source.kind == "input_dim" else ""
    trees = (failure.index.tree, failure.bound.tree)
    nodes = (n for tree in trees for n in walk(tree) if n.source == source)
    value = next((n.value for n in nodes if n.value is not None), None)
    return said if value is None else f"{said} = {value}"


# -- why --------------------------------------------------------------------------------------


def _why(failure: Failure) -> Iterator[Row]:
    bad, indexed, cause = failure.bad, failure.indexed, failure.cause
    if cause.code in DISAGREEMENT or cause.code == "index-unchecked":
        return
    size = size_equation(failure) or _literal_size(failure)
    if bad is not None and cause.code in BAD_INDEX:
        valid = valid_words(bad.lowest, bad.highest)
        if indexed is None or indexed.dim is None:
            yield Row("why", f"{valid}; {size}" if size else valid)
            return
        whose = tensor_words(indexed.name, indexed.user)
        if indexed.position is not None:
            of = Source("input", indexed.position, name=indexed.name, user=indexed.user)
            whose = input_words(of)
        said = f"it indexes dimension {indexed.dim} of {whose}, size {indexed.size}: {valid}"
        # Of a size that is a number in the kernel, all is said by the tensor it is of.
        size = size_equation(failure)
        yield Row("why", f"{said}; {size}" if size else said)
        return
    said = cause.text
    if failure.traced:
        said += f": {failure.traced}"
    elif cause.code in BAD_INDEX or cause.code == "empty-dimension":
        bound = equations(failure.bound)
        size = _literal_size(failure) if bound == failure.bound.text else bound
        said += f"; {size}" if size else ""
    yield Row("why", said)


# -- what to do -------------------------------------------------------------------------------


def _fix(failure: Failure) -> Iterator[Row]:
    """The most direct fix in one line, with what it requires of a call."""
    fix = next(iter(failure.fixes), None)
    if fix is None:
        return
    if fix.requires is None:
        told = f"{fix.title}: {fix.text}"
        then = next(iter(failure.fixes[1:-1]), None)
        if failure.cause.code in COMPILER_FAULT and then is not None:
            # Reporting it helps later; what gets the call through helps now.
            told = f"{fix.title}, and {then.title}: {then.text}"
        yield Row("fix", told)
        return
    bad = failure.bad
    down = failure.cause.code == "index-too-negative"
    if bad is not None and bad.complete:
        down = bad.below > 0 and not (bad.equal or bad.above)
    side = broken_side(fix.requires, down=down)
    short = side if len(side) < len(fix.requires) else fix.requires
    yield Row("fix", f"{fix.title}: {fix.requires}", f"require {short}")


def broken_side(requires: str, *, down: bool) -> str:
    """Of a condition that bounds an index on both sides, the side that the failure broke."""
    try:
        root = ast.parse(requires, mode="eval").body
    except SyntaxError:
        return requires
    if isinstance(root, ast.BoolOp) and isinstance(root.op, ast.Or):
        # ``inputs[0].numel() == 0 or (…)``: an empty input did not fail.
        root = root.values[-1]
    if not isinstance(root, ast.BoolOp) or not isinstance(root.op, ast.And):
        return requires
    side = ast.get_source_segment(requires, root.values[0 if down else -1])
    return side or requires


# -- how sure ---------------------------------------------------------------------------------


def sure_row(failure: Failure, *, given: bool) -> Row:
    """How it is known: by a replay, by the inputs, not at all, or against the evidence."""
    cause = failure.cause
    if failure.contradictions:
        first, *others = failure.contradictions
        more = f" (and {len(others)} more: A)" if others else ""
        return Row("but", f"contradicted: {first}{more}")
    if cause.confirmed:
        alone = "" if failure.rivals else "; nothing else fits"
        if failure.fired is not None:
            return Row("sure", f"confirmed by a replay{_fired_in(failure)}{alone}")
        return Row("sure", f"{confirmed_words(failure)}{alone}; not replayed yet (c)")
    if failure.fired is not None and given:
        ask = f"; to confirm: {cause.confirm_with}" if cause.confirm_with else ""
        return Row("sure", f"possible: the replay does not confirm it{ask}")
    if failure.fired is not None:
        return Row("sure", "possible: replayed on MADE-UP data, which confirms nothing (O: inputs)")
    if given:
        return Row("sure", "possible, not replayed yet: c replays it with the given inputs")
    return Row("sure", "possible: no inputs are given (O reads them), not replayed")


def confirmed_words(failure: Failure) -> str:
    """What confirms the cause: what a replay was run with, or the values that were looked at."""
    dumped = failure.logged is not None and failure.logged.kernel
    return f"confirmed by {'the core dump' if dumped else 'the inputs'}"


def _fired_in(failure: Failure) -> str:
    """`` in program 2 (4 fail)``."""
    shown, fired = shown_program(failure), failure.fired or ()
    if shown is None:
        return ""
    return f" in program {program_words(shown)}" + (f" ({len(fired)} fail)" if fired[1:] else "")


def shown_program(failure: Failure) -> Program | None:
    """The program whose values a replayed failure is told with: one of the log's where it fails
    there too. None before a replay, and where it did not fail."""
    fired = sorted(failure.fired or ())
    return next((one for one in failure.programs if one in fired), fired[0]) if fired else None


def _rivals(failure: Failure) -> Iterator[Row]:
    """What else fits: other launches with what decides, then other causes."""
    rivals = failure.rivals
    if rivals:
        kernels = {failure.kernel, *(rival.kernel for rival in rivals)}
        several = len(kernels) > 1
        count = len(kernels) if several else len(rivals) + 1
        what = plural(count, "kernel") if several else plural(count, "launch", "launches")
        short = f"{what} fit; decided by {rivals[0].decided_by}"
        where = " ".join(f":{rival.launch.line}" for rival in rivals[:4])
        yield Row("rivals", f"{short} (also {where}{' …' if len(rivals) > 4 else ''})", short)
    graphs = failure.other_graphs
    if graphs:
        named = ", ".join(dict.fromkeys(one.graph for one in graphs))
        fit = plural(len(graphs), "kernel fits", "kernels fit")
        yield Row("rivals", f"{fit} in other graphs too ({named}): A")
    causes = failure.possible_causes
    if causes:
        more = f" (and {len(causes) - 1} more: A)" if len(causes) > 1 else ""
        yield Row("or", f"{causes[0].text}{more}", aside=True)


def _guard(failure: Failure) -> Iterator[Row]:
    """What a guard does or could do about it."""
    said = value_guard_line(failure)
    if not said:
        said = next((short_guard(guard) for guard in relevant_guards(failure)), "")
    if said:
        yield Row("guard", said.removeprefix("guard: ").removeprefix("guard "), aside=True)


# -- lines that other texts use too ---------------------------------------------------------


def failed_line(failure: Failure) -> str:
    """``triton_poi_fused_0 failed: 0 <= tmp4 < ks0 in 1 program``."""
    return f"{failure.kernel} failed: {_failed(failure)}"


def _failed(failure: Failure) -> str:
    if failure.access is not None:
        return failure.access.words
    count = len(failure.programs)
    where = f" in {plural(count, 'program')}" if count else ""
    return f"{short_assert(failure.message)}{where}"


def short_assert(message: str) -> str:
    """``0 <= tmp10 < ks0`` of ``index out of bounds: 0 <= tmp10 < ks0``."""
    return message.removeprefix("index out of bounds: ")


def culprit_line(failure: Failure) -> str:
    """``arg3_1[5] = 9 indexes arg2_1 (in_ptr1), which has 9 rows (valid -9..8)``; ``""`` where no
    element is known to be wrong."""
    bad = failure.bad
    if bad is None:
        return ""
    if failure.indexed is None:
        return element_line(bad)
    verb = "indexes" if bad.count == 1 else "index"
    start = f"{elements_words(bad, 2)} {verb} "
    end = f" ({valid_words(bad.lowest, bad.highest)})"
    end += "" if bad.count == 1 else f"; {count_words(bad)}"
    said = start + indexed_words(failure.indexed) + end
    return said if len(said) <= WIDEST else start + failure.indexed.name + end


def _literal_size(failure: Failure) -> str:
    """``32000 is dimension 0 of constant emb.weight``."""
    known = [source_words(s) for s in failure.bound.sources if s.kind != "literal"]
    return f"{failure.bound.text} is {' or '.join(known)}" if known else ""


def value_guard_line(failure: Failure) -> str:
    """``no guard checks the values of arg3_1``: guards see sizes, strides and dtypes only."""
    if failure.cause.code not in BAD_INDEX:
        return ""
    if failure.bad is not None:
        names = [failure.bad.name] if failure.bad.position is not None else []
    else:
        names = [s.name or "" for s in failure.index.sources if s.kind == "input"]
    if not names:
        return ""
    return f"no guard checks the values of {' or '.join(names)}"


def relevant_guards(failure: Failure) -> tuple[GuardFinding, ...]:
    """Guards of the bound's dimensions first."""
    bound = {(s.position, s.dim) for s in failure.bound.sources}
    return tuple(sorted(failure.guards, key=lambda g: (g.position, g.dim) not in bound))
