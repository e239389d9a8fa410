"""A scan's answer as a result: which asserts fired, where, and whether that can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aoti_tui.flow.access import parameters_behind
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.parse import names_read
from aoti_tui.replay.kernels import KernelBook
from aoti_tui.replay.model import ArgumentValue, FiredAssert, MemoryFault, ReplayResult
from aoti_tui.replay.plan.execution import Execution
from aoti_tui.replay.plan.launching import Prepared
from aoti_tui.replay.recorded.blocks import decode_fault, program_of
from aoti_tui.replay.recorded.recording import decode_flags


def decode_result(
    reply: Mapping[str, Any],
    execution: Execution,
    prepared: Prepared,
    kernels: KernelBook,
    mode: str,
) -> ReplayResult:
    """The result in a ``scan`` (or ``record``) reply; an empty one when nothing had to run."""
    launch = prepared.launch
    program = kernels.program(launch.kernel)
    asserts = decode_asserts(reply, program, prepared.arguments)
    notes = [*execution.broken_checks, *execution.notes, *prepared.notes]
    if 0 in prepared.grid:
        notes.append("the grid is empty: the wrapper skips this launch")
    faults = _real_faults(reply, prepared, notes)
    return ReplayResult(
        kernel=launch.kernel,
        launch=launch.id,
        site=launch.site,
        grid=prepared.grid,
        blocks=prepared.blocks.sizes,
        symbols=tuple(execution.symbols.values.values()),
        arguments=prepared.arguments,
        asserts=asserts,
        faults=faults,
        mode=str(reply.get("mode", mode)),
        programs_run=int(reply.get("programs", 1 if reply else 0)),
        flags=decode_flags(reply.get("flags", ())),
        notes=tuple(dict.fromkeys(notes)),
        gates=execution.gates_of(launch),
        grid_is_chosen=prepared.grid_is_chosen,
        failed_before=tuple(dict.fromkeys(execution.failed_before)),
        faults_before=tuple((la, decode_fault(fault)) for la, fault in execution.faults_before),
    )


def decode_asserts(
    reply: Mapping[str, Any], program: KernelProgram, arguments: tuple[ArgumentValue, ...]
) -> tuple[FiredAssert, ...]:
    """The asserts of a reply, in the order in which they fired."""
    return tuple(
        _fired(raw, program, arguments)
        for raw in sorted(reply.get("asserts", ()), key=lambda a: a.get("order", 0))
    )


def _real_faults(
    reply: Mapping[str, Any], prepared: Prepared, notes: list[str]
) -> tuple[MemoryFault, ...]:
    """Bad accesses, but for those to tensors whose very size is a guess."""
    faults = []
    for raw in reply.get("faults", ()):
        fault = decode_fault(raw)
        held = prepared.held.get(fault.argument)
        if held is not None and held.storage.guessed_size:
            notes.append(
                f"{fault.argument} is larger than the made-up tensor that stands in for it: "
                "accesses past its end read 0"
            )
            continue
        faults.append(fault)
    return tuple(faults)


def _fired(
    raw: Mapping[str, Any], program: KernelProgram, arguments: tuple[ArgumentValue, ...]
) -> FiredAssert:
    first = raw.get("first") or {}
    line = int(raw["kernel_line"])
    programs = tuple(sorted(program_of(p) for p in raw.get("programs", ())))
    return FiredAssert(
        file=str(raw["file"]),
        kernel_line=line,
        message=str(raw.get("message", "")),
        programs=programs,
        failing_lanes=int(raw.get("failing_lanes", 0)),
        order=int(raw.get("order", 0)),
        first_program=program_of(first.get("program", programs[0] if programs else (0, 0, 0))),
        first_lane=tuple(first.get("lane") or ()),
        values=dict(first.get("values") or {}),
        depends_on_made_up=rests_on_made_up(line, program, arguments),
    )


def rests_on_made_up(
    line: int, program: KernelProgram, arguments: tuple[ArgumentValue, ...]
) -> bool:
    """Whether invented data can have a part in an assert's condition (its mask included)."""
    invented = {a.name for a in arguments if a.source == "made-up"}
    check = program.assert_at(line)
    if check is None:
        # An assert inside a helper: what reaches it is not followed.
        return bool(invented)
    return bool(parameters_behind(program, names_read(check.condition)) & invented)
