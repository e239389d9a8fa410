"""The bound's way from the kernel to its source, as equations that hold.

``ks0 = s7 = arg4_1.size(0) = 0`` where every step is the same number; where a step changes it, the
chain ends and what it is made of follows: ``4*ks0 = 32, where ks0 = s65 = arg1_1.size(0)/4 = 8``.
"""

from __future__ import annotations

from collections.abc import Mapping

from aoti_tui.failure.condition.sizes import plainly
from aoti_tui.failure.model import Failure, ProvenanceNode, Source, ValueProvenance
from aoti_tui.failure.prose.words import integer
from aoti_tui.failure.provenance.tree import walk
from aoti_tui.failure.steps import Defined, Passed
from aoti_tui.index.expression import Expr
from aoti_tui.index.nodes import Binary, Name, Node, Number, Reading, put
from aoti_tui.index.python.expression import read_python

Definitions = Mapping[str, tuple[Expr, str | None]]


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


def _definitions(tree: ProvenanceNode) -> Definitions:
    """What each parameter and symbol of the chain is set to, and its value, by name."""
    found: dict[str, tuple[Expr, str | None]] = {}
    for node in walk(tree):
        right = _right_side(node)
        if right is not None and not node.seen:
            found.setdefault(node.name, (right, None if node.value is None else str(node.value)))
    return found


def _right_side(node: ProvenanceNode) -> Expr | None:
    if isinstance(node.step, Passed):
        return node.step.argument.value
    if not isinstance(node.step, Defined):
        return None
    symbol = node.step.symbol
    read = symbol.reading
    return Expr(read.name, read) if read is not None else symbol.expression


def _chain(
    start: str, definitions: Definitions, value: str | None, done: set[str]
) -> tuple[str, list[str]]:
    """``start = … = value`` as far as each step is the same number, and the names that its last
    step is made of."""
    steps, current = [plainly(start)], start
    names = list(read_python(start).names()) if start not in definitions else []
    while current in definitions and current not in done:
        done.add(current)
        right, known = definitions[current]
        value = value if value is not None else known
        if isinstance(right.root, (Name, Reading)):
            current = right.root.name
            steps.append(current)
        else:
            said, names = _resolved(right, definitions, done)
            steps.append(said)
            break
    if value:
        steps.append(value)
    return " = ".join(dict.fromkeys(steps)), [name for name in names if name not in done]


def _resolved(right: Expr, definitions: Definitions, done: set[str]) -> tuple[str, list[str]]:
    """An expression with the size in place of a symbol that only stands for it, and Inductor's
    float reciprocal as the division it means; and the names that are left in it."""
    names = [n for n in right.names() if n in definitions]
    size, number = definitions[names[0]] if len(names) == 1 else (None, None)
    if size is None or not isinstance(size.root, Reading):
        return str(right), names
    done.add(names[0])
    whole = Expr("", put(right.root, {names[0]: size.root}))
    by = _reciprocal(right.root, names[0])
    if by is None:
        return str(whole), []
    exact = number is None or float(number) % by == 0
    return f"{size}/{by}" + ("" if exact else " cut to a whole number"), []


def _reciprocal(root: Node, name: str) -> int | None:
    """4 of ``(1.0/4.0)*s0``; None for anything else."""
    match root:
        case Binary("*", Binary("/", Number(1.0), Number(by)), Name(of)) if of == name:
            return int(by) if float(by).is_integer() else None
    return None
