"""What the arguments of a graph of torch.compile are to the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aoti_tui.answer.graphs import Graphs
from aoti_tui.artifacts.graphs.places import READABLE
from aoti_tui.artifacts.graphs.signatures import (
    NamedArgument,
    arguments_by_line,
    dynamo_arguments,
    model_lines,
)
from aoti_tui.artifacts.wrapper_file import WrapperText
from aoti_tui.failure.model import UserTerm
from aoti_tui.index.model import WrapperIndex
from aoti_tui.replay.data.inputs import Decoded

_UNKNOWN = UserTerm("unknown")
_MOST_TOLD = 6


def named_arguments(
    graphs: Graphs, source: WrapperText, index: WrapperIndex
) -> Mapping[int, NamedArgument]:
    """What dynamo or the debug folder say that the arguments of a graph are, by position."""
    for text in graphs.signatures:
        named = dynamo_arguments(text)
        if _is_of(named, index):
            return dict(enumerate(named))
    readable = source.debug or source.path.parent
    try:
        text = (readable / READABLE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    by_name = arguments_by_line(model_lines(text))
    return {i.position: by_name[i.name] for i in index.inputs if i.name in by_name}


def _is_of(named: Sequence[NamedArgument], index: WrapperIndex) -> bool:
    """Whether dynamo's arguments are those of a graph: as many, of the same sizes, in order."""
    if len(named) != len(index.inputs):
        return False
    for one, given in zip(named, index.inputs, strict=True):
        if (one.kind == "number") != given.is_scalar:
            return False
        if given.sizes is None or given.is_scalar:
            continue
        if one.sizes.replace(" ", "") != ",".join(s.written.replace(" ", "") for s in given.sizes):
            return False
    return True


def user_terms(
    index: WrapperIndex,
    decoded: Decoded | None,
    named: Mapping[int, NamedArgument] | None = None,
) -> Mapping[int, UserTerm]:
    """What each argument of ``call`` is to the user, by position; empty for AOTInductor.
    The arguments of a script's own launch are called as the kernel calls them.

    ``decoded`` are the given inputs: where they are the user's own, they tell. ``named`` is what
    the arguments are called.
    """
    if index.is_script:
        return {one.position: UserTerm("argument", name=one.name) for one in index.inputs}
    if not index.graph:
        return {}
    terms = {one.position: _UNKNOWN for one in index.inputs}
    for position, one in (named or {}).items():
        if one.kind == "parameter":
            terms[position] = UserTerm("parameter", name=one.name)
        elif one.kind == "buffer":
            terms[position] = UserTerm("buffer", name=one.name)
        elif one.kind == "input":
            terms[position] = UserTerm("input", name=one.name)
    if decoded is not None and decoded.binding.is_users:
        for position, place in enumerate(decoded.binding.places):
            known = terms[position]
            if place is not None and known.kind in ("input", "unknown"):
                name = known.name or _name(decoded.keys[place])
                sure = position not in decoded.binding.unsure
                either = decoded.binding.of_either
                terms[position] = UserTerm("input", place, name, sure, told=not either)
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
    if binding.of_either:
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
