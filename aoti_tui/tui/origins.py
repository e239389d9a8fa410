"""The one key this tool is for: from what is under the cursor to the model input behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from aoti_tui.failure.model import BAD_INDEX, Failure, ProvenanceNode
from aoti_tui.failure.prose.chain import step_words
from aoti_tui.failure.prose.words import element_line
from aoti_tui.session.jumps import Place
from aoti_tui.session.listed.entries import guard_label
from aoti_tui.session.values.temporaries import Temporary
from aoti_tui.tui.panes.callsite import CallSite
from aoti_tui.tui.panes.chain import Chain

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen


class Origins:
    """Finds the inputs behind a name, an argument, a temporary or an assert, and goes there."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self.browsing = screen.browsing
        self._ends: tuple[ProvenanceNode, ...] = ()
        self._end = 0
        self._end_place: Place | None = None
        self._followed = ""
        """What was under the cursor when the search began."""

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {"model_input": self.model_input}

    def model_input(self) -> None:
        """The one key this tool is for: from what is under the cursor to its model input."""
        if (
            self._end_place is not None
            and self.browsing.here == self._end_place
            and len(self._ends) > 1
        ):
            self._end = (self._end + 1) % len(self._ends)
            self._show_end()
            return
        origin, roots = self._origin()
        found = tuple(_unique(end for root in roots for end in input_ends(root)))
        if not found:
            first = next(
                (self.browsing.incident.first_input(r) for r in roots if self.browsing.incident),
                None,
            )
            found = (first,) if first is not None else ()
        if not found:
            reason = "no model input feeds it" if roots else "nothing is known of it"
            self.screen.say(
                f"{origin or 'This line'}: {reason}. The chain shows how far it can be followed."
            )
            if roots:
                self.screen.query_one(Chain).load(origin, roots)
            return
        if self.screen.focused_pane() != "chain" and not self._shown(roots):
            self.screen.query_one(Chain).load(origin, roots)
        self._ends, self._end, self._followed = found, 0, origin
        self._show_end()

    def _shown(self, roots: tuple[ProvenanceNode, ...]) -> bool:
        """Whether the chain pane shows these trees already, in whatever order."""
        return all(root in self.screen.query_one(Chain).roots for root in roots)

    def _origin(self) -> tuple[str, tuple[ProvenanceNode, ...]]:
        """What the cursor is on, and the trees that explain it, the likelier one first."""
        focused = self.screen.focused_pane()
        if focused == "chain":
            node = self.screen.query_one(Chain).node_at_cursor
            return (node.name, (node,)) if node is not None else ("", ())
        if focused == "call" and self.browsing.launch is not None:
            name = self.screen.query_one(CallSite).name_at_cursor
            node = self.browsing.trace(self.browsing.launch.line, name)
            return name, (node,) if node is not None else ()
        if focused == "run":
            temporary = self.screen.replaying.selected_temporary()
            if temporary is not None:
                return self._origin_of_temporary(temporary)
        name_at = self.browsing.source.name_at_cursor
        name = name_at.name if name_at is not None else ""
        asserted = self.browsing.assert_here()
        if asserted is not None and name != asserted.bound.text:
            return _of_assert(asserted)
        shown = self.browsing.shown
        if not name and shown is not None:
            # Nothing is selected here: the question is the failure's.
            return _of_assert(shown)
        node = self.browsing.trace(self.browsing.source.line, name)
        return name, (node,) if node is not None else ()

    def _origin_of_temporary(self, temporary: Temporary) -> tuple[str, tuple[ProvenanceNode, ...]]:
        recording = self.screen.replaying.recording
        kernel = self.browsing.kernel
        if recording is None or kernel is None:
            return temporary.name, ()
        line = kernel.wrapper_line(recording.steps[temporary.position].kernel_line)
        node = self.browsing.trace(line, temporary.name) if line is not None else None
        return temporary.name, (node,) if node is not None else ()

    def _show_end(self) -> None:
        end = self._ends[self._end]
        self.browsing.go_line(end.line, end.name)
        self._end_place = self.browsing.here
        self.screen.query_one(Chain).select(end)
        more = ""
        if len(self._ends) > 1:
            more = f"  ({self._end + 1} of {len(self._ends)}: i again for the next)"
        followed = f"{self._followed} → " if self._followed else ""
        self.screen.say(followed + self._describe(end) + more)

    def _describe(self, end: ProvenanceNode) -> str:
        """``Input 2 is arg4_1, dimension 0 = 0. Guard: …``."""
        source = end.source
        if source is None or source.position is None or self.browsing.incident is None:
            return step_words(end)
        parts = [f"Input {source.position} is {source.name or end.name}"]
        if source.dim is not None:
            parts.append(f", dimension {source.dim}")
        if end.value is not None:
            parts.append(f" = {end.value}")
        bad = self.browsing.shown.bad if self.browsing.shown is not None else None
        if bad is not None and (source.kind, source.position) == ("input", bad.position):
            return f"{''.join(parts)}. {element_line(bad)}. No guard checks its values."
        guards = self.browsing.incident.index.guards_of(source.position, source.dim)
        if guards:
            shown = ", ".join(guard_label(guard) for guard in guards[:3])
            when = {guard.enforced for guard in guards}
            only = " (checked only under AOTI_RUNTIME_CHECK_INPUTS=1)"
            parts.append(f". Guard: {shown}{only if 'always' not in when else ''}")
        else:
            parts.append(". No guard checks it")
        return "".join(parts) + "."


def _of_assert(failure: Failure) -> tuple[str, tuple[ProvenanceNode, ...]]:
    """Of an assert, the guilty side comes first, whichever of its names the cursor is on."""
    if failure.cause.code in BAD_INDEX:
        return failure.index.text or "the assert", (failure.index.tree, failure.bound.tree)
    return failure.bound.text or "the assert", (failure.bound.tree, failure.index.tree)


def input_ends(node: ProvenanceNode) -> Iterator[ProvenanceNode]:
    """The steps of a tree at which a model input is reached, in order."""
    if node.source is not None and node.source.kind.startswith("input"):
        yield node
        return
    for child in node.children:
        yield from input_ends(child)


def _unique(nodes: Iterator[ProvenanceNode]) -> Iterator[ProvenanceNode]:
    seen = set()
    for node in nodes:
        if node.source not in seen:
            seen.add(node.source)
            yield node
