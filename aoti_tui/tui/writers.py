"""From a wrong element of an output to the program, the lane and the store that wrote it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from aoti_tui.replay.elements import parse_element
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.recording import stores_to
from aoti_tui.replay.writers import WrittenElement
from aoti_tui.tui import tasks, telling
from aoti_tui.tui.dialogs.ask import Ask
from aoti_tui.tui.text import number

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen


class Writers:
    """Asks for an element, and stops at the store that wrote it."""

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
        if last is None:
            return
        times = "once" if written.count == 1 else f"{written.count} times, last"
        told = (
            f"{written.argument}[{written.element}] = {number(written.after)}, written {times} by "
            f"lane {list(last.lane)} of program {telling.program(last.program)}."
        )
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

        replaying.start(last.program, stop)


def _problem(text: str) -> str:
    try:
        parse_element(text)
    except ReplayError as error:
        return f"{error.what}: {error.why}."
    return ""
