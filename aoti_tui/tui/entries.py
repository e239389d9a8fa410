"""What the navigator lists: everything of an incident that has a name and a place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from aoti_tui.failure.model import Failure
from aoti_tui.incident import Incident
from aoti_tui.index.model import Guard, Input, WrapperIndex
from aoti_tui.replay.breakpoints import Breakpoint

GROUPS = (
    "Breakpoints",
    "Failures",
    "Kernels",
    "Launches",
    "Inputs",
    "Symbols",
    "Guards",
    "Checks",
    "Constants",
    "Buffers",
    "Ops",
    "Outputs",
    "Gaps",
    "Notes",
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to go to. ``label`` is its name, ``detail`` what to know about it."""

    group: str
    label: str
    detail: str
    line: int | None
    key: object
    failed: bool = False

    haystack: str = field(init=False, compare=False)
    """What the filter looks at, in lower case."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "haystack", f"{self.label} {self.detail}".lower())


def entries(incident: Incident) -> tuple[Entry, ...]:
    """All entries, in the order of :data:`GROUPS` and by line within a group."""
    index = incident.index
    return (
        *_failures(incident.failures),
        *_kernels(index, incident.failures),
        *_launches(index, incident.failures),
        *_values(index, incident.failures),
        *_rest(index),
        *(
            Entry("Notes", note, "", None, ("note", number))
            for number, note in enumerate(incident.notes)
        ),
    )


def breakpoint_entries(
    index: WrapperIndex, breakpoints: Iterable[tuple[str, Breakpoint]]
) -> tuple[Entry, ...]:
    """The breakpoints, by kernel."""
    found = []
    for kernel_name, one in breakpoints:
        kernel = index.kernels.get(kernel_name)
        line = kernel.wrapper_line(one.kernel_line or 0) if kernel is not None else None
        sign = "●" if one.enabled else "○"
        found.append(
            Entry(
                "Breakpoints",
                f"{sign} {one.describe()}",
                kernel_name,
                line,
                ("breakpoint", kernel_name, one.kernel_line),
            )
        )
    return tuple(found)


def _failures(failures: Iterable[Failure]) -> Iterator[Entry]:
    for number, failure in enumerate(failures):
        where = f"{failure.kernel}:{failure.kernel_line}"
        yield Entry(
            "Failures", failure.message, where, failure.wrapper_line, ("failure", number), True
        )


def _kernels(index: WrapperIndex, failures: Iterable[Failure]) -> Iterator[Entry]:
    failed = {failure.kernel for failure in failures}
    for kernel in index.kernels.values():
        launches = len(index.launches_of(kernel.name))
        detail = f"{kernel.heuristic or 'kernel'}, {_count(launches, 'launch', 'launches')}"
        if not kernel.has_source:
            detail += ", no source"
        line = kernel.source_line if kernel.source_path is None else None
        yield Entry(
            "Kernels",
            kernel.name,
            detail,
            line or kernel.line,
            ("kernel", kernel.name),
            kernel.name in failed,
        )


def _launches(index: WrapperIndex, failures: Iterable[Failure]) -> Iterator[Entry]:
    failed = {line for failure in failures for line in failure.launch_lines}
    for launch in index.launches:
        nodes = ", ".join(launch.source_nodes) or ", ".join(launch.aten)
        yield Entry(
            "Launches",
            launch.kernel,
            f":{launch.line} {nodes}".rstrip(),
            launch.line,
            ("launch", launch.line),
            launch.line in failed,
        )


def _values(index: WrapperIndex, failures: Iterable[Failure]) -> Iterator[Entry]:
    guilty = {
        source.position
        for failure in failures
        for source in (*failure.bound.sources, *failure.index.sources)
        if source.position is not None and source.kind.startswith("input")
    }
    for item in index.inputs:
        yield Entry(
            "Inputs",
            item.name,
            _input_detail(index, item),
            item.line,
            ("input", item.position),
            item.position in guilty,
        )
    for symbol in index.symbols:
        yield Entry(
            "Symbols",
            symbol.name,
            f"= {symbol.expression}",
            symbol.line,
            ("symbol", symbol.name, symbol.line),
        )
    for guard in index.guards:
        yield Entry(
            "Guards",
            guard_label(guard),
            guard.enforced,
            guard.line,
            ("guard", guard.line, guard.check),
        )


def _input_detail(index: WrapperIndex, item: Input) -> str:
    checks = len(index.guards_of(item.position))
    kind = "number" if item.is_scalar else "tensor"
    return f"input {item.position}, {kind}, {_count(checks, 'guard', 'guards')}"


def guard_label(guard: Guard) -> str:
    """``arg4_1.size(0) >= 2``."""
    place = guard.name if guard.dim is None else f"{guard.name}.size({guard.dim})"
    if guard.check == "stride":
        place = f"{guard.name}.stride({guard.dim})"
    sign = {"min": ">=", "max": "<=", "equals": "==", "stride": "=="}.get(guard.check)
    return f"{place} {sign} {guard.value}" if sign else f"{place} {guard.check} {guard.value}"


def _rest(index: WrapperIndex) -> Iterator[Entry]:
    for check in index.checks:
        yield Entry("Checks", check.condition, check.message, check.line, ("check", check.line))
    for constant in index.constants:
        shape = "×".join(str(size) for size in constant.shape) or "scalar"
        yield Entry(
            "Constants",
            constant.fqn or constant.name,
            f"{constant.name} {constant.dtype} {shape}{' folded' if constant.folded else ''}",
            constant.line,
            ("constant", constant.name),
        )
    for buffer in index.buffers:
        sizes = f"[{', '.join(buffer.sizes)}]" if buffer.sizes is not None else ""
        of = f"of {buffer.of}" if buffer.of else ""
        detail = " ".join(part for part in (buffer.kind, of, buffer.dtype or "", sizes) if part)
        yield Entry(
            "Buffers", buffer.name, detail, buffer.line, ("buffer", buffer.name, buffer.line)
        )
    for call in index.externs:
        detail = ", ".join(call.aten) or ", ".join(view.base for view in call.writes)
        yield Entry("Ops", call.op, detail, call.line, ("extern", call.line))
    for output in index.outputs:
        yield Entry(
            "Outputs",
            output.name,
            f"output {output.position}",
            output.line,
            ("output", output.line),
        )
    for gap in index.gaps:
        yield Entry("Gaps", gap.reason, gap.text, gap.line, ("gap", gap.line, gap.text))


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def fuzzy(query: str, haystack: str) -> int | None:
    """How well ``haystack`` (lower case) fits: smaller is better, None when it does not.

    All words of the query must fit, each as a piece of text or, failing that, as letters in order.
    """
    total = 0
    for word in query.lower().split():
        at = haystack.find(word)
        if at >= 0:
            total += at if at < 40 else 40
            continue
        span = _subsequence(word, haystack)
        if span is None:
            return None
        total += 100 + span
    return total


def _subsequence(word: str, haystack: str) -> int | None:
    start = at = -1
    for character in word:
        at = haystack.find(character, at + 1)
        if at < 0:
            return None
        if start < 0:
            start = at
    return at - start - len(word) + 1


def fitting(everything: Iterable[Entry], query: str) -> list[tuple[int, Entry]]:
    """Entries that fit the query with how well they do, in their own order."""
    return [
        (score, entry)
        for entry in everything
        if (score := fuzzy(query, entry.haystack)) is not None
    ]


def ranked(fits: Sequence[tuple[int, Entry]]) -> list[Entry]:
    """Groups in their order, the best fits of each group first."""
    places = {group: place for place, group in enumerate(GROUPS)}
    numbered = [(places[e.group], score, number) for number, (score, e) in enumerate(fits)]
    return [fits[number][1] for _, _, number in sorted(numbered)]


def filtered(everything: Iterable[Entry], query: str) -> list[Entry]:
    """Entries that fit the query, best first within each group; all of them for none."""
    return ranked(fitting(everything, query)) if query.strip() else list(everything)
