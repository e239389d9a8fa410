"""One step further back than a kernel: who put the element there that a load has read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aoti_tui.flow.dataflow import DataFlow, Storage, Writer
from aoti_tui.index.model import Constant, ExternCall, Input, Launch, WrapperIndex
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.questions.elements import index_of, tensor_of
from aoti_tui.replay.questions.writers import WrittenElement, written_element
from aoti_tui.replay.session import ReplaySession


@dataclass(frozen=True, slots=True)
class MadeBy:
    """An operation of torch in a script, and the line that asked for it."""

    op: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Upstream:
    """What an element of a launch's argument was made by: at most one of ``launch``, ``extern``,
    ``input``, ``constant`` and ``made_by``; none where nothing is known to write it."""

    argument: str
    """The kernel parameter that the element was read through."""
    base: str
    """The tensor of the wrapper that it stands for."""
    element: int
    """Counted from the argument's data pointer."""
    index: tuple[int, ...] | None
    """By the argument's dimensions; None when none or several fit."""
    launch: Launch | None = None
    written: WrittenElement | None = None
    """By which program and lane of ``launch``."""
    extern: ExternCall | None = None
    input: Input | None = None
    constant: Constant | None = None
    made_by: MadeBy | None = None

    @property
    def name(self) -> str:
        """``buf0[1, 3]``, or ``buf0[element 7]`` where the dimensions do not say."""
        inside = (
            ", ".join(map(str, self.index)) if self.index is not None else f"element {self.element}"
        )
        return f"{self.base}[{inside}]"


def find_upstream(
    index: WrapperIndex,
    flow: DataFlow,
    session: ReplaySession,
    launch: Launch,
    argument: str,
    element: int,
) -> Upstream:
    """Who wrote ``argument[element]`` before ``launch`` read it. Raises ReplayError.

    Launches that share the memory are asked, the last one first, by running them; the first op
    outside of Triton that writes it ends the search.
    """
    passed = launch.argument(argument)
    view = passed.tensor if passed is not None else None
    if view is None:
        raise ReplayError(
            "unknown",
            f"{argument} of {launch.kernel} is no tensor of the wrapper",
            f"the launch (:{launch.line}) passes something else for it",
            "Choose a pointer parameter",
        )
    with session.in_turn():
        offset = tensor_of(session.prepared(launch), argument).offset
    place = index_of(session, launch, argument, element)
    found = Upstream(argument, view.base, element, place)
    moment = flow.before(launch)
    for storage in flow.storages(view.base, moment):
        for writer in flow.writers(storage, moment):
            if writer.extern is not None:
                return replace(found, extern=writer.extern)
            written = _written(session, writer, element + offset)
            if written is not None:
                return replace(found, launch=writer.launch, written=written)
        given = _given(index, storage)
        if isinstance(given, Input):
            return replace(found, input=given)
        if given is not None:
            return replace(found, constant=given)
    return found


def _written(session: ReplaySession, writer: Writer, place: int) -> WrittenElement | None:
    """Whether a launch writes the element at ``place`` of the memory, and how."""
    launch, argument = writer.launch, writer.argument
    if launch is None or argument is None:
        return None
    with session.in_turn():
        held = tensor_of(session.prepared(launch), argument.parameter)
    try:
        written = written_element(session, launch, argument.parameter, place - held.offset)
    except ReplayError as error:
        if error.kind == "bad-inputs":
            # The element lies outside of the part of the memory that this argument reaches.
            return None
        raise
    return written if written.last is not None else None


def _given(index: WrapperIndex, storage: Storage) -> Input | Constant | None:
    return index.input_named(storage.name) or index.constant_named(storage.name)
