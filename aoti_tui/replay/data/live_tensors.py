"""Which tensor every name of the wrapper stands for while it is replayed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from aoti_tui.flow.sharing import sharing
from aoti_tui.index.arguments import Result, TensorView
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Buffer
from aoti_tui.index.nodes import Reading
from aoti_tui.replay.data.extern_arguments import part_name
from aoti_tui.replay.data.held_tensors import Held, Storage, contiguous, element_count, span
from aoti_tui.replay.data.passed import dtype_in_launches, is_passed_by_value
from aoti_tui.replay.data.setup import Setup
from aoti_tui.replay.data.symbols import SymbolTable
from aoti_tui.replay.errors import ReplayError

LARGEST_GUESS = 1 << 22


class TensorTable:
    """Names to tensors in the worker. Names there are ``prefix + name``."""

    def __init__(
        self,
        setup: Setup,
        symbols: SymbolTable,
        prefix: str,
        notes: list[str],
    ) -> None:
        self.index = setup.index
        self.flow = setup.flow
        self.client = setup.client
        self.sources = setup.sources
        self.function = setup.index.main
        """Whose names these are: two functions can give one name to different buffers."""
        self.symbols = symbols
        self.prefix = prefix
        self.handles: list[str] = []
        """What this run has put into the worker, to be dropped after it."""
        self._by_name: dict[str, Held] = {}
        self._notes = notes
        self._views = 0
        self._allocated = 0
        symbols.read_with(self._read_off)

    def __getitem__(self, name: str) -> Held:
        """The tensor of a buffer, an input or a constant; made up where nothing is known."""
        held = self._by_name.get(name)
        if held is not None:
            return held
        one = self.index.input_named(name)
        if one is not None:
            held = self._input(one.position, name)
        else:
            constant = self.index.constant_named(name)
            if constant is None:
                self._notes.append(
                    f"where {name} gets its contents is not understood: they are made up"
                )
                self.invent(name, "made up: the wrapper's text is not understood")
                return self._by_name[name]
            held = self.sources.constant(constant)
        self._by_name[name] = held
        return held

    def get(self, name: str) -> Held | None:
        """The tensor of a name that has one already."""
        return self._by_name.get(name)

    def put(self, name: str, held: Held) -> None:
        self._by_name[name] = held
        if held.handle.startswith(self.prefix):
            self.handles.append(held.handle)

    # -- inputs -------------------------------------------------------------------------------

    def _input(self, position: int, name: str) -> Held:
        held = self.sources.input_held(position)
        shape, stride = self.symbols.input_shape(position, held)
        if held is not None:
            if shape is None or shape == held.shape:
                return held
            steps = stride if stride is not None else contiguous(shape)
            return self.sources.resized(held, shape, steps, position, name)
        expected = self.sources.expected_input(position)
        if shape is None:
            shape, stride = self._guessed_shape(name), None
        made = self.sources.made_up(
            name, expected.dtype or "float32", shape, stride, prefix=f"{self.prefix}made-up:"
        )
        self.handles.append(made.handle)
        made.storage.input_position = position
        made.storage.guessed_size = expected.shape is None
        return made

    def _guessed_shape(self, name: str) -> tuple[int, ...]:
        """A size for a tensor of which the wrapper (torch 2.6 and older) says nothing."""
        if is_passed_by_value(self.index, name):
            return ()
        largest = 1024
        for launch in self.index.launches:
            if all(a.tensor is None or a.tensor.base != name for a in launch.arguments):
                continue
            extent = 1
            for argument in launch.arguments:
                if argument.parameter.endswith("numel") and argument.value is not None:
                    try:
                        extent *= max(1, int(self.symbols.number(argument.value)))
                    except ReplayError:
                        continue
            largest = max(largest, extent)
        return (min(largest, LARGEST_GUESS),)

    # -- buffers and views --------------------------------------------------------------------

    def define(self, buffer: Buffer) -> None:
        """Carry out a buffer's definition: allocate it, or take over what it names."""
        if buffer.kind in ("declaration", "result"):
            # A branch or a call fills it, under this name.
            return
        shared = sharing(buffer)
        if shared is not None:
            of = part_name(Result(shared.base, buffer.part)) or shared.base
            self._by_name[buffer.name] = self.view(replace(shared, base=of))
            return
        if buffer.sizes is None or buffer.dtype is None:
            raise ReplayError(
                "unknown",
                f"The size of {buffer.name} is not known",
                f"its allocation at wrapper line {buffer.line} is not understood",
                "Look at the gaps of the index",
            )
        shape = self.sizes(buffer.sizes)
        stride = self.sizes(buffer.strides) if buffer.strides else contiguous(shape)
        self._by_name[buffer.name] = self._allocate(buffer.name, shape, stride, buffer.dtype)

    def _allocate(self, name: str, shape: Sequence[int], stride: Sequence[int], dtype: str) -> Held:
        """Fresh memory, poisoned: what is read before it is written is noticed."""
        if any(size < 0 for size in shape):
            raise ReplayError(
                "unknown",
                f"{name} cannot be allocated",
                f"with these symbols its sizes are {list(shape)}",
                "Set the symbols to values that give sizes of at least 0",
            )
        # A loop allocates under one name again and again, while its last round's memory lives on
        # under another.
        self._allocated += 1
        handle = f"{self.prefix}{name}:{self._allocated}"
        self.client.request(
            "empty",
            name=handle,
            shape=list(shape),
            stride=list(stride),
            dtype=dtype,
            poison=True,
            doing=f"allocating {name} {list(shape)}",
        )
        self.handles.append(handle)
        storage = Storage("replayed", "allocated, not yet written", elements=span(shape, stride))
        return Held(handle, dtype, tuple(shape), tuple(stride), 0, storage)

    def sizes(self, expressions: Iterable[Expr]) -> tuple[int, ...]:
        """Sizes as numbers."""
        return tuple(int(self.symbols.number(expression)) for expression in expressions)

    def view(self, view: TensorView) -> Held:
        """The tensor of a view: the base itself, or a view made of it in the worker."""
        base = self[view.base]
        if view.sizes is None and view.dtype is None:
            return base
        shape = self.sizes(view.sizes) if view.sizes is not None else base.shape
        stride = self.sizes(view.strides) if view.strides is not None else base.stride
        step = int(self.symbols.number(view.offset))
        dtype = view.dtype or base.dtype
        offset = base.offset + step
        room = base.storage.elements if dtype == base.dtype else None
        if room is not None and offset + span(shape, stride) > room:
            # The GPU takes it as it is; what a kernel then reads beyond the memory is noticed.
            self._notes.append(
                f"the wrapper views {view.base} as {list(shape)} from element {offset} on, beyond "
                f"its {room} elements"
            )
            shape, stride = (max(room - offset, 0),), (1,)
        if (shape, stride, offset, dtype) == (base.shape, base.stride, base.offset, base.dtype):
            return base
        self._views += 1
        handle = f"{self.prefix}{view.base}:view{self._views}"
        self.client.request(
            "view",
            name=handle,
            base=base.handle,
            shape=list(shape),
            stride=list(stride),
            offset=offset,
            dtype=dtype if dtype != base.dtype else None,
            doing=f"viewing {view.base} as {list(shape)}",
        )
        self.handles.append(handle)
        return Held(handle, dtype, shape, stride, offset, base.storage)

    def invent(self, name: str, how: str) -> None:
        """Put made-up data in place of a result that cannot be computed."""
        known = self._by_name.get(name)
        if known is not None:
            shape, dtype = known.shape, known.dtype
            stride: tuple[int, ...] | None = known.stride
        else:
            shape, stride, dtype = self._result_shape(name)
        made = self.sources.made_up(
            name, dtype, shape, stride, how, prefix=f"{self.prefix}invented:"
        )
        made.storage.guessed_size = known is None and stride is None
        self.put(name, made)

    def _result_shape(self, name: str) -> tuple[tuple[int, ...], tuple[int, ...] | None, str]:
        """Size of an op's result out of what the wrapper later does with it."""
        dtype = dtype_in_launches(self.index, name, self.function) or "float32"
        if any(
            s.kind == "item" and s.tensor == name and s.function == self.function
            for s in self.index.symbols
        ):
            return (), (), dtype  # one number, which the wrapper reads
        if is_passed_by_value(self.index, name):
            return (), (), dtype
        for buffer in self.index.buffers:
            own = buffer.name == name and buffer.function == self.function
            if own and buffer.sizes is not None:
                strides = self.sizes(buffer.strides) if buffer.strides else None
                return self.sizes(buffer.sizes), strides, buffer.dtype or dtype
        largest = element_count(self._guessed_shape(name))
        for view in self.flow.views_of(name, self.function):
            largest = max(largest, self._span(view))
        return (largest,), None, dtype

    def _span(self, view: TensorView) -> int:
        """Elements from the base's first to the view's last; 0 when that is not known."""
        if view.sizes is None:
            return 0
        try:
            sizes = self.sizes(view.sizes)
            strides = self.sizes(view.strides) if view.strides is not None else contiguous(sizes)
            start = int(self.symbols.number(view.offset))
        except ReplayError:
            return 0
        return start + 1 + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True) if n > 0)

    def _read_off(self, reading: Reading) -> int | float | None:
        """A size or item that an expression reads off a tensor in place; None when unknown."""
        held = self[reading.tensor]
        if reading.what == "item":
            doing = f"reading {reading.name}"
            value: int | float = self.client.request("item", name=held.handle, doing=doing)["value"]
            return value
        dims = held.stride if reading.what == "stride" else held.shape
        return dims[reading.dim] if reading.dim < len(dims) else None
