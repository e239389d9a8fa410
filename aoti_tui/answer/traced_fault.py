"""The launch that a traceback names for a bad address: all that a log alone tells of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aoti_tui.failure.model import Failure
from aoti_tui.failure.prose.words import plural
from aoti_tui.index.model import Launch, WrapperIndex
from aoti_tui.kernel.model import KernelProgram

ProgramOf = Callable[[str], KernelProgram]
_GIVE = (
    ". To find the access, give --inputs INPUTS.pt of the failed call (the model is replayed up to "
    "its first access outside of a tensor), or --core FILE of a run with "
    "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1 (it holds this launch with its data)"
)


def traced_fault_notes(
    index: WrapperIndex, program_of: ProgramOf, traced: Sequence[Launch], *, given: bool
) -> tuple[str, ...]:
    """What is to be said of the launches that the traceback of a bad address names. ``given`` says
    that there are inputs to replay with."""
    graph = f" of graph {index.graph}" if index.graph else ""
    return tuple(
        f"the traceback names {launch.kernel} (launch :{launch.line}{graph}), "
        f"{_asserts(program_of(launch.kernel))}. It is this launch if the run had "
        "CUDA_LAUNCH_BLOCKING=1; without, it can be one before it" + ("" if given else _GIVE)
        for launch in traced
    )


def traced_headline(traced: Sequence[Launch]) -> str:
    """What a log without an assert is of, in one line."""
    places = ", ".join(f"{launch.kernel} (:{launch.line})" for launch in traced)
    return f"a bad address and no assert; the traceback names {places}"


def against_traceback(failure: Failure, index: WrapperIndex, traced: Sequence[Launch]) -> str:
    """What a traceback that names a launch of another kernel says against a failure that a replay
    found; ``""`` where it says nothing against it."""
    blamed = failure.launch
    if blamed is None or not traced or failure.kernel in {one.kernel for one in traced}:
        return ""
    order = {launch.id: at for at, launch in enumerate(index.launches)}
    last = max(traced, key=lambda one: order[one.id])
    said = (
        f"the traceback names {last.kernel} (:{last.line}), and with these inputs "
        f"{failure.kernel} (:{blamed.line}) fails"
    )
    if order[last.id] < order[blamed.id]:
        return f"{said}, which only runs after it: are they the inputs of the failed run?"
    return (
        f"{said} before it: that fits a run without CUDA_LAUNCH_BLOCKING=1 only; with it, these "
        "are not the inputs of the failed run"
    )


def _asserts(program: KernelProgram) -> str:
    count = sum(not one.disabled for one in program.asserts)
    if not count:
        return "which has no assert: nothing in it checks an index"
    return f"whose {plural(count, 'assert')} did not fire: another access, or a build without them"
