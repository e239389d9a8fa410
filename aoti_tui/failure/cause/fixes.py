"""What to change, with this failure's own names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from aoti_tui.failure.cause.faults import report_to_pytorch, work_around
from aoti_tui.failure.cause.single_precision import in_single_precision
from aoti_tui.failure.condition.formula import Of
from aoti_tui.failure.condition.inequality import Condition, index_words
from aoti_tui.failure.model import (
    BAD_INDEX,
    COMPILER_FAULT,
    Cause,
    Fix,
    GuardFinding,
    IndexedTensor,
    OpPattern,
    Source,
    ValueProvenance,
)
from aoti_tui.index.model import RUNTIME_CHECKS

_LONGEST = 110
"""Characters of a condition that is said whole."""


@dataclass(frozen=True, slots=True)
class Asked:
    """All that the fixes of one failure are chosen by."""

    cause: Cause
    bound: ValueProvenance
    index: ValueProvenance
    guards: tuple[GuardFinding, ...]
    kernel: str
    device: str
    condition: Condition = field(default_factory=Condition)
    ops: tuple[OpPattern, ...] = ()
    """Of the access that the assert guards: one where it is decided."""
    stores: bool = False
    """Whether that access writes."""
    ignored: int | None = None
    """What marks the elements that a loss leaves out, where the index is a loss's target."""
    indexed: IndexedTensor | None = None
    reached: int | None = None
    """The worst index that was seen."""
    refuted: bool = False
    """Whether a replay with the given inputs does not fail: they are not those of the failure."""
    nan: tuple[int, ...] = ()
    """Inputs that hold the NaN which the index was made of."""
    own_arithmetic: bool = False
    """Whether what wrapped is the model's own arithmetic on data, as it is in eager mode."""
    given: bool = True
    """Whether the sizes of a call are known."""
    quotient: str | None = None
    """What must hold so that a size that is worked out as a float quotient is not cut."""

    @property
    def limit(self) -> str:
        """The bound in the caller's terms, with its number."""
        said = self.condition.bound or self.bound.text
        value = self.bound.value
        table = next((s for s in self.bound.sources if s.kind == "constant_dim"), None)
        if table is not None and len(self.bound.sources) == 1:
            said = f"{table.fqn}.size({table.dim})"
        return said if value is None or said == str(int(value)) else f"{said} = {int(value)}"


def fixes_for(asked: Asked) -> tuple[Fix, ...]:
    """Changes for a cause, the most direct first, then what makes the next run tell more."""
    cause, guards = asked.cause, asked.guards
    if cause.code in COMPILER_FAULT and not asked.own_arithmetic:
        return _of_the_compiler(asked)
    dims = [s for s in asked.bound.sources if s.kind == "input_dim"]
    if not dims and len(asked.bound.may_also_name) == 1:
        dims = [*asked.bound.may_also_name]
    made_of = [s for s in asked.index.sources if s.kind in ("input", "constant", "random")]
    if cause.code == "tuned-on-random-data":
        return (_no_tuning(), _next_run(asked.device))
    if cause.code == "empty-dimension" and dims and cause.confirmed:
        fixes = [_return_early(asked, dims[0]), _clamp_size(asked), _export_edges(dims, guards)]
    else:
        fixes = [_wider()] if cause.code == "overflow" else []
        fixes += [
            _condition(asked),
            *_clamped(asked),
            *_table(asked),
            *_longest(asked),
            _at_the_access(asked),
        ]
    # Guards see sizes, not values: they help where a size is to blame.
    sizes_matter = cause.code == "empty-dimension" or (cause.code in BAD_INDEX and not made_of)
    if any(g.enforced == RUNTIME_CHECKS and g.would_catch is not False for g in guards):
        if sizes_matter:
            fixes.append(_runtime_checks(guards))
    elif sizes_matter and dims and all(g.enforced == "absent" for g in guards):
        fixes.append(_add_guard(dims))
    fixes.append(_next_run(asked.device))
    return tuple(fixes)


def _of_the_compiler(asked: Asked) -> tuple[Fix, ...]:
    cause = asked.cause
    single = cause.code == "compiler-fault" and in_single_precision(asked.bound.text)
    requires = asked.quotient if cause.code == "symbol-truncated" else None
    return (
        report_to_pytorch(cause, asked.kernel),
        work_around(cause.code, single_precision=single, requires=requires),
        _next_run(asked.device),
    )


def _no_tuning() -> Fix:
    return Fix(
        "compile without autotuning on random data",
        "`torch._inductor.config.triton.autotune_at_compile_time = False`: the kernels are then "
        "tuned at their first run, on the data of the call, and an assert that still fires speaks "
        "of your inputs. Nothing says yet that model or inputs are wrong.",
    )


def _wider() -> Fix:
    return Fix(
        "convert to 64 bits before the arithmetic",
        "the model works this out in the narrow integers that it was given, and wraps in eager "
        "mode as well: `.long()` the tensor before it is multiplied or added to.",
    )


def _condition(asked: Asked) -> Fix:
    """What must hold of the call, with its numbers."""
    condition = asked.condition
    title = "validate the index before the call"
    data = [s for s in asked.index.sources if s.kind == "input"]
    if asked.nan:
        demands = " and ".join(f"not bool(inputs[{p}].isnan().any())" for p in asked.nan)
        said = f"`{demands}` must hold: the index is made of a NaN that the call brings."
        return Fix("keep NaN out of the call", said, None if asked.refuted else demands)
    if condition.text is None:
        if not data:
            title = "check the sizes before the call"
        names = " and ".join(f"inputs[{s.position}]" for s in data) or "values of the model's own"
        if not asked.given:
            return Fix(
                title,
                f"the index is made of {names}, and must stay below {asked.limit}; which condition "
                "on the call that is depends on sizes that the wrapper does not tell: give a "
                "call's arguments with --inputs.",
            )
        return Fix(
            title,
            f"the index is computed from {names} in a way that gives no condition on the call "
            f"alone: check it where it is computed, it must stay below {asked.limit}.",
        )
    if not condition.has_data:
        title = "check the sizes before the call"
    if "inputs[" not in condition.text and "constants[" not in condition.text:
        return _fixed_sizes(asked, title)
    if asked.refuted:
        return Fix(title, f"`{_shown(asked)}` must hold: the given inputs do not break it.")
    return Fix(title, f"`{_shown(asked)}` must hold{_here(asked)}.", condition.text)


def _fixed_sizes(asked: Asked, title: str) -> Fix:
    """Where index and bound are numbers that the compiler knew: the size behind the bound."""
    reach, sources = asked.condition.reach_value, asked.bound.sources
    if reach is None or len(sources) != 1 or sources[0].kind != "input_dim":
        return Fix(
            title,
            "the sizes are fixed when compiled, so that no condition on the call helps"
            f"{_here(asked)}: compile with a tensor that has the rows which the index reaches.",
        )
    demands = f"{_python(sources[0])} > {reach}"
    said = f"`{demands}` must hold: the index runs to {reach} whatever the data"
    size = "" if asked.bound.value is None else f", and the size is {int(asked.bound.value)}"
    return Fix(title, f"{said}{size}.", None if asked.refuted else demands)


def _shown(asked: Asked) -> str:
    """The condition, or of a long one the side that did not hold."""
    condition = asked.condition
    whole = condition.text or ""
    if len(whole) <= _LONGEST:
        return whole
    sides = (condition.below, condition.above)
    first, second = sides[::-1] if asked.cause.code == "index-too-negative" else sides
    return first or second or whole


def _here(asked: Asked) -> str:
    if asked.reached is None or asked.bound.value is None:
        return ""
    down = asked.cause.code == "index-too-negative"
    verb = "goes down to" if down else "reaches"
    return f": here the index {verb} {asked.reached}, and the bound is {int(asked.bound.value)}"


def _table(asked: Asked) -> list[Fix]:
    """What the indexed tensor must have, where the index has an end whatever the data holds."""
    condition, bound = asked.condition, asked.bound.value
    reach, what = condition.reach_value, index_words(condition.index)
    if reach is None or not what or bound is None or reach < bound:
        return []
    table = asked.indexed
    name = "the table" if table is None else f"inputs[{table.position}]"
    if table is not None and table.position is None:
        name = table.name
    if table is not None and table.dim is not None:
        name = f"dimension {table.dim} of {name}"
    return [
        Fix(
            "give the table the rows that the index can reach",
            f"the index is {what}: it runs from 0 to {reach} whatever the values, so {name} needs "
            f"{reach + 1}, and has {int(bound)}"
            + ("; or take it modulo the size." if "modulo" in what else "."),
        )
    ]


def _clamped(asked: Asked) -> list[Fix]:
    """One row less, where the index is clamped to the size itself."""
    index, bound = asked.condition.index, asked.bound.value
    while isinstance(index, Of) and index.operator in ("int", "where"):
        index = index.arguments[0 if index.operator == "int" else 1]
    reach = asked.condition.reach_value
    if not isinstance(index, Of) or index.operator != "min" or bound is None or reach != bound:
        return []
    return [
        Fix(
            "clamp to the last row",
            f"the index is clamped to {int(bound)}, which is the size itself: clamp it to the "
            f"size - 1, so to {int(bound) - 1} here.",
        )
    ]


def _longest(asked: Asked) -> list[Fix]:
    """The largest size to export with, where one dimension decides."""
    found = re.fullmatch(r"inputs\[(\d+)\]\.size\((\d+)\) (<=?) (\d+)", asked.condition.below or "")
    if found is None:
        return []
    position, dim, most = int(found[1]), int(found[2]), int(found[4]) - (found[3] == "<")
    row = next((g for g in asked.guards if (g.position, g.dim) == (position, dim)), None)
    instead = f" instead of {row.max}" if row is not None and row.max is not None else ""
    return [
        Fix(
            "export with the largest size that fits",
            f'dimension {dim} of input {position}: `Dim("…", max={most})`{instead}, or give the '
            "table more rows.",
        )
    ]


def _at_the_access(asked: Asked) -> Fix:
    """The same at the line of the model that looks up or writes."""
    names = " or ".join(op.aten for op in asked.ops) or "the op"
    said = "  or  ".join(dict.fromkeys(op.pattern for op in asked.ops)) or "the lookup"
    if asked.ignored is not None:
        return _ignore(asked, names, said)
    if asked.stores:
        return Fix(
            f"guard the write at {names}",
            f"`{said}`: leave out what has an index outside of the tensor (select index and values "
            "by a mask), or pad with a row of its own: a clamp would write it into the last row.",
        )
    return Fix(
        f"guard the lookup at {names}",
        f"`{said}`: `index.clamp(0, size - 1)` with a mask for the rows that were out of "
        f"range, or a `torch._check` that the index is below {asked.limit}.",
    )


def _ignore(asked: Asked, names: str, said: str) -> Fix:
    size = None if asked.bound.value is None else int(asked.bound.value)
    classes = "" if size is None else f" from 0 to {size - 1}"
    value = asked.reached
    if size is not None and value is not None and value >= size:
        return Fix(
            f"give the loss at {names} a class for each target",
            f"`{said}`: the target {value} is no class{classes}: are the classes counted from 1, "
            f"or has the model too few outputs? Where {value} marks what shall not count, pass "
            f"`ignore_index={value}` or write {asked.ignored} into the targets; a clamp would "
            "count it as a class.",
        )
    mark = "ignore_index=…" if value is None else f"ignore_index={value}"
    holds = "a target" if value is None else f"the target {value}"
    return Fix(
        f"leave the element out with {mark} at {names}",
        f"`{said}`: {holds} is no class{classes}, and only {asked.ignored} is left out. Where it "
        f"marks what shall not count, pass `{mark}` or write {asked.ignored} into the targets; "
        "a clamp would count it as a class.",
    )


def _clamp_size(asked: Asked) -> Fix:
    names = " or ".join(op.aten for op in asked.ops) or "the op"
    said = "  or  ".join(dict.fromkeys(op.pattern for op in asked.ops)) or "the lookup"
    return Fix(
        f"guard the {'write' if asked.stores else 'lookup'} at {names}",
        f"`{said}`: clamp the size, not only the index. `(size - 1).clamp(min=0)` keeps -1 "
        "out, and a mask keeps the made-up row out of the result.",
    )


def _return_early(asked: Asked, dim: Source) -> Fix:
    literal = "inputs[" not in (asked.condition.bound or "")
    return Fix(
        f"return early when input {dim.position} is empty",
        f"in `forward`: `if {_python(dim)} == 0: return …` before the model is called (an exported "
        f"graph has no such branch, so the caller checks `{_python(dim)}`), or pad it to one row.",
        f"{_python(dim) if literal else asked.condition.bound} > 0",
    )


def _python(dim: Source) -> str:
    return f"inputs[{dim.position}].size({dim.dim})"


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


def access_fixes(
    cause: Cause, sources: tuple[Source, ...], kernel: str, device: str, condition: Condition
) -> tuple[Fix, ...]:
    """Changes for a bad access that no assert stands before; ``condition`` is what keeps it inside
    of its tensor."""
    fixes: list[Fix] = []
    data = dict.fromkeys(s.position for s in sources if s.kind == "input")
    if cause.code == "index-unchecked" and data:
        names = ", ".join(f"inputs[{position}]" for position in data)
        demands = f"`{condition.text}` must hold: " if condition.text is not None else ""
        fixes.append(
            Fix(
                "check the values before the call",
                f"{demands}the values of {names} make the address, and nothing in the compiled "
                "model looks at them. Reject or clamp those that lead outside, or say their range "
                "in the model with `torch._check`.",
                condition.text,
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
        fixes += [report_to_pytorch(cause, kernel), work_around(cause.code)]
    return (*fixes, _next_run(device))


_NEXT_RUN = {
    "cuda": "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1 (costs nothing until it fails; the file holds the "
    "failing launch with its data, which `--core FILE` opens), CUDA_LAUNCH_BLOCKING=1 (the Python "
    "traceback then names the right call), "
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
