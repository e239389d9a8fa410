"""What is known of a launch's arguments before anything was run: sizes and shapes of the given
inputs, symbols worked out from them, literals."""

from __future__ import annotations

from aoti_tui.answer.incident import Incident
from aoti_tui.index.model import Argument, Launch
from aoti_tui.replay.model import ArgumentValue


def known_arguments(incident: Incident, launch: Launch) -> tuple[ArgumentValue, ...]:
    """Arguments with a value or shape that needs no replay; the others are left out."""
    given = incident.given_to(launch)
    if given:
        return given
    found = (_known(incident, argument) for argument in launch.arguments)
    return tuple(value for value in found if value is not None)


def _known(incident: Incident, argument: Argument) -> ArgumentValue | None:
    text = argument.text.strip()
    literal = argument.value.literal if argument.value is not None else None
    if literal is not None:
        return ArgumentValue(argument.parameter, text, "fixed", "", (), literal)
    symbols = incident.known.symbols
    if text in symbols:
        source = "set" if text in incident.given.settings else "input"
        return ArgumentValue(argument.parameter, text, source, "", (), symbols[text])
    view = argument.tensor
    if view is None or view.sizes is not None:
        return None
    item = incident.index.input_named(view.base)
    given = next((g for g in incident.inputs if item and g.position == item.position), None)
    if given is None:
        return None
    return ArgumentValue(
        argument.parameter, text, "input", given.dtype, given.shape, given.value, given.summary
    )


def known_symbols(incident: Incident) -> dict[str, str]:
    """Symbols with their values as text, for the navigator."""
    settings = incident.given.settings
    return {
        name: f"= {value} ({'set' if name in settings else 'input'})"
        for name, value in incident.known.symbols.items()
    }
