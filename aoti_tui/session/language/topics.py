"""``info TOPIC``: what there is, a line and an object each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aoti_tui.index.model import Launch
from aoti_tui.replay.model import SymbolValue, WorkerInfo
from aoti_tui.replay.session import ReplaySession
from aoti_tui.session import words
from aoti_tui.session.language.parts import Parts
from aoti_tui.session.language.reading import plain
from aoti_tui.session.language.stopping import stop_values
from aoti_tui.session.listed.everything import listed
from aoti_tui.session.shown import shown_lanes
from aoti_tui.session.text import number
from aoti_tui.session.values.known import known_arguments
from aoti_tui.session.values.temporaries import temporaries
from aoti_tui.session.values.watches import watched

TOPICS = {
    "breakpoints": ("b", "break"),
    "locals": ("l", "temporaries", "variables"),
    "args": ("arguments",),
    "lanes": ("lane",),
    "launches": ("launch",),
    "inputs": ("input",),
    "symbols": ("s", "symbol"),
    "watches": ("watchpoints", "display"),
    "worker": ("w",),
    "kernels": ("functions", "kernel"),
    "failures": ("failure",),
    "guards": (),
    "buffers": (),
    "constants": (),
    "findings": (),
    "differences": (),
    "ops": (),
    "outputs": (),
    "gaps": (),
    "checks": (),
    "notes": (),
}
MOST = 4096
SHOWN = 256


@dataclass
class Told:
    lines: list[str] = field(default_factory=list)
    values: list[dict[str, Any]] = field(default_factory=list)

    def add(self, text: str, /, **values: Any) -> None:
        self.lines.append(text)
        self.values.append(values)


def topic_of(text: str) -> str | None:
    """The topic of a word; None for no topic."""
    return next((one for one, also in TOPICS.items() if text == one or text in also), None)


def told(parts: Parts, topic: str) -> Told:
    """A topic of what is at hand."""
    rows = Told()
    own: dict[str, Callable[[Parts, Told], None]] = {
        "breakpoints": _breakpoints,
        "locals": _locals,
        "args": _arguments,
        "lanes": _lanes,
        "watches": _watches,
    }
    if topic in own:
        own[topic](parts, rows)
    else:
        _listed(parts, topic.capitalize(), rows)
    if not rows.lines:
        rows.lines.append(_NOTHING.get(topic, f"There are no {topic} here."))
    return rows


_NOTHING = {
    "locals": "No temporary has a value yet: c runs the kernel.",
    "lanes": "There are no lanes yet: c runs the kernel.",
    "breakpoints": "No breakpoint is set: b tmp10 sets one.",
    "watches": "Nothing is watched: watch tmp4 stops where it changes, display tmp4 shows it.",
}


def slow(parts: Parts, topic: str) -> Callable[[], Told] | None:
    """A topic for which the worker is asked; None for any other."""
    incident, launch = parts.incident, parts.state.launch

    def symbols() -> Told:
        rows = Told()
        for one in incident.replayer().symbols_of(launch):
            _symbol(one, rows)
        rows.lines = rows.lines or ["There are no symbols here."]
        return rows

    def worker() -> Told:
        rows = Told()
        _worker(incident.replayer().info(), rows)
        return rows

    def inputs() -> Told:
        rows = Told()
        replayer = incident.replayer()
        given = replayer.given_inputs() if isinstance(replayer, ReplaySession) else ()
        for one in given:
            what = f"{one.dtype} {list(one.shape)} {one.summary}" if one.dtype else f"{one.value}"
            rows.add(
                f"input {one.position}  {one.name}  {what}",
                position=one.position,
                name=one.name,
                kind=one.kind,
                dtype=one.dtype or None,
                shape=list(one.shape),
                value=plain(one.value),
                summary=one.summary,
            )
        return rows if rows.lines else told(parts, "inputs")

    if topic == "inputs" and not incident.inputs:
        return None
    return {"symbols": symbols, "worker": worker, "inputs": inputs}.get(topic)


def _symbol(one: SymbolValue, rows: Told) -> None:
    source = "MADE-UP" if one.source == "made-up" else one.source
    said = f"{one.name} = {number(one.value)}  ({one.how}, {source})"
    rows.add(said, name=one.name, value=plain(one.value), source=one.source, how=one.how)


def _worker(info: WorkerInfo, rows: Told) -> None:
    contained = "the script's process" if info.runs_script else ", ".join(info.contained) or "no"
    rows.add(
        f"Python {info.python} ({info.executable}), torch {info.torch}, triton {info.triton}; "
        f"contained: {contained}",
        python=info.python,
        executable=info.executable,
        torch=info.torch,
        triton=info.triton,
        contained=list(info.contained),
        problems=list(info.problems),
    )
    rows.lines += [f"✗ {problem}" for problem in info.problems]


def _breakpoints(parts: Parts, rows: Told) -> None:
    for one in parts.session.stops.numbered().values():
        rows.add(one.text, **stop_values(one))


def _locals(parts: Parts, rows: Told) -> None:
    state = parts.state
    if state.recording is None:
        return
    for one in temporaries(state.recording, state.position, state.lane):
        told = f"{one.name} = {one.value}  {one.dtype} {one.shape}  {one.summary}".rstrip()
        rows.add(
            told + ("  changed" if one.changed else ""),
            name=one.name,
            value=plain(one.raw),
            dtype=one.dtype,
            shape=list(one.block.shape) if one.block is not None else [],
            masked=one.masked,
            changed=one.changed,
            summary=one.summary,
        )


def _arguments(parts: Parts, rows: Told) -> None:
    state = parts.state
    launch: Launch | None = state.launch
    if launch is None:
        return
    result = state.outcome.result if state.outcome is not None else None
    known = result.arguments if result is not None else known_arguments(parts.incident, launch)
    for one in known:
        what = number(one.value) if one.value is not None else f"{one.dtype} {list(one.shape)}"
        source = "MADE-UP" if one.source == "made-up" else one.source
        rows.add(
            f"{one.name} = {one.expression or one.name}: {what}  ({source})",
            name=one.name,
            expression=one.expression,
            value=plain(one.value),
            dtype=one.dtype,
            shape=list(one.shape),
            source=one.source,
        )
    named = {one.name for one in known}
    for argument in launch.arguments:
        if argument.parameter not in named:
            text = f"{argument.parameter} = {argument.text}: known once it has run"
            rows.add(text, name=argument.parameter, expression=argument.text)


def _lanes(parts: Parts, rows: Told) -> None:
    grid = shown_lanes(parts.state)
    if grid is None:
        return
    block = grid.block
    rows.lines.append(f"{grid.name} {list(block.shape)}: {'  '.join(grid.legend())}")
    rows.values.append(
        {
            "name": grid.name,
            "shape": list(block.shape),
            "lanes": [plain(v) for v in list(block.values[:MOST])],
            "failing": [n for n, bad in enumerate(grid.failing) if bad][:MOST],
            "masked": [n for n, out in enumerate(grid.masked) if out][:MOST],
            "selected": list(parts.state.lane),
        }
    )
    width = block.shape[-1] if block.shape and block.shape[-1] <= 16 else 8
    values = list(block.values[:SHOWN])
    for first in range(0, len(values), width):
        row = [
            number(values[at])
            + ("✗" if grid.failing and grid.failing[at] else "")
            + ("·" if grid.masked and grid.masked[at] else "")
            for at in range(first, min(first + width, len(values)))
        ]
        rows.lines.append("  ".join(row))


def _watches(parts: Parts, rows: Told) -> None:
    state = parts.state
    for stop in parts.session.stops.numbered().values():
        if stop.watch:
            rows.add(stop.text, **stop_values(stop))
    if state.recording is None:
        for at, text in enumerate(state.watches, 1):
            rows.add(f"{at}  display  {text}", number=at, kind="display", expression=text)
        return
    found = watched(state.recording, state.position, state.lane, state.watches)
    for at, one in enumerate(found, 1):
        where = f" in lane {words.lane(state.lane)}" if one.block is not None else ""
        rows.add(
            f"{at}  display  {one.watch} = {one.value}{where}",
            number=at,
            kind="display",
            expression=one.watch,
            value=plain(one.raw),
        )


def _listed(parts: Parts, group: str, rows: Told) -> None:
    for one in listed(parts.incident):
        if one.group == group:
            mark = "✗ " if one.failed else ""
            where = f"  :{one.line}" if one.line and f":{one.line}" not in one.detail else ""
            rows.add(
                f"{mark}{one.label}  {one.detail}{where}".rstrip(),
                name=one.label,
                detail=one.detail,
                line=one.line,
                failed=one.failed,
            )
