"""Where a NaN or an infinity that was stored was made first.

Of the values that a program assigns, the first that holds one and without which nothing wrong is
stored: each is repaired in turn and the program run again.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine.findings.notices import Notice
from ...engine.findings.onlooker import Running
from ...engine.findings.recorder import Recorder
from ...engine.numbers.dtypes import BY_TRITON
from ...engine.numbers.floats import Array
from ...engine.numbers.stored import decode, encode
from ...engine.programs.launch import Launch
from ...engine.values.access import Access
from ...engine.values.handle import Handle
from ...source.place import Place
from ...source.rewrite import Site
from .rerun import Again, Program, Trace, can_run_alone, run_alone

# Assignments that hold such a value; beyond them the store itself is named.
MOST_TRIED = 40


@dataclass(frozen=True)
class Origin:
    """The assignment that made it; without `name` the expression that was stored did.

    `lane` is its first such lane, `values` what its operands were there.
    """

    place: Place
    name: str | None
    lane: tuple[int, ...]
    values: dict[str, Any]


class _Loads(Trace):
    """Gives a number for whatever is loaded that is none; `odd` tells whether there was any."""

    odd = False

    def loaded(
        self, run: Running, access: Access, wanted: Array | None, bits: Array, volatile: bool
    ) -> Array:
        super().loaded(run, access, wanted, bits, volatile)
        number = access.number
        if number.kind != "float":
            return bits
        odd = ~np.isfinite(decode(bits, number))
        read = odd if wanted is None else odd & wanted
        if not read.any():
            return bits
        self.odd = True
        one = encode(number.settled(np.ones(1, number.values)), number)
        return np.where(odd, one, bits).astype(bits.dtype)


class _Repairing(Recorder):
    """Notes which assignments hold such a value; repairs that of one of them, by its number."""

    def __init__(self, launch: Launch, program: Program, nan: bool, repaired: int = 0) -> None:
        super().__init__(launch.language.values.settle, program)
        self.tensor = launch.language.values.tensor
        self.nan = nan
        self.repaired = repaired
        self.count = 0
        self.latest: dict[str, Handle] = {}
        self.found: list[tuple[int, Site, Handle, dict[str, Handle]]] = []

    def set(self, site: Site, value: Any) -> Any:
        return super().set(site, self._looked_at(site, self.settle(value)))

    def returned(self, site: Site, value: Any) -> Any:
        return super().returned(site, self._looked_at(site, value))

    def _looked_at(self, site: Site, value: Any) -> Any:
        handle = getattr(value, "handle", None)
        if not isinstance(handle, Handle) or handle.argument is not None:
            return value
        self.count += 1
        odd = _odd(handle, self.nan)
        if odd is not None and self.count == self.repaired:
            lanes = np.where(odd, handle.lanes.dtype.type(1), handle.lanes)
            handle = Handle(lanes, handle.dtype, handle.shape)
            value = self.tensor(handle)
        elif odd is not None and len(self.found) < MOST_TRIED:
            self.found.append((self.count, site, handle, dict(self.latest)))
        if site.names:
            self.latest[str(site.names[0])] = handle
        return value


def _odd(handle: Handle, nan: bool) -> Array | None:
    number = BY_TRITON.get(getattr(handle.dtype, "name", ""))
    if number is None or number.kind != "float":
        return None
    lanes: Array = np.isnan(handle.lanes) if nan else np.isinf(handle.lanes)
    return lanes if lanes.any() else None


def made_by(notice: Notice, again: Again) -> Origin | None:
    """What made the value that a notice of kind `not-finite` is about.

    None where it was loaded, or where the kernel calculates with infinities on purpose; and for
    kernels whose programs depend on others, since one cannot be run on its own.
    """
    launch = again()
    nan = bool(np.isnan(notice.value))
    if not can_run_alone(launch) or (not nan and _means_infinity(launch)):
        return None
    program = notice.program
    loads = _Loads()
    if run_alone(launch, program, loads) is not None or not _stores_it(loads, notice, nan):
        return None
    launch = again()
    first = _Repairing(launch, program, nan)
    run_alone(launch, program, None, first)
    for count, site, handle, known in first.found:
        launch = again()
        trace = Trace()
        run_alone(launch, program, trace, _Repairing(launch, program, nan, count))
        if not _stores_it(trace, notice, nan):
            return _origin(launch, site, handle, known, nan)
    return Origin(notice.place, None, tuple(notice.lane), {})


def _stores_it(trace: Trace, notice: Notice, nan: bool) -> bool:
    """Whether the access of the notice still brings such a value to its element."""
    for step in trace.steps:
        if (step.place, step.argument) != (notice.place, notice.argument) or step.bits is None:
            continue
        here = decode(step.stored()[step.lanes() == notice.element], step.number)
        if (np.isnan(here) if nan else np.isinf(here)).any():
            return True
    return False


def _means_infinity(launch: Launch) -> bool:
    """Whether the kernel's text itself speaks of an infinity."""
    words = ("float('inf')", "float('-inf')", "math.inf", "np.inf", "torch.inf")
    text = ast.unparse(_tree(launch))
    return any(word in text for word in words)


def _tree(launch: Launch) -> ast.AST:
    function: Any = launch.kernel.function
    written = getattr(function, "written", None)
    tree: ast.AST = function.module.source.tree if written is None else written.tree
    return tree


def _origin(
    launch: Launch, site: Site, handle: Handle, known: dict[str, Handle], nan: bool
) -> Origin:
    odd = _odd(handle, nan)
    assert odd is not None
    whole = np.broadcast_to(odd, (1, *handle.shape))[0]
    position = int(np.flatnonzero(whole)[0])
    lane = tuple(int(i) for i in np.unravel_index(position, handle.shape)) if handle.shape else ()
    values = {}
    for name in _names_at(_tree(launch), site.place.line):
        operand = known.get(name)
        if operand is not None and operand.argument is None:
            values[name] = value_at(operand, lane)
    return Origin(site.place, str(site.names[0]) if site.names else None, lane, values)


def _names_at(tree: ast.AST, line: int) -> list[str]:
    """The names that the statement of a line reads."""
    kinds = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and node.lineno == line:
            read = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
            return list(dict.fromkeys(read))
    return []


def value_at(handle: Handle, lane: tuple[int, ...]) -> Any:
    """A block's value in a lane of a block of that or of a higher rank."""
    tail = lane[len(lane) - len(handle.shape) :] if handle.shape else ()
    at = tuple(min(i, size - 1) for i, size in zip(tail, handle.lanes.shape[1:]))
    number = handle.lanes[(0, *at)]
    return number.item() if hasattr(number, "item") else number
