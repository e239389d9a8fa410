"""Branches, loops and grids as they decide which launch it was, in words."""

from __future__ import annotations

from collections.abc import Sequence

from aoti_tui.failure.explain import Explainer
from aoti_tui.failure.model import Program, Source
from aoti_tui.failure.prose.words import source_words
from aoti_tui.failure.provenance.known import Known
from aoti_tui.failure.provenance.tree import sources_of
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import ExpressionError
from aoti_tui.index.model import Function, Launch, Scope, WrapperIndex
from aoti_tui.replay.model import Gate
from aoti_tui.replay.plan.geometry import grid_of


def gate_words(explainer: Explainer, gate: Gate, launch: Launch) -> str:
    """A gate with what its condition depends on: ```if (buf0_scalar)` (:1064) is false with these
    inputs; it depends on data of input 0 (arg0_1)``."""
    behind = behind_condition(explainer, gate, launch.function)
    said = f"{gate.words} with these inputs" if gate.closed else gate.words
    return f"{said}; it depends on {behind}" if behind else said


def behind_condition(explainer: Explainer, gate: Gate, function: Function) -> str:
    """Where the values of a condition come from; ``""`` where that is not known."""
    if gate.condition is None:
        return ""
    index = explainer.index
    # What a loop's condition reads is defined inside of the loop.
    flow = explainer.flow
    at = flow.end(function) if gate.kind == "while" else flow.at_line(function, gate.line)
    sources: dict[Source, None] = {}
    for name in gate.condition.names():
        tracer = explainer.tracer()
        if any(buffer.name == name for buffer in index.buffers):
            node = tracer.buffers.data(TensorView(name), at)
        else:
            node = tracer.sizes.of(name, at)
        sources.update(dict.fromkeys(s for s in sources_of(node) if s.kind != "unknown"))
    return " and ".join(source_words(source) for source in sources)


def known_gate(scope: Scope, known: Known) -> Gate:
    """A scope as far as sizes and one-element inputs decide it before anything runs."""
    condition = scope.exit.condition if scope.exit is not None else scope.condition
    opens: bool | None = None
    if scope.kind in ("if", "else") and condition is not None:
        holds = condition.known(known.symbols)
        opens = None if holds is None else bool(holds) is (scope.kind == "if")
    return Gate(scope.kind, scope.line, condition, opens)


def known_grid(index: WrapperIndex, launch: Launch, known: Known) -> Program | None:
    """A launch's grid under the known sizes; None where one of them is not known."""
    numbers: dict[str, int | float] = {}
    for argument in launch.arguments:
        value = argument.value.known_int(known.symbols) if argument.value is not None else None
        if value is not None:
            numbers[argument.parameter] = value
    try:
        return grid_of(
            index.kernels[launch.kernel],
            launch,
            lambda axis: axis.evaluate_int(numbers),
            lambda axis: axis.evaluate_int(known.symbols),
        )
    except ExpressionError:
        return None


def outside_words(programs: Sequence[Program], grid: Program) -> str:
    """What is said of programs of a log that a launch's grid does not have; ``""`` when it has
    them all."""
    outside = [p for p in programs if any(at >= size for at, size in zip(p, grid, strict=True))]
    if not outside:
        return ""
    sizes = "×".join(map(str, grid))
    return (
        f"the log names block {list(outside[0])}, this launch has {sizes} blocks: other inputs, or "
        "other block sizes (an assert that fired while autotuning)"
    )
