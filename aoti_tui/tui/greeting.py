"""What is said when a wrapper has been opened."""

from __future__ import annotations

from aoti_tui.session.kept.config import save_memory
from aoti_tui.tui.actions import BY_ID
from aoti_tui.tui.host import Host
from aoti_tui.tui.keyline import keys_of


class Greeting:
    """Says each thing once: what is wrong with the user's files, what was kept, the first hint."""

    def __init__(self, screen: Host) -> None:
        self.screen = screen
        self._greeted = False

    def opened(self, told: str) -> None:
        """Say what came of opening; ``told`` is news of a log or of inputs."""
        config = self.screen.config
        said = [told] if told else []
        first = not self._greeted and (not told or told.endswith("."))
        if first:
            self._greeted = True
            said += config.problems
            said += self._restored()
            if not config.hint_seen and not config.problems:
                said.append(self._hint())
                config.hint_seen = True
                problem = save_memory(config)
                said += [problem] if problem else []
        if said:
            self.screen.say(" ".join(said), bad=first and bool(config.problems))

    def _key(self, action: str) -> str:
        return (*keys_of(BY_ID[action], self.screen.config.keymap), "ctrl+p")[0]

    def _restored(self) -> list[str]:
        count = self.screen.engine.session.stops.restored
        if not count:
            return []
        what = "1 breakpoint" if count == 1 else f"{count} breakpoints"
        shows = f"{self._key('pane_5')} shows {'it' if count == 1 else 'them'}"
        return [f"{what} restored ({shows})."]

    def _hint(self) -> str:
        key = self._key
        explains = f"{key('help')} explains."
        if self.screen.engine.scripts.incident is not None:
            goes = f"{key('continue')} goes on, {key('who_made')} asks who made a value"
            return f"First time? {goes}, {explains}"
        if self.screen.state.failure is not None:
            goes = f"{key('model_input')} goes to the model input"
            return f"First time? {goes}, {key('continue')} runs to the assert, {explains}"
        pastes = f"{key('paste_log')} pastes the log of a failure"
        return f"First time? {pastes}, {key('continue')} runs the kernel, {explains}"
