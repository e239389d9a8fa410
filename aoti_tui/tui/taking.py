"""Bringing logs and inputs in, and taking text, reports and pictures along."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from aoti_tui.artifacts.written import write_whole
from aoti_tui.failure.prose.report import report
from aoti_tui.failure.prose.words import plural
from aoti_tui.replay.questions.script import write_script
from aoti_tui.tui.dialogs.ask import Ask
from aoti_tui.tui.dialogs.reading import Reading
from aoti_tui.tui.host import Host
from aoti_tui.tui.panes.chain import Chain, chain_lines
from aoti_tui.tui.panes.rows import Rows
from aoti_tui.tui.panes.run import RunPane


class Taking:
    def __init__(self, screen: Host) -> None:
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
        # It brings a whole editor, which the first screen does not wait for.
        from aoti_tui.tui.dialogs.paste_log import PasteLog

        def pasted(text: str | None) -> None:
            if text is not None:
                self.screen.engine.incidents.bring_log(text)

        self.screen.app.push_screen(PasteLog(), pasted)

    def load_log(self) -> None:
        def named(path: str | None) -> None:
            if path:
                self.screen.engine.incidents.bring_log(Path(path))

        hint = "Path of the file with what the process printed."
        self.screen.app.push_screen(Ask("Read a log", hint, check=missing_file), named)

    def load_inputs(self) -> None:
        def named(path: str | None) -> None:
            if path:
                self.screen.engine.incidents.bring_inputs(Path(path))

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
        session = self.screen.engine.session
        return session.document.raw(session.state.place.line)

    def copy_chain(self) -> None:
        text = self.screen.query_one(Chain).as_text()
        if text:
            self.screen.app.copy_to_clipboard(text)
            self.screen.say(f"Copied the chain, {plural(text.count(chr(10)) + 1, 'line')}.")
        else:
            self.screen.say("There is no chain yet: Enter on a name makes one.")

    def report(self) -> None:
        """Write the report of the failure beside where the program was started."""
        state = self.screen.state
        failure = state.shown or self.screen.engine.places.assert_here()
        if failure is None or state.incident is None:
            self.screen.say(
                "A report needs a failure: p pastes a log, or put the cursor on an assert."
            )
            return
        wrapper = Path(state.incident.index.path).name
        trial = state.trial
        what_if = trial.first_line if trial is not None and failure is trial.failure else ""
        text = report((failure,), wrapper, state.incident.notes, what_if)
        path = Path(f"aoti-report-{failure.kernel[:60]}-{failure.kernel_line}.md")
        try:
            write_whole(path, text)
        except OSError as error:
            self.screen.app.copy_to_clipboard(text)
            self.screen.say(
                f"{path.resolve()} cannot be written: {error.strerror}. The report was copied "
                "instead.",
                bad=True,
            )
            return
        self.screen.app.copy_to_clipboard(text)
        self.screen.say(f"The report is ./{path}, and copied.")
        self.screen.app.push_screen(Reading("Report", text))

    def script(self) -> None:
        """Write the launch on the screen as a script of its own, with its data beside it."""
        incident, launch = self.screen.state.incident, self.screen.state.launch
        if incident is None or launch is None:
            self.screen.say("A script needs a launch: choose one in the navigator (5).")
            return
        path = Path(f"aoti-repro-{launch.kernel[:60]}-{launch.line}.py")
        self.screen.say(f"Replaying what {launch.kernel} needs, to write its script …")
        self.screen.engine.session.front.start(
            "replay",
            lambda tell: write_script(incident.session(), launch, path),
            self._script_written,
        )

    def _script_written(self, written: tuple[Path, Path]) -> None:
        script, data = written
        self.screen.say(f"The script is {script.resolve()}, its data {data.name} beside it.")

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
