"""The tree of an expression, which says the same whatever language it was written in.

``//`` and ``%`` floor as Python's, ``quotient`` and ``remainder`` are C's (and Triton's) for whole
numbers, ``/`` divides as floats.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

Value = int | float


@dataclass(frozen=True, slots=True)
class Number:
    value: Value


@dataclass(frozen=True, slots=True)
class Name:
    """A symbol, a local or a parameter: ``s7``, ``ks0``."""

    name: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A size, a stride or the one element of a tensor, read in place."""

    tensor: str
    what: Literal["size", "stride", "item"]
    dim: int = 0

    @property
    def name(self) -> str:
        """``arg4_1.size(0)``, ``buf3.item()``: what an environment knows it by."""
        return f"{self.tensor}.{self.what}({'' if self.what == 'item' else self.dim})"


@dataclass(frozen=True, slots=True)
class Unary:
    """``operator`` is ``-``, ``+``, ``~`` or ``not``."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """``operator`` is ``+ - * / // % quotient remainder``, a comparison, ``and``, ``or`` or one
    of ``& | ^ << >>``."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Conditional:
    condition: Node
    chosen: Node
    other: Node


@dataclass(frozen=True, slots=True)
class Cast:
    """``type`` is ``float``, ``bool`` or an integer type (``int64``, ``uint32``)."""

    type: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Text that is no arithmetic, with the names that stand in it."""

    text: str
    reason: str
    names: tuple[str, ...] = ()


Node = Number | Name | Reading | Unary | Binary | Conditional | Cast | Call | Unknown


def walk(root: Node) -> Iterator[Node]:
    """A node and all below it, in order of appearance."""
    # Not recursive: a sum of a thousand terms is a tree a thousand deep.
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, (Unary, Cast)):
            pending.append(node.operand)
        elif isinstance(node, Binary):
            pending += (node.right, node.left)
        elif isinstance(node, Conditional):
            pending += (node.other, node.chosen, node.condition)
        elif isinstance(node, Call):
            pending.extend(reversed(node.arguments))


def put(root: Node, nodes: Mapping[str, Node]) -> Node:
    """The tree with nodes in place of the names that stand for them."""
    if isinstance(root, Name):
        return nodes.get(root.name, root)
    if isinstance(root, Unary):
        return Unary(root.operator, put(root.operand, nodes))
    if isinstance(root, Cast):
        return Cast(root.type, put(root.operand, nodes))
    if isinstance(root, Binary):
        return Binary(root.operator, put(root.left, nodes), put(root.right, nodes))
    if isinstance(root, Conditional):
        condition, chosen = put(root.condition, nodes), put(root.chosen, nodes)
        return Conditional(condition, chosen, put(root.other, nodes))
    if isinstance(root, Call):
        return Call(root.function, tuple(put(a, nodes) for a in root.arguments))
    return root
