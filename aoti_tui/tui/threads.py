"""What takes long, in threads of the application: each posts what came of it."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from textual.message import Message
from textual.screen import Screen

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.replay.errors import ReplayError
from aoti_tui.session.session import Tell

T = TypeVar("T")
_AT_WORK: set[int] = set()


def at_work() -> bool:
    """Whether a thread that was started here has not come to its end."""
    return bool(_AT_WORK)


class Progressed(Message):
    """Something long goes on: ``done`` from 0 to 1, None while unknown."""

    def __init__(self, group: str, text: str, done: float | None) -> None:
        super().__init__()
        self.group = group
        self.text = text
        self.done = done


class Answered(Message):
    """An answer is there; ``take`` hands it to whoever asked."""

    def __init__(self, group: str, take: Callable[[], None]) -> None:
        super().__init__()
        self.group = group
        self.take = take


class Refused(Message):
    """Something could not be done: what happened, why, what to do."""

    def __init__(self, group: str, what: str, why: str, do: str) -> None:
        super().__init__()
        self.group = group
        self.what = what
        self.why = why
        self.do = do


def start(
    screen: Screen[Any],
    group: str,
    ask: Callable[[Tell], T],
    answered: Callable[[T], None],
) -> None:
    """Ask in a thread, and post :class:`Progressed`, :class:`Answered` or :class:`Refused`."""

    def tell(text: str, done: float | None) -> None:
        screen.post_message(Progressed(group, text, done))

    def work() -> None:
        identity = threading.get_ident()
        _AT_WORK.add(identity)
        try:
            answer = ask(tell)
        except (ArtifactError, ReplayError) as error:
            screen.post_message(Refused(group, error.what, error.why, error.do))
        except Exception as error:
            # A thread that fell silent would look like one that never ends.
            where = traceback.extract_tb(error.__traceback__)[-1]
            screen.post_message(
                Refused(
                    group,
                    "This is a fault of aoti-tui itself",
                    f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})",
                    "Everything else goes on; please report it with the wrapper",
                )
            )
        else:
            screen.post_message(Answered(group, lambda: answered(answer)))
        finally:
            _AT_WORK.discard(identity)

    screen.run_worker(work, thread=True, group=group, exclusive=True)
