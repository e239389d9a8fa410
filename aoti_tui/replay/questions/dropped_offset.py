"""Whether an assert that holds would fail had the compiler lost where a view starts.

Versions of Inductor have dropped the offset of a view: of the boundaries that a search goes
through (``cu_seqlens[1:]``, ``boundary_indices`` of ``triton_helpers.bucketize_binary_search``), or
of a ``reinterpret_tensor``. A log of such a version does not fit what a wrapper of a sound one
computes. Each offset before the launch is left out in turn, and the launch is replayed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from aoti_tui.index.expression import ZERO
from aoti_tui.index.model import Kernel, Launch, LaunchId, WrapperIndex
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import FiredAssert, Program
from aoti_tui.replay.session import ReplaySession

_MOST_TRIED = 6
_SEARCH = "triton_helpers.bucketize_binary_search"
_START = 5
"""Which argument of the search is the element that the boundaries start at."""


@dataclass(frozen=True, slots=True)
class DroppedOffset:
    """An offset without which the assert fails where the log says."""

    words: str
    """``the offset 1 in arg1_1, which triton_poi_fused_0 (:1119) searches``."""
    fired: FiredAssert


def dropped_offset(
    session: ReplaySession, launch: Launch, kernel_line: int, programs: Sequence[Program]
) -> DroppedOffset | None:
    """The first offset whose loss makes the assert fire in all of these programs; None where none
    does. Raises ReplayError when the replay was cancelled or cannot run at all."""
    for number, (words, index) in enumerate(_without_an_offset(session.index, launch.id)):
        if number >= _MOST_TRIED:
            break
        changed = index.launch(launch.id)
        assert changed is not None
        try:
            with session.over(index) as other:
                result = other.run(changed)
        except ReplayError as error:
            if error.is_final:
                raise
            continue
        fired = next((one for one in result.asserts if one.kernel_line == kernel_line), None)
        if fired is None or fired.depends_on_made_up:
            continue
        if result.grid_is_chosen or set(programs).issubset(fired.programs):
            return DroppedOffset(words, fired)
    return None


def _without_an_offset(index: WrapperIndex, last: LaunchId) -> Iterator[tuple[str, WrapperIndex]]:
    """The wrapper without one of its offsets, up to a launch, with what was left out."""
    before = [launch for launch in index.launches if launch.id <= last]
    searched: set[str] = set()
    for launch in before:
        kernel = index.kernels[launch.kernel]
        found = _search_from_start(kernel) if launch.kernel not in searched else None
        searched.add(launch.kernel)
        if found is not None:
            offset, parameter, changed = found
            passed = launch.argument(parameter)
            name = passed.text if passed is not None else parameter
            kernels = {**index.kernels, kernel.name: changed}
            yield (
                f"the offset {offset} in {name}, which {kernel.name} (:{launch.line}) searches",
                replace(index, kernels=kernels),
            )
    for launch in before:
        for argument in launch.arguments:
            view = argument.tensor
            if view is None or view.offset == ZERO:
                continue
            whole = replace(argument, tensor=replace(view, offset=ZERO))
            arguments = tuple(whole if a is argument else a for a in launch.arguments)
            other = replace(launch, arguments=arguments)
            launches = tuple(other if la is launch else la for la in index.launches)
            yield (
                f"the offset {view.offset} of the view of {view.base} that {launch.kernel} "
                f"(:{launch.line}) takes",
                replace(index, launches=launches),
            )
    for buffer in index.buffers:
        if buffer.kind == "view" and buffer.offset != ZERO:
            starts = replace(buffer, offset=ZERO)
            buffers = tuple(starts if b is buffer else b for b in index.buffers)
            yield (
                f"the offset {buffer.offset} of {buffer.name}, a view of {buffer.of} "
                f"(:{buffer.line})",
                replace(index, buffers=buffers),
            )


def _search_from_start(kernel: Kernel) -> tuple[str, str, Kernel] | None:
    """A kernel whose search starts at the first element, with the offset that it had and the
    parameter that it searches; None where no search has an offset."""
    for number, line in enumerate(kernel.lines):
        if _SEARCH not in line:
            continue
        text = line.strip()
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or ast.unparse(call.func) != _SEARCH:
                continue
            start = call.args[_START] if len(call.args) > _START else ast.Constant(0)
            if isinstance(start, ast.Constant) and start.value == 0:
                continue
            first = len(line) - len(line.lstrip()) + start.col_offset
            width = len(ast.get_source_segment(text, start) or "")
            changed = line[:first] + "0" + line[first + width :]
            lines = (*kernel.lines[:number], changed, *kernel.lines[number + 1 :])
            return ast.unparse(start), ast.unparse(call.args[1]), replace(kernel, lines=lines)
    return None
