"""Findings in words: what happened, with the numbers that show it."""

from __future__ import annotations

from ...engine.errors import Hanging
from ...engine.findings.findings import Fault, FiredAssert
from ...engine.findings.notices import Notice
from ...engine.values.arguments import Argument
from ...source.place import NOWHERE
from .finding import Finding, Kind
from .not_finite import Origin
from .overflow import Overflow

_DID = {"load": "reads", "store": "writes", "atomic": "updates"}


def assert_finding(fired: FiredAssert) -> Finding:
    """A device assert that failed."""
    return Finding(
        "assert",
        fired.place,
        f"assert failed: {fired.message}" if fired.message else "assert failed",
        program=fired.first_program,
        lane=tuple(fired.lane),
        count=fired.lanes,
        values=fired.values,
    )


def bounds_finding(fault: Fault) -> Finding:
    """An access outside of its storage."""
    if not fault.argument:
        where = f"the address {fault.element:#x}"
        text = f"{_DID[fault.access]} {where}, which is in no tensor of the launch"
    else:
        has = f"which has {fault.size} elements" if fault.size else "which has no elements"
        text = f"{_DID[fault.access]} {fault.argument}[{fault.element}], {has}"
    return Finding(
        "out-of-bounds",
        fault.place,
        text,
        fault.argument or None,
        fault.element,
        fault.program,
        tuple(fault.lane),
        fault.count,
    )


def hang_finding(endless: Hanging) -> Finding:
    """A loop without an end."""
    return Finding("hang", endless.place or NOWHERE, endless.reason)


def overflow_finding(fault: Fault, overflow: Overflow) -> Finding:
    """The operation that made an access go astray."""
    return Finding(
        "overflow",
        overflow.place,
        f"{overflow.text}, and the offset of {fault.argument} follows from it",
        fault.argument,
        fault.element,
        fault.program,
        tuple(fault.lane),
        fault.count,
        {"left": overflow.left, "right": overflow.right, "exact": overflow.exact},
    )


def beyond_view_finding(notice: Notice, argument: Argument) -> Finding:
    """An access inside of the storage that the tensor which was passed does not lead to."""
    reach = argument.reach
    shape = list(reach.shape) if reach is not None else []
    return _of(
        "beyond-view",
        notice,
        f"{_DID[notice.access]} {notice.argument}[{notice.element}], which lies in its storage "
        f"but outside of the tensor that was passed (shape {shape})",
    )


def unwritten_finding(notice: Notice) -> Finding:
    """A read of what nobody wrote."""
    return _of(
        "unwritten-read",
        notice,
        f"{_DID[notice.access]} {notice.argument}[{notice.element}] before anything was written "
        "there, and what the kernel does depends on it",
    )


def race_finding(notice: Notice) -> Finding:
    """Two programs at one element in no order."""
    other = "another program" if notice.other is None else f"program {list(notice.other)}"
    text = (
        f"program {list(notice.program)} {_DID[notice.access]} {notice.argument}[{notice.element}]"
        f" in no order with {other}"
    )
    return _of("race", notice, text)


def not_finite_finding(notice: Notice, origin: Origin) -> Finding:
    """What made a NaN or an infinity that was stored."""
    kind = "NaN" if notice.value != notice.value else str(notice.value)
    where = f"{notice.argument}[{notice.element}]"
    if origin.name is None:
        text = f"the value stored to {where} becomes {kind} here"
    else:
        shown = ", ".join(f"{name} = {value:.9g}" for name, value in origin.values.items())
        text = f"{origin.name} becomes {kind} here"
        text += f" ({shown})" if shown else ""
        text += f" and reaches {where} in line {notice.place.line}"
    return Finding(
        "nan",
        origin.place,
        text,
        notice.argument,
        notice.element,
        notice.program,
        origin.lane,
        notice.count,
        origin.values,
    )


def _of(kind: Kind, notice: Notice, text: str) -> Finding:
    return Finding(
        kind,
        notice.place,
        text,
        notice.argument,
        notice.element,
        notice.program,
        tuple(notice.lane),
        notice.count,
    )
