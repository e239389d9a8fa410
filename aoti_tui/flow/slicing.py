"""The events that a launch's arguments need: a backward slice over tensors and symbols.

Names are followed, not addresses. A buffer that takes over another's memory (``// reuse``) needs
the old contents only when it is read before it is written; writers of a buffer are all kept, as
nothing says that one overwrites the whole of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from aoti_tui.flow.events import Event
from aoti_tui.flow.sharing import shares_contents, sharing
from aoti_tui.index.model import Buffer, Scope, Symbol


def needed_events(
    events: Sequence[Event],
    target: Event,
    data: frozenset[str] | None = None,
    *,
    conditions: Callable[[Scope], frozenset[str]],
) -> tuple[Event, ...]:
    """Events that must run, in order, before ``target`` (which is not among them).

    ``data`` are the tensors whose contents matter; by default all that the target reads. Memory
    and shapes are worked out for all of the target's tensors. ``conditions`` gives the names that
    decide whether a scope runs.
    """
    slicer = _Slicer(events, conditions)
    return slicer.before(target, target.reads if data is None else data)


class _Slicer:
    def __init__(
        self, events: Sequence[Event], conditions: Callable[[Scope], frozenset[str]]
    ) -> None:
        self.events = events
        self.conditions = conditions
        self.same = _aliases(events)
        self.carrying = _carrying_reuses(events)

    def before(self, target: Event, data: frozenset[str]) -> tuple[Event, ...]:
        position = target.number
        loops = [s for s in target.scopes if s.kind == "while"]
        last = position
        if loops:
            # What comes later in the loop's body feeds the next iteration.
            inside = (loops[0].kind, loops[0].line)
            while last + 1 < len(self.events) and any(
                (s.kind, s.line) == inside for s in self.events[last + 1].scopes
            ):
                last += 1
        self.data = set(data)
        self.memory = set(target.shapes)
        self.scalars = set(target.scalars)
        self._conditions(target)
        included: set[int] = set()
        rounds = 2 if any(s.kind == "while" for e in self.events for s in e.scopes) else 1
        for _ in range(rounds):
            for at in range(last, -1, -1):
                event = self.events[at]
                if at != position and self._is_needed(event):
                    included.add(at)
                    self._take(event)
        return tuple(self.events[i] for i in sorted(included))

    def _is_needed(self, event: Event) -> bool:
        if event.kind == "symbol":
            return bool(event.defines & self.scalars)
        if event.kind == "buffer":
            return bool(event.defines & (self.data | self.memory | self.scalars))
        if event.kind == "check":
            return False
        # Conditions can read a tensor in place (torch 2.5: `if (buf3.item<bool>())`).
        wanted = self._same(self.data | self.scalars)
        if event.kind == "launch" and not self._same(event.shapes) & wanted:
            # Said without understanding its kernel: it does not even get what is wanted.
            return False
        return bool(self._same(event.writes) & wanted) or (
            event.kind == "extern" and bool(event.writes & self.memory) and self._makes(event)
        )

    def _makes(self, event: Event) -> bool:
        """Whether an op's output has no memory before it: its shape comes from the op."""
        return any(
            isinstance(other.fact, Buffer)
            and other.fact.kind == "result"
            and other.defines & event.writes
            for other in self.events
        )

    def _take(self, event: Event) -> None:
        self.scalars |= event.scalars
        self._conditions(event)
        fact = event.fact
        if isinstance(fact, Symbol):
            self.data |= event.reads
            self.memory |= event.shapes
            return
        if isinstance(fact, Buffer):
            if fact.of is None:
                return
            self.memory.add(fact.of)
            wanted = fact.name in self.data or fact.name in self.scalars
            if wanted and (shares_contents(fact) or event.number in self.carrying):
                self.data.add(fact.of)
            return
        self.data |= event.reads
        self.memory |= event.shapes

    def _conditions(self, event: Event) -> None:
        for scope in event.scopes:
            self.scalars |= self.conditions(scope)

    def _same(self, names: Iterable[str]) -> set[str]:
        """Names and all those that they are views or aliases of."""
        found: set[str] = set()
        pending = list(names)
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(self.same.get(name, ()))
        return found


def _aliases(events: Sequence[Event]) -> dict[str, set[str]]:
    """Name to the names whose contents it shares (views and aliases), one a branch."""
    found: dict[str, set[str]] = {}
    for event in events:
        fact = event.fact
        if isinstance(fact, Buffer) and fact.of is not None and shares_contents(fact):
            found.setdefault(fact.name, set()).add(fact.of)
    return found


def _carrying_reuses(events: Sequence[Event]) -> frozenset[int]:
    """Numbers of reuses whose old contents are read before anything is written."""
    carrying: set[int] = set()
    for at, event in enumerate(events):
        fact = event.fact
        if not isinstance(fact, Buffer) or fact.kind != "reuse":
            continue
        names = {fact.name}
        for later in events[at + 1 :]:
            other = later.fact
            if isinstance(other, Buffer):
                shared = sharing(other)
                if shared is not None and shared.base in names:
                    names.add(other.name)
                continue
            if later.reads & names:
                carrying.add(event.number)
                break
            if later.writes & names:
                break
        else:
            # Never touched again: an output of the model, handed on as it is.
            carrying.add(event.number)
    return frozenset(carrying)
