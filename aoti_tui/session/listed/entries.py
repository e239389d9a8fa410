"""What the navigator lists: everything of an incident that has a name and a place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from aoti_tui.answer.incident import Incident
from aoti_tui.failure.model import Failure
from aoti_tui.failure.prose.words import plural
from aoti_tui.index.model import Guard, Input, Kernel, WrapperIndex
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.recorded.breakpoints import Breakpoint

GROUPS = {
    "Breakpoints": "Breakpoint",
    "Findings": "Finding",
    "Differences": "Difference",
    "Failures": "Failure",
    "Graphs": "Graph",
    "Kernels": "Kernel",
    "Launches": "Launch",
    "Inputs": "Input",
    "Symbols": "Symbol",
    "Guards": "Guard",
    "Checks": "Check",
    "Constants": "Constant",
    "Buffers": "Buffer",
    "Ops": "Op",
    "Outputs": "Output",
    "Gaps": "Gap",
    "Notes": "Note",
    "Warnings": "Warning",
    "Temporaries": "Temporary",
}
"""Groups in their order, and what one of a group is called."""


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
        *_graphs(incident),
        *_kernels(index, incident.failures),
        *_launches(index, incident.failures),
        *_values(index, incident.failures),
        *_rest(index),
        *(
            Entry("Notes", note, "", None, ("note", number))
            for number, note in enumerate(incident.notes)
        ),
    )


def _graphs(incident: Incident) -> Iterator[Entry]:
    """The graphs of one run of torch.compile, where there is a choice of them."""
    sources = incident.graphs.sources
    fitting = {one.wrapper for failure in incident.failures for one in failure.other_graphs}
    for number, source in enumerate(sources if len(sources) > 1 else ()):
        shown = source is incident.source
        said = "shown" if shown else "fits the log too" if str(source.path) in fitting else ""
        place = source.member or source.path.name
        yield Entry(
            "Graphs",
            source.graph or place,
            "  ".join(part for part in (said, place) if part),
            None,
            ("graph", number),
            shown and bool(incident.failures),
        )


def breakpoint_entries(
    incident: Incident,
    breakpoints: Iterable[tuple[str, Breakpoint]],
    current: str,
    hits: Callable[[str, Breakpoint], int | None],
) -> tuple[Entry, ...]:
    """The breakpoints by kernel and line: ``● 46 device_assert``, ``if tmp10 < 0  hit 1×``.

    The kernel is named where there is a choice of them, or where it is not the ``current`` one.
    ``hits`` counts the hits of a breakpoint of a kernel; None where nothing was run.
    """
    kernels = incident.index.kernels.values()
    order = {source_name(kernel): number for number, kernel in enumerate(kernels)}
    listed = sorted(
        breakpoints, key=lambda of: (order.get(of[0], len(order)), of[0], of[1].kernel_line or 0)
    )
    named = {source for source, _ in listed} != {current}
    found = []
    for name, one in listed:
        kernel = incident.index.kernels.get(name)
        line = one.kernel_line or 0
        program = incident.program_at(name, line)
        what = name_of_line(incident.text_of(name, line), program, line) if program else ""
        count = hits(name, one)
        detail = (
            f"if {one.condition}" if one.condition else "",
            f"after {one.ignore}" if one.ignore else "",
            f"log {one.log}" if one.log else "",
            f"hit {count}×" if count is not None else "",
            os.path.basename(name) if named else "",
            "" if program else "(no kernel here)" if os.path.isabs(name) else _NO_KERNEL,
        )
        found.append(
            Entry(
                "Breakpoints",
                f"{'●' if one.enabled else '○'} {line} {what}".rstrip(),
                "  ".join(part for part in detail if part),
                kernel.wrapper_line(line) if kernel is not None else None,
                ("breakpoint", name, one.kernel_line),
            )
        )
    return tuple(found)


_NO_KERNEL = "(no kernel of this wrapper)"


def source_name(kernel: Kernel) -> str:
    """What a kernel's lines are lines of: the kernel itself, or the file that it shares."""
    return kernel.source_path or kernel.name if kernel.span is not None else kernel.name


def name_of_line(text: str, program: KernelProgram, line: int) -> str:
    """What a line of a kernel is called: its temporaries, ``device_assert``, ``store out_ptr0``, or
    the head of its statement."""
    assignment = program.assignment_at(line)
    if assignment is not None:
        return ", ".join(assignment.names)
    if program.assert_at(line) is not None:
        return "device_assert"
    store = next((store for store in program.stores if store.line == line), None)
    if store is not None:
        does = f"atomic_{store.atomic}" if store.atomic else "store"
        return f"{does} {'/'.join(store.pointers)}".rstrip()
    return text.strip().partition(" = ")[0].partition("(")[0]


def temporary_entries(kernel: Kernel, program: KernelProgram) -> tuple[Entry, ...]:
    """The names that a kernel assigns, each at its first assignment."""
    return tuple(
        Entry(
            "Temporaries",
            name,
            f"= {assignments[0].text}",
            kernel.wrapper_line(assignments[0].line),
            ("temporary", kernel.name, assignments[0].line, name),
        )
        for name, assignments in program.by_name.items()
    )


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
        detail = f"{kernel.heuristic or 'kernel'}, {plural(launches, 'launch', 'launches')}"
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
    failed = {launch.id for failure in failures for launch in failure.launches}
    for launch in index.launches:
        nodes = ", ".join(launch.source_nodes) or ", ".join(launch.aten)
        yield Entry(
            "Launches",
            launch.kernel,
            f":{launch.line} {nodes}".rstrip(),
            launch.line,
            ("launch", launch.id),
            launch.id in failed,
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
            f"= {symbol.expression.written}",
            symbol.line,
            ("symbol", symbol.name, symbol.line),
        )
    for guard in index.guards:
        yield Entry(
            "Guards",
            guard_label(guard),
            guard.enforced
            if guard.enforced == "always"
            else f"opt-in: runs under {guard.enforced}=1",
            guard.line,
            ("guard", guard.line, guard.check),
        )


def _input_detail(index: WrapperIndex, item: Input) -> str:
    checks = len(index.guards_of(item.position))
    kind = "number" if item.is_scalar else "tensor"
    return f"input {item.position}, {kind}, {plural(checks, 'guard', 'guards')}"


def guard_label(guard: Guard) -> str:
    """``arg4_1.size(0) >= 2``."""
    place = guard.name if guard.dim is None else f"{guard.name}.size({guard.dim})"
    if guard.check == "stride":
        place = f"{guard.name}.stride({guard.dim})"
    sign = {"min": ">=", "max": "<=", "equals": "==", "stride": "=="}.get(guard.check)
    return f"{place} {sign} {guard.value}" if sign else f"{place} {guard.check} {guard.value}"


def _rest(index: WrapperIndex) -> Iterator[Entry]:
    for check in index.checks:
        yield Entry(
            "Checks", check.condition.written, check.message, check.line, ("check", check.line)
        )
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
        sizes = (
            f"[{', '.join(s.written for s in buffer.sizes)}]" if buffer.sizes is not None else ""
        )
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
