"""What threads tell the main screen. Threads only post; handlers on the screen own the state."""

from __future__ import annotations

from textual.message import Message

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.trial import Trial
from aoti_tui.answer.upstream import Upstream
from aoti_tui.failure.model import Failure
from aoti_tui.replay.model import SymbolValue
from aoti_tui.replay.questions.elements import TensorElements
from aoti_tui.replay.questions.writers import WrittenElement
from aoti_tui.session.outcome import Outcome


class Progressed(Message):
    """Something long goes on: ``done`` from 0 to 1, None while unknown."""

    def __init__(self, text: str, done: float | None, *, replay: bool) -> None:
        super().__init__()
        self.text = text
        self.done = done
        self.replay = replay


class Opened(Message):
    """An incident is ready: at the start, or after a log or inputs came."""

    def __init__(self, incident: Incident, told: str = "") -> None:
        super().__init__()
        self.incident = incident
        self.told = told


class Refused(Message):
    """Something could not be done: what happened, why, what to do. ``fatal`` when there is
    nothing to show without it."""

    def __init__(
        self, what: str, why: str, do: str, *, fatal: bool = False, replay: bool = False
    ) -> None:
        super().__init__()
        self.what = what
        self.why = why
        self.do = do
        self.fatal = fatal
        self.replay = replay


class Replayed(Message):
    """A replay came back. ``trial`` says what it means where symbols are set."""

    def __init__(self, outcome: Outcome, trial: Trial | None = None) -> None:
        super().__init__()
        self.outcome = outcome
        self.trial = trial


class Diagnosed(Message):
    """A failure with its cause and values confirmed by the replay."""

    def __init__(self, before: Failure, after: Failure) -> None:
        super().__init__()
        self.before = before
        self.after = after


class WriterFound(Message):
    """Which program and lane wrote the element that was asked for."""

    def __init__(self, written: WrittenElement) -> None:
        super().__init__()
        self.written = written


class WorkerReady(Message):
    """The worker has torch and triton, and waits for questions."""


class UpstreamFound(Message):
    """What made the element that a load has read."""

    def __init__(self, found: Upstream) -> None:
        super().__init__()
        self.found = found


class ElementsRead(Message):
    """Elements of a tensor, for the view of it."""

    def __init__(self, elements: TensorElements) -> None:
        super().__init__()
        self.elements = elements


class SymbolsKnown(Message):
    """Values of the wrapper's symbols, for the what-if dialog."""

    def __init__(self, symbols: tuple[SymbolValue, ...]) -> None:
        super().__init__()
        self.symbols = symbols


class Said(Message):
    """Something long is done: words for the message line."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
