"""A failure as lines of text for people: the answer first, then how it is known."""

from __future__ import annotations

from collections.abc import Iterator

from aoti_tui.failure.model import Failure, Program
from aoti_tui.failure.prose.chain import chain_lines
from aoti_tui.failure.prose.equations import equations
from aoti_tui.failure.prose.guards import guard_words
from aoti_tui.failure.prose.headline import (
    confirmed_words,
    culprit_line,
    failed_line,
    relevant_guards,
    short_assert,
    value_guard_line,
)
from aoti_tui.failure.prose.words import (
    element_line,
    indexed_words,
    input_words,
    plural,
    source_words,
)
from aoti_tui.failure.provenance.tree import walk

_SHOWN_PROGRAMS = 6
_SHOWN_FRAMES = 8
_SHOWN_RIVALS = 8


def bound_line(failure: Failure) -> str:
    """``ks0 = s7 = arg4_1.size(0) = 0: the size of dimension 0 of input 2 (arg4_1)``."""
    bound = failure.bound
    said = equations(bound)
    places = _places(failure, ", where " in said)
    if bound.may_also_name:
        also = ", ".join(f"dimension {s.dim} of {input_words(s)}" for s in bound.may_also_name)
        verb = "has" if len(bound.may_also_name) == 1 else "have"
        places.append(f"{also} {verb} the same size")
    return f"{said}: {'; '.join(places)}" if places else said


def _places(failure: Failure, ends_elsewhere: bool) -> list[str]:
    """Where the bound comes from; with its own number where that is not the bound's, or where
    another number stands just before it (``ends_elsewhere``)."""
    bound = failure.bound
    values = {node.source: node.value for node in walk(bound.tree) if node.source is not None}
    places = []
    for source in bound.sources:
        value = values.get(source)
        if source.kind == "literal" and source.name == bound.text:
            places.append("a size fixed when compiled")
        elif source.kind != "input_dim" or value is None or value == bound.value:
            own = ends_elsewhere and source.kind == "input_dim" and value is not None
            places.append(source_words(source) + (f", which is {value}" if own else ""))
        else:
            places.append(f"made of {source_words(source)}, which is {value}")
    return places


def explanation(failure: Failure, wrapper: str) -> str:
    """The whole explanation, for a terminal or a pipe."""
    return "\n".join(_lines(failure, wrapper))


def _lines(failure: Failure, wrapper: str) -> Iterator[str]:
    yield f"{failure.kernel}    {failure.place(wrapper)}  (kernel line {failure.kernel_line})"
    yield f"  {failure.message}    {programs_text(failure.programs)}".rstrip()
    how = confirmed_words(failure) if failure.cause.confirmed else "possible, not confirmed"
    yield _row("why", f"{failure.cause.text}    [{failure.cause.code}: {how}]")
    data = element_line(failure.bad) if failure.bad is not None else ""
    for fact in failure.cause.evidence:
        if fact != data:
            yield _row("", fact)
    if not failure.cause.confirmed and failure.cause.confirm_with:
        yield _row("", f"to confirm: {failure.cause.confirm_with}")
    for said in failure.contradictions:
        yield _row("but", said)
    for number, said in enumerate(rival_lines(failure)):
        yield _row("rival" if number < _SHOWN_RIVALS else "", said)
    for cause in failure.possible_causes:
        yield _row("or", f"{cause.text}    [{cause.code}]")
        if cause.confirm_with:
            yield _row("", f"to confirm: {cause.confirm_with}")
    if data or failure.traced:
        yield _row("data", data or failure.traced)
        if failure.indexed is not None:
            yield _row("", f"it indexes {indexed_words(failure.indexed)}")
    index, access = failure.index, failure.access
    if access is None:
        yield _row("bound", f"{bound_line(failure)}    {_launches(failure)}")
    else:
        size = f"{access.tensor} ({access.parameter}) has {plural(access.size, 'element')}"
        yield _row("size", f"{size}    {_launches(failure)}")
    raw = f", before the negative wrap {index.raw}" if index.raw not in (None, index.text) else ""
    yield _row("index" if access is None else "offset", f"{index.text}{raw}")
    for line in chain_lines(index.tree):
        yield _row("", line)
    ends = "; ".join(source_words(s) for s in index.sources) or "nothing that could be followed"
    yield _row("", f"ends at: {ends}")
    for number, (said, at) in enumerate(guard_rows(failure)):
        yield _row("guard" if number == 0 else "", said + _line(at))
    if failure.source_nodes or failure.aten:
        patterns = "; ".join(f"{op.aten}: {op.pattern}" for op in failure.ops[:4])
        yield _row("ops", ", ".join(failure.source_nodes) or ", ".join(failure.aten))
        if patterns:
            yield _row("", patterns)
    for number, frame in enumerate(failure.model_frames[:_SHOWN_FRAMES]):
        place = f"{frame.file}:{frame.line} in {frame.function}"
        yield _row("model" if number == 0 else "", f"{place}: {frame.code}")
    if failure.debug_handle is not None:
        yield _row("", f"provenance debug handle {failure.kernel}:{failure.debug_handle}")
    for number, fix in enumerate(failure.fixes):
        yield _row("fix" if number == 0 else "", f"{number + 1}. {fix.title}: {fix.text}")
    if failure.siblings:
        shown = ", ".join(f"line {line}: {short_assert(m)}" for line, m in failure.siblings[:6])
        yield _row("also", f"other asserts of this kernel: {shown}")
    for note in failure.notes:
        yield _row("note", note)
    if len(failure.candidates) > 1:
        for candidate in failure.candidates:
            yield _row(
                "fits", f"{candidate.kernel}  line {candidate.kernel_line}: {candidate.reason}"
            )


def rival_lines(failure: Failure) -> tuple[str, ...]:
    """``triton_poi_fused_1 (:972) fits too, decided by data of input 0 (ids)`` for what else
    fits."""
    lines = [
        f"{rival.kernel} (:{rival.launch.line}) fits too, decided by {rival.decided_by}"
        for rival in failure.rivals[:_SHOWN_RIVALS]
    ]
    if len(failure.rivals) > _SHOWN_RIVALS:
        lines.append(f"and {len(failure.rivals) - _SHOWN_RIVALS} more launches that fit")
    return tuple(lines)


def _row(label: str, text: str) -> str:
    return f"{label:<6} {text}".rstrip()


def _line(line: int | None) -> str:
    return f"    :{line}" if line else ""


def _launches(failure: Failure) -> str:
    lines = [la.line for la in failure.launches]
    if not lines:
        return "never launched"
    shown = " ".join(f":{line}" for line in lines[:4])
    return f"launch {shown}" + (f" and {len(lines) - 4} more" if len(lines) > 4 else "")


def programs_text(programs: tuple[Program, ...]) -> str:
    """``4 programs: (2,0,0) (0,0,0) …``."""
    if not programs:
        return ""
    shown = " ".join(f"({x},{y},{z})" for x, y, z in sorted(programs)[:_SHOWN_PROGRAMS])
    more = " …" if len(programs) > _SHOWN_PROGRAMS else ""
    return f"{plural(len(programs), 'program')}: {shown}{more}"


def guard_rows(failure: Failure) -> tuple[tuple[str, int | None], ...]:
    """What guards say of the failure, with their wrapper lines: the one that matters first."""
    rows = [(guard_words(guard), guard.line) for guard in relevant_guards(failure)]
    unguarded = value_guard_line(failure)
    return ((unguarded, None), *rows) if unguarded else tuple(rows)


def fix_lines(failure: Failure) -> tuple[str, ...]:
    """The fixes, a paragraph each; what a call must meet stands on a line of its own."""
    return tuple(
        f"{number}. {fix.title}: {fix.text}"
        + (f"\n   requires {fix.requires}" if fix.requires is not None else "")
        for number, fix in enumerate(failure.fixes, 1)
    )


def whole_answer(failure: Failure, notes: tuple[str, ...] = ()) -> tuple[str, ...]:
    """All that is concluded, a sentence each, none of them twice."""
    sure = "confirmed" if failure.cause.confirmed else "possible cause"
    lines = [failed_line(failure), culprit_line(failure)]
    if failure.bad is not None:
        lines.append(element_line(failure.bad))
    size = bound_line(failure) if failure.access is None else ""
    lines += [failure.traced, f"{sure}: {failure.cause.text}", size]
    told = "\n".join(lines)
    lines.extend(fact for fact in failure.cause.evidence if fact not in told)
    if not failure.cause.confirmed and failure.cause.confirm_with:
        lines.append(f"to confirm: {failure.cause.confirm_with}")
    lines.extend(f"but: {said}" for said in failure.contradictions)
    lines.extend(f"rival: {said}" for said in rival_lines(failure))
    lines.extend(f"or: {cause.text}" for cause in failure.possible_causes)
    lines.extend(f"guard: {said}" for said, _ in guard_rows(failure))
    lines.extend(f"fix: {fix.title}: {fix.text}" for fix in failure.fixes)
    rest = dict.fromkeys((*failure.notes, *notes))
    lines.extend(note for note in rest if note not in told)
    return tuple(dict.fromkeys(line for line in lines if line))
