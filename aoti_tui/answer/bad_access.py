"""Where the model first leaves a tensor: the search that a memory fault of a log leads to.

The GPU reports such a fault late and without a place, so the whole model is replayed, launch by
launch, up to the first assert that fires or the first access outside of its tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aoti_tui.answer.reasons import GIVE_INPUTS, more_data
from aoti_tui.answer.trace import TracedElement, trace_address
from aoti_tui.answer.traced_fault import against_traceback
from aoti_tui.failure.bad_access import accesses, address_of, explain_access
from aoti_tui.failure.cause.single_precision import in_single_precision
from aoti_tui.failure.explain import Explainer
from aoti_tui.failure.model import BadAccess, Cause, CauseCode, Failure, Source, ValueProvenance
from aoti_tui.failure.model import MemoryFault as LoggedFault
from aoti_tui.failure.prose.headline import short_assert
from aoti_tui.failure.prose.words import input_words, plural, source_words
from aoti_tui.failure.provenance.known import Known
from aoti_tui.failure.provenance.tree import walk
from aoti_tui.flow.access import parameters_behind
from aoti_tui.index.model import Launch, WrapperIndex
from aoti_tui.kernel.indexed import indexed_accesses
from aoti_tui.kernel.model import KernelAssert, KernelProgram
from aoti_tui.kernel.parse import names_read
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import MemoryFault, ReplayResult
from aoti_tui.replay.questions.all_launches import AllLaunches
from aoti_tui.replay.questions.truncated import TruncatedSymbol, truncation_words
from aoti_tui.replay.session import ReplaySession

_SIZES = ("input_dim", "constant_dim", "buffer_dim", "input_value", "literal")
"""Kinds of sources that are sizes, or numbers that sizes are made of."""
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class _Found:
    """A fault of a replay with all that is known of its address."""

    launch: Launch
    result: ReplayResult
    access: BadAccess
    address: ValueProvenance
    elements: tuple[TracedElement, ...]
    loaded: tuple[str, ...]
    """What else the failing lane loaded for its address, in words."""
    made_up: bool
    followed: bool
    """Whether the line tells what the address is made of: in a helper of a template it does not."""
    problems: tuple[str, ...]
    """Guards that the inputs break, and checks of the wrapper that fail before."""
    truncated: tuple[TruncatedSymbol, ...]
    """Sizes that came out wrong, and that the address or the tensor's size is made of."""
    guarded_by: KernelAssert | None
    """The assert of the index that the access uses, which let it through."""


def first_bad_access(
    session: ReplaySession, explainer: Explainer, known: Known, done: AllLaunches
) -> Failure | None:
    """The first access outside of its tensor, explained; None where an assert fires before, or
    nothing fails. Raises ReplayError."""
    first = done.first
    if first is None or first.result is None or first.status != "fault":
        return None
    launch, result = first.launch, first.result
    fault = result.faults[0]
    access = _access(session, launch, fault, known)
    address = address_of(explainer, launch, access, known)
    program = explainer.program_of(launch.kernel)
    names = [
        name
        for one, _ in accesses(program, fault.kernel_line, fault.argument)
        if one.offset is not None
        for name in names_read(one.offset)
    ]
    invented = {a.name for a in result.arguments if a.source == "made-up"}
    # What an address is made of that cannot be followed may rest on anything that was made up.
    behind = parameters_behind(program, names) if names else invented
    made_up = bool(behind & invented)
    elements: tuple[TracedElement, ...] = ()
    loaded: tuple[str, ...] = ()
    notes: list[str] = []
    if not made_up:
        try:
            elements, loaded = trace_address(session, explainer.flow, launch, access, names)
        except ReplayError as error:
            if error.kind in ("cancelled", "unavailable"):
                raise
            notes.append(f"the address was not followed to its inputs: {error.why}")
    problems = (*session.input_problems(), *done.checks)
    on_path = _symbols_of(explainer, launch, access, address)
    found = _Found(
        launch,
        result,
        access,
        address,
        elements,
        loaded,
        made_up,
        bool(names),
        problems,
        tuple(one for one in done.truncated if one.name in on_path),
        _guarding(program, access),
    )
    cause = _cause(found, known, more_data(session), by_hand=session.index.is_script)
    return explain_access(explainer, launch, access, address, cause, known, tuple(notes))


def beyond_by_sizes(
    session: ReplaySession, explainer: Explainer, launch: Launch, fault: MemoryFault, known: Known
) -> str:
    """What is said of an access whose address depends on sizes alone and leaves its tensor,
    although the inputs pass the guards; ``""`` for any other."""
    access = _access(session, launch, fault, known)
    sources = address_of(explainer, launch, access, known).sources
    if session.input_problems() or not sources or any(s.kind not in _SIZES for s in sources):
        return ""
    sizes = "; ".join(source_words(source) for source in sources)
    return (
        f"{launch.kernel} (:{launch.line}, kernel line {fault.kernel_line}): {access.words}; the "
        f"address depends on sizes alone ({sizes}), and the inputs pass the guards"
    )


def beside_the_log(
    failure: Failure,
    faults: Sequence[LoggedFault],
    index: WrapperIndex,
    traced: Sequence[Launch] = (),
) -> Failure:
    """The answer to a log's memory faults: not confirmed where a checker, or the launch that a
    traceback names, is of another kernel."""
    named = dict.fromkeys(fault.kernel for fault in faults if fault.kernel)
    # Triton up to 3.0 adds to the name what it specialised (``triton_poi_fused_0d1d2``).
    names = (failure.kernel, index.kernels[failure.kernel].function)
    if any(one.startswith(names) for one in named):
        return failure
    if named:
        said = (
            f"the log names {' and '.join(named)}, and with these inputs {failure.kernel} fails "
            "before: are they the inputs of the failed run?"
        )
    else:
        said = against_traceback(failure, index, traced)
    if not said:
        return failure
    cause = replace(failure.cause, confirmed=False, confirm_with=GIVE_INPUTS)
    return replace(failure, cause=cause, contradictions=(*failure.contradictions, said))


def assert_left_out(device: str) -> str:
    """Why an assert that fires in a replay can have been a memory fault on the GPU."""
    said = "the log has a memory fault where this assert fires in the replay"
    if device == "hip":
        return f"{said}: HIP builds up to torch 2.13 leave Triton's asserts out"
    return f"{said}: asserts may have been left out of the compiled kernel, or the log is cut"


def _access(session: ReplaySession, launch: Launch, fault: MemoryFault, known: Known) -> BadAccess:
    passed = launch.argument(fault.argument)
    base = passed.tensor.base if passed is not None and passed.tensor is not None else ""
    given, constant = session.index.input_named(base), session.index.constant_named(base)
    tensor = base or fault.argument
    if given is not None:
        tensor = input_words(
            Source("input", given.position, name=base, user=known.user.get(given.position))
        )
    elif constant is not None:
        tensor = f"constant {constant.fqn or base}"
    return BadAccess(
        fault.access,
        fault.kernel_line,
        fault.argument,
        tensor,
        fault.element,
        fault.size,
        fault.program,
        fault.lane,
        fault.count,
    )


def _cause(found: _Found, known: Known, confirm_with: str, *, by_hand: bool) -> Cause:
    code, text = _verdict(found, known, by_hand=by_hand)
    access = found.access
    x, y, z = access.program
    evidence = [
        f"program ({x}, {y}, {z}), lane {list(access.lane)}, {plural(access.lanes, 'lane')} of "
        f"{found.launch.kernel} (:{found.launch.line})",
        *found.problems,
    ]
    if found.made_up:
        evidence.append("the replay rests on made-up data for what is not known")
    how = confirm_with if found.made_up else ""
    return Cause(code, text, not found.made_up, tuple(evidence), how)


def _verdict(found: _Found, known: Known, *, by_hand: bool) -> tuple[CauseCode, str]:
    access, sources = found.access, found.address.sources
    leads = f"element {access.element} of {access.tensor}, which has {access.size}"
    if found.guarded_by is not None and not found.problems and not found.truncated:
        return "compiler-fault", _let_through(found.guarded_by, leads)
    if any(source.kind not in _SIZES for source in sources) or found.elements:
        who = ", ".join(_element_words(one, known) for one in found.elements[:_SHOWN])
        who = who or ", ".join(found.loaded[:_SHOWN])
        ends = "; ".join(source_words(s) for s in sources if s.kind not in _SIZES)
        return (
            "index-unchecked",
            f"{who or ends or 'data'} leads to {leads}, and no assert checks this index",
        )
    if not found.followed:
        return (
            "index-unchecked",
            f"an address reaches {leads}, and no assert checks it; what it is made of was not "
            "followed through the kernel's functions: step through the program",
        )
    if by_hand:
        # No compiler made this address, and no guard stands before it.
        return "index-unchecked", f"an address reaches {leads}, and no mask keeps it inside"
    sizes = "; ".join(source_words(s) for s in sources) or "numbers that were fixed when compiled"
    if found.truncated:
        words = "; ".join(truncation_words(one) for one in found.truncated)
        return "symbol-truncated", f"a size came out wrong: {words}; so the address reaches {leads}"
    depends = f"the address depends on sizes alone ({sizes}) and reaches {leads}"
    if found.problems:
        return "guard-violated", f"{depends}; the inputs break a guard: {found.problems[0]}"
    return (
        "view-out-of-storage",
        f"{depends}, although the inputs pass the guards: the generated code views more memory "
        "than there is (an `as_strided` of the model, or a fault of the compiler), whatever the "
        "data are",
    )


def _symbols_of(
    explainer: Explainer, launch: Launch, access: BadAccess, address: ValueProvenance
) -> set[str]:
    """Symbols that an address, and the size of the tensor that it leaves, are made of."""
    names = {node.name for node in walk(address.tree) if node.kind == "symbol"}
    passed = launch.argument(access.parameter)
    if passed is not None and passed.tensor is not None:
        layout = explainer.flow.sizes_of(passed.tensor, explainer.flow.before(launch))
        names.update(name for size in (layout or ((), ()))[0] for name in size.names())
    return names


def _guarding(program: KernelProgram, access: BadAccess) -> KernelAssert | None:
    for one in program.asserts:
        if one.disabled:
            continue
        for checked in indexed_accesses(program, one):
            if (checked.line, checked.pointer) == (access.kernel_line, access.parameter):
                return one
    return None


def _let_through(guard: KernelAssert, leads: str) -> str:
    said = (
        f"an index that the assert of kernel line {guard.line} lets through "
        f"(`{short_assert(guard.message)}`) leads to {leads}: the bound is not the tensor's size"
    )
    if in_single_precision(guard.upper or ""):
        said += ", because the kernel works it out in single precision"
    return said


def _element_words(one: TracedElement, known: Known) -> str:
    place = one.name
    if one.position is not None:
        user = known.user.get(one.position)
        place = input_words(Source("input", one.position, name=one.name, user=user))
    return f"{place} element {list(one.index)} = {one.value}"
