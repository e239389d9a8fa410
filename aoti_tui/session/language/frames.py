"""The stack as a debugger has it: a helper, the kernel that calls it, the launch that runs that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aoti_tui.index.model import Launch
from aoti_tui.replay.model import Recording, Step
from aoti_tui.session import words
from aoti_tui.session.language.parts import Parts
from aoti_tui.session.session import Session
from aoti_tui.session.state import Place


@dataclass(frozen=True, slots=True)
class Frame:
    what: str
    """The function, or the launch."""
    place: Place
    kernel_line: int | None = None


class Frames:
    """``bt``, ``up``, ``down`` and ``frame N``. The cursor is what tells which frame is looked at;
    where the program stands does not change."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def handlers(self) -> dict[str, Callable[[str], str]]:
        return {
            "where": self._where,
            "frame": self._frame,
            "up": lambda text: self._move(text, 1),
            "down": lambda text: self._move(text, -1),
        }

    def _where(self, text: str) -> str:
        session, state = self.parts.session, self.parts.state
        recording, lines = state.recording, []
        if recording is not None and state.position >= 0:
            grid = "×".join(map(str, recording.grid))
            lines.append(
                f"program {words.program(recording.program)} of {grid}, step "
                f"{state.position + 1} of {len(recording.steps)}, lane {words.lane(state.lane)}"
            )
        found = stack(session)
        lines += [self._line(at, frame) for at, frame in enumerate(found)]
        if not found:
            place = state.place
            lines.append(f"line {place.line}: {session.document.text(place.line).strip()}")
        self.parts.tell("\n".join(lines))
        return ""

    def _line(self, at: int, frame: Frame) -> str:
        own = f" (k{frame.kernel_line})" if frame.kernel_line else ""
        text = self.parts.session.text_at(frame.place).strip()
        line = "" if frame.kernel_line is None else f", line {frame.place.line}{own}"
        return f"#{at} {frame.what}{line}: {text}"

    def _frame(self, text: str) -> str:
        found = stack(self.parts.session)
        if not text:
            return self._go(found, self._selected(found)) if found else self._where("")
        if not text.isdigit() or int(text) >= len(found):
            last = len(found) - 1
            return f"There is no frame {text}: bt lists them" + (
                f", 0 to {last}." if found else "."
            )
        return self._go(found, int(text))

    def _move(self, text: str, direction: int) -> str:
        found = stack(self.parts.session)
        if text and not text.isdigit():
            return f"“{text}” is no count: up 2 goes to the caller's caller."
        if not found:
            return "There is no stack yet: the cursor is in no kernel; c runs one."
        at = self._selected(found)
        to = max(0, min(at + direction * int(text or 1), len(found) - 1))
        if to == at:
            if direction > 0:
                return f"{found[at].what} is the outermost frame; input goes on to the model input."
            return f"{found[at].what} is the innermost frame; s steps into a helper."
        return self._go(found, to)

    def _selected(self, found: tuple[Frame, ...]) -> int:
        here = self.parts.state.place
        fits = (
            at
            for at, frame in enumerate(found)
            if (frame.place.path, frame.place.line) == (here.path, here.line)
        )
        return next(fits, 0)

    def _go(self, found: tuple[Frame, ...], at: int) -> str:
        self.parts.session.go(found[at].place)
        values = {"frame": at, "function": found[at].what, "line": found[at].place.line}
        self.parts.tell(self._line(at, found[at]), values)
        return ""


def stack(session: Session) -> tuple[Frame, ...]:
    """The frames, innermost first; of the kernel at the cursor where nothing was run."""
    state, incident = session.state, session.state.incident
    if incident is None:
        return ()
    found: list[Frame] = []
    recording, launch = state.recording, state.launch
    if recording is not None and state.position >= 0:
        for step in _callers(recording, state.position):
            place = session.place_of(step.file, step.kernel_line)
            if place is not None:
                what = recording.kernel if not step.depth else step.function
                found.append(Frame(what, place, step.kernel_line))
        launch = incident.index.launch(recording.launch)
    else:
        here = session.kernel_line_here()
        if here is not None:
            found.append(Frame(here[0].name, state.place, here[1]))
            if launch is None or launch.kernel != here[0].name:
                launches = (one for one in incident.index.launches if one.kernel == here[0].name)
                launch = next(launches, None)
        elif launch is not None:
            # The cursor may be on the launch, where ``up`` left it: its kernel is below it.
            asserts = incident.kernel_program(launch.kernel).asserts
            place = session.place_of(launch.kernel, asserts[0].line if asserts else 1)
            if place is not None:
                found.append(Frame(launch.kernel, place, asserts[0].line if asserts else None))
    if launch is not None:
        found.append(_of_launch(session, launch))
    return tuple(found)


def _callers(recording: Recording, position: int) -> list[Step]:
    """The step, and the one that its helper's value goes to in each caller."""
    found = [recording.steps[position]]
    for step in recording.steps[position + 1 :]:
        if step.depth < found[-1].depth:
            found.append(step)
    return found


def _of_launch(session: Session, launch: Launch) -> Frame:
    path = session.path_of_file(launch.site.file) or ""
    return Frame(f"launch :{launch.line}", Place(launch.line, path=path))
