"""A failure as lines of text for people: the answer first, then how it is known."""

from __future__ import annotations

from collections.abc import Iterator

from aoti_tui.failure.model import Failure, GuardFinding, Program, ProvenanceNode, Source
from aoti_tui.failure.provenance import walk

_SHOWN_PROGRAMS = 6
_SHOWN_FRAMES = 8


def headline(failure: Failure) -> tuple[str, ...]:
    """The few lines that answer: which kernel, which assert, why, which input, which guard."""
    lines = [f"{failure.kernel} failed: {short_assert(failure.message)}{_in_programs(failure)}"]
    bound = bound_line(failure)
    lines.append(bound)
    certainty = "confirmed" if failure.cause.confirmed else "possible cause"
    lines.append(f"{certainty}: {failure.cause.text}")
    lines.extend(f"guard: {guard.text}" for guard in _relevant(failure)[:2])
    return tuple(lines)


def short_assert(message: str) -> str:
    """``0 <= tmp10 < ks0`` of ``index out of bounds: 0 <= tmp10 < ks0``."""
    return message.removeprefix("index out of bounds: ")


def _in_programs(failure: Failure) -> str:
    count = len(failure.programs)
    if not count:
        return ""
    return f" in {count} program{'s' if count != 1 else ''}"


def bound_line(failure: Failure) -> str:
    """``ks0 = s7 = arg4_1.size(0) = 0``: the bound's way from the kernel to its source."""
    bound = failure.bound
    steps = [bound.text]
    arguments: list[str] = []
    symbols: list[str] = []
    for node in walk(bound.tree):
        if node.kind == "argument" and node.name in bound.text and not arguments:
            arguments.append(node.text.partition(" = ")[2])
        if node.kind == "symbol" and "see above" not in node.text:
            symbols.append(node.text)
    single = len({s for s in bound.sources if s.kind != "literal"}) == 1
    if single and symbols:
        for symbol in symbols:
            name, _, right = symbol.partition(" = ")
            if name not in steps:
                steps.append(name)
            steps.append(right)
    if bound.value is not None:
        steps.append(_number(bound.value))
    said = " = ".join(dict.fromkeys(steps))
    if symbols and not single:
        said += f" ({'; '.join(symbols)})"
    places = [source_words(s) for s in bound.sources]
    return f"{said}: {'; '.join(places)}" if places else said


def source_words(source: Source) -> str:
    """A source in words (``dimension 0 of input 2 (arg4_1)``)."""
    if source.kind == "input":
        return f"data of input {source.position} ({source.name})"
    if source.kind == "input_dim":
        return f"the size of dimension {source.dim} of input {source.position} ({source.name})"
    if source.kind == "input_value":
        return f"the value of input {source.position} ({source.name})"
    if source.kind == "constant":
        return f"constant {source.fqn or source.name}"
    if source.kind == "constant_dim":
        return f"dimension {source.dim} of constant {source.fqn or source.name}"
    if source.kind == "buffer_dim":
        return f"dimension {source.dim} of buffer {source.name}"
    if source.kind == "random":
        return f"random numbers ({source.name})"
    if source.kind == "literal":
        return f"{source.name}, a size fixed when compiled"
    return f"not known ({source.name})"


def explanation(failure: Failure, wrapper: str) -> str:
    """The whole explanation, for a terminal or a pipe."""
    return "\n".join(_lines(failure, wrapper))


def _lines(failure: Failure, wrapper: str) -> Iterator[str]:
    place = f"{wrapper}:{failure.wrapper_line}" if failure.wrapper_line else wrapper
    yield f"{failure.kernel}    {place}  (kernel line {failure.kernel_line})"
    yield f"  {failure.message}    {programs_text(failure.programs)}".rstrip()
    how = "confirmed by the inputs" if failure.cause.confirmed else "possible, not confirmed"
    yield _row("why", f"{failure.cause.text}    [{failure.cause.code}: {how}]")
    for fact in failure.cause.evidence:
        yield _row("", fact)
    if not failure.cause.confirmed and failure.cause.confirm_with:
        yield _row("", f"to confirm: {failure.cause.confirm_with}")
    for cause in failure.possible_causes:
        yield _row("or", f"{cause.text}    [{cause.code}]")
        if cause.confirm_with:
            yield _row("", f"to confirm: {cause.confirm_with}")
    yield _row("bound", f"{bound_line(failure)}    {_launches(failure)}")
    index = failure.index
    raw = f", before the negative wrap {index.raw}" if index.raw not in (None, index.text) else ""
    yield _row("index", f"{index.text}{raw}")
    for line in chain_lines(index.tree):
        yield _row("", line)
    ends = "; ".join(source_words(s) for s in index.sources) or "nothing that could be followed"
    yield _row("", f"ends at: {ends}")
    for number, guard in enumerate(_relevant(failure)):
        yield _row("guard" if number == 0 else "", guard.text + _line(guard.line))
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


def _row(label: str, text: str) -> str:
    return f"{label:<6} {text}".rstrip()


def _line(line: int | None) -> str:
    return f"    :{line}" if line else ""


def _launches(failure: Failure) -> str:
    lines = failure.launch_lines
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
    return f"{len(programs)} program{'s' if len(programs) != 1 else ''}: {shown}{more}"


def chain_lines(tree: ProvenanceNode, limit: int = 24) -> tuple[str, ...]:
    """The steps of a chain worth reading, indented by their depth between kernels.

    Of upstream kernels only what they read and write is said; the interface shows their every
    step.
    """
    lines: list[str] = []

    def visit(node: ProvenanceNode, depth: int) -> None:
        if len(lines) >= limit or "see above" in node.text:
            return
        deeper = depth
        if node.kind in (
            "temporary",
            "launch",
            "extern",
            "symbol",
            "input",
            "constant",
            "argument",
        ):
            if _worth_reading(node, depth):
                value = f" = {node.value}" if node.value is not None else ""
                lines.append("  " * depth + node.text + value + _line(node.line))
            if node.kind in ("launch", "extern"):
                deeper += 1
        elif node.kind == "unknown":
            lines.append("  " * depth + node.text)
        for child in node.children:
            visit(child, deeper)

    for child in tree.children:
        visit(child, 0)
    if len(lines) >= limit:
        lines.append("… (the whole chain is in the interface and in --json)")
    return tuple(lines)


def _worth_reading(node: ProvenanceNode, depth: int) -> bool:
    """Neither the constants that temporaries are filled with nor the inside of other kernels."""
    return node.kind != "temporary" or (bool(node.children) and depth == 0)


def _relevant(failure: Failure) -> tuple[GuardFinding, ...]:
    """Guards of the bound's dimensions first."""
    bound = {(s.position, s.dim) for s in failure.bound.sources}
    return tuple(sorted(failure.guards, key=lambda g: (g.position, g.dim) not in bound))


def _number(value: int | float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:g}"
