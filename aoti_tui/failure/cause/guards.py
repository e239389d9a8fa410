"""The guards on the path of a failure: what they allow, whether they run, what they would catch."""

from __future__ import annotations

from collections.abc import Iterable

from aoti_tui.failure.model import GuardFinding, Source
from aoti_tui.failure.provenance.known import Known
from aoti_tui.index.model import Guard, GuardCheck, WrapperIndex


def guard_findings(
    index: WrapperIndex, sources: Iterable[Source], known: Known
) -> tuple[GuardFinding, ...]:
    """One row for each input dimension (and each size read from a value) among the sources."""
    rows: list[GuardFinding] = []
    for source in sources:
        if source.position is None:
            continue
        if source.kind == "input_dim" and source.dim is not None:
            rows.append(_dimension(index, source.position, source.dim, known))
        elif source.kind == "input_value":
            rows.append(_value(index, source))
    return tuple(dict.fromkeys(rows))


def _dimension(index: WrapperIndex, position: int, dim: int, known: Known) -> GuardFinding:
    name = next((i.name for i in index.inputs if i.position == position), f"input {position}")
    guards = index.guards_of(position, dim)
    low = _number(guards, "min")
    high = _number(guards, "max")
    equals = _number(guards, "equals")
    stride = _number(guards, "stride")
    first = next((g for g in guards if g.check in ("min", "max", "equals")), None)
    size = known.dims.get((position, dim))
    catches: bool | None = None
    if size is not None and first is not None:
        catches = (
            (low is not None and size < low)
            or (high is not None and size > high)
            or (equals is not None and size != equals)
        )
    return GuardFinding(
        position=position,
        name=name,
        dim=dim,
        min=low,
        max=high,
        equals=equals,
        enforced=first.enforced if first is not None else "absent",
        line=first.line if first is not None else None,
        would_catch=catches,
        stride=stride,
    )


def _value(index: WrapperIndex, source: Source) -> GuardFinding:
    """Runtime checks of a symbol that was read from an input's value (``u0 >= 2``)."""
    symbols = {s.name for s in index.symbols if s.kind == "item" and s.tensor == source.name} or {
        source.name or ""
    }
    low: int | None = None
    high: int | None = None
    line: int | None = None
    for check in index.checks:
        limit = check.condition.limit
        if limit is None or limit[0] not in symbols:
            continue
        _, operator, number = limit
        if operator in (">=", ">"):
            low = max(low if low is not None else number, number + (operator == ">"))
            line = line or check.line
        elif operator in ("<=", "<"):
            high = min(high if high is not None else number, number - (operator == "<"))
            line = line or check.line
    name = source.name or f"input {source.position}"
    return GuardFinding(
        position=source.position or 0,
        name=name,
        dim=None,
        min=low,
        max=high,
        equals=None,
        enforced="always" if line is not None else "absent",
        line=line,
    )


def _number(guards: tuple[Guard, ...], check: GuardCheck) -> int | None:
    for guard in guards:
        if guard.check == check:
            try:
                return int(guard.value)
            except ValueError:
                return None
    return None
