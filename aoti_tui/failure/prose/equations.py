"""The bound's way from the kernel to its source, as equations that hold.

``ks0 = s7 = arg4_1.size(0) = 0`` where every step is the same number; where a step changes it, the
chain ends and what it is made of follows: ``4*ks0 = 32, where ks0 = s65 = arg1_1.size(0)/4 = 8``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from aoti_tui.failure.model import Failure, ProvenanceNode, Source, ValueProvenance
from aoti_tui.failure.prose.words import integer
from aoti_tui.failure.provenance.tree import names_in, walk

_SUFFIX = re.compile(r"(?<=\d)(?:LL|ULL|UL|L|U)\b")
_RECIPROCAL = re.compile(r"\(1\.0?/(\d+)\.0?\)\*([\w.]+(?:\(\d+\))?)")
_PLAIN = re.compile(r"[A-Za-z_]\w*")
_READ_OFF = re.compile(r"[\w.]+\.(?:size\(\d+\)|item\(\))")


def equations(bound: ValueProvenance, value: bool = True) -> str:
    """The equations of a bound; ``value`` ends the first one with the bound's number."""
    definitions = _definitions(bound.tree)
    # "" says: no number at the end, not even one that is known of a step.
    number = "" if not value else integer(bound.value) if bound.value is not None else None
    done: set[str] = set()
    first, pending = _chain(bound.text, definitions, number, done)
    parts = []
    while pending:
        name = pending.pop(0)
        if name in done or name not in definitions:
            continue
        said, more = _chain(name, definitions, definitions[name][1], done)
        parts.append(said)
        pending.extend(more)
    return first + (f", where {', '.join(parts)}" if parts else "")


def size_of(source: Source) -> str:
    """``arg2_1.size(0)``."""
    return f"{source.name}.size({source.dim})"


def size_equation(failure: Failure) -> str:
    """``9 is ks0 = s20 = arg1_1.size(0) = arg2_1.size(0)``: what the bound's number is."""
    bound = failure.bound
    if bound.value is None:
        return equations(bound)
    said = integer(bound.value)
    if said == bound.text:
        return ""
    whole = equations(bound, value=False)
    first, where, rest = whole.partition(", where ")
    if not where and any(first.endswith(size_of(source)) for source in bound.sources):
        first += "".join(f" = {size_of(source)}" for source in bound.may_also_name)
    return f"{said} is {first}{where}{rest}"


def _definitions(tree: ProvenanceNode) -> dict[str, tuple[str, str | None]]:
    """Right-hand side and value of each parameter and symbol of the chain, by name."""
    found: dict[str, tuple[str, str | None]] = {}
    for node in walk(tree):
        name, sign, right = node.text.partition(" = ")
        if node.kind in ("argument", "symbol") and sign and "see above" not in node.text:
            found.setdefault(name, (_tidy(right), node.value))
    return found


def _tidy(expression: str) -> str:
    """``4*s19`` of ``4L*s19``."""
    return _SUFFIX.sub("", expression.strip())


def _chain(
    start: str, definitions: Mapping[str, tuple[str, str | None]], value: str | None, done: set[str]
) -> tuple[str, list[str]]:
    """``start = … = value`` as far as each step is the same number, and the names that its last
    step is made of."""
    steps, current = [start], start
    names = list(names_in(start)) if start not in definitions else []
    while current in definitions and current not in done:
        done.add(current)
        right, known = definitions[current]
        value = value if value is not None else known
        if _PLAIN.fullmatch(right) or _READ_OFF.fullmatch(right):
            steps.append(right)
            current = right
        else:
            said = _resolved(right, definitions, done)
            steps.append(said)
            names = list(names_in(said))
            break
    if value:
        steps.append(value)
    return " = ".join(dict.fromkeys(steps)), [name for name in names if name not in done]


def _resolved(
    expression: str, definitions: Mapping[str, tuple[str, str | None]], done: set[str]
) -> str:
    """An expression with the size in place of a symbol that only stands for it, and Inductor's
    float reciprocal as the division it means."""
    names = [n for n in names_in(expression) if n in definitions]
    if len(names) != 1 or not _READ_OFF.fullmatch(definitions[names[0]][0]):
        return expression
    right, number = definitions[names[0]]
    done.add(names[0])
    written = re.sub(rf"\b{re.escape(names[0])}\b", right, expression)
    match = _RECIPROCAL.fullmatch(written.replace(" ", ""))
    if match is None:
        return written
    whole = number is None or int(float(number)) % int(match[1]) == 0
    return f"{match[2]}/{match[1]}" + ("" if whole else " cut to a whole number")
