"""The provenance chain: from the assert's bound and index to inputs, as a tree to walk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static, Tree
from textual.widgets.tree import TreeNode

from aoti_tui.failure.model import ProvenanceNode
from aoti_tui.failure.prose.chain import step_words, value_words
from aoti_tui.session.text import visible
from aoti_tui.tui.panes.pane import Pane
from aoti_tui.tui.text import plain

LIMIT = 2000
"""Nodes put into the tree at once; a chain longer than that says so."""

_SIGNS = {
    "assert": "✗",
    "input": "▣",
    "constant": "▣",
    "guard": "§",
    "launch": "⚙",
    "extern": "⚙",
    "note": "ℹ",
    "unknown": "?",
}


class ChainTree(Tree[ProvenanceNode]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "open", "Open", show=False),
        Binding("left,h", "close", "Close", show=False),
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
    ]
    auto_expand = False

    def action_open(self) -> None:
        node = self.cursor_node
        if node is not None:
            if node.is_collapsed and node.children:
                node.expand()
            else:
                self.action_cursor_down()

    def action_close(self) -> None:
        node = self.cursor_node
        if node is not None:
            if node.is_expanded and node.children:
                node.collapse()
            elif node.parent is not None and not (node.parent.is_root and not self.show_root):
                self.move_cursor(node.parent)


class Chain(Pane):
    """Trees of provenance. Highlighting a node tells its whole text; Enter posts Chosen."""

    HELP = (
        "Where the bound and the index of the assert come from, down to model inputs. "
        "↑↓ walk, ←→ close and open, Enter jumps to the line, i to the model input, "
        "Y copies the chain. Values appear once inputs are given or a replay has run."
    )

    class Chosen(Message):
        def __init__(self, node: ProvenanceNode) -> None:
            super().__init__()
            self.node = node

    def __init__(self) -> None:
        super().__init__(id="chain", title="Provenance")
        self.roots: tuple[ProvenanceNode, ...] = ()

    def compose(self) -> ComposeResult:
        tree = ChainTree("", id="chain-tree")
        tree.show_root = False
        tree.guide_depth = 2
        yield tree
        yield Static(
            "Enter on a name in the source shows here where it comes from.",
            id="chain-detail",
            markup=False,
        )

    def load(self, title: str, roots: tuple[ProvenanceNode, ...]) -> None:
        """Show trees, opened."""
        self.set_title("Provenance", title)
        if roots == self.roots:
            if roots and self.node_at_cursor is not roots[0]:
                self.select(roots[0])
            return
        self.roots = roots
        tree = self.query_one(ChainTree)
        tree.clear()
        count = 0
        stack: list[tuple[TreeNode[ProvenanceNode], ProvenanceNode, int]] = [
            (tree.root, root, 0) for root in reversed(roots)
        ]
        while stack:
            parent, node, depth = stack.pop()
            count += 1
            if count > LIMIT:
                parent.add_leaf(Text(f"… more than {LIMIT} steps"))
                break
            if not node.children:
                parent.add_leaf(node_label(node), node)
                continue
            branch = parent.add(node_label(node), node, expand=depth < 12)
            stack.extend((branch, child, depth + 1) for child in reversed(node.children))
        tree.root.expand()
        tree.cursor_line = 0
        if roots:
            self._tell(roots[0])

    @property
    def node_at_cursor(self) -> ProvenanceNode | None:
        node = self.query_one(ChainTree).cursor_node
        return node.data if node is not None else None

    def select(self, wanted: ProvenanceNode) -> bool:
        """Put the cursor on a node that says the same."""
        for tree_node in _walk(self.query_one(ChainTree).root):
            node = tree_node.data
            if node is not None and (node.kind, node.name, node.line) == (
                wanted.kind,
                wanted.name,
                wanted.line,
            ):
                parent = tree_node.parent
                while parent is not None:
                    parent.expand()
                    parent = parent.parent
                self.query_one(ChainTree).move_cursor(tree_node)
                self._tell(node)
                return True
        return False

    def as_text(self) -> str:
        """The whole chain, indented, for the clipboard."""
        return "\n".join(line for root in self.roots for line in chain_lines(root))

    def _tell(self, node: ProvenanceNode) -> None:
        where = f"  {node.place}" if node.place else ""
        if node.kernel and node.kernel_line:
            where += f"  ({node.kernel} line {node.kernel_line})"
        value = f"  {value_words(node)}" if node.value is not None else ""
        self.query_one("#chain-detail", Static).update(plain(step_words(node) + value + where))

    @on(Tree.NodeHighlighted, "#chain-tree")
    def _highlighted(self, event: Tree.NodeHighlighted[ProvenanceNode]) -> None:
        event.stop()
        if event.node.data is not None:
            self._tell(event.node.data)

    @on(Tree.NodeSelected, "#chain-tree")
    def _selected(self, event: Tree.NodeSelected[ProvenanceNode]) -> None:
        event.stop()
        if event.node.data is not None:
            self.post_message(self.Chosen(event.node.data))


def node_label(node: ProvenanceNode) -> Text:
    """``▣ s7 = arg4_1.size(0)  = 0  :1349``; the kind by sign and by word, never by colour only."""
    sign = _SIGNS.get(node.kind)
    text = Text(end="")
    if sign:
        text.append(sign + " ", "bold")
    text.append(visible(step_words(node)), "bold" if node.kind == "input" else "")
    if node.value is not None:
        text.append(f"  {visible(value_words(node))}", "bold italic")
    if node.place:
        text.append(f"  {visible(node.place)}", "dim")
    return text


def chain_lines(node: ProvenanceNode, depth: int = 0) -> Iterator[str]:
    value = f" {value_words(node)}" if node.value is not None else ""
    where = f"  ({node.place})" if node.place else ""
    yield "  " * depth + step_words(node) + value + where
    for child in node.children:
        yield from chain_lines(child, depth + 1)


def _walk(node: TreeNode[ProvenanceNode]) -> Iterator[TreeNode[ProvenanceNode]]:
    yield node
    for child in node.children:
        yield from _walk(child)
