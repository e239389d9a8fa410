"""From the events of a script's processes to a :class:`ScriptRun`, one after another."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from aoti_tui.index.model import LaunchId, ModelFrame, Site
from aoti_tui.replay.model import Finding
from aoti_tui.replay.recorded.blocks import program_of
from aoti_tui.replay.script.model import (
    Difference,
    Ended,
    JitFunction,
    LaunchSeen,
    Machine,
    Passed,
    Phase,
    Raised,
    Remark,
    ScriptRun,
    ScriptStop,
    SeenKernel,
    Why,
)

MOST_LINES = 10_000
"""Lines of output that are kept."""
_WHYS: Mapping[str, Why] = {why: why for why in get_args(Why)}


class Gathering:
    """Takes events in, in order; :meth:`run` is what they come to. Not thread-safe."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._machine = Machine()
        self._first: int | None = None
        """The process that runs the script itself; others are its children."""
        self._kernels: dict[str, SeenKernel] = {}
        self._names: dict[tuple[int, str], str] = {}
        self._launches: list[LaunchSeen] = []
        self._ids: dict[tuple[int, int], LaunchId] = {}
        self._findings: list[Finding] = []
        self._differences: list[Difference] = []
        self._of_process: dict[tuple[int, str], list[Any]] = {}
        self._remarks: list[Remark] = []
        self._output: list[str] = []
        self._open_line = False
        self._dropped = 0
        self._stops: dict[int, ScriptStop] = {}
        self._ended: Ended | None = None
        self._problem = ""
        self._takers: dict[str, Callable[[int, Mapping[str, Any]], None]] = {
            "hello": self._hello,
            "kernel": self._kernel,
            "launch": self._launch,
            "finding": self._finding,
            "difference": self._difference,
            "lint": self._lint,
            "flag": self._flag,
            "stopped": self._stopped,
            "exit": self._exit,
        }

    def take(self, event: Mapping[str, Any], process: int) -> None:
        """Take in one event of a process; one that is not known says nothing."""
        taker = self._takers.get(str(event.get("event")))
        if taker is not None:
            taker(process, event)

    def went_on(self, process: int) -> None:
        """The process was told to go on."""
        self._stops.pop(process, None)

    def gone(self, process: int) -> None:
        """The process closed its connection."""
        self._stops.pop(process, None)

    def left(self, code: int) -> None:
        """The script's process is no more: what it said of its end stands, else its status."""
        self._stops.clear()
        if self._ended is None:
            self._ended = Ended(code if code >= 0 else 128 - code)

    def fail(self, problem: str) -> None:
        self._problem = problem

    def print(self, text: str) -> None:
        """Output, in whatever pieces it came."""
        pieces = text.replace("\r\n", "\n").split("\n")
        for number, piece in enumerate(pieces):
            if self._open_line and not number:
                piece = self._output.pop() + piece
            if number < len(pieces) - 1 or piece:
                # What a progress bar writes over is not seen in a terminal either.
                shown = piece.rpartition("\r")[2] if not piece.endswith("\r") else piece
                self._output.append(shown)
        self._open_line = bool(pieces[-1]) or (len(pieces) == 1 and self._open_line)
        over = len(self._output) - MOST_LINES
        if over > 0:
            del self._output[:over]
            self._dropped += over

    def run(self) -> ScriptRun:
        """All of it, as it is now."""
        stop = next(iter(self._stops.values()), None)
        phase: Phase
        if self._ended is not None:
            phase = "ended"
        elif stop is not None:
            phase = "stopped"
        else:
            phase = "running" if self._first is not None else "starting"
        return ScriptRun(
            title=self._title,
            phase=phase,
            machine=self._machine,
            kernels=dict(self._kernels),
            launches=tuple(self._launches),
            findings=tuple(self._findings),
            differences=tuple(self._differences),
            remarks=tuple(self._remarks),
            output=tuple(self._output),
            dropped=self._dropped,
            stop=stop,
            ended=self._ended,
            problem=self._problem,
        )

    # -- events -------------------------------------------------------------------------------

    def _hello(self, process: int, event: Mapping[str, Any]) -> None:
        if self._first is None:
            self._first = process
            self._machine = Machine(
                str(event.get("python") or ""),
                str(event.get("executable") or ""),
                event.get("torch"),
                event.get("triton"),
                str(event.get("cuda") or ""),
            )

    def _kernel(self, process: int, event: Mapping[str, Any]) -> None:
        function = _function(event)
        name = function.name
        known = self._kernels.get(name)
        if known is not None and known.function.file != function.file:
            name = f"{name} ({os.path.basename(function.file)})"
        elif known is not None and known.function.line != function.line:
            name = f"{name} (:{function.line})"
        self._names[process, str(event["key"])] = name
        self._kernels[name] = SeenKernel(
            name,
            function,
            tuple((str(p["name"]), bool(p.get("constexpr"))) for p in event["parameters"]),
            tuple(_function(helper) for helper in event.get("helpers") or ()),
        )

    def _launch(self, process: int, event: Mapping[str, Any]) -> None:
        number = int(event["id"])
        identity = self._ids.get((process, number))
        if identity is not None:
            before = self._launches[identity]
            self._launches[identity] = replace(
                before,
                state="failed" if event.get("state") == "failed" else "done",
                mode=str(event.get("mode") or ""),
                seconds=event.get("seconds"),
            )
            return
        identity = self._ids[process, number] = LaunchId(len(self._launches))
        line = int(event.get("call_line") or 0)
        self._launches.append(
            LaunchSeen(
                id=identity,
                process=process,
                number=number,
                kernel=self._names.get((process, str(event["kernel"])), str(event.get("name"))),
                site=Site(
                    _file(event.get("call_file")), line, int(event.get("call_end_line") or line)
                ),
                stack=tuple(_frame(one) for one in event.get("stack") or ()),
                grid=program_of([*event["grid"], 1, 1, 1][:3]),
                arguments=tuple(_passed(one) for one in event.get("arguments") or ()),
                state="running" if event.get("state", "running") == "running" else "done",
                mode=str(event.get("mode") or ""),
                seconds=event.get("seconds"),
            )
        )

    def _finding(self, process: int, event: Mapping[str, Any]) -> None:
        self._keep(process, "finding", self.finding(process, event), self._findings)

    def _difference(self, process: int, event: Mapping[str, Any]) -> None:
        found = Difference(
            what=str(event.get("what") or "comparison"),
            text=str(event.get("text") or ""),
            file=_file(event.get("check_file")),
            line=int(event.get("check_line") or 0),
            actual=event.get("actual"),
            expected=event.get("expected"),
            launch=self._launch_of(process, event.get("launch")),
            argument=str(event.get("argument") or ""),
            element=_element(event.get("argument_element")),
            program=_program(event.get("program")),
            lane=_lane(event.get("lane")),
            index=_lane(event.get("element")),
            store_file=_file(event.get("file")),
            store_line=int(event.get("line") or 0),
        )
        self._keep(process, "difference", found, self._differences)

    def _keep(self, process: int, kind: str, found: Any, among: list[Any]) -> None:
        among.append(found)
        self._of_process.setdefault((process, kind), []).append(found)

    def finding(self, process: int, event: Mapping[str, Any]) -> Finding:
        """A finding out of its JSON."""
        return Finding(
            kind=str(event.get("kind") or ""),
            kernel=str(event.get("kernel") or ""),
            file=_file(event.get("file")),
            line=int(event.get("line") or 0),
            launch=self._launch_of(process, event.get("launch")),
            text=str(event.get("text") or ""),
            argument=str(event.get("argument") or ""),
            element=_element(event.get("element")),
            program=_program(event.get("program")),
            lane=_lane(event.get("lane")),
            count=int(event.get("count") or 1),
        )

    def _lint(self, _: int, event: Mapping[str, Any]) -> None:
        self._remarks.append(_remark(event, is_lint=True))

    def _flag(self, _: int, event: Mapping[str, Any]) -> None:
        self._remarks.append(_remark(event, is_lint=False))

    def _stopped(self, process: int, event: Mapping[str, Any]) -> None:
        why = _WHYS.get(str(event.get("why")), "unknown")
        found = self._numbered(process, "finding", event.get("finding"))
        differing = self._numbered(process, "difference", event.get("difference"))
        launch = self._launch_of(process, event.get("launch"))
        if why == "finding" and found is None:
            found = next((one for one in self._findings if one.launch == launch), None)
        if why == "difference" and differing is None:
            differing = self._numbered(process, "difference", -1)
        self._stops[process] = ScriptStop(
            process=process,
            why=why,
            text=str(event.get("text") or ""),
            file=_file(event.get("file")),
            line=int(event.get("line") or 0),
            launch=launch,
            program=_program(event.get("program")),
            lane=_lane(event.get("lane")),
            argument=str(event.get("argument") or ""),
            element=_element(event.get("element")),
            finding=found,
            difference=differing,
        )

    def _numbered(self, process: int, kind: str, number: Any) -> Any:
        known = self._of_process.get((process, kind), [])
        fits = isinstance(number, int) and -len(known) <= number < len(known)
        return known[number] if fits else None

    def _exit(self, process: int, event: Mapping[str, Any]) -> None:
        self._stops.pop(process, None)
        if process != self._first:
            return
        raised = event.get("exception")
        told = None
        if raised:
            told = Raised(
                str(raised.get("type") or ""),
                str(raised.get("text") or ""),
                str(raised.get("traceback") or ""),
            )
        self._ended = Ended(int(event.get("code") or 0), told)

    def _launch_of(self, process: int, number: Any) -> LaunchId | None:
        return self._ids.get((process, number)) if isinstance(number, int) else None


def _file(raw: Any) -> str:
    return os.path.abspath(str(raw)) if raw else ""


def _function(event: Mapping[str, Any]) -> JitFunction:
    source = str(event.get("source") or "")
    line = int(event.get("line") or 1)
    end = event.get("end_line")
    last = int(end) if end else line + max(0, len(source.splitlines()) - 1)
    return JitFunction(str(event["name"]), _file(event.get("file")), line, last, source)


def _frame(raw: Mapping[str, Any]) -> ModelFrame:
    return ModelFrame(
        _file(raw.get("file")),
        int(raw.get("line") or 0),
        str(raw.get("function") or ""),
        str(raw.get("code") or ""),
    )


def _passed(raw: Mapping[str, Any]) -> Passed:
    return Passed(
        parameter=str(raw["name"]),
        kind=str(raw.get("kind") or ""),
        text=str(raw.get("text") or ""),
        user_name=str(raw.get("user_name") or ""),
        dtype=str(raw.get("dtype") or ""),
        shape=tuple(int(n) for n in raw.get("shape") or ()),
        stride=tuple(int(n) for n in raw.get("stride") or ()),
        offset=int(raw.get("offset") or 0),
        device=str(raw.get("device") or ""),
        value=raw.get("value"),
        storage_bytes=int(raw.get("storage_bytes") or 0),
    )


def _remark(event: Mapping[str, Any], *, is_lint: bool) -> Remark:
    return Remark(
        _file(event.get("file")), int(event.get("line") or 0), str(event.get("text")), is_lint
    )


def _program(raw: Any) -> tuple[int, int, int] | None:
    return program_of(raw) if isinstance(raw, Sequence) and not isinstance(raw, str) else None


def _lane(raw: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in raw) if isinstance(raw, Sequence) else ()


def _element(raw: Any) -> int | None:
    return int(raw) if isinstance(raw, int | float) else None
