"""Launches that can be run again, within a bound on the memory that this takes."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...engine.language.language import Language
from ...engine.numbers.dtypes import Number
from ...engine.numbers.floats import Array
from ...engine.programs.launch import Launch
from ...engine.values.arguments import Storage
from ..binding.arguments import Binder
from ..binding.kernels import ScriptKernel
from ..checks.launch_checks import watch_views
from .held import HeldTensor, Revived, held, holder
from .memory import Memories, Memory, State
from .sets import Setting, apply
from .writers import Writer, Writers

# Of the script's own memory, and beside it: together they stay within 1.5 times and 300 MB.
SHARE, BESIDE = 0.25, 150 << 20
_COUNT_EVERY = 16 << 20


@dataclass
class KeptLaunch:
    """A launch as it was when it began. `after`: the states in which it left the storages, by
    those in which it found them; `before_by`: who had written each of those last; `pointed`: the
    tensors that the kernel came by the addresses of, and those."""

    id: int
    kernel: ScriptKernel
    grid: tuple[int, int, int]
    num_warps: int
    values: dict[str, Any]
    memories: dict[int, Memory]
    after: dict[int, State] = field(default_factory=dict)
    before_by: dict[int, Writer] = field(default_factory=dict)
    settings: tuple[Setting, ...] = ()
    pointed: dict[str, tuple[HeldTensor, int]] = field(default_factory=dict)

    def launch(self, language: Language) -> Launch:
        """The launch on memory of its own, as it was before it ran, with the settings on it."""
        pointed = {name: tensor for name, (tensor, _) in self.pointed.items()}
        revived = Revived({**self.values, **pointed})
        others = {name: (revived.values.pop(name), self.pointed[name][1]) for name in pointed}
        values = apply(self.settings, revived.values)
        kernel = self.kernel
        binder = Binder(
            language,
            values,
            kernel.kernel.constexprs,
            kernel.annotated,
            revived.poisoned,
            lambda _, data: Storage(data),
            others,
        )
        watch_views(binder.arguments, binder.views)
        bound, arguments = binder.values, binder.arguments
        return Launch(kernel.kernel, self.grid, bound, arguments, language, self.num_warps)

    @property
    def tensors(self) -> dict[str, HeldTensor]:
        """What was given for each tensor, by the path to it."""
        others = {name: tensor for name, (tensor, _) in self.pointed.items()}
        return {**dict(_tensors_in(self.values, "")), **others}


def _tensors_in(value: Any, path: str) -> Iterator[tuple[str, HeldTensor]]:
    if isinstance(value, HeldTensor):
        yield path, value
    elif hasattr(value, "block_shape") and isinstance(getattr(value, "base", None), HeldTensor):
        yield path, value.base
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _tensors_in(part, name)
    elif isinstance(value, (tuple, list)):
        fields = getattr(value, "_fields", None)
        for index, part in enumerate(value):
            step = f".{fields[index]}" if fields else f"[{index}]"
            yield from _tensors_in(part, path + step)


class Keeping:
    """Every launch that is still kept; the oldest are let go of when they take too much."""

    def __init__(self, writers: Writers) -> None:
        self.memories = Memories()
        self.writers = writers
        self.launches: dict[int, KeptLaunch] = {}
        self.let_go = 0
        self._uncounted = 0

    def begin(
        self,
        identity: int,
        kernel: ScriptKernel,
        grid: tuple[int, int, int],
        num_warps: int,
        values: Mapping[str, Any],
        poisoned: dict[int, Number],
    ) -> KeptLaunch:
        """Hold what a launch is given, before it runs."""
        found: dict[int, Memory] = {}
        states: dict[int, State] = {}
        constexprs = kernel.kernel.constexprs
        hold = holder(lambda untyped: self._state(untyped, found, states), poisoned)
        kept = KeptLaunch(
            identity,
            kernel,
            grid,
            num_warps,
            {n: v if n in constexprs else held(v, hold) for n, v in values.items()},
            found,
        )
        for address, state in states.items():
            writer = self.writers.last(address)
            if writer is not None:
                kept.before_by[id(state)] = writer
        self.launches[identity] = kept
        return kept

    def _state(self, untyped: Any, memories: dict[int, Memory], states: dict[int, State]) -> State:
        address = int(untyped.data_ptr())
        if address not in states:
            memories[address] = self.memories.of(untyped, bytes_of(untyped))
            states[address] = memories[address].state()
        return states[address]

    def point(
        self, kept: KeptLaunch, name: str, tensor: Any, poisoned: dict[int, Number]
    ) -> Memory:
        """Hold one more tensor of a launch that runs, found by its address."""
        states = {one.state.memory.address: one.state for one in kept.tensors.values()}
        hold = holder(lambda untyped: self._state(untyped, kept.memories, states), poisoned)
        found = hold(tensor)
        kept.pointed[name] = (found, int(tensor.data_ptr()))
        memory = found.state.memory
        writer = self.writers.last(memory.address)
        if writer is not None:
            kept.before_by.setdefault(id(found.state), writer)
        return memory

    def end(self, kept: KeptLaunch) -> None:
        """Hold what a launch left behind, and let go of the oldest launches if need be."""
        for one in kept.tensors.values():
            if id(one.state) in kept.after:
                continue
            memory = one.state.memory
            now = memory.state()
            kept.after[id(one.state)] = now
            if now is not one.state:
                self.writers.launched(memory.address, kept.id)
                self._uncounted += now.size
        self._uncounted += 1 << 12
        if self._uncounted > _COUNT_EVERY:
            self._uncounted = 0
            self._fit()

    def _fit(self) -> None:
        limit = SHARE * _peak() + BESIDE
        while len(self.launches) > 1 and self._kept() > limit:
            # Several at a time, since counting is not free.
            for identity in list(self.launches)[: max(len(self.launches) // 8, 1)]:
                del self.launches[identity]
                self.let_go += 1

    def _kept(self) -> int:
        states = {}
        for kept in self.launches.values():
            for one in kept.tensors.values():
                states[id(one.state)] = one.state
                after = kept.after.get(id(one.state))
                if after is not None:
                    states[id(after)] = after
        memories = {id(state.memory): state.memory for state in states.values()}
        alone = sum(len(memory.data) for memory in memories.values() if memory.held_alone)
        return alone + sum(state.kept for state in states.values())


def bytes_of(untyped: Any) -> Array:
    """The bytes of a torch storage, as they lie."""
    import torch

    flat = torch.empty(0, dtype=torch.uint8).set_(untyped)
    data: Array = flat.numpy()
    return data


def _peak() -> int:
    """The most memory that this process ever had, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
