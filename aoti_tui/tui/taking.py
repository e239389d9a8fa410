"""Bringing logs and inputs in, and taking text, reports and pictures along."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from aoti_tui.failure.prose.report import report
from aoti_tui.failure.prose.words import plural
from aoti_tui.tui import tasks
from aoti_tui.tui.dialogs.ask import Ask
from aoti_tui.tui.dialogs.paste_log import PasteLog
from aoti_tui.tui.panes.chain import Chain, chain_lines
from aoti_tui.tui.panes.rows import Rows
from aoti_tui.tui.panes.run import RunPane
from aoti_tui.tui.panes.source import SourceView

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen


class Taking:
    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "paste_log": self.paste_log,
            "load_log": self.load_log,
            "load_inputs": self.load_inputs,
            "copy": self.copy,
            "copy_chain": self.copy_chain,
            "report": self.report,
            "script": self.script,
            "screenshot": self.screenshot,
        }

    def paste_log(self) -> None:
        def pasted(text: str | None) -> None:
            if text is not None:
                tasks.bring_log(self.screen, text)

        self.screen.app.push_screen(PasteLog(), pasted)

    def load_log(self) -> None:
        def named(path: str | None) -> None:
            if path:
                tasks.bring_log(self.screen, Path(path))

        hint = "Path of the file with what the process printed."
        self.screen.app.push_screen(Ask("Read a log", hint, check=missing_file), named)

    def load_inputs(self) -> None:
        def named(path: str | None) -> None:
            if path:
                tasks.bring_inputs(self.screen, Path(path))

        hint = (
            "Path of a .pt file with the tuple of the model's arguments, as "
            "torch.save(args, path) writes it."
        )
        self.screen.app.push_screen(Ask("Read inputs", hint, check=missing_file), named)

    def copy(self) -> None:
        """Copy what the focused pane has under its cursor."""
        pane = self.screen.focused_pane()
        text = self._under_cursor(pane)
        if not text:
            self.screen.say("There is nothing to copy here.")
            return
        self.screen.app.copy_to_clipboard(text)
        first = text.split("\n", 1)[0]
        self.screen.say(f"Copied: {first}")

    def _under_cursor(self, pane: str) -> str:
        if pane == "chain":
            node = self.screen.query_one(Chain).node_at_cursor
            return "\n".join(chain_lines(node)) if node is not None else ""
        if pane == "run":
            expression = self.screen.query_one(RunPane).view
            return expression.expression if expression is not None else ""
        if pane in ("nav", "call"):
            row = self.screen.query_one(f"#{pane}-rows", Rows).current
            return row.draw(400).plain.strip() if row is not None else ""
        view = self.screen.query_one(SourceView)
        return view.document.raw(view.line)

    def copy_chain(self) -> None:
        text = self.screen.query_one(Chain).as_text()
        if text:
            self.screen.app.copy_to_clipboard(text)
            self.screen.say(f"Copied the chain, {plural(text.count(chr(10)) + 1, 'line')}.")
        else:
            self.screen.say("There is no chain yet: Enter on a name makes one.")

    def report(self) -> None:
        """Write the report of the failure beside where the program was started."""
        browsing = self.screen.browsing
        failure = browsing.shown or browsing.assert_here()
        if failure is None or browsing.incident is None:
            self.screen.say(
                "A report needs a failure: p pastes a log, or put the cursor on an assert."
            )
            return
        wrapper = Path(browsing.incident.index.path).name
        trial = browsing.trial
        what_if = trial.first_line if trial is not None and failure is trial.failure else ""
        text = report((failure,), wrapper, browsing.incident.notes, what_if)
        path = Path(f"aoti-report-{failure.kernel[:60]}-{failure.kernel_line}.md")
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            self.screen.app.copy_to_clipboard(text)
            self.screen.say(
                f"{path.resolve()} cannot be written: {error.strerror}. The report was copied "
                "instead.",
                bad=True,
            )
            return
        self.screen.app.copy_to_clipboard(text)
        self.screen.show_report(text, f"./{path}")

    def script(self) -> None:
        """Write the launch on the screen as a script of its own, with its data beside it."""
        launch = self.screen.browsing.launch
        if launch is None:
            self.screen.say("A script needs a launch: choose one in the navigator (5).")
            return
        path = Path(f"aoti-repro-{launch.kernel[:60]}-{launch.line}.py")
        self.screen.say(f"Replaying what {launch.kernel} needs, to write its script …")
        tasks.write_repro(self.screen, launch, path)

    def screenshot(self) -> None:
        try:
            path = self.screen.app.save_screenshot(path=str(Path.cwd()))
        except OSError as error:
            self.screen.say(
                f"The picture cannot be written here: {error.strerror}. Start the program in a "
                "folder that you may write to.",
                bad=True,
            )
            return
        self.screen.say(f"The picture is {path}.")


def missing_file(text: str) -> str:
    """Why a path cannot be read, or ``""``."""
    path = Path(text.strip()).expanduser()
    if not text.strip():
        return "Type a path, or leave with escape."
    if path.is_dir():
        return f"{path} is a folder; name a file in it."
    return "" if path.is_file() else f"There is no file {path}."
