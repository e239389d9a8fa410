"""What to do about generated code that is wrong: what to report, and what helps until then."""

from __future__ import annotations

from aoti_tui.failure.model import Cause, CauseCode, Fix

_SAY_VERSIONS = "the versions of torch and Triton (`python -m torch.utils.collect_env`)"
_MASK = (
    "the lanes that fail belong to no row and nothing keeps what they make: a clamp of the index "
    "to the table (`index.clamp(0, size - 1)`) changes no row and keeps them in range, and "
    "`torch._inductor.config.assert_indirect_indexing = False` compiles all such asserts out."
)
_QUOTIENT = (
    "the size is worked out as a float and cut: call with sizes for which the quotient comes out, "
    "pad the input to one, or write the size in the model so that no division is needed (pass it, "
    "or read it off another tensor)."
)
_STORAGE = (
    "a view may reach past its storage only by mistake: look at `as_strided` and views with an "
    "offset in the model, and put a `.clone()` or `.contiguous()` before them, or index instead."
)
_VIEW = "`.clone()` the view before it is indexed or searched: what is cloned starts at 0."
_SINGLE = (
    "work the size out in whole numbers (`n * 53 // 100` instead of `int(0.53 * n)`), or pass it "
    "as an argument, so that no float decides it."
)
_LANES = (
    "the lane's own number does not fit 32 bits: call with fewer elements at a time, or split the "
    "tensor."
)
_WORKAROUNDS: dict[CauseCode, str] = {
    "mask-too-narrow": _MASK,
    "symbol-truncated": _QUOTIENT,
    "overflow": _LANES,
    "view-out-of-storage": _STORAGE,
    "compiler-fault": _VIEW,
}


def report_to_pytorch(cause: Cause, kernel: str) -> Fix:
    """What to attach to a report of generated code that is wrong."""
    if cause.confirmed:
        said = f"this is a fault of the generated code ({cause.code}), not of your data"
    else:
        said = (
            "if these are the inputs of the failed run, this is a fault of the compiler "
            f"({cause.code}), not of your data"
        )
    return Fix(
        "report to PyTorch",
        f"{said}: attach the wrapper, the log, the inputs, the source of {kernel}, the values "
        f"above, the lines of the model that the kernel comes from, and {_SAY_VERSIONS}.",
    )


def work_around(
    code: CauseCode, *, single_precision: bool = False, requires: str | None = None
) -> Fix:
    """What helps until the compiler is mended. ``requires`` is a condition on the call under which
    the fault does not show."""
    said = _SINGLE if single_precision else _WORKAROUNDS[code]
    if requires is not None:
        said = f"`{requires}` must hold: {said}"
    return Fix("work around it", said, requires)
