"""What must hold of a call so that an assert does not fail."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from aoti_tui.failure.condition.formula import (
    COMPARISONS,
    Elements,
    Formula,
    NotDerived,
    Of,
    Size,
    axes_of,
    is_never_negative,
)
from aoti_tui.failure.condition.operations import ZERO, applied
from aoti_tui.failure.condition.reading import Values, emptiable, has_data, mask_terms
from aoti_tui.failure.condition.sizes import CallerSizes
from aoti_tui.failure.condition.tensors import ceiling, extreme
from aoti_tui.failure.provenance.known import Known
from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Launch
from aoti_tui.index.nodes import Binary, Name, Node, Number, Unary
from aoti_tui.index.python.expression import read_python
from aoti_tui.kernel.asserts import raw_index
from aoti_tui.kernel.model import KernelAssert, KernelProgram, Load, Store


@dataclass(frozen=True, slots=True)
class Condition:
    """What an assert demands, as Python over ``inputs`` and ``constants``."""

    bound: str | None = None
    """The assert's bound; None where it could not be followed to the inputs."""
    below: str | None = None
    """The index is below the bound; None where either could not be followed."""
    above: str | None = None
    """The index is not too small; None where nothing can make it so."""
    unless_empty: str = ""
    """What makes it hold because there is nothing to check."""
    reach: str | None = None
    """The largest index whatever the data holds; None where the data alone decides it."""
    reach_value: int | None = None
    index: Formula | None = None
    """What the index is; None where it could not be followed."""

    @property
    def text(self) -> str | None:
        """All of it."""
        parts = [part for part in (self.above, self.below) if part is not None]
        if not parts or self.index is None:
            return None
        said = " and ".join(parts)
        if not self.unless_empty:
            return said
        return f"{self.unless_empty} or " + (said if len(parts) == 1 else f"({said})")

    @property
    def has_data(self) -> bool:
        """Whether the index depends on what tensors hold, not on sizes alone."""
        return self.index is not None and has_data(self.index)


def condition_of(
    flow: DataFlow,
    program_of: Callable[[str], KernelProgram],
    found: KernelAssert,
    launch: Launch,
    known: Known,
) -> Condition:
    """The condition of one assert of a launch."""
    program = program_of(launch.kernel)
    sizes = CallerSizes(flow.index, known)
    bound: Node | None = None
    try:
        if found.upper is not None:
            bound = sizes.in_kernel(launch, read_python(found.upper))
        index = _checked(flow, program_of, program, found, launch, sizes)
        condition = _demanded(index, bound, _lowest(program, found, bound), sizes)
    except NotDerived:
        return Condition(None if bound is None else said_sum(bound))
    return condition


def condition_of_access(
    flow: DataFlow,
    program_of: Callable[[str], KernelProgram],
    access: Load | Store,
    before: int,
    launch: Launch,
    elements: int | None,
    known: Known,
) -> Condition:
    """What must hold so that an access, which no assert checks, stays inside of its tensor; that
    has ``elements`` (None: whatever its sizes give)."""
    sizes = CallerSizes(flow.index, known)
    argument = launch.argument(access.pointers[0])
    if access.offset is None or argument is None or argument.tensor is None:
        return Condition()
    try:
        count = _elements_of(flow, argument.tensor, launch, sizes)
        if elements is not None and sizes.number(count) != elements:
            return Condition()
        values = Values(flow, program_of, sizes)
        place = values.of(launch, access.offset, before)
        mask = ast.unparse(access.mask) if access.mask is not None else None
        index = _where_active(values, place, mask, before, launch)
        return _demanded(index, count, Number(0), sizes)
    except NotDerived:
        return Condition()


def _elements_of(flow: DataFlow, view: TensorView, launch: Launch, sizes: CallerSizes) -> Node:
    """How many elements a launch's argument has, in the caller's terms. Raises NotDerived."""
    given = flow.index.input_named(view.base)
    if given is not None and view.sizes is None:
        return Name(f"inputs[{given.position}].numel()")
    layout = flow.sizes_of(view, flow.before(launch))
    if layout is None:
        raise NotDerived(view.base)
    found: Node = Number(1)
    for extent in layout[0]:
        size = sizes.of(extent, launch.line)
        found = size if found == Number(1) else Binary("*", found, size)
    return found


def _demanded(
    index: Formula, bound: Node | None, lowest: Node | None, sizes: CallerSizes
) -> Condition:
    below = above = None
    end = ceiling(index)
    if bound is not None:
        by_size = end is not None and _searches_constants(index) and not isinstance(bound, Number)
        below = _below(end if by_size and end is not None else extreme(index, True), bound)
    if lowest is not None and not is_never_negative(index):
        least = f"-{_factor(lowest)}" if lowest != Number(0) else "0"
        above = f"{least} <= {said_sum(extreme(index, False))}"
    return Condition(
        bound=None if bound is None else said_sum(bound),
        below=below,
        above=above,
        unless_empty=" or ".join(f"{name}.numel() == 0" for name in emptiable(index)),
        reach=None if end is None else said_sum(end),
        reach_value=None if end is None else sizes.number(end),
        index=index,
    )


def _searches_constants(index: Formula) -> bool:
    """Whether the index is a place among a weight's boundaries: their number says enough."""
    return (
        isinstance(index, Of)
        and index.operator in ("left", "right")
        and isinstance(index.arguments[1], Elements)
        and index.arguments[1].text.startswith("constants")
    )


def index_words(index: Formula | None) -> str:
    """What makes an index end somewhere whatever the data holds (``taken modulo 64``)."""
    while isinstance(index, Of) and index.operator in ("int", "float"):
        index = index.arguments[0]
    if not isinstance(index, Of):
        return "a mask, 0 or 1" if isinstance(index, Elements) and index.kind == "bool" else ""
    if index.operator == "%" and isinstance(index.arguments[1], Size):
        return f"taken modulo {Expr('', index.arguments[1].node)}"
    if index.operator == "&" and isinstance(index.arguments[1], Size):
        return f"masked with `& {Expr('', index.arguments[1].node)}`"
    if index.operator in ("left", "right"):
        return "a place between sorted boundaries, before the first to behind the last"
    if index.operator in ("argmax", "argmin"):
        return f"a position that {index.operator} gives"
    return "a mask, 0 or 1" if index.operator in COMPARISONS else ""


def _checked(
    flow: DataFlow,
    program_of: Callable[[str], KernelProgram],
    program: KernelProgram,
    found: KernelAssert,
    launch: Launch,
    sizes: CallerSizes,
) -> Formula:
    """The index before the negative wrap, 0 where the assert's mask leaves a lane out."""
    raw = raw_index(program, found)
    if raw is None or found.order < 0:
        raise NotDerived("no index")
    values = Values(flow, program_of, sizes)
    index = values.of(launch, ast.parse(raw, mode="eval").body, found.order)
    return _where_active(values, index, found.mask, found.order, launch)


def _where_active(
    values: Values, index: Formula, mask: str | None, before: int, launch: Launch
) -> Formula:
    """A value, 0 where a mask leaves a lane out. Raises NotDerived."""
    node = None if mask is None else ast.parse(mask, mode="eval").body
    for term in mask_terms(node):
        condition = values.of(launch, term, before)
        apart = not any(a.overlaps(b) for a in axes_of(condition) for b in axes_of(index))
        if isinstance(condition, Size) or (apart and not has_data(condition)):
            continue
        index = applied("where", (condition, index, ZERO), values.sizes.number)
    return index


def _lowest(program: KernelProgram, found: KernelAssert, bound: Node | None) -> Node | None:
    """The smallest valid index; None where none is checked."""
    if raw_index(program, found) != found.index and bound is not None:
        return bound
    return Number(0) if found.lower is not None else None


def _factor(node: Node) -> str:
    text = str(Expr("", node))
    return text if " " not in text or isinstance(node, Name) else f"({text})"


# -- sums -------------------------------------------------------------------------------------


def _below(high: Node, bound: Node) -> str:
    """``high < bound`` with every term on the side where it has no minus, and no ``- 1``."""
    terms, number = _linear(bound)
    for term, times in _linear(high)[0].items():
        terms[term] = terms.get(term, 0) - times
    number -= _linear(high)[1]
    left = {term: -times for term, times in terms.items() if times < 0}
    right = {term: times for term, times in terms.items() if times > 0}
    if number == 1 and right:
        return f"{_sum(left, 0)} <= {_sum(right, 0)}"
    if not right:
        literal = _linear(bound)[1]
        if number == literal:
            return f"{_sum(left, 0)} < {number}"
        return f"{_sum(left, 0)} <= {number - 1}"
    if number < 0:
        return f"{_sum(left, -number)} < {_sum(right, 0)}"
    return f"{_sum(left, 0)} < {_sum(right, number)}"


def said_sum(node: Node) -> str:
    """A sum without brackets, its numbers added up."""
    terms, number = _linear(node)
    return _sum(terms, number)


def _sum(terms: dict[str, int], number: int) -> str:
    said = ""
    for term, times in terms.items():
        if not times:
            continue
        sign = "-" if times < 0 else "+"
        text = term if abs(times) == 1 else f"{abs(times)}*{_as_factor(term)}"
        said += f" {sign} {text}" if said else ("-" if sign == "-" else "") + text
    if not said:
        return str(number)
    return said if not number else f"{said} {'-' if number < 0 else '+'} {abs(number)}"


def _as_factor(term: str) -> str:
    return term if " " not in term or term.endswith(")") else f"({term})"


def _linear(node: Node) -> tuple[dict[str, int], int]:
    """A sum as terms with the number each is multiplied by, and the number that is left."""
    if isinstance(node, Number) and isinstance(node.value, int):
        return {}, node.value
    if isinstance(node, Unary) and node.operator == "-":
        terms, number = _linear(node.operand)
        return {term: -times for term, times in terms.items()}, -number
    if isinstance(node, Binary) and node.operator in ("+", "-"):
        terms, number = _linear(node.left)
        sign = 1 if node.operator == "+" else -1
        more, other = _linear(node.right)
        found = dict(terms)
        for term, times in more.items():
            found[term] = found.get(term, 0) + sign * times
        return {t: n for t, n in found.items() if n}, number + sign * other
    if isinstance(node, Binary) and node.operator == "*":
        for by, rest in ((node.left, node.right), (node.right, node.left)):
            if isinstance(by, Number) and isinstance(by.value, int):
                terms, number = _linear(rest)
                return {t: n * by.value for t, n in terms.items()}, number * by.value
    text = str(Expr("", node))
    return {text: 1}, 0
