"""What a script's run was found to do, gathered from the events of all its processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aoti_tui.replay.client import Reply
from aoti_tui.replay.script.process import Connection, only

_ARGUMENT = ("name", "dtype", "shape", "stride", "device")


@dataclass
class RunReport:
    """The contract of ``run --check --json``; launches are counted over all processes."""

    launches: list[dict[str, Any]] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    differences: list[dict[str, Any]] = field(default_factory=list)
    lint: list[dict[str, Any]] = field(default_factory=list)
    flags: list[dict[str, Any]] = field(default_factory=list)
    _kernels: dict[tuple[int, str], Reply] = field(default_factory=dict)
    _index: dict[tuple[int, int], int] = field(default_factory=dict)

    def on_event(self, connection: Connection, event: Reply) -> None:
        """Take in one event (``on_event`` of a :class:`ScriptProcess`)."""
        kind = event.get("event")
        pid = connection.pid
        if kind == "kernel":
            self._kernels[(pid, event["key"])] = event
        elif kind == "launch":
            self._launch(pid, event)
        elif kind == "finding":
            self.findings.append(self._found(pid, event))
        elif kind == "difference":
            self.differences.append(self._found(pid, event))
        elif kind == "lint":
            self.lint.append(only(event, "kernel", "file", "line", "text"))
        elif kind == "flag":
            flag = only(event, "file", "line", "text")
            if flag not in self.flags:
                self.flags.append(flag)

    def _launch(self, pid: int, event: Reply) -> None:
        key = (pid, int(event["id"]))
        at = self._index.get(key)
        if at is not None:
            self.launches[at].update(only(event, "mode", "seconds"), state=event.get("state"))
            return
        kernel = self._kernels.get((pid, event["kernel"]), Reply({}, ()))
        self._index[key] = len(self.launches)
        self.launches.append(
            {
                "index": len(self.launches),
                "kernel": kernel.get("name"),
                "file": kernel.get("file"),
                "line": kernel.get("line"),
                **only(event, "call_file", "call_line", "grid", "programs"),
                "mode": None,
                "seconds": None,
                "state": event.get("state"),
                "pid": pid,
                "arguments": [
                    {**only(one, *_ARGUMENT), **({"value": one["value"]} if "value" in one else {})}
                    for one in event["arguments"]
                ],
            }
        )

    def _found(self, pid: int, event: Reply) -> dict[str, Any]:
        found = {name: value for name, value in event.items() if name not in ("event", "pid")}
        if found.get("launch") is not None:
            found["launch"] = self._index.get((pid, int(found["launch"])))
        return found

    def launches_of(self, pid: int) -> list[tuple[int, dict[str, Any]]]:
        """A process's own launches that were run whole, each with the number that it has there."""
        own = ((number, self.launches[at]) for (p, number), at in self._index.items() if p == pid)
        return [(number, launch) for number, launch in own if launch["seconds"] is not None]

    def depart(self, launch: int, program: tuple[int, int, int], result: Mapping[str, Any]) -> None:
        """Take in that a name is not what a reference says (``first`` of an `expect` result)."""
        self.differences.append(
            {
                "what": f"{result['name']} = {result['expression']}",
                "actual": result["actual"],
                "expected": result["expected"],
                "element": result["lane"],
                "launch": launch,
                "program": list(program),
                "lane": result["lane"],
                "file": result["file"],
                "line": result["kernel_line"],
                "kernel": self.launches[launch]["kernel"],
                "count": result["count"],
                "text": f"{result['text']} of program {program} of launch {launch}, "
                f"where {result['expression']} was to be",
            }
        )

    @property
    def wrong(self) -> bool:
        """Whether anything was found."""
        return bool(self.findings or self.differences)

    def json(self, exit_code: int) -> dict[str, Any]:
        """The report as ``--json`` writes it."""
        return {
            "launches": self.launches,
            "findings": self.findings,
            "differences": self.differences,
            "lint": self.lint,
            "flags": self.flags,
            "exit_code": exit_code,
        }
