"""The sentences of the run pane: what was found, why it stopped, where the data comes from."""

from __future__ import annotations

from collections.abc import Sequence

from aoti_tui.failure.prose.words import plural, program_words
from aoti_tui.index.model import Kernel, Launch
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.data.symbols import SET_BY_USER
from aoti_tui.replay.model import Block, FiredAssert, MemoryFault, Recording, Step, WorkerInfo
from aoti_tui.replay.recorded.fired import fired_in
from aoti_tui.replay.recorded.recording import Made, fails
from aoti_tui.session.state import Outcome, State
from aoti_tui.session.text import NAME, line_words, number
from aoti_tui.session.values.nonfinite import NonFinite
from aoti_tui.session.values.temporaries import bound_value, failing_count, substituted

program = program_words


def lane(at: tuple[int, ...]) -> str:
    return "[" + ", ".join(str(position) for position in at) + "]"


def idle(kernel: Kernel | None, launch: Launch | None, given: str) -> str:
    """What the pane says before anything ran; ``given`` is where the data comes from."""
    if kernel is None or launch is None:
        return "Nothing to run yet: choose a kernel or a launch in the navigator (5)."
    return (
        f"c runs {kernel.name} (launch :{launch.line}) in Triton's interpreter and stops at the "
        f"first breakpoint or failing assert. Data: {given}."
    )


def data(outcome: Outcome) -> str:
    """Where the values come from; made-up data is named first and in capitals."""
    sources = [argument.source for argument in outcome.result.arguments]
    sources += [symbol.source for symbol in outcome.symbols if symbol.source in ("made-up", "set")]
    if "gpu" in sources and not outcome.result.depends_on_made_up:
        # A size that the launch was not passed is no data of it, unless a branch hangs on it.
        guessed = any(gate.made_up for gate in outcome.result.gates)
        sources = [one for one in sources if guessed or one != "made-up"]
    made_up = "made-up" in sources
    real = [
        name
        for name in ("set", "script", "input", "captured", "gpu", "constant", "replayed")
        if name in sources
    ]
    names = {
        "input": "inputs",
        "script": "the script's",
        "set": _set_symbols(outcome),
        "replayed": "replayed",
        "captured": "captured",
        "gpu": "the GPU's memory",
        "constant": "constants",
    }
    told = " + ".join(names[name] for name in real) or "literals of the wrapper"
    return f"MADE-UP + {told}" if made_up and real else "MADE-UP" if made_up else told


def _set_symbols(outcome: Outcome) -> str:
    """``set s7 = 3``: what the user set."""
    own = [s for s in outcome.symbols if s.source == "set" and s.how == SET_BY_USER]
    return ", ".join(f"set {s.name} = {number(s.value)}" for s in own) or "set symbols"


def status(outcome: Outcome, position: int) -> str:
    """``program 2 of 8×1×1 · loop round 0 · data: given inputs · torch 2.13.0, triton 3.7.1,
    contained``."""
    info, recording = outcome.info, outcome.recording
    grid = "×".join(str(size) for size in recording.grid)
    parts = [f"program {program(recording.program)} of {grid}"]
    if 0 <= position < len(recording.steps) and recording.steps[position].iteration:
        rounds = ", ".join(str(at) for at in recording.steps[position].iteration)
        parts.append(f"loop round {rounds}")
    parts.append(f"data: {data(outcome)}")
    parts.append(f"torch {info.torch}, triton {info.triton}, {_contained(info)}")
    return " · ".join(parts)


def _contained(info: WorkerInfo) -> str:
    """Whether the worker can only compute: what kernels of an artifact run in."""
    if info.runs_script:
        return "the script's process"
    if not info.not_contained:
        return "contained" if info.contained else "not contained"
    return "contained in part" if info.contained else "not contained"


def asserted_values(one: FiredAssert, source: KernelProgram) -> str:
    """``tmp10 = -1, ks0 = 0``: what the assert itself reads, in its first failing lane. A bound
    that is computed is told as a whole: ``tmp4 = 44, bound 4*ks0 = 32``."""
    found = source.assert_at(one.kernel_line)
    bound = bound_value(found, one.values) if found is not None else None
    told = (found.index, found.lower, found.upper if bound is None else None) if found else ()
    text = " ".join(part or "" for part in told)
    names = [name for name in dict.fromkeys(NAME.findall(text)) if name in one.values]
    said = [f"{name} = {number(one.values[name])}" for name in names or one.values]
    if found is not None and bound is not None:
        said.append(f"bound {found.upper} = {number(bound)}")
    return ", ".join(said)


def fired(one: FiredAssert, count: int, outcome: Outcome) -> str:
    """``0 <= tmp10 < ks0: tmp10 = -1, ks0 = 0 in 4 programs, 4 lanes, first of 2 asserts``. The
    values are those of the recorded program, or say which other one they are of."""
    there = fired_in(one, outcome.recording)
    values = asserted_values(there or one, outcome.program)
    if there is None:
        values += f" (program {program(one.first_program)})"
    place = f"{plural(len(one.programs), 'program')}, {plural(one.failing_lanes, 'lane')}"
    order = "first" if one.order == 0 else f"number {one.order + 1}"
    which = f"{order} of {plural(count, 'assert')}" if count > 1 else "the only assert that fails"
    doubt = "; depends on MADE-UP data" if one.depends_on_made_up else ""
    return f"✗ {one.message}: {values} in {place} ({which}{doubt})"


def found(outcome: Outcome) -> str:
    """All that the scan of the launch found, one line each."""
    result = outcome.result
    count = len(result.asserts)
    lines = [
        fired(one, count, outcome) for one in sorted(result.asserts, key=lambda fired: fired.order)
    ]
    # What an assert lets through fails again where it is used: worth a word, not a line each.
    then = "then " if lines else ""
    lines.extend(f"✗ {then}{fault(one)}" for one in result.faults[: 1 if lines else 4])
    lines.extend(f"✗ {one.kind}: {one.text}" for one in result.findings if one.kind not in _SHOWN)
    if not lines:
        names = [a.expression or a.name for a in result.arguments if a.source == "made-up"]
        doubt = f" MADE-UP: {', '.join(names)}; what rests on it says little." if names else ""
        lines.append(
            f"No assert fails in {plural(result.programs_run, 'program')} of this launch.{doubt}"
        )
    return "\n".join(lines)


_SHOWN = ("assert", "out-of-bounds")
"""Findings of a script's launch that are told as asserts and faults."""


def fault(one: MemoryFault) -> str:
    """``load outside in_ptr1 (kernel line 47): element -640 of 0, in program 2 lane [0, 0]``."""
    return (
        f"{one.access} outside {one.argument} ({line_words(one.file, one.kernel_line)}): element "
        f"{one.element} of {one.size}, first in program {program(one.program)} lane "
        f"{lane(one.lane)}"
    )


def bad_step(outcome: Outcome, step: Step) -> str:
    """Why a failing step stops: lanes, values, and which assert came first."""
    result, recording = outcome.result, outcome.recording
    if step.kind != "assert":
        return "; ".join(fault(one) for one in step.faults)
    one = next((f for f in result.asserts if f.kernel_line == step.kernel_line), None)
    there = fired_in(one, recording) if one is not None else None
    values = f": {asserted_values(there, outcome.program)}" if there is not None else ""
    order = ""
    if one is not None and len(result.asserts) > 1:
        order = f" It is {'the first' if one.order == 0 else f'number {one.order + 1}'} of "
        order += f"{plural(len(result.asserts), 'assert')} that fail."
    return (
        f"The assert at {line_words(step.file, step.kernel_line)} fails in "
        f"{plural(failing_count(step), 'lane')} of program {program(recording.program)}"
        f"{values}.{order}"
    )


def step_value(state: State) -> str:
    """``k37 tmp4 = -1 in lane [0, 0]; [8, 1] -1 … 5``: what the step before the user assigns, and
    nothing for one that fails, of which more is said."""
    recording, outcome = state.recording, state.outcome
    if recording is None or outcome is None or state.position < 0:
        return ""
    step = recording.steps[state.position]
    if fails(step) or step.faults:
        return ""
    told = substituted(recording, outcome.program, state.position, state.lane)
    at = f" in lane {lane(state.lane)}" if isinstance(step.value, Block) and state.lane else ""
    return f"{line_words(step.file, step.kernel_line)}: {told}{at}"


def non_finite(one: NonFinite, *, first: bool) -> str:
    """``First NaN: step 17, tmp6, 3 lanes.``"""
    what = "NaN" if one.nan else "infinity"
    start = "First" if first else "New"
    masked = f" ({one.masked} more masked out)" if one.masked else ""
    return (
        f"{start} {what}: step {one.step.position + 1}, {one.step.name}, "
        f"{plural(len(one.lanes), 'lane')}{masked}."
    )


def no_non_finite(recording: Recording, found: Sequence[NonFinite], direction: int) -> str:
    """Why there is no step to go to that gets a NaN or an infinity."""
    if any(one.lanes for one in found):
        where = "after" if direction > 0 else "before"
        return f"No name gets its first NaN or infinity {where} this step."
    if found:
        one = found[0]
        return (
            f"No NaN and no infinity in a lane that holds data. Masked-out lanes have one, which "
            f"do not count: step {one.step.position + 1}, {one.step.name}, "
            f"{plural(one.masked, 'lane')}."
        )
    return (
        f"Nothing in program {program(recording.program)} gets a NaN or an infinity, apart "
        "from what the source itself writes."
    )


def verdict(outcome: Outcome) -> str:
    """What to make of a program that ended without a stop."""
    result, recording = outcome.result, outcome.recording
    if not result.asserts and not result.faults:
        return found(outcome)
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


def flags_at(recording: Recording, step: Step) -> str:
    """`` ⚑ …`` for what a line does that a CPU cannot do as the GPU did; ``""`` for other lines."""
    return "".join(
        f" ⚑ {flag.text}"
        for flag in recording.flags
        if (flag.file, flag.kernel_line) == (step.file, step.kernel_line)
    )
