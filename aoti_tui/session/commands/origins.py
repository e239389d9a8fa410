"""The one key this tool is for: from what is under the cursor to the model input behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from aoti_tui.failure.model import Failure, ProvenanceNode
from aoti_tui.failure.prose.chain import step_words
from aoti_tui.failure.prose.headline import trees
from aoti_tui.failure.prose.words import element_line
from aoti_tui.failure.provenance.tree import walk
from aoti_tui.session.commands.places import Places
from aoti_tui.session.listed.entries import guard_label
from aoti_tui.session.session import Session
from aoti_tui.session.state import Place, Shown
from aoti_tui.session.values.temporaries import Temporary

Origin = tuple[str, tuple[ProvenanceNode, ...]]
"""What something is called, and the trees that explain it."""


class Origins:
    """Finds the inputs behind a name, an argument, a temporary or an assert, and goes there."""

    def __init__(self, session: Session, places: Places) -> None:
        self.session = session
        self.places = places
        self._ends: tuple[ProvenanceNode, ...] = ()
        self._end = 0
        self._end_place: Place | None = None
        self._followed = ""
        """What was under the cursor when the search began."""

    def model_input(self, origin: Origin | None = None) -> None:
        """From ``origin`` (what the source's cursor is on) to its model input; again, to the next
        of several."""
        incident = self.session.state.incident
        if (
            self._end_place is not None
            and self.session.state.place == self._end_place
            and len(self._ends) > 1
        ):
            self._end = (self._end + 1) % len(self._ends)
            self._show_end()
            return
        name, roots = origin if origin is not None else self.at_cursor()
        found = tuple(_unique(end for root in roots for end in input_ends(root)))
        if not found:
            first = next((incident.first_input(r) for r in roots if incident), None)
            found = (first,) if first is not None else ()
        if not found:
            reason = "no model input feeds it" if roots else "nothing is known of it"
            self.session.say(
                f"{name or 'This line'}: {reason}. The chain shows how far it can be followed."
            )
            if roots:
                self.session.change(chain=Shown(name, roots))
            return
        if not self._shown(roots):
            self.session.change(chain=Shown(name, roots))
        self._ends, self._end, self._followed = found, 0, name
        self._show_end()

    def _shown(self, roots: tuple[ProvenanceNode, ...]) -> bool:
        """Whether these trees are shown already, in whatever order, or inside of others."""
        shown = self.session.state.chain.roots
        return all(any(root in walk(tree) for tree in shown) for root in roots)

    def at_cursor(self) -> Origin:
        """What the cursor is on, and the trees that explain it, the likelier one first."""
        place, asserted = self.session.state.place, self.places.assert_here()
        name = place.name
        if asserted is not None and name != asserted.bound.text:
            return _of_assert(asserted)
        shown = self.session.state.shown
        if not name and shown is not None:
            # Nothing is selected here: the question is the failure's.
            return _of_assert(shown)
        node = self.places.trace(place.line, name)
        return name, (node,) if node is not None else ()

    def of_argument(self, name: str) -> Origin:
        """What a name at the call site is, and the tree that explains it."""
        launch = self.session.state.launch
        node = self.places.trace(launch.line, name) if launch is not None else None
        return name, (node,) if node is not None else ()

    def of_temporary(self, temporary: Temporary) -> Origin:
        recording, kernel = self.session.state.recording, self.session.state.kernel
        if recording is None or kernel is None:
            return temporary.name, ()
        line = kernel.wrapper_line(recording.steps[temporary.position].kernel_line)
        node = self.places.trace(line, temporary.name) if line is not None else None
        return temporary.name, (node,) if node is not None else ()

    def _show_end(self) -> None:
        end = self._ends[self._end]
        self.session.go_line(end.line, end.name)
        self._end_place = self.session.state.place
        self.session.change(chain=replace(self.session.state.chain, node=end))
        more = ""
        if len(self._ends) > 1:
            more = f"  ({self._end + 1} of {len(self._ends)}: i again for the next)"
        followed = f"{self._followed} → " if self._followed else ""
        self.session.say(followed + self._describe(end) + more)

    def _describe(self, end: ProvenanceNode) -> str:
        """``Input 2 is arg4_1, dimension 0 = 0. Guard: …``."""
        source = end.source
        if source is None or source.position is None or self.session.state.incident is None:
            return step_words(end)
        parts = [f"Input {source.position} is {source.name or end.name}"]
        if source.dim is not None:
            parts.append(f", dimension {source.dim}")
        if end.value is not None:
            parts.append(f" = {end.value}")
        bad = self.session.state.shown.bad if self.session.state.shown is not None else None
        if bad is not None and (source.kind, source.position) == ("input", bad.position):
            return f"{''.join(parts)}. {element_line(bad)}. No guard checks its values."
        guards = self.session.state.incident.index.guards_of(source.position, source.dim)
        if guards:
            shown = ", ".join(guard_label(guard) for guard in guards[:3])
            when = {guard.enforced for guard in guards}
            only = " (checked only under AOTI_RUNTIME_CHECK_INPUTS=1)"
            parts.append(f". Guard: {shown}{only if 'always' not in when else ''}")
        else:
            parts.append(". No guard checks it")
        return "".join(parts) + "."


def _of_assert(failure: Failure) -> Origin:
    """Of an assert, the guilty side comes first, whichever of its names the cursor is on."""
    roots = trees(failure)
    side = failure.bound if roots[0] is failure.bound.tree else failure.index
    return side.text or "the assert", roots


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
