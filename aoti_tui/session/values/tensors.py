"""Which tensor a name means: an argument of the launch, an input of the model, a buffer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from aoti_tui.answer.incident import Incident
from aoti_tui.artifacts.strides import flat_of, lane_of
from aoti_tui.index.model import Launch
from aoti_tui.replay.data.held_tensors import element_count
from aoti_tui.replay.questions.elements import TensorElements, read_input

_WRITTEN = re.compile(r"(?P<name>inputs\[\d+\]|\w+)\s*(?:\[(?P<index>[\d\s,]*)\])?")


@dataclass(frozen=True, slots=True)
class Named:
    """A tensor: a parameter of a launch, or an input of the model by its position."""

    name: str
    launch: Launch | None = None
    parameter: str = ""
    position: int = 0

    def read(self, incident: Incident, start: int) -> TensorElements:
        """Elements from a place on, in the order of the dimensions. Raises ReplayError."""
        if self.launch is not None:
            return incident.elements_of(self.launch, self.parameter, start)
        return read_input(incident.session(), self.position, start)


@dataclass(frozen=True, slots=True)
class Elements:
    """A name with an index, as it is typed: ``arg5_1[1,1]``, ``inputs[1][0]``, ``buf0``."""

    tensor: Named
    index: tuple[int, ...] | None


def tensor_named(incident: Incident, current: Launch | None, name: str) -> Named | None:
    """The tensor of a name: a parameter of the current launch, a buffer or an input of any."""
    index = incident.index
    launches = [current] if current is not None else []
    launches += [one for one in index.launches if one is not current]
    given = next((item for item in index.inputs if item.name == name), None)
    if given is not None and given.position < len(incident.inputs):
        # The file says what an input is before anything runs.
        return Named(name, position=given.position)
    for launch in launches:
        for argument in launch.arguments:
            base = argument.tensor.base if argument.tensor is not None else ""
            own = launch is current and name == argument.parameter
            if argument.tensor is not None and (own or name in (base, argument.text)):
                return Named(name, launch, argument.parameter)
    return Named(name, position=given.position) if given is not None else None


def elements_named(incident: Incident, current: Launch | None, text: str) -> Elements | None:
    """What a text such as ``inputs[1][1,1]`` means; None where it names no tensor."""
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        return None
    name, written = match["name"], match["index"]
    position = re.fullmatch(r"inputs\[(\d+)\]", name)
    inputs = incident.index.inputs
    if position is not None:
        if int(position[1]) >= len(inputs):
            return None
        name = inputs[int(position[1])].name
    tensor = tensor_named(incident, current, name)
    if tensor is None:
        return None
    parts = [part for part in (written or "").split(",") if part.strip()]
    return Elements(tensor, tuple(map(int, parts)) if parts else None)


def place_in(found: TensorElements, index: tuple[int, ...] | None) -> int | str:
    """Where an index is in the order of the dimensions; in words why it is nowhere. A single
    number of a tensor with several dimensions counts its elements."""
    shape = found.shape
    if index is None:
        return 0
    if len(index) == 1 and len(shape) != 1:
        return index[0] if index[0] < found.count else _outside(found, index)
    if len(index) != len(shape) or any(at >= n for at, n in zip(index, shape, strict=True)):
        return _outside(found, index)
    return flat_of(shape, index)


def _outside(found: TensorElements, index: tuple[int, ...]) -> str:
    return f"{found.name} has no element {list(index)}: its shape is {list(found.shape)}."


def index_at(shape: tuple[int, ...], place: int) -> tuple[int, ...]:
    """The index of a place in the order of the dimensions."""
    return lane_of(shape, place) if element_count(shape) else ()
