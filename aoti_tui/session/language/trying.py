"""Commands that try other values: of symbols, of elements and sizes of inputs."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from aoti_tui.answer.edits import Change, Edit, Inputs, Minimal, minimal_change
from aoti_tui.answer.good import Compared, Parted, compared
from aoti_tui.answer.incident import Incident
from aoti_tui.session.language.naming import current_kernel
from aoti_tui.session.language.parts import Parts
from aoti_tui.session.language.reading import plain
from aoti_tui.session.values.tensors import elements_named

_SET = re.compile(r"(?P<what>.+?)\s*=\s*(?P<value>[^=]*)")
_SIZE = re.compile(r"(?P<name>.+)\.(?:size\((?P<call>\d+)\)|shape\[(?P<index>\d+)\])")


class Trying:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.inputs = Inputs()
        self.changes: list[Change] = []
        self.guard = ""
        self._original: Path | None = None

    def handlers(self) -> dict[str, Callable[[str], str]]:
        return {
            "set": self._set,
            "whatif": self._whatif,
            "inputs": self._inputs,
            "save": self._save,
            "good": self._good,
        }

    # -- one value ----------------------------------------------------------------------------

    def _set(self, text: str) -> str:
        match = _SET.fullmatch(text)
        if match is None:
            return "set tries a value: set s7 = 3, set arg5_1[1,1] = 1, set arg5_1.size(0) = 3."
        what, value = match["what"].strip(), match["value"].strip()
        what = re.sub(r"^var(iable)?\s+", "", what)
        incident, state = self.parts.incident, self.parts.state
        if self._is_computed(what):
            return (
                f"{what} is computed by the kernel: set what it comes from ("
                f"input {what} goes to the model input)."
            )
        symbols = {s.name for s in incident.index.symbols}
        if self.parts.scripts.incident is not None or what in symbols or re.fullmatch(r"\w+", what):
            named = elements_named(incident, state.launch, what)
            position = named.tensor.position if named and named.tensor.launch is None else None
            if what in symbols or named is None or position is None:
                return self.parts.symbols.set_by_text(f"{what}={value}")
        if state.running:
            return "A replay is running; escape cancels it."
        edit = self._edit(incident, what, value)
        if isinstance(edit, str):
            return edit
        self._start(incident, edit)
        return ""

    def _is_computed(self, what: str) -> bool:
        """Whether a name is one that the kernel assigns, and nothing that can be given."""
        kernel, incident = current_kernel(self.parts.session), self.parts.incident
        if kernel is None or elements_named(incident, None, what) is not None:
            return False
        name = re.split(r"\W", what, maxsplit=1)[0]
        known = {symbol.name for symbol in incident.index.symbols}
        return name not in known and name in incident.kernel_program(kernel.name).by_name

    def _edit(self, incident: Incident, what: str, value: str) -> Edit | str:
        try:
            number = float(value)
        except ValueError:
            return f"“{value}” is no number."
        whole: int | float = int(number) if number == number // 1 and abs(number) < 1e18 else number
        size = _SIZE.fullmatch(what)
        named = elements_named(incident, None, size["name"] if size is not None else what)
        if named is None:
            return f"{what} is no input, and no symbol: info inputs and info symbols list them."
        if named.tensor.launch is not None:
            return f"{what} is computed by the model: set what it comes from (input {what})."
        position = named.tensor.position
        if size is not None:
            dim = int(size["call"] or size["index"])
            return Edit(position, resize=(dim, int(whole)))
        given = next((one for one in incident.inputs if one.position == position), None)
        if given is not None and given.kind != "tensor":
            return Edit(position, number=whole)
        if named.index is None and given is not None and given.shape:
            return f"{what} is a tensor of shape {list(given.shape)}: name an element of it."
        return Edit(position, write=(named.index or (), whole))

    def _start(self, incident: Incident, edit: Edit) -> None:
        def done(found: tuple[Incident, list[Change]]) -> None:
            after, changes = found
            self._take(after, changes)
            told = "\n".join(one.text for one in changes)
            self.parts.incidents.try_inputs(after, f"{told}; running again.")
            self.parts.given.extend(_values(changes))
            self.parts.replays.start()

        self.parts.session.front.start(
            "replay", lambda tell: self.inputs.edited(incident, (edit,)), done
        )

    def _take(self, after: Incident, changes: list[Change]) -> None:
        if self._original is None:
            self._original = self.parts.incident.given.inputs
        self.changes += changes

    # -- the smallest change ------------------------------------------------------------------

    def _whatif(self, text: str) -> str:
        if text != "minimal":
            return "whatif minimal looks for the smallest change; set tries one of yours."
        incident = self.parts.incident
        if not incident.inputs:
            return "There are no inputs to change: --inputs FILE.pt, or inputs FILE."
        self.parts.session.front.start(
            "replay", lambda tell: minimal_change(self.inputs, incident, tell), self._found
        )
        return ""

    def _found(self, found: Minimal) -> None:
        lines = [f"- {text}" for text in (one.text for one in found.changes)]
        if found.clean and not found.changes:
            told = "The whole model runs clean with these inputs: nothing has to be changed."
        elif found.clean:
            told = "With this change the whole model runs clean:"
        elif found.changes:
            told = "With this change it gets further, and still fails:"
        else:
            told = "No change of an input was found that cures it."
        lines = [told, *lines]
        if found.left:
            lines.append(f"left: {found.left}")
        if found.guard:
            lines.append(f"guard: {found.guard}")
        if found.changes:
            self._take(found.incident, list(found.changes))
            self.guard = found.guard
            self.parts.incidents.try_inputs(found.incident, "\n".join(lines))
            self.parts.replays.start()
        else:
            self.parts.session.say("\n".join(lines))
        self.parts.given.append(
            {
                "clean": found.clean,
                "changes": _values(list(found.changes)),
                "guard": found.guard or None,
                "left": found.left or None,
                "tried": found.tried,
            }
        )

    def _good(self, text: str) -> str:
        incident, path = self.parts.incident, Path(text).expanduser()
        if not text:
            return "good compares with the run of good inputs: good FILE.pt."
        if not path.is_file():
            return f"{text} is no file."
        if not incident.inputs:
            return "There are no inputs to compare with: --inputs FILE.pt."

        def told(found: Compared) -> None:
            values = {
                "symbols": [
                    {"name": name, "bad": bad, "good": good} for name, bad, good in found.symbols
                ],
                "bad": found.fails,
                "good": found.good_fails,
                "first": _parted_values(found.first),
                "failing": _parted_values(found.failing),
            }
            self.parts.tell("\n".join(found.lines), values)

        self.parts.session.front.start("ask", lambda tell: compared(incident, path, tell), told)
        return ""

    # -- files --------------------------------------------------------------------------------

    def _inputs(self, text: str) -> str:
        if not text:
            if not self.changes:
                self.parts.tell(f"Nothing was changed: {self.parts.incident.data_words}.")
            else:
                told = "\n".join(one.text for one in self.changes)
                self.parts.tell(told, *_values(self.changes))
            return ""
        original = text == "original"
        if original and self._original is None:
            return "The inputs are the original ones."
        path = self._original if original and self._original is not None else Path(text)
        if not path.expanduser().is_file():
            return f"{text} is no file."
        self.changes, self._original, self.guard = [], None, ""
        self.parts.incidents.bring_inputs(path)
        return ""

    def _save(self, text: str) -> str:
        word, _, file = text.partition(" ")
        if word != "inputs" or not file.strip():
            return "save writes the inputs as they are now: save inputs FILE.pt."
        path, source = Path(file.strip()).expanduser(), self.parts.incident.given.inputs
        if source is None:
            return "There are no inputs to write."
        try:
            shutil.copyfile(source, path)
        except (OSError, shutil.SameFileError) as error:
            return f"{path} cannot be written: {getattr(error, 'strerror', None) or error}."
        failure = self.parts.state.failure
        own = next((f.requires for f in failure.fixes if f.requires), "") if failure else ""
        guard = self.guard or own or ""
        told = [f"Wrote {path}.", *(one.text for one in self.changes)]
        if guard:
            told.append(f"What would have refused the original call: assert {guard}")
        self.parts.tell("\n".join(told), {"file": str(path), "guard": guard or None})
        return ""


def _values(changes: list[Change]) -> list[dict[str, object]]:
    return [{"input": one.edit.position, "text": one.text, "count": one.count} for one in changes]


def _parted_values(one: Parted | None) -> dict[str, object] | None:
    if one is None:
        return None
    return {
        "kernel": one.launch.kernel,
        "launch": one.launch.line,
        "program": list(one.program),
        "name": one.name,
        "kernel_line": one.kernel_line,
        "step": one.position + 1,
        "lanes": [list(lane) for lane in one.lanes],
        "count": one.count,
        "bad": plain(one.bad),
        "good": plain(one.good),
    }
