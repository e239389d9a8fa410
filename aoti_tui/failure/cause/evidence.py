"""What a replay or the inputs showed of a failure, as plain numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from aoti_tui.failure.model import BadElements, Cause


@dataclass(frozen=True, slots=True)
class Evidence:
    """Counts over the failing lanes that were looked at.

    ``equal`` counts raw indices that are exactly the bound, ``above`` those beyond it, ``below``
    those too small (below ``-bound`` where the kernel wraps negatives, below 0 where not).
    ``masked_out`` is whether every failing lane takes part in no access that uses the index;
    None when that was not looked at.
    """

    bound: int | None = None
    failing: int = 0
    equal: int = 0
    above: int = 0
    below: int = 0
    allowed: int = 0
    """Raw indices that the bound as written allows: the kernel compares with another number."""
    raw_min: int | None = None
    raw_max: int | None = None
    masked_out: bool | None = None
    beyond_axes: str = ""
    """How every failing lane lies beyond the launch's axes, in words; ``""`` where one does not."""
    truncated_symbol: str | None = None
    """``s65 = (1.0/4.0)*arg1_1_size_0 gave 2, exactly it is 3``."""
    overflow: str | None = None
    """The temporary that wrapped, in words."""
    own_arithmetic: bool = False
    """Whether it is made of data, which the model's own narrow integers hold: eager mode wraps as
    well. Otherwise it is a lane's number, which only the compiler made narrow."""
    chosen_by: str = ""
    """The comparison with a NaN or infinity that chose the index, in words."""
    not_held: str = ""
    """The NaN or infinity that was cast to the index, in words."""
    made_up: bool = False
    """Some of it rests on made-up data: nothing can be confirmed by it."""
    fired: bool = False
    """The replay made this assert fire."""
    programs: tuple[tuple[int, int, int], ...] = ()
    values: dict[str, int | float | bool] = field(default_factory=dict)
    """The first failing lane's values by name."""
    notes: tuple[str, ...] = ()
    bad: BadElements | None = None
    """Elements of an input that the failing lanes loaded their index from, unchanged."""
    contradictions: tuple[str, ...] = ()
    """What the log or the values say against it: nothing can be confirmed."""
    reasons: tuple[Cause, ...] = ()
    """Why log and inputs can disagree, the likeliest first."""
    undecided: tuple[str, ...] = ()
    """What would have to be known before anything can be confirmed."""
    confirm_with: str = ""
    """What would tell more, after a replay that left it open."""
    traced: str = ""
    """Where a bad index was seen, in words, when it is no input's element unchanged."""
