"""Launches that were kept before and after, as files that ``check`` compares with a replay: one a
wrapper, in the form of :mod:`aoti_tui.replay.questions.recorded_launches`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.recording.launched import launch_types, launched_wrapper
from aoti_tui.artifacts.recording.reading import Recorded, RecordedCall, read_recorded
from aoti_tui.artifacts.recording.torch_file import KeptTensor, Value, write_object
from aoti_tui.record.kept_launches import FOLDER, SEEN


@dataclass
class _Group:
    wrapper: str
    text: Path | str
    launches: list[dict[str, Any]] = field(default_factory=list)


def launch_files(
    recorded: Recorded, folder: Path, files: dict[str, Path | str]
) -> list[dict[str, Any]]:
    """The manifest's ``launches``: each a wrapper, the file of its launches, their kernels and
    count. What they name is added to ``files``; new files are written to ``folder``."""
    told = []
    for number, group in enumerate(_groups(recorded), 1):
        files.setdefault(group.wrapper, group.text)
        path = folder / f"launches-{number}.pt"
        write_object(path, group.launches)
        name = f"launches/{number}.pt"
        files[name] = path
        kernels = sorted({str(one["kernel"]) for one in group.launches})
        told.append(
            {
                "wrapper": group.wrapper,
                "file": name,
                "kernels": kernels,
                "count": len(group.launches),
            }
        )
    return told


def launches_words(recorded: Recorded, told: list[dict[str, Any]]) -> str:
    """What was kept of the launches that were asked for, or why nothing was; ``""`` where none
    were asked for."""
    if told:
        count = sum(int(one["count"]) for one in told)
        kernels = sorted({name for one in told for name in one["kernels"]})
        return f"{count} launches of {', '.join(kernels)} before and after"
    try:
        seen = json.loads((recorded.folder / SEEN).read_text(encoding="utf-8"))
        names = sorted(seen["seen"])
        asked = ", ".join(seen["asked"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    if any(seen["seen"].values()):
        return f"no launch of {asked} is whole: their data did not fit (--ring), or ran in a graph"
    return f"no launch of {asked}; launched were {', '.join(names[:12])}"


def _groups(recorded: Recorded) -> list[_Group]:
    own = recorded.folder / FOLDER
    if not (own / "ring").exists():
        return []
    try:
        kept = read_recorded(own)
    except ArtifactError:
        return []
    after = {one.more["after"]: one for one in kept.calls if "after" in one.more}
    groups: dict[Any, _Group] = {}
    for call in kept.calls:
        if "after" in call.more:
            continue
        if "graph" in call.more:
            group = _of_graph(recorded, call, groups)
        else:
            group = _of_script(kept, call, groups)
        if group is not None:
            group.launches.append(_launch(recorded, kept, call, after.get(call.number)))
    return list(groups.values())


def _of_graph(recorded: Recorded, call: RecordedCall, groups: dict[Any, _Group]) -> _Group | None:
    graph = call.more["graph"]
    text = recorded.sites.get(graph, {}).get("text")
    if not text:
        return None
    named = f"wrappers/site-{graph}/output_code.py"
    return groups.setdefault(graph, _Group(named, recorded.folder / str(text)))


def _of_script(kept: Recorded, call: RecordedCall, groups: dict[Any, _Group]) -> _Group | None:
    site = kept.sites.get(call.site, {})
    text = site.get("text")
    if not text:
        return None
    key = (call.site, repr(launch_types(site, call.values)))
    if key not in groups:
        source = (kept.folder / str(text)).read_text(encoding="utf-8")
        named = f"wrappers/launches-{len(groups) + 1}/{site.get('name', 'kernel')}.py"
        groups[key] = _Group(named, launched_wrapper(site, source, call))
    return groups[key]


def _launch(
    recorded: Recorded, kept: Recorded, call: RecordedCall, after: RecordedCall | None
) -> dict[str, Any]:
    more = {**call.more, **(after.more if after is not None else {})}
    site = kept.sites.get(call.site, {})
    name = str(more.get("kernel") or site.get("name", ""))
    told: dict[str, Any] = {
        "index": call.number,
        "aot_id": str(recorded.sites.get(int(more.get("graph") or 0), {}).get("name", "")),
        "kernel": name,
        "fn": str(more.get("fn") or name),
        "line": more.get("line"),
        "grid": tuple([*more.get("grid", ()), 1, 1, 1][:3]) if more.get("grid") else None,
        "config": more.get("config", {}),
        "args": [],
    }
    places = more.get("places", ())
    fixed = {one["name"] for one in site.get("parameters", ()) if one["constexpr"]}
    for at, argument in enumerate(more.get("names", ())):
        value = call.values[at]
        if argument in fixed:
            if isinstance(value, int):
                told["config"] = {**told["config"], argument: value}
            continue
        place = places[at] if at < len(places) else None
        why = str(call.arguments[at].get("why") or "")
        told["args"].append(
            {"name": argument}
            | (_tensor(value, place, why, after, at) if isinstance(value, KeptTensor)
               else {"kind": "scalar", "value": value})
        )  # fmt: skip
    return told


def _tensor(
    before: KeptTensor, place: int | None, why: str, after: RecordedCall | None, at: int
) -> dict[str, Any]:
    told: dict[str, Any] = {
        "kind": "tensor",
        "dtype": f"torch.{before.dtype}",
        "shape": before.shape,
        "stride": before.stride,
        "offset": 0,
        "data_ptr": place,
    }
    later: Value = after.values[at] if after is not None else None
    if before.data is None:
        return {**told, "why": why or "the device did not get to it"}
    told["before"] = before
    if isinstance(later, KeptTensor) and later.data is not None:
        told["after"] = "same" if later.data == before.data else later
    return told
