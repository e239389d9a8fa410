"""What to change, with this failure's own names."""

from __future__ import annotations

from aoti_tui.failure.model import (
    BAD_INDEX,
    COMPILER_FAULT,
    Cause,
    Fix,
    GuardFinding,
    OpPattern,
    Source,
    ValueProvenance,
)
from aoti_tui.index.model import RUNTIME_CHECKS


def fixes_for(
    cause: Cause,
    bound: ValueProvenance,
    index: ValueProvenance,
    guards: tuple[GuardFinding, ...],
    ops: tuple[OpPattern, ...],
    kernel: str,
    device: str,
) -> tuple[Fix, ...]:
    """Changes for a cause, the most direct first, then what makes the next run tell more."""
    fixes: list[Fix] = []
    if cause.code in COMPILER_FAULT:
        fixes.append(_report_to_pytorch(cause, kernel))
    dims = [s for s in bound.sources if s.kind == "input_dim"]
    data = [s for s in index.sources if s.kind == "input"]
    made_of = [s for s in index.sources if s.kind in ("input", "constant", "random")]
    op = ops[0].pattern if ops else "the lookup"
    aten = ops[0].aten if ops else "the op"
    if cause.code == "empty-dimension" and dims:
        fixes.append(_return_early(dims[0]))
        fixes.append(
            Fix(
                f"guard the lookup at {aten}",
                f"`{op}`: clamp the size, not only the index. `(size - 1).clamp(min=0)` keeps -1 "
                "out, and a mask keeps the made-up row out of the result.",
            )
        )
    elif cause.code not in COMPILER_FAULT:
        fixes.append(_check_values(data, bound))
        fixes.append(
            Fix(
                f"guard the lookup at {aten}",
                f"`{op}`: `index.clamp(0, size - 1)` with a mask for the rows that were out of "
                f"range, or a `torch._check` that the index is below {bound.text}.",
            )
        )
    # Guards see sizes, not values: they help where a size is to blame.
    sizes_matter = cause.code == "empty-dimension" or (cause.code in BAD_INDEX and not made_of)
    if cause.code == "empty-dimension" and dims:
        fixes.append(_export_edges(dims, guards))
    if any(g.enforced == RUNTIME_CHECKS and g.would_catch is not False for g in guards):
        if sizes_matter:
            fixes.append(_runtime_checks(guards))
    elif sizes_matter and dims and all(g.enforced == "absent" for g in guards):
        fixes.append(_add_guard(dims))
    fixes.append(_next_run(device))
    return tuple(fixes)


def _return_early(dim: Source) -> Fix:
    return Fix(
        f"return early when input {dim.position} is empty",
        f"in `forward`: `if {_python(dim)} == 0: return …` before the model is called (an exported "
        f"graph has no such branch, so the caller checks `{_python(dim)}`), or pad it to one row.",
    )


def _python(dim: Source) -> str:
    return f"inputs[{dim.position}].size({dim.dim})"


def _check_values(data: list[Source], bound: ValueProvenance) -> Fix:
    limit = bound.text if not bound.sources else _limit(bound)
    if not data:
        return Fix(
            "check the sizes before the call",
            f"the index is made of sizes, not of data: make sure that it stays below {limit}.",
        )
    names = ", ".join(f"inputs[{s.position}]" for s in data)
    return Fix(
        "validate the index before the call",
        f"check that the values that come from {names} stay below {limit} and are not negative "
        "sentinels; reject or clamp the request where they do not.",
    )


def _limit(bound: ValueProvenance) -> str:
    parts = []
    for source in bound.sources:
        if source.kind == "input_dim":
            parts.append(f"inputs[{source.position}].size({source.dim})")
        elif source.kind == "constant_dim":
            parts.append(f"{source.fqn}.size({source.dim}) = {bound.text}")
        elif source.kind == "input_value":
            parts.append(f"the value of inputs[{source.position}]")
    if len(parts) == 1:
        return parts[0]
    return f"{bound.text} (made of {', '.join(parts)})" if parts else bound.text


def _export_edges(dims: list[Source], guards: tuple[GuardFinding, ...]) -> Fix:
    words = []
    for dim in dims:
        row = next((g for g in guards if (g.position, g.dim) == (dim.position, dim.dim)), None)
        low = row.min if row is not None and row.min is not None else 2
        high = row.max if row is not None and row.max is not None else None
        top = f", max={high}" if high is not None else ""
        words.append(
            f"dimension {dim.dim} of input {dim.position}: `Dim('d', min=0{top})` instead of the "
            f"{low} that export assumed, and test with sizes 0, 1"
            + (f" and {high}" if high is not None else " and the largest you serve")
        )
    return Fix("export with the edge cases", "; ".join(words) + ".")


def _runtime_checks(guards: tuple[GuardFinding, ...]) -> Fix:
    caught = [g for g in guards if g.enforced == RUNTIME_CHECKS and g.would_catch]
    would = (
        " They would have rejected this call with a message instead of killing the process."
        if caught
        else " They turn a wrong size into a message instead of a dead process."
    )
    return Fix(
        f"turn the compiled-in checks on: {RUNTIME_CHECKS}=1",
        f"set `{RUNTIME_CHECKS}=1` in the environment of the server.{would}",
    )


def _add_guard(dims: list[Source]) -> Fix:
    names = ", ".join(f"inputs[{d.position}].size({d.dim})" for d in dims)
    return Fix(
        "add the guard that is missing",
        f"nothing in the wrapper checks {names}: use `torch._check` in the model or a `Dim` with "
        "min and max at export.",
    )


def _report_to_pytorch(cause: Cause, kernel: str) -> Fix:
    return Fix(
        "report to PyTorch",
        f"this is a fault of the generated code ({cause.code}), not of your data: attach the "
        f"wrapper, the log, the source of {kernel}, the values above and the torch version.",
    )


def access_fixes(
    cause: Cause, sources: tuple[Source, ...], kernel: str, device: str
) -> tuple[Fix, ...]:
    """Changes for a bad access that no assert stands before."""
    fixes: list[Fix] = []
    data = dict.fromkeys(s.position for s in sources if s.kind == "input")
    if cause.code == "index-unchecked" and data:
        names = ", ".join(f"inputs[{position}]" for position in data)
        fixes.append(
            Fix(
                "check the values before the call",
                f"the values of {names} make the address, and nothing in the compiled model looks "
                "at them: reject or clamp those that lead outside, or say their range in the model "
                "with `torch._check`.",
            )
        )
    if cause.code == "guard-violated":
        fixes.append(
            Fix(
                f"give inputs that the model was compiled for, and turn {RUNTIME_CHECKS}=1 on",
                "the compiled-in checks then reject such a call with a message.",
            )
        )
    if cause.code in COMPILER_FAULT:
        fixes.append(_report_to_pytorch(cause, kernel))
    if cause.code == "view-out-of-storage":
        fixes.append(
            Fix(
                "work around it",
                "a view may reach past its storage only by mistake: look at `as_strided` and views "
                "with an offset in the model, and put a `.clone()` or `.contiguous()` before them, "
                "or index instead.",
            )
        )
    return (*fixes, _next_run(device))


_NEXT_RUN = {
    "cuda": "CUDA_LAUNCH_BLOCKING=1 (the Python traceback then names the right call), "
    "compute-sanitizer (names the kernel of a bad address)",
    "hip": "AMD_SERIALIZE_KERNEL=3 and HIP_LAUNCH_BLOCKING=1 (the Python traceback then names the "
    "right call; HIP builds up to torch 2.13 leave Triton's asserts out, so that an index out of "
    "range shows as a memory fault or as wrong results)",
    "xpu": "UR_L0_SERIALIZE=2 (each launch is waited for, so that the traceback names the right "
    "call)",
}


def _next_run(device: str) -> Fix:
    return Fix(
        "make the next run tell more",
        f"{_NEXT_RUN.get(device, _NEXT_RUN['cuda'])}, "
        "AOT_INDUCTOR_DEBUG_INTERMEDIATE_VALUE_PRINTER=1 at compile time (saves each kernel's "
        "tensors, which a replay can use), TORCH_LOGS=output_code (keeps the kernels).",
    )
