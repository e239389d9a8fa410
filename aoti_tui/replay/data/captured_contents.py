"""Which captured file has the contents of a tensor at a moment of the run, and which sizes."""

from __future__ import annotations

from collections.abc import Callable

from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.model import Function, Launch, WrapperIndex
from aoti_tui.replay.data.captured_files import Captured, CapturedTensors
from aoti_tui.replay.data.symbols import SymbolTable


class CapturedContents:
    """Captured files by what they hold, not only by the launch they were saved at."""

    def __init__(self, flow: DataFlow, captured: CapturedTensors) -> None:
        self._index = flow.index
        self._flow = flow
        self._captured = captured

    def path(self, base: str, launch: Launch, *, after: bool) -> Captured | None:
        """A file with the contents of ``base`` just before (or after) ``launch``.

        Any file will do between whose saving and this moment nothing wrote to the tensor; a file
        is that of its kernel's last launch with this tensor, which overwrote those before.
        """
        moment = self._flow.before(launch).number + after
        best: tuple[int, Captured] | None = None
        for (when, kernel, name), path in self._captured.files.items():
            if name != base:
                continue
            owners = [
                self._flow.before(other).number
                for other in self._index.launches_of(kernel)
                if other.function == launch.function
                and self._captured.launch in (None, other.id)
                and any(a.tensor is not None and a.tensor.base == base for a in other.arguments)
            ]
            if not owners:
                continue
            saved = owners[-1] + (when == "after")
            if self._changes(launch.function, base, min(moment, saved), max(moment, saved)):
                continue
            distance = abs(saved - moment)
            if best is None or distance < best[0]:
                best = (distance, path)
        return best[1] if best is not None else None

    def _changes(self, function: Function, base: str, low: int, high: int) -> bool:
        """Whether one of the events from number ``low`` to before ``high`` changes a tensor."""
        return any(
            base in event.writes or (event.kind == "buffer" and base in event.defines)
            for event in self._flow.events(function)[low:high]
        )


def solve_symbols(
    index: WrapperIndex,
    symbols: SymbolTable,
    shape_of: Callable[[str], tuple[int, ...] | None],
) -> None:
    """Define symbols out of captured shapes: inputs' own sizes, and ``s19`` out of a buffer that
    is allocated with the sizes ``s19, 16``. What the user set stays."""

    def found(name: str, value: int, tensor: str) -> None:
        if name not in symbols.values:
            symbols.define(name, value, "captured", f"size of captured {tensor}")

    for symbol in index.symbols:
        if symbol.kind == "input_dim" and symbol.tensor is not None and symbol.dim is not None:
            shape = shape_of(symbol.tensor)
            if shape is not None and symbol.dim < len(shape):
                found(symbol.name, shape[symbol.dim], symbol.tensor)
    for buffer in index.buffers:
        products = [size.factors() for size in buffer.sizes or ()]
        if not any(_is_one_symbol(names) for _, names in products):
            continue
        for (factor, names), size in zip(products, shape_of(buffer.name) or (), strict=False):
            if _is_one_symbol(names) and factor and size % factor == 0:
                found(names[0], size // factor, buffer.name)


def _is_one_symbol(factors: tuple[str, ...]) -> bool:
    return len(factors) == 1 and factors[0].isidentifier()
