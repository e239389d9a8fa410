"""A script's run in words: the verdict on top, what was found, how it stands."""

from __future__ import annotations

from aoti_tui.failure.prose.headline import Heading, Row
from aoti_tui.failure.prose.words import plural, program_words
from aoti_tui.replay.model import Finding
from aoti_tui.replay.script.index import place_words
from aoti_tui.replay.script.model import Difference, LaunchSeen, ScriptRun


def script_heading(run: ScriptRun) -> Heading:
    """The first thing that is wrong (that it stands at, if it does), else how far it is; then
    where, by what, and how to go on."""
    stop = run.stop
    if stop is not None and (stop.finding or stop.difference):
        finding, difference = stop.finding, stop.difference
    elif stop is not None:
        finding = difference = None
    else:
        finding = next(iter(run.findings), None)
        difference = next(iter(run.differences), None) if finding is None else None
    rows = tuple(_rest(run))
    if run.problem:
        return Heading("", f"{run.title}: {run.problem}", rows, True)
    if difference is not None:
        return Heading("", difference_words(difference), (*_written(run, difference), *rows), True)
    if finding is not None:
        return Heading(
            finding.kernel, finding_said(finding), (*_launched(run, finding), *rows), True
        )
    return Heading(
        "", verdict(run), rows, run.is_wrong or (stop is not None and stop.why == "exception")
    )


def verdict(run: ScriptRun) -> str:
    """How far the script is, where nothing is wrong with it."""
    if run.stop is not None:
        return _stop_words(run)
    if run.ended is not None:
        return _end_words(run)
    if run.phase == "starting":
        return f"{run.title} is starting …"
    return f"{run.title} runs: {_so_far(run)}, nothing wrong so far"


def _launched(run: ScriptRun, finding: Finding) -> tuple[Row, ...]:
    seen = run.launch(finding.launch)
    if seen is None:
        return ()
    who = f"program {program_words(finding.program)}" if finding.program is not None else ""
    who += f", lane {list(finding.lane)}" if finding.lane else ""
    who += f", {plural(finding.count, 'lane')} in all" if finding.count > 1 else ""
    where = Row("where", f"{who}; {_launch_words(seen)}" if who else _launch_words(seen))
    return (where,)


def _launch_words(seen: LaunchSeen) -> str:
    grid = "×".join(str(size) for size in seen.grid)
    return f"launched at {place_words(seen.site.file, seen.site.line)} with grid {grid}"


def _written(run: ScriptRun, one: Difference) -> tuple[Row, ...]:
    seen = run.launch(one.launch)
    if seen is None:
        return ()
    who = f"{seen.kernel}"
    who += f", program {program_words(one.program)}" if one.program is not None else ""
    who += f", lane {list(one.lane)}" if one.lane else ""
    return (Row("written", f"by {who}; {_launch_words(seen)}"),)


def _rest(run: ScriptRun) -> list[Row]:
    """How many more there are, and whether the script waits or how it ended."""
    found, differing = len(run.findings), len(run.differences)
    told = []
    if found + differing > 1:
        parts = (
            plural(found, "finding") if found else "",
            plural(differing, "failed comparison") if differing else "",
        )
        told.append(f"{' and '.join(p for p in parts if p)} so far, F goes to the next")
    if run.ended is not None and (found or differing):
        told.append(_end_words(run))
    elif run.stop is not None:
        told.append(f"{run.title} stands after {_so_far(run)}, ctrl+n goes on with it")
    return [Row("next", "; ".join(told))] if told else []


def phase_words(run: ScriptRun) -> str:
    """``running``, ``stands``, ``exit code 0``."""
    if run.ended is not None:
        return f"exit code {run.ended.code}"
    return "stands" if run.phase == "stopped" else run.phase


def _so_far(run: ScriptRun) -> str:
    return plural(len(run.launches), "launch", "launches")


def _end_words(run: ScriptRun) -> str:
    ended = run.ended
    assert ended is not None
    told = f"{run.title} ended with exit code {ended.code} after {_so_far(run)}"
    if ended.raised is not None:
        text = ended.raised.text.strip().split("\n", 1)[0]
        return f"{told}: {ended.raised.type}{f': {text}' if text else ''}"
    if not run.findings and not run.differences:
        told += ", nothing was found wrong" if ended.code == 0 else ""
    return told


def _stop_words(run: ScriptRun) -> str:
    stop = run.stop
    assert stop is not None
    at = place_words(stop.file, stop.line) if stop.file else ""
    what = {
        "exception": "an exception",
        "breakpoint": "a breakpoint",
        "breakpoint-call": "breakpoint() in a kernel",
        "pause": "paused",
    }.get(stop.why, stop.why)
    text = stop.text.strip().split("\n", 1)[0]
    return f"{run.title} stopped{f' at {at}' if at else ''}: {what}{f', {text}' if text else ''}"


def finding_said(finding: Finding) -> str:
    """``main.py:24: reads x_ptr[5000], which has 5000 elements (out-of-bounds)``."""
    return f"{place_words(finding.file, finding.line)}: {finding.text} ({finding.kind})"


def finding_words(finding: Finding) -> str:
    """The same with the kernel."""
    return f"{finding.kernel}, {finding_said(finding)}"


def difference_words(one: Difference) -> str:
    """``main.py:45: assert_close fails: element [3, 7] is 1.5, expected 2.0``."""
    values = f"{one.actual}, expected {one.expected}" if one.expected is not None else ""
    element = f"element {list(one.index)} is " if one.index and values else ""
    detail = f"{element}{values}" or one.text.strip().split("\n", 1)[0]
    return f"{place_words(one.file, one.line)}: {one.what} fails: {detail}"
