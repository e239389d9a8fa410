"""Comparing with launches that were recorded on the GPU: one file, and for each launch of a run its
arguments with their contents before and after, its tuned blocks and its grid.

The form: a list of dicts with ``aot_id``, ``kernel``, ``fn``, ``grid``, ``config`` (block sizes),
``signature`` and ``args``, each with ``name`` and either ``value`` or ``before`` and ``after``
(a tensor, or ``"same"``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aoti_tui.index.model import Kernel, Launch
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.plan.geometry import blocks_of
from aoti_tui.replay.questions.check import (
    TOLERANCES,
    CheckedLaunch,
    CheckReport,
    finite,
    passes,
    totals_of,
)
from aoti_tui.replay.session import ReplaySession


@dataclass(slots=True)
class RecordedArgument:
    """An argument of a recorded launch: a number, or handles of a tensor before and after."""

    name: str = ""
    number: int | float | None = None
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    """None where the launch left it as it was."""
    same: bool = False
    """Whether it is known that the launch left it as it was."""
    missing: str = ""
    """Why a tensor's content is not there."""
    address: int | None = None


@dataclass(slots=True)
class RecordedLaunch:
    """One launch as it ran on the GPU."""

    graph: str = ""
    kernel: str = ""
    function: str = ""
    line: int = 0
    """Line of the wrapper that made it; 0: not known."""
    grid: dict[int, int] = field(default_factory=dict)
    blocks: dict[str, int] = field(default_factory=dict)
    arguments: dict[int, RecordedArgument] = field(default_factory=dict)


def check_recorded(
    session: ReplaySession,
    path: Path,
    on_launch: Callable[[CheckedLaunch], None] | None = None,
) -> CheckReport:
    """Replays every recorded launch of the session's graph from what it got, in the blocks and the
    grid that it had, and compares with what the GPU wrote.

    Raises ReplayError when the file holds no recorded launch, or the worker dies.
    """
    recorded = [one for one in read_recorded(session, path) if _is_of(session, one)]
    checked: list[CheckedLaunch] = []
    seen: Counter[str] = Counter()
    for one in recorded:
        launch = _launch_of(session, one, seen)
        if launch is None:
            continue
        try:
            result = _checked(session, launch, one)
        except ReplayError as error:
            if error.ends_run:
                raise
            result = CheckedLaunch(launch, "unsupported", detail=f"{error.what}: {error.why}")
        checked.append(result)
        if on_launch is not None:
            on_launch(result)
    return CheckReport(tuple(checked), totals_of(checked))


def read_recorded(session: ReplaySession, path: Path) -> list[RecordedLaunch]:
    """The recorded launches of a file, their tensors loaded into the worker."""
    reply = session.client.request(
        "load",
        doing=f"reading {path.name}",
        path=str(path.resolve()),
        prefix=f"recorded:{path.name}:",
        texts=True,
    )
    found: dict[int, RecordedLaunch] = {}
    for value in reply["values"]:
        number, *rest = str(value["key"]).split(".")
        if not number.isdigit() or not rest:
            continue
        launch = found.setdefault(int(number), RecordedLaunch())
        _take(launch, rest, value)
    launches = [found[number] for number in sorted(found) if found[number].kernel]
    if not launches:
        raise ReplayError(
            "bad-inputs",
            f"{path} holds no recorded launches",
            "it is no list of launches with kernel, grid and args",
            "Give a folder of captured tensors, or a file in which each launch was recorded",
        )
    return launches


def _take(launch: RecordedLaunch, path: list[str], value: Mapping[str, Any]) -> None:
    key, content = path[0], value.get("value")
    if key == "aot_id":
        launch.graph = str(content)
    elif key == "kernel":
        launch.kernel = str(content)
    elif key == "fn":
        launch.function = str(content)
    elif key == "line" and isinstance(content, int):
        launch.line = content
    elif key == "grid" and len(path) == 2 and isinstance(content, int):
        launch.grid[int(path[1])] = content
    elif key == "config" and len(path) == 2 and isinstance(content, int):
        launch.blocks[path[1]] = content
    elif key == "args" and len(path) == 3:
        argument = launch.arguments.setdefault(int(path[1]), RecordedArgument())
        part = path[2]
        if part == "name":
            argument.name = str(content)
        elif part == "value" and isinstance(content, int | float):
            argument.number = content
        elif part == "before" and value["kind"] == "tensor":
            argument.before = value
        elif part == "after" and value["kind"] == "tensor":
            argument.after = value
        elif part == "after" and content == "same":
            argument.same = True
        elif part == "why":
            argument.missing = str(content)
        elif part == "data_ptr" and isinstance(content, int):
            argument.address = content


def _is_of(session: ReplaySession, one: RecordedLaunch) -> bool:
    return not one.graph or not session.index.graph or one.graph == session.index.graph


def _launch_of(session: ReplaySession, one: RecordedLaunch, seen: Counter[str]) -> Launch | None:
    """The launch of the wrapper that was recorded: its kernel's next one, the last in a loop."""
    index = session.index
    name = one.kernel if one.kernel in index.kernels else ""
    if not name:
        name = next((k.name for k in index.kernels.values() if k.function == one.function), "")
    launches = index.launches_of(name)
    if not launches:
        return None
    for launch in launches:
        if one.line and launch.site.line <= one.line <= launch.site.end_line:
            return launch
    at = seen[name]
    seen[name] += 1
    return launches[min(at, len(launches) - 1)]


def _checked(session: ReplaySession, launch: Launch, one: RecordedLaunch) -> CheckedLaunch:
    why = _not_comparable(one)
    if why:
        return CheckedLaunch(launch, "no-data", detail=why)
    session.kernels.compiled(launch.kernel, lambda _: None)
    kernel = session.kernels.kernel(launch.kernel)
    arguments = [one.arguments[at] for at in sorted(one.arguments)]
    chosen = blocks_of(kernel, session.kernels.program(launch.kernel)).sizes
    reply = session.client.request(
        "scan",
        doing=f"replaying {launch.kernel} (:{launch.line})",
        kernel=session.kernels.key(launch.kernel),
        args=_passed(kernel, arguments),
        blocks={**chosen, **one.blocks},
        grid=[one.grid.get(axis, 1) for axis in range(3)],
        mode="full",
        stop_at_first=False,
        write=True,
    )
    details: list[str] = [
        f"the assert on kernel line {a['line']} fires" for a in reply.get("asserts", ())
    ]
    details += [f"{f['access']} outside of {f['argument']}" for f in reply.get("faults", ())]
    equal, bits, max_abs, max_rel = True, True, 0.0, 0.0
    for argument in arguments:
        if argument.before is None or argument.after is None:
            continue
        dtype = str(argument.after["dtype"])
        compared = session.client.request(
            "compare",
            **{"name": argument.before["name"], "with": argument.after["name"]},
            rtol=TOLERANCES.get(dtype, 0.0),
            atol=0.0,
        )
        max_abs = max(max_abs, finite(compared.get("max_abs")))
        max_rel = max(max_rel, finite(compared.get("max_rel")))
        bits = bits and bool(compared.get("bit_equal"))
        if not passes(compared, dtype):
            equal = False
            details.append(
                f"{argument.name}: {compared.get('different')} elements differ, the worst is "
                f"element {compared.get('worst')}"
            )
    status = "pass" if equal and not details else "mismatch"
    return CheckedLaunch(launch, status, max_abs, max_rel, bits, "; ".join(details))


def _not_comparable(one: RecordedLaunch) -> str:
    """Why a launch cannot be compared; ``""`` where it can."""
    tensors = [a for a in one.arguments.values() if a.before is not None or a.missing]
    missing = [f"{a.name}: {a.missing}" for a in tensors if a.before is None]
    if missing:
        return f"not recorded: {'; '.join(missing)}"
    if not any(a.same or a.after is not None for a in tensors):
        return "the GPU did not get to its end"
    if not one.grid:
        return "its grid is not recorded"
    return ""


def _passed(kernel: Kernel, arguments: list[RecordedArgument]) -> dict[str, dict[str, Any]]:
    """The worker's arguments; tensors that lay at one address are one tensor."""
    types = {p.name: p.type for p in kernel.parameters}
    at: dict[tuple[int, str], str] = {}
    passed: dict[str, dict[str, Any]] = {}
    for argument in arguments:
        before = argument.before
        if before is not None:
            place = (argument.address or -len(at) - 1, str(before["shape"]))
            passed[argument.name] = {"tensor": at.setdefault(place, str(before["name"]))}
        elif argument.number is None:
            passed[argument.name] = {"none": True}
        else:
            kind = types.get(argument.name, "")
            is_float = kind.startswith(("fp", "bf")) or isinstance(argument.number, float)
            passed[argument.name] = {"float" if is_float else "int": argument.number}
    for parameter in kernel.parameters:
        fixed = kernel.constants.get(parameter.name)
        if parameter.name in passed or parameter.type == "constexpr":
            continue
        if isinstance(fixed, int | float) and not isinstance(fixed, bool):
            passed[parameter.name] = {"float" if isinstance(fixed, float) else "int": fixed}
    return passed
