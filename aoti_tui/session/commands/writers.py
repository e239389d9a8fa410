"""Who wrote an element: of an output that is wrong, or of what a load has read, across kernels."""

from __future__ import annotations

from aoti_tui.answer.upstream import Upstream
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.questions.elements import parse_element
from aoti_tui.replay.questions.writers import Writer, WrittenElement
from aoti_tui.replay.recorded.recording import Made, stores_to
from aoti_tui.session import jobs, words
from aoti_tui.session.commands.places import Places
from aoti_tui.session.commands.replays import Replays
from aoti_tui.session.session import Session
from aoti_tui.session.text import line_words, number


class Writers:
    """Goes from an element to the store that wrote it, in the program and lane that did."""

    def __init__(self, session: Session, places: Places, replays: Replays) -> None:
        self.session = session
        self.places = places
        self.replays = replays

    def outputs(self) -> tuple[str, ...] | None:
        """Pointers that the kernel of the launch stores through; None, with a message, where none
        can be asked about."""
        state = self.session.state
        if state.running:
            self.session.say("A replay is running; escape cancels it.")
        elif state.launch is None or state.incident is None:
            self.session.say("There is no launch: choose one in the navigator (5).")
        else:
            stores = state.incident.kernel_program(state.launch.kernel).stores
            return tuple(dict.fromkeys(p for store in stores for p in store.pointers))
        return None

    def find(self, text: str) -> None:
        """Look who wrote an element of an output, such as ``out_ptr0[3,7]``."""
        incident, launch = self.session.state.incident, self.session.state.launch
        if incident is None or launch is None:
            return
        self.session.say(f"Looking who writes {text} …")
        self.session.front.start(
            "replay", lambda tell: jobs.writer_of(incident, launch, text), self._found
        )

    def _found(self, written: WrittenElement) -> None:
        """Record the program that wrote the element last, and stop at its store."""
        last = written.last
        if last is not None:
            told = f"{written.argument}[{written.element}] = {_written(written, last)}."
            self._stop_at(last, told)

    def _stop_at(self, last: Writer, told: str) -> None:
        def stop() -> None:
            recording = self.session.state.recording
            places = (
                stores_to(recording, last.argument, last.element) if recording is not None else ()
            )
            if places:
                self.replays.stand_at(*places[-1], told)
            else:
                self.session.say(told)

        recording = self.session.state.recording
        if recording is not None and recording.program == last.program:
            stop()
        else:
            self.replays.start(last.program, stop)

    def look_upstream(self, made: Made) -> None:
        """Look who put the element there that a load of the recorded program has read."""
        load = next(load for load in made.loads if load.in_bounds)
        state = self.session.state
        incident, launch = state.incident, state.launch
        name = f"{load.argument}[{load.element}]"
        if incident is None or launch is None or state.running:
            self.session.say("A replay is running; escape cancels it.")
        else:
            self.session.say(f"{made.step.name} reads {name}. Looking who wrote it …")
            self.session.front.start(
                "replay",
                lambda tell: incident.upstream(launch, load.argument, load.element),
                self._arrived,
            )

    def _arrived(self, found: Upstream) -> None:
        """Go to what made the element: a store of another kernel, an op, an input, a constant."""
        read = f"{found.argument}[{found.element}] is {found.name}"
        if found.launch is not None and found.written is not None:
            last = found.written.last
            assert last is not None  # find_upstream gives none that nobody wrote
            self.session.leave()
            self.places.take_launch(found.launch)
            self._stop_at(
                last,
                f"{read} = {_written(found.written, last)} of {found.launch.kernel} "
                f"(:{found.launch.line}). ctrl+o goes back.",
            )
        elif found.extern is not None:
            self.session.go_line(found.extern.line)
            self.session.say(
                f"{read}, computed by {found.extern.op} (:{found.extern.line}), which is no Triton "
                "kernel: the values end here. Enter on a name shows what it was given."
            )
        elif found.input is not None:
            self.session.go_line(found.input.line, found.input.name)
            self.session.say(
                f"{read}: data of input {found.input.position} of the model, where the trail ends. "
                "v shows its elements."
            )
        elif found.constant is not None:
            self.session.go_line(found.constant.line, found.constant.name)
            fqn = found.constant.fqn or found.constant.name
            self.session.say(f"{read}: constant {fqn} of the model, where the trail ends.")
        elif found.made_by is not None:
            made = found.made_by
            self.session.go_source_line(made.file, made.line)
            self.session.say(
                f"{read}, computed by {made.op or 'the script'} at "
                f"{line_words(made.file, made.line)}: the values of kernels end here. "
                "ctrl+o goes back."
            )
        else:
            self.session.say(f"{read}. Nothing is known to write it before the launch.")


def _written(written: WrittenElement, last: Writer) -> str:
    times = "once" if written.count == 1 else f"{written.count} times, last"
    return (
        f"{number(written.after)}, written {times} by lane {list(last.lane)} of program "
        f"{words.program(last.program)}"
    )


def element_problem(text: str) -> str:
    """Why a text names no element of a tensor, or ``""``."""
    try:
        parse_element(text)
    except ReplayError as error:
        return f"{error.what}: {error.why}."
    return ""
