"""Why a log and the given inputs can disagree: each reason with what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aoti_tui.failure.model import Autotuning, Cause
from aoti_tui.index.model import Launch
from aoti_tui.replay.model import GivenInput
from aoti_tui.replay.session import ReplaySession

_VIEWS = ("aten.slice", "aten.select", "aten.narrow", "aten.as_strided", "aten.split", "aten.chunk")
GIVE_INPUTS = (
    "save the arguments of the call that fails just before it (`torch.save(tuple(inputs), "
    "'inputs.pt')`) and give those with --inputs"
)

_GIVE_WEIGHTS = "give the weights with --constants, or captured tensors with --tensors"
_GIVE_TENSORS = "give captured tensors with --tensors, for what a replay cannot work out"
_COMPARE_WRAPPERS = (
    "look whether the wrapper that the failed run itself wrote has this offset (TORCH_LOGS="
    "output_code shows it; the versions of torch may differ)"
)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How the replay of the likeliest launch disagrees with the log, in words; ``""`` where it
    does not disagree in that way."""

    launch: Launch
    unreached: str = ""
    empty: str = ""
    silent: bool = False
    """It runs on real data, and the assert holds."""
    elsewhere: bool = False
    """The assert fires, but not where the log says, or not as the first."""
    outside: bool = False
    """The log names a block that the grid does not have."""
    made_up: tuple[str, ...] = ()
    """What had to be made up and decides whether the assert fires."""
    more_data: str = ""
    """What would stand in for it."""
    dropped: str = ""
    """What a replay without some view's offset shows."""
    beyond: str = ""
    """An access before the assert that leaves its tensor whatever the data are."""


def more_data(session: ReplaySession) -> str:
    """What would have to be given so that a replay makes nothing up."""
    given = session.given
    if given.inputs is None and given.tensors is None and given.core is None:
        return "give the inputs of the failed call with --inputs"
    weights = session.index.constants and given.constants is None
    return _GIVE_WEIGHTS if weights else _GIVE_TENSORS


def reasons(
    found: Disagreement,
    index: str,
    launches: Sequence[Launch],
    given: Sequence[GivenInput],
    autotuning: Autotuning | None,
) -> tuple[Cause, ...]:
    """The reasons that fit, the likeliest first. ``index`` is the raw index of the assert."""
    return tuple(_reasons(found, index, launches, given, autotuning))


def _reasons(
    found: Disagreement,
    index: str,
    launches: Sequence[Launch],
    given: Sequence[GivenInput],
    autotuning: Autotuning | None,
) -> Iterator[Cause]:
    if found.dropped:
        yield Cause(
            "compiler-fault",
            f"{found.dropped}: the compiler of the failed run dropped where a view starts",
            False,
            confirm_with=_COMPARE_WRAPPERS,
        )
    if found.beyond:
        yield Cause(
            "view-out-of-storage",
            f"what stands behind a tensor reached the index: {found.beyond}; the replay reads 0 "
            "there, the GPU whatever it finds",
            False,
            confirm_with="run the failed call under compute-sanitizer, which names such an access",
        )
    disagrees = found.unreached or found.empty or found.silent or found.elsewhere or found.outside
    if (disagrees or found.made_up) and autotuning is not None:
        yield from tuned_on_random_data(autotuning)
    if found.outside:
        seen = f" (log line {autotuning.log_line} speaks of it)" if autotuning is not None else ""
        yield Cause(
            "other-block-sizes",
            "the kernel ran with other block sizes than the wrapper launches it with: while its "
            f"configurations were tried (autotuning){seen}, or as another compilation chose them",
            False,
            confirm_with="look for autotuning in the log, or compile with max_autotune=False",
        )
    if found.unreached:
        yield Cause(
            "branch-not-taken",
            f"the failed run came to this launch, these inputs do not: {found.unreached}",
            False,
            confirm_with=GIVE_INPUTS,
        )
    if found.empty:
        yield Cause(
            "empty-grid",
            f"with these inputs the launch has no program ({found.empty}), so no lane of it can "
            "fail: the failed run had more to do",
            False,
            confirm_with=GIVE_INPUTS,
        )
    if found.made_up:
        yield Cause(
            "made-up-data",
            f"the replay made up {', '.join(found.made_up)}: the true values decide",
            False,
            confirm_with=found.more_data,
        )
    if disagrees:
        said = "the failed run had other inputs than the given ones"
        if found.silent:
            said += f", with which {index} stays in range"
        yield Cause("other-inputs", said + _exchanged(given), False, confirm_with=GIVE_INPUTS)
    if found.silent and not (found.dropped or found.beyond):
        yield _fault(found, index, launches)


def tuned_on_random_data(autotuning: Autotuning) -> Iterator[Cause]:
    """That the compiler's own random data made an assert fire; nothing where the log only speaks
    of configurations that were tried on the data of the call."""
    if autotuning.kind != "configs":
        yield Cause(
            "tuned-on-random-data",
            "the assert fired while the compiler tuned kernels on random data, not on your inputs "
            f"(log line {autotuning.log_line} speaks of it)",
            False,
            confirm_with="compile with triton.autotune_at_compile_time=False and run again",
        )


def _exchanged(given: Sequence[GivenInput]) -> str:
    """Inputs that could stand in each other's place, in words."""
    for place, one in enumerate(given):
        for other in given[place + 1 :]:
            if one.shape and (one.dtype, one.shape) == (other.dtype, other.shape):
                return (
                    f" (inputs {one.position} and {other.position} have one dtype and shape: are "
                    "they in the right order?)"
                )
    return ""


def _fault(found: Disagreement, index: str, launches: Sequence[Launch]) -> Cause:
    """The GPU computing something else than the generated code says."""
    views = {
        op
        for launch in launches
        if launch.id <= found.launch.id
        for op in launch.aten
        if op.startswith(_VIEWS)
    }
    said = (
        f"if these are the inputs of the failed run, the GPU computed another {index} than the "
        "generated code says: a fault of the compiler"
    )
    how = (
        "run the call again with captured intermediates "
        "(AOT_INDUCTOR_DEBUG_INTERMEDIATE_VALUE_PRINTER=1) and compare them with the replay; "
        "report it to PyTorch with wrapper, log, inputs and the versions of torch and Triton"
    )
    if views:
        said += f", such as a view's offset that was dropped ({', '.join(sorted(views))})"
        how += "; until then `.clone()` the view before it is indexed or searched"
    return Cause("compiler-fault", said, False, confirm_with=how)
