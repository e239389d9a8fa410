"""What the arguments of a graph of torch.compile are to the user."""

from __future__ import annotations

from collections.abc import Mapping

from aoti_tui.failure.model import UserTerm
from aoti_tui.index.model import WrapperIndex
from aoti_tui.replay.data.inputs import Decoded

_UNKNOWN = UserTerm("unknown")
_MOST_TOLD = 6


def user_terms(index: WrapperIndex, decoded: Decoded | None) -> Mapping[int, UserTerm]:
    """What each argument of ``call`` is to the user, by position; empty for AOTInductor.

    ``decoded`` are the given inputs: where they are the user's own, they tell.
    """
    if not index.graph:
        return {}
    terms = {one.position: _UNKNOWN for one in index.inputs}
    if decoded is not None and decoded.binding.is_users:
        for position, place in enumerate(decoded.binding.places):
            if place is not None:
                name = _name(decoded.keys[place])
                sure = position not in decoded.binding.unsure
                terms[position] = UserTerm("input", place, name, sure)
    return terms


def _name(key: str) -> str:
    """The name of a value of a dict; what stands in a tuple or list has a number alone."""
    last = key.rpartition(".")[2]
    return "" if last.isdigit() else last


def binding_notes(index: WrapperIndex, decoded: Decoded) -> tuple[str, ...]:
    """How the given inputs were understood, where they are the user's own arguments."""
    binding = decoded.binding
    if not binding.is_users:
        return ()
    bound = [
        f"input {place} is {index.inputs[position].name}"
        for position, place in enumerate(binding.places)
        if place is not None
    ]
    made_up = [
        one.name
        for one, place in zip(index.inputs, binding.places, strict=True)
        if place is None and one.position not in binding.numbers
    ]
    notes = []
    if bound:
        said = f"the given inputs are those of the compiled function: {_some(bound)}"
        if made_up:
            said += (
                f"; {_some(made_up)} of call are not among them (parameters, buffers, saved "
                "values) and are made up"
            )
        notes.append(said)
    if binding.unsure and len(binding.unsure) == len(index.inputs):
        notes[-1] += " (or what call is given: it takes as many)"
    elif binding.unsure:
        names = [index.inputs[position].name for position in sorted(binding.unsure)]
        notes.append(
            f"which of the given inputs {_some(names)} are is not certain: others have the same "
            "dtype and sizes, and the order of the inputs was taken"
        )
    if binding.unbound:
        what = "is" if len(binding.unbound) == 1 else "are"
        places = ", ".join(map(str, binding.unbound[:_MOST_TOLD]))
        notes.append(f"input {places} {what} no argument of graph {index.graph}")
    return tuple(notes)


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_TOLD])
    return shown + (f" and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else "")
