"""The call site: a launch's arguments beside the kernel parameters they become."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Static

from aoti_tui.failure.model import OpPattern
from aoti_tui.failure.prose.words import plural
from aoti_tui.index.model import Argument, Elsewhere, Kernel, Launch, ModelFrame, Scope
from aoti_tui.replay.model import ArgumentValue
from aoti_tui.session.text import number, shape, visible
from aoti_tui.tui.panes.pane import Pane
from aoti_tui.tui.panes.rows import Row, Rows
from aoti_tui.tui.text import fit, plain, shorten_middle


class CallSite(Pane):
    """Arguments, grid, blocks and origin of one launch. Enter on an argument posts Chosen."""

    HELP = (
        "The launch, and in a script its line and who called it: what it passes for each kernel "
        "parameter, Triton's type of it, its value and where that comes from (input, set, "
        "replayed, constant, captured, fixed or MADE-UP). Enter goes to the argument's definition, "
        "i to its model input."
    )

    class Chosen(Message):
        """An argument to go to, with the line of its launch."""

        def __init__(self, line: int, name: str) -> None:
            super().__init__()
            self.line = line
            self.name = name

    def __init__(self) -> None:
        super().__init__(id="call", title="Call site")
        self.launch: Launch | None = None
        self._values: dict[str, ArgumentValue] = {}

    def compose(self) -> ComposeResult:
        yield Rows(id="call-rows")
        yield Static("", id="call-detail", markup=False)

    def load(
        self,
        kernel: Kernel | None,
        launch: Launch | None,
        values: Sequence[ArgumentValue] = (),
        grid: tuple[int, int, int] | None = None,
        blocks: Mapping[str, int] | None = None,
        patterns: Sequence[OpPattern] = (),
        alternatives: int = 1,
    ) -> None:
        """Show a launch; ``values``, ``grid`` and ``blocks`` are known once it was planned."""
        self.launch = launch
        rows = self.query_one(Rows)
        if launch is None or kernel is None:
            told = f"No launch of {kernel.name} in the wrapper." if kernel else "No launch yet."
            rows.set_rows([_line(told, "dim")])
            self.set_title("Call site")
            return
        name = visible(launch.kernel)
        more = f", one of {alternatives} launches" if alternatives > 1 else ""
        own = kernel.span is not None
        where = Elsewhere(launch.site.file, launch.line) if own else f":{launch.line}"
        self.set_title("Call site", f"{where} in {launch.function.name}{more}")
        made = [
            Row(lambda width: Text(shorten_middle(name, width), "bold", end=""), name),
            *(_line(_frame(frame)) for frame in launch.model_frames[:1] if own),
            _line(geometry(kernel, launch, grid, blocks)),
            *(
                _line(f"inside {scope.kind} ({_condition(scope)}) :{scope.line}", "dim")
                for scope in launch.scopes
            ),
            Row(
                _columns("argument", "parameter", "type", "value", "from"),
                selectable=False,
                heading=True,
            ),
        ]
        types = {parameter.name: parameter.type for parameter in kernel.parameters}
        known = self._values = {value.name: value for value in values}
        for argument in launch.arguments:
            value = known.get(argument.parameter)
            made.append(
                Row(
                    _columns(
                        argument_name(argument),
                        argument.parameter,
                        types.get(argument.parameter, ""),
                        value_text(value),
                        source_text(value),
                    ),
                    argument,
                    strong=value is not None and value.source == "made-up",
                )
            )
        made.extend(_stack(launch) if own else _origin(launch, patterns))
        rows.set_rows(made, keep=rows.current.key if rows.current else None)
        self._tell()

    @property
    def name_at_cursor(self) -> str:
        row = self.query_one(Rows).current
        return argument_name(row.key) if row and isinstance(row.key, Argument) else ""

    def select_parameter(self, name: str) -> None:
        if self.launch is not None:
            for argument in self.launch.arguments:
                if name in (argument.parameter, argument_name(argument)):
                    self.query_one(Rows).select(argument)
            self._tell()

    @on(Rows.Highlighted, "#call-rows")
    def _highlighted(self, event: Rows.Highlighted) -> None:
        event.stop()
        self._tell()

    def _tell(self) -> None:
        """The whole text of the row under the cursor."""
        row = self.query_one(Rows).current
        key = row.key if row is not None else ""
        if isinstance(key, Argument):
            told = f"{key.text} → {key.parameter}"
            value = self._values.get(key.parameter)
            if value is not None:
                told += f"  {value_text(value)}  {source_text(value)}  {value.how}"
        else:
            told = str(key)
        self.query_one("#call-detail", Static).update(plain(told))

    @on(Rows.Chosen, "#call-rows")
    def _chosen(self, event: Rows.Chosen) -> None:
        event.stop()
        if isinstance(event.row.key, Argument) and self.launch is not None:
            self.post_message(self.Chosen(self.launch.line, argument_name(event.row.key)))


def argument_name(argument: Argument) -> str:
    """The name of the wrapper that an argument stands for: a view's base, else its text."""
    return argument.tensor.base if argument.tensor is not None else argument.text


def value_text(value: ArgumentValue | None) -> str:
    if value is None:
        return ""
    if value.value is not None:
        return number(value.value)
    return f"{value.dtype} {shape(value.shape)}" if value.dtype else ""


def source_text(value: ArgumentValue | None) -> str:
    if value is None:
        return ""
    return "MADE-UP" if value.source == "made-up" else value.part or value.source


def geometry(
    kernel: Kernel,
    launch: Launch,
    grid: tuple[int, int, int] | None,
    blocks: Mapping[str, int] | None,
) -> str:
    """``grid 8×1×1 = 8 programs · XBLOCK 1 · 8 warps · grid = xnumel, 1, 1``."""
    parts = []
    expressions = ", ".join(axis.written for axis in launch.grid or kernel.grid)
    if grid is not None:
        programs = grid[0] * grid[1] * grid[2]
        parts.append(f"grid {grid[0]}×{grid[1]}×{grid[2]} = {plural(programs, 'program')}")
    elif expressions:
        parts.append(f"grid {expressions}")
    sizes = {**kernel.blocks, **(blocks or {})}
    if sizes:
        parts.append(", ".join(f"{name} {size}" for name, size in sizes.items()))
    if kernel.num_warps:
        parts.append(f"{kernel.num_warps} warps")
    if grid is not None and expressions and kernel.span is None:
        parts.append(f"grid = {expressions}")
    return " · ".join(parts) or "grid unknown"


def _condition(scope: Scope) -> str:
    return scope.condition.written if scope.condition is not None else ""


def _origin(launch: Launch, patterns: Sequence[OpPattern]) -> list[Row]:
    made: list[Row] = []
    if launch.source_nodes:
        made.append(_line("nodes  " + ", ".join(launch.source_nodes)))
    known = {pattern.aten: pattern.pattern for pattern in patterns}
    for op in launch.aten:
        pattern = known.get(op)
        made.append(_line(f"{op}  ←  {pattern}" if pattern else op, "" if pattern else "dim"))
    for frame in launch.model_frames:
        made.append(_line(f"{frame.file}:{frame.line} {frame.function}: {frame.code}"))
    return made


def _stack(launch: Launch) -> list[Row]:
    """Who called the function that made the launch, the nearest first."""
    callers = launch.model_frames[1:]
    heading = [Row(lambda width: Text("called from", end=""), selectable=False, heading=True)]
    return [*heading, *(_line(_frame(frame), "dim") for frame in callers)] if callers else []


def _frame(frame: ModelFrame) -> str:
    return f"{Elsewhere(frame.file, frame.line)} {frame.function}: {frame.code}"


def _line(text: str, style: str = "") -> Row:
    shown = visible(text)
    return Row(lambda width: Text(fit(shown, width), style=style, end=""), text)


def _columns(
    argument: str, parameter: str, kind: str, value: str, source: str
) -> Callable[[int], Text]:
    def draw(width: int) -> Text:
        last = 8
        middle = 5
        second = 11 if width < 60 else 16
        rest = max(8, width - last - middle - second - 4)
        first = rest // 2
        third = rest - first
        text = Text(end="")
        text.append(fit(visible(argument), first) + " ", "bold")
        text.append(fit("→ " + visible(parameter), second) + " ")
        text.append(fit(visible(kind), middle) + " ", "dim")
        text.append(fit(visible(value), third) + " ")
        text.append(fit(source, last), "reverse" if source == "MADE-UP" else "dim")
        return text

    return draw
