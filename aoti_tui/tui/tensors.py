"""Looking at the elements of a tensor: an argument of the launch, an input, a buffer."""

from __future__ import annotations

from collections.abc import Callable

from aoti_tui.index.model import Launch
from aoti_tui.replay.questions.elements import TensorElements, read_input
from aoti_tui.replay.recorded.recording import elements_read, fails
from aoti_tui.session.listed.entries import Entry
from aoti_tui.session.values.lanes import projected
from aoti_tui.session.values.temporaries import relevant_assert
from aoti_tui.tui.dialogs.tensor import TensorView
from aoti_tui.tui.host import Host
from aoti_tui.tui.panes.callsite import CallSite, argument_name
from aoti_tui.tui.panes.chain import Chain
from aoti_tui.tui.panes.rows import Rows


class Tensors:
    """Finds which tensor is meant, has it read, and shows it."""

    def __init__(self, screen: Host) -> None:
        self.screen = screen
        self._launch: Launch | None = None
        self._name = ""

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {"elements": self.look}

    def look(self) -> None:
        """Show the elements of the tensor under the cursor."""
        if self.screen.state.running:
            self.screen.say("A replay is running; escape cancels it.")
            return
        names = tuple(filter(None, self._names()))
        for name in names:
            if self.look_at(name):
                return
        if names:
            self.screen.say(
                f"{names[0]} is no tensor of this launch, no input and no buffer that a kernel "
                "takes: put the cursor on in_ptr0, buf0 or arg0_1."
            )
        else:
            self.screen.say("Put the cursor on a tensor's name: in_ptr0, buf0 or arg0_1.")

    def _names(self) -> tuple[str, ...]:
        """Names under the cursor, the likeliest first."""
        pane = self.screen.focused_pane()
        if pane == "call":
            return (self.screen.query_one(CallSite).name_at_cursor,)
        if pane == "chain":
            node = self.screen.query_one(Chain).node_at_cursor
            return (node.name,) if node is not None else ()
        if pane == "nav":
            row = self.screen.query_one("#nav-rows", Rows).current
            entry = row.key if row is not None else None
            return (entry.label,) if isinstance(entry, Entry) else ()
        return (self.screen.state.place.name,)

    def look_at(self, name: str) -> bool:
        """Have a tensor read by the name of a parameter, buffer or input; False for no tensor."""
        incident = self.screen.state.incident
        assert incident is not None
        index = incident.index
        current = self.screen.state.launch
        launches = [current] if current is not None else []
        launches += [one for one in index.launches if one is not current]
        # A parameter's name means one of this launch; a buffer's may be another launch's.
        for number, launch in enumerate(launches):
            for argument in launch.arguments:
                known = name == argument_name(argument) or (
                    number == 0 and launch is current and name == argument.parameter
                )
                if argument.tensor is not None and known:
                    self._start(name, launch, argument.parameter)
                    return True
        position = next((item.position for item in index.inputs if item.name == name), None)
        if position is None:
            return False
        self.screen.say(f"Reading {name} …")
        self._launch = None
        self._read(lambda: read_input(incident.session(), position, 0))
        return True

    def _start(self, name: str, launch: Launch, parameter: str) -> None:
        self._launch, self._name = launch, name
        self.screen.say(f"Reading {parameter} of {launch.kernel} (:{launch.line}) …")
        incident = self.screen.state.incident
        assert incident is not None
        self._read(lambda: incident.elements_of(launch, parameter, 0))

    def _read(self, read: Callable[[], TensorElements]) -> None:
        front = self.screen.engine.session.front
        front.start("replay", lambda tell: read(), self.show)

    def show(self, elements: TensorElements) -> None:
        """What was read is there."""
        top = self.screen.app.screen
        if isinstance(top, TensorView):
            top.show(elements)
            return
        launch = self._launch
        about = f"{elements.dtype} {list(elements.shape)}"
        if elements.shape and elements.stride:
            about += f", strides {list(elements.stride)}"
        if launch is not None:
            argument = next(a for a in launch.arguments if a.parameter == elements.name)
            about += f" · {argument.text} as launch :{launch.line} gets it"
        source = "MADE-UP" if elements.source == "made-up" else elements.source
        about += f" · data: {source}" + (f", {elements.how}" if elements.how else "")

        def read(start: int) -> None:
            incident = self.screen.state.incident
            if launch is not None and incident is not None:
                self._read(lambda: incident.elements_of(launch, elements.name, start))

        self.screen.say("")
        self.screen.app.push_screen(
            TensorView(elements, self._bad(elements), about=about, read=read)
        )

    def _bad(self, elements: TensorElements) -> frozenset[int]:
        """Places that the recorded program's failing lanes read before they failed."""
        recording = self.screen.state.recording
        launch = self._launch
        if recording is None or launch is None or recording.launch != launch.id:
            return frozenset()
        asserted = relevant_assert(recording, self.screen.state.position)
        if asserted is None or not fails(asserted):
            return frozenset()
        found: set[int] = set()
        for load in elements_read(recording, elements.name, asserted.position):
            failing = projected(asserted.failing, load.elements.shape, any)
            for element, bad in zip(load.elements.values, failing, strict=False):
                place = elements.position_of(int(element)) if bad else None
                if place is not None:
                    found.add(place)
        return frozenset(found)
