"""The sentences of the run pane: what was found, why it stopped, where the data comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aoti_tui.index.model import Kernel, Launch
from aoti_tui.replay.model import FiredAssert, MemoryFault, Recording, ReplayResult, Step
from aoti_tui.replay.recording import Made
from aoti_tui.tui.stepping import failing_count
from aoti_tui.tui.text import number

if TYPE_CHECKING:
    from aoti_tui.tui.messages import Outcome


def program(at: tuple[int, int, int]) -> str:
    """``2`` for a 1-D grid, else ``(2, 1, 0)``."""
    return str(at[0]) if at[1:] == (0, 0) else f"({at[0]}, {at[1]}, {at[2]})"


def lane(at: tuple[int, ...]) -> str:
    return "[" + ", ".join(str(position) for position in at) + "]"


def plural(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def idle(kernel: Kernel | None, launch: Launch | None, given: str) -> str:
    """What the pane says before anything ran."""
    if kernel is None or launch is None:
        return "Nothing to run yet: choose a kernel or a launch in the navigator (5)."
    return (
        f"c runs {kernel.name} (launch :{launch.line}) in Triton's interpreter and stops at the "
        f"first breakpoint or failing assert. Data: {given}."
    )


def data(result: ReplayResult) -> str:
    """Where the values come from; made-up data is named first and in capitals."""
    sources = [argument.source for argument in result.arguments]
    sources += [symbol.source for symbol in result.symbols if symbol.source in ("made-up", "set")]
    made_up = "made-up" in sources
    real = [
        name for name in ("set", "input", "captured", "constant", "replayed") if name in sources
    ]
    names = {
        "input": "given inputs",
        "set": "set symbols",
        "replayed": "replayed buffers",
        "captured": "captured tensors",
        "constant": "given constants",
    }
    told = " + ".join(names[name] for name in real) or "literals of the wrapper"
    return f"MADE-UP + {told}" if made_up and real else "MADE-UP" if made_up else told


def status(outcome: Outcome, position: int) -> str:
    """``torch 2.13.0, triton 3.7.1 · data: given inputs · program 2 of 8×1×1 · step 5/150``."""
    info, recording = outcome.info, outcome.recording
    grid = "×".join(str(size) for size in recording.grid)
    steps = f"step {position + 1}/{len(recording.steps)}"
    where = ""
    if 0 <= position < len(recording.steps) and recording.steps[position].iteration:
        rounds = ", ".join(str(at) for at in recording.steps[position].iteration)
        where = f" · loop round {rounds}"
    return (
        f"torch {info.torch}, triton {info.triton} · data: {data(outcome.result)} · "
        f"program {program(recording.program)} of {grid} · {steps}{where}"
    )


def fired(found: FiredAssert, count: int) -> str:
    """``0 <= tmp10 < ks0: tmp10 = -1, ks0 = 0 in 4 programs, 4 lanes, first of 2 asserts``."""
    values = ", ".join(f"{name} = {number(value)}" for name, value in found.values.items())
    place = f"{plural(len(found.programs), 'program')}, {plural(found.failing_lanes, 'lane')}"
    order = "first" if found.order == 0 else f"number {found.order + 1}"
    which = f"{order} of {plural(count, 'assert')}" if count > 1 else "the only assert that fires"
    doubt = " (depends on MADE-UP data)" if found.depends_on_made_up else ""
    return f"{found.message}: {values} in {place}, {which}{doubt}"


def found(result: ReplayResult) -> str:
    """All that the scan of the launch found, one line each."""
    lines = [
        fired(one, len(result.asserts)) for one in sorted(result.asserts, key=lambda f: f.order)
    ]
    lines.extend(fault(one) for one in result.faults)
    if not lines:
        doubt = " Its data is made up, so this says little." if result.depends_on_made_up else ""
        lines.append(
            f"No assert fails in {plural(result.programs_run, 'program')} of this launch.{doubt}"
        )
    return "\n".join(lines)


def fault(found: MemoryFault) -> str:
    return (
        f"{found.access} outside {found.argument}: element {found.element} of {found.size}, "
        f"kernel line {found.kernel_line}, {plural(found.count, 'access', 'accesses')}, first in "
        f"program {program(found.program)} lane {lane(found.lane)}"
    )


def bad_step(result: ReplayResult, recording: Recording, step: Step) -> str:
    """Why a failing step stops: lanes, values, and which assert came first."""
    if step.kind != "assert":
        return "; ".join(fault(one) for one in step.faults)
    one = next((f for f in result.asserts if f.kernel_line == step.kernel_line), None)
    here = (
        f"Assert fails at kernel line {step.kernel_line}, in "
        f"{plural(failing_count(step), 'lane')} of program {program(recording.program)}"
    )
    return f"{here}. {fired(one, len(result.asserts))}" if one is not None else f"{here}."


def verdict(result: ReplayResult, recording: Recording) -> str:
    """What to make of a program that ended without a stop."""
    if not result.asserts and not result.faults:
        return found(result)
    programs = sorted({p for one in result.asserts for p in one.programs})
    if programs and recording.program not in programs:
        return f"It does not fail here; program {program(programs[0])} does (P records it)."
    return ""


def origin(made: Made) -> str:
    """Where a value without operands comes from."""
    if made.loads:
        loads = ", ".join(f"{load.argument}[{load.element}]" for load in made.loads)
        return f"{made.step.name} = {_value(made.value)} was loaded from {loads}."
    parameters = ", ".join(
        f"{operand.name} = {_value(operand.value)}"
        + (
            f" ({operand.argument.expression}, {operand.argument.source})"
            if operand.argument
            else ""
        )
        for operand in made.operands
    )
    if parameters:
        return f"{made.step.name} = {_value(made.value)} comes from {parameters}."
    return f"{made.step.name} = {_value(made.value)} comes from nothing but constants."


def _value(value: object) -> str:
    return "?" if value is None else number(value)
