"""A chain of provenance in words: each step on one line, and the steps worth reading."""

from __future__ import annotations

from aoti_tui.failure.model import GuardFinding, ProvenanceNode
from aoti_tui.failure.prose.guards import guard_words
from aoti_tui.failure.prose.words import source_words
from aoti_tui.failure.steps import (
    Bound,
    BufferData,
    BufferDim,
    Called,
    ConstantData,
    ConstantDim,
    CutShort,
    Defined,
    Extent,
    FixedParameter,
    FixedSize,
    FloatRatio,
    Index,
    InputData,
    InputDim,
    Launched,
    Load,
    Modulus,
    NotFollowed,
    Passed,
    RandomNumbers,
    SizeGuard,
    Step,
    Temporary,
    Unlimited,
    Written,
)
from aoti_tui.index.model import Constant, Symbol

_SHOWN = frozenset(
    {"temporary", "launch", "extern", "symbol", "input", "constant", "argument", "unknown"}
)


def step_words(node: ProvenanceNode) -> str:
    """One line that says a step (``ks0 = s7``, ``s7 = arg4_1.size(0)``)."""
    source = node.source
    if source is not None and source.user is not None and node.kind == "input":
        said = source_words(source)
        return said if source.kind != "input_dim" else said.removeprefix("the size of ")
    if not node.seen:
        return _said(node.step)
    defined = isinstance(node.step, (Temporary, Defined))
    return f"{_said(node.step) if defined else node.name}, see above"


def value_words(node: ProvenanceNode) -> str:
    """``= 0``, or ``→ True`` after an assignment: ``tmp4 = tmp2 >= tmp3 = True`` would read as a
    comparison of three; ``""`` where no value is known."""
    if node.value is None:
        return ""
    return f"{'→' if node.kind == 'temporary' else '='} {node.value}"


def chain_lines(tree: ProvenanceNode, limit: int = 24) -> tuple[str, ...]:
    """The steps of a chain worth reading, indented by their depth between kernels.

    Of upstream kernels only what they read and write is said; the interface shows their every
    step.
    """
    lines: list[str] = []

    def visit(node: ProvenanceNode, depth: int) -> None:
        if len(lines) >= limit or node.seen:
            return
        if _worth_reading(node, depth):
            at = f"    {node.place}" if node.place and node.kind != "unknown" else ""
            value = f" {value_words(node)}" if node.value is not None else ""
            lines.append("  " * depth + step_words(node) + value + at)
        deeper = depth + (node.kind in ("launch", "extern"))
        for child in node.children:
            visit(child, deeper)

    for child in tree.children:
        visit(child, 0)
    if len(lines) >= limit:
        lines.append("… (the whole chain is in the interface and in --json)")
    return tuple(lines)


def _worth_reading(node: ProvenanceNode, depth: int) -> bool:
    """Neither the constants that temporaries are filled with nor the inside of other kernels."""
    if node.kind == "temporary":
        return bool(node.children) and depth == 0
    return node.kind in _SHOWN


def _said(step: Step) -> str:
    match step:
        case Bound(name):
            return f"bound {name}"
        case Index(name, raw):
            return f"index {name}" + (f", before the negative wrap {raw}" if raw != name else "")
        case Temporary(name, written) | RandomNumbers(name, written):
            return f"{name} = {written}"
        case Load(_, address):
            return f"load {address}"
        case Extent(name, root, divisor):
            return f"{root} runs up to {name}" + (f" // {divisor}" if divisor else "")
        case Modulus(_, written):
            return written
        case Passed(name, argument, indexed_on):
            said = f"{name} = {argument.text}"
            return said + (f", indexed on kernel line {indexed_on}" if indexed_on else "")
        case FixedParameter(name, fixed):
            return f"{name} = {fixed}, fixed when compiled"
        case Defined(name, symbol):
            return f"{name} = {definition_words(symbol)}"
        case FloatRatio(name):
            return (
                f"{name} is computed with a float reciprocal, which can truncate to the wrong "
                "integer"
            )
        case Unlimited():
            return "the assert has no upper bound, only 0"
        case FixedSize():
            return _fixed_size(step)
        case Launched(name, times):
            return f"{name}, launched {times} times"
        case NotFollowed():
            return _not_followed(step)
        case CutShort():
            return "the chain goes on; it was cut here"
        case GuardFinding():
            return guard_words(step)
    return _of_tensor(step)


def _of_tensor(step: Step) -> str:
    match step:
        case InputDim(name, position, dim):
            return f"dimension {dim} of input {position} ({name})"
        case InputData(name, given) if given.is_scalar:
            return f"{name} is input {given.position}, a number"
        case InputData(name, given):
            return f"input {given.position} ({name})"
        case ConstantData(_, constant):
            return constant_words(constant)
        case ConstantDim(_, constant, dim):
            return f"{constant.shape[dim]} is dimension {dim} of {constant_words(constant)}"
        case BufferData(name, others) if others:
            return f"{name} shares memory with {', '.join(others)}"
        case BufferDim(name, dim, size):
            return f"{size} is dimension {dim} of buffer {name}, fixed when compiled"
        case Written(name, launch, parameter, True):
            return f"written by {name} (:{launch.line}) as {parameter}"
        case Written(name, launch):
            return (
                f"written by {name} (:{launch.line}); its source is not in the wrapper, "
                "so all its tensors may count"
            )
        case Called(name, extern):
            return f"made by {name} (:{extern.line})"
        case SizeGuard(_, check, dim, value):
            sign = {"min": ">=", "max": "<="}.get(check, "==")
            return f"size({dim}) {sign} {value}"
    return step.name


def definition_words(symbol: Symbol) -> str:
    """``arg4_1.size(0)``, ``arg1_1.item()``, and an expression as the wrapper writes it."""
    read = symbol.reading
    return read.name if read is not None else symbol.expression.written


def constant_words(constant: Constant) -> str:
    """``constant emb.weight [32000, 64]``."""
    return f"constant {constant.fqn or constant.name} {list(constant.shape)}"


def _fixed_size(step: FixedSize) -> str:
    said = f"{step.name} is a size fixed when compiled"
    looked = ", ".join(f"{a.parameter} = {a.text}" for a in step.looked)
    where = f"looked at {looked}" if looked else "no access that uses the index found"
    return f"{said}; which tensor's is not known ({where})"


def _not_followed(step: NotFollowed) -> str:
    if step.why == "no index":
        return "the assert checks no index that could be followed"
    if step.why == "never launched":
        return f"{step.kernel} is never launched in this wrapper"
    if step.why == "no argument":
        return f"no argument of the launch becomes {step.name}"
    if step.why == "no definition":
        return f"no definition of {step.name} stands before line {step.before}"
    if step.why == "no writer":
        return f"nothing that writes {step.name} was found before line {step.before}"
    return step.name
