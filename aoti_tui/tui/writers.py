"""Who wrote an element: of an output that is wrong, or of what a load has read, across kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from aoti_tui.answer.upstream import Upstream
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.questions.elements import parse_element
from aoti_tui.replay.questions.writers import Writer, WrittenElement
from aoti_tui.replay.recorded.recording import Made, stores_to
from aoti_tui.session import words
from aoti_tui.session.text import number
from aoti_tui.tui import tasks
from aoti_tui.tui.dialogs.ask import Ask

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen


class Writers:
    """Goes from an element to the store that wrote it, in the program and lane that did."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {"who_wrote": self._ask}

    def _ask(self) -> None:
        replaying = self.screen.replaying
        launch, incident = replaying.launch, self.screen.browsing.incident
        if replaying.running:
            self.screen.say("A replay is running; escape cancels it.")
            return
        if launch is None or incident is None:
            self.screen.say("There is no launch: choose one in the navigator (5).")
            return
        stores = incident.kernel_program(launch.kernel).stores
        outputs = list(dict.fromkeys(p for store in stores for p in store.pointers))
        hint = "Such as out_ptr0[123] (element of the memory) or out_ptr0[3,7] (by its shape)."
        if outputs:
            hint += f" This kernel writes {', '.join(outputs)}."

        def typed(text: str | None) -> None:
            if text is not None:
                self.screen.say(f"Looking who writes {text} …")
                tasks.find_writer(self.screen, launch, text)

        self.screen.app.push_screen(
            Ask(
                "Which element is wrong?",
                hint,
                value=f"{outputs[0]}[0]" if outputs else "",
                check=_problem,
            ),
            typed,
        )

    def found(self, written: WrittenElement) -> None:
        """Record the program that wrote the element last, and stop at its store."""
        last = written.last
        if last is not None:
            told = f"{written.argument}[{written.element}] = {_written(written, last)}."
            self._stop_at(last, told)

    def _stop_at(self, last: Writer, told: str) -> None:
        replaying = self.screen.replaying

        def stop() -> None:
            recording = replaying.recording
            places = (
                stores_to(recording, last.argument, last.element) if recording is not None else ()
            )
            if places:
                replaying.stand_at_store(*places[-1], told)
            else:
                self.screen.say(told)

        recording = replaying.recording
        if replaying.recorded and recording is not None and recording.program == last.program:
            stop()
        else:
            replaying.start(last.program, stop)

    def look_upstream(self, made: Made) -> None:
        """Look who put the element there that a load of the recorded program has read."""
        load = next(load for load in made.loads if load.in_bounds)
        launch = self.screen.replaying.launch
        name = f"{load.argument}[{load.element}]"
        if launch is None or self.screen.replaying.running:
            self.screen.say("A replay is running; escape cancels it.")
        else:
            self.screen.say(f"{made.step.name} reads {name}. Looking who wrote it …")
            tasks.find_upstream(self.screen, launch, load.argument, load.element)

    def arrived(self, found: Upstream) -> None:
        """Go to what made the element: a store of another kernel, an op, an input, a constant."""
        browsing = self.screen.browsing
        read = f"{found.argument}[{found.element}] is {found.name}"
        if found.launch is not None and found.written is not None:
            last = found.written.last
            assert last is not None  # find_upstream gives none that nobody wrote
            browsing.jumps.leave(browsing.here)
            browsing.adopt_launch(found.launch.id)
            browsing.launch_chosen = True
            browsing.show_call()
            self._stop_at(
                last,
                f"{read} = {_written(found.written, last)} of {found.launch.kernel} "
                f"(:{found.launch.line}). ctrl+o goes back.",
            )
        elif found.extern is not None:
            browsing.go_line(found.extern.line)
            self.screen.say(
                f"{read}, computed by {found.extern.op} (:{found.extern.line}), which is no Triton "
                "kernel: the values end here. Enter on a name shows what it was given."
            )
        elif found.input is not None:
            browsing.go_line(found.input.line, found.input.name)
            self.screen.say(
                f"{read}: data of input {found.input.position} of the model, where the trail ends. "
                "v shows its elements."
            )
        elif found.constant is not None:
            browsing.go_line(found.constant.line, found.constant.name)
            fqn = found.constant.fqn or found.constant.name
            self.screen.say(f"{read}: constant {fqn} of the model, where the trail ends.")
        else:
            self.screen.say(f"{read}. Nothing is known to write it before the launch.")


def _written(written: WrittenElement, last: Writer) -> str:
    times = "once" if written.count == 1 else f"{written.count} times, last"
    return (
        f"{number(written.after)}, written {times} by lane {list(last.lane)} of program "
        f"{words.program(last.program)}"
    )


def _problem(text: str) -> str:
    try:
        parse_element(text)
    except ReplayError as error:
        return f"{error.what}: {error.why}."
    return ""
