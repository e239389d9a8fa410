"""Random sequences of keys and clicks, and what all panes must agree on after each of them.

Everything is read off the panes, as a user reads it: no pane is asked what another one holds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from textual.widgets import Input

from aoti_tui.artifacts.given import Given
from aoti_tui.session import words
from aoti_tui.session.values.temporaries import temporaries
from aoti_tui.tui.app import OpenRequest
from aoti_tui.tui.dialogs.ask import Ask
from aoti_tui.tui.main_screen import MainScreen
from aoti_tui.tui.panes.callsite import CallSite
from aoti_tui.tui.panes.headline import Headline
from aoti_tui.tui.panes.lanes import LaneGrid
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.panes.run import RunPane, RunView
from aoti_tui.tui.panes.source import SourceView
from aoti_tui.tui.panes.timeline import Timeline
from tests.cases import DATA
from tests.tui.driving import Driver, demo_request

SIZES = ((80, 24), (100, 30), (140, 40), (200, 60))
FAILURES = ("demo", "reused-second", "where_two_inputs-b_bad_taken")
LENGTH = 40
STAYS = (*"cCnNsftbBLwui][a.,F", "ctrl+o", "alt+right", "number_sign", "alt+n", "alt+p")
"""Keys that act on what is shown."""
STEPS = frozenset((*"cCnNsfbBL][", "number_sign"))
"""Those of them that have no reason to take the focus elsewhere."""
MOVES = (*"12345gz0<>{}-", "tab", "shift+tab", "escape", "ctrl+f")
CURSOR = ("up", "down", "left", "right", "pageup", "pagedown", "home", "end", "enter")
OPENS = (*"eKP=AM?v", "slash", "colon", "ctrl+p")
"""Keys that open something to type into or to read."""
TYPED = ("1", "tmp0", "tmp4", "x0", "p tmp4", "k3", "[0]")
ROWS_BELOW = 4
"""Message and keys, where a click may leave the program."""


def request_of(name: str) -> OpenRequest:
    if name == "demo":
        return demo_request()
    model, bad = name.rsplit("-", 1)
    folder = DATA / model
    return replace(
        demo_request(),
        wrapper=folder / "wrapper.cpp",
        log=folder / f"error.{bad}.log",
        given=Given(inputs=folder / f"inputs.{bad}.pt"),
    )


@dataclass(frozen=True, slots=True)
class Told:
    """A disagreement, after the keys that led to it."""

    keys: tuple[str, ...]
    what: str

    def __str__(self) -> str:
        return f"{' '.join(self.keys)}\n  → {self.what}"


class Presser:
    """Presses what chance says and looks at the screen after each."""

    def __init__(self, user: Driver, seed: int) -> None:
        self.user = user
        self.chance = random.Random(seed)
        self.keys: list[str] = []
        self.seen: set[tuple[object, ...]] = set()
        """Lines of the source, with the launch that the other panes showed then."""

    @property
    def screen(self) -> MainScreen:
        return self.user.screen

    async def rest(self) -> None:
        await self.user.until(lambda: not self.user.busy(), "an idle program")
        await self.user.pilot.pause()

    async def go(self, length: int = LENGTH) -> list[Told]:
        """Press ``length`` keys; what disagreed after each, at most once each."""
        told: dict[str, Told] = {}
        for _ in range(length):
            for what in [*await self.one()]:
                told.setdefault(what, Told(tuple(self.keys), what))
        for what in await self.printed():
            told.setdefault(what, Told((*self.keys, ":p"), what))
        return list(told.values())

    async def one(self) -> list[str]:
        """Press one key, or click once, and leave what it opened."""
        kind = self.chance.choices(("stays", "moves", "cursor", "opens", "click"), (8, 3, 5, 1, 2))
        before, pane = self.focus(), self.screen.focused_pane()
        was = self.together()
        if kind == ["click"]:
            width, height = self.user.app.size
            at = (self.chance.randrange(width), self.chance.randrange(height - ROWS_BELOW))
            self.keys.append(f"click{at}".replace(" ", ""))
            await self.user.pilot.click(offset=at)
        else:
            among = {"stays": STAYS, "moves": MOVES, "cursor": CURSOR, "opens": OPENS}[kind[0]]
            key = self.chance.choice(among)
            self.keys.append(key)
            await self.user.press(key)
        if self.user.app.screen is not self.screen:
            await self.leave_dialog()
        # A pane without rows yet holds the focus itself and hands it to them: the pane counts.
        after = self.screen.focused_pane()
        await self.rest()
        if self.user.app.screen is not self.screen:
            await self.leave_dialog()
            return []
        told = [*self.disagreements()]
        wide = self.user.app.size.width >= 100
        covered = pane != "" and not self.screen.query_one(f"#{pane}").is_on_screen
        if (
            wide
            and self.keys[-1] in STEPS
            and self.screen.focused_pane() != pane
            # What lies under the pane that a run opens cannot keep the focus.
            and not (covered and self.screen.focused_pane() == "run")
        ):
            told.append(f"{self.keys[-1]} takes the focus from {pane} to {self.focus()}")
        jumped = self.keys[-1] in ("ctrl+o", "alt+right") and self.together()[0] != was[0]
        if jumped and self.together() not in self.seen:
            told.append("a jump shows a line with a launch that were never on the screen both")
        self.seen.add(was)
        self.seen.add(self.together())
        if isinstance(self.screen.focused, Input):
            if kind == ["stays"] and before != self.focus():
                told.append(f"{self.keys[-1]} puts the focus into {self.focus()}")
            await self.user.press("escape")
            self.keys.append("escape")
        elif wide and self.screen.focused_pane() != after:
            told.append(f"the focus goes from {after} to {self.focus()} when work ends")
        return told

    async def leave_dialog(self) -> None:
        """Answer what was opened, or not."""
        if isinstance(self.user.app.screen, Ask) and self.chance.random() < 0.6:
            text = self.chance.choice(TYPED)
            self.keys.append(f"type({text})")
            await self.user.type(text)
            await self.user.press("enter")
        for _ in range(5):
            await self.user.pilot.pause()
            if self.user.app.screen is self.screen:
                return
            self.keys.append("escape")
            await self.user.press("escape")
        raise AssertionError(f"no way out of {self.user.app.screen} after {' '.join(self.keys)}")

    def together(self) -> tuple[object, ...]:
        source, call = self.screen.query_one(SourceView), self.screen.query_one(CallSite)
        return (source.document.path, source.line), call.launch and call.launch.id

    def focus(self) -> str:
        """What has the focus, by its id."""
        focused = self.screen.focused
        return (focused.id or type(focused).__name__) if focused is not None else ""

    # -- what must agree ----------------------------------------------------------------------

    def disagreements(self) -> Iterator[str]:
        """What panes say of launch, program, step and lane that another one contradicts."""
        assert self.user.app._exception is None
        yield from (s for s in self.screen.messages_said if "fault of aoti-tui" in s)
        screen = self.screen
        yield from self.header()
        yield from self.breakpoints()
        call, source = screen.query_one(CallSite), screen.query_one(SourceView)
        view = screen.query_one(RunPane).view
        if view is None or view.recording is None:
            if source.marks.step is not None or source.marks.inline:
                yield "the source shows a step and values, the run pane no recording"
            return
        recording = view.recording
        if call.launch is None or call.launch.id != recording.launch:
            yield "call site and run pane are of two launches"
        named = f"program {words.program(recording.program)} of "
        if named not in view.status:
            yield f"the status does not name {named!r}: {view.status}"
        timeline = screen.query_one(Timeline)
        if (timeline.count, timeline.position) != (len(recording.steps), view.position):
            yield "the timeline is not at the step of the run pane"
        yield from self.values(view)
        if view.position >= 0:
            step = recording.steps[view.position]
            line = source.document.line_of(recording.kernel, step.kernel_line)
            if source.marks.step != line:
                yield "the source marks another line than that of the step"

    def header(self) -> Iterator[str]:
        """The header speaks of the failure that is open, and of no trial that is over."""
        state = self.user.app.session.state
        failure = state.failure
        told = " ".join(self.screen.query_one(Headline).lines)
        if failure is not None and state.trial is None and failure.kernel not in told:
            yield f"the header does not name {failure.kernel}: {told}"
        if ("WHAT IF" in told) != (state.trial is not None):
            yield f"the header is of another trial: {told}"

    def breakpoints(self) -> Iterator[str]:
        """Each breakpoint stands on a line of its kernel, and beside it in the source."""
        session, source = self.user.app.session, self.screen.query_one(SourceView)
        incident = session.state.incident
        if incident is None:
            return
        listed = {
            e.key for e in self.screen.query_one(Navigator).entries if e.group == "Breakpoints"
        }
        for kernel, one in session.stops.everything():
            lines = incident.index.kernels[kernel].lines
            if not 1 <= (one.kernel_line or 0) <= len(lines):
                yield f"a breakpoint stands on line {one.kernel_line} of {kernel}, which has none"
            if ("breakpoint", kernel, one.kernel_line) not in listed:
                yield f"the navigator does not list the breakpoint of {kernel}:{one.kernel_line}"
        if dict(source.marks.breakpoints) != session.stops.lines(source.document):
            yield "the source marks other breakpoints than there are"

    def values(self, view: RunView) -> Iterator[str]:
        """Table and lanes against the recording at the lane and step that they claim."""
        grid = self.screen.query_one(LaneGrid)
        if grid.view != view.lanes:
            yield "the lanes are not those of the run pane"
        if view.lanes is None or view.recording is None:
            return
        if view.lanes.name != view.selected:
            yield "the lanes are of another name than the one selected"
        lane = view.lanes.lane
        at_lane = {t.name: t.value for t in temporaries(view.recording, view.position, lane)}
        for shown in view.temporaries:
            if not shown.watch and at_lane.get(shown.name) != shown.value:
                yield f"{shown.name} has another value in the table than in lane {lane}"
                return

    async def printed(self) -> list[str]:
        """``:p`` of a temporary gives what the table gives."""
        view = self.screen.query_one(RunPane).view
        shown = [t for t in view.temporaries if not t.watch and t.value] if view else []
        if not shown or self.user.app.screen is not self.screen:
            return []
        one = shown[0]
        await self.user.press("colon")
        if not isinstance(self.user.app.screen, Ask):
            return ["colon opens no command line"]
        line = self.user.app.screen.query_one(Input)
        line.value = f"p {one.name}"
        await self.user.press("enter")
        said = self.screen.messages_said[-1]
        wanted = f"{one.name} = {one.value}"
        return [] if said.startswith(wanted) else [f":p says {said!r}, the table {wanted!r}"]
