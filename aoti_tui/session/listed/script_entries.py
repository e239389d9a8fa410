"""What the navigator lists of a script's run: what is wrong first, then launches as they happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from aoti_tui.answer.script import ScriptIncident
from aoti_tui.failure.prose.words import plural
from aoti_tui.replay.script.index import place_words
from aoti_tui.replay.script.model import LaunchSeen, ScriptRun
from aoti_tui.session.listed.entries import Entry
from aoti_tui.session.text import number


def script_entries(incident: ScriptIncident) -> tuple[Entry, ...]:
    """All entries of a run."""
    run = incident.run
    return (*_findings(run), *_differences(run), *_launches(run), *_kernels(run), *_remarks(run))


def _findings(run: ScriptRun) -> Iterator[Entry]:
    for at, one in enumerate(run.findings):
        yield Entry(
            "Findings",
            f"{one.kind} :{one.line}",
            f"{one.text} in {one.kernel}, {place_words(one.file, one.line)}",
            one.line,
            ("finding", at),
            True,
        )


def _differences(run: ScriptRun) -> Iterator[Entry]:
    for at, one in enumerate(run.differences):
        seen = run.launch(one.launch)
        by = f"written by {seen.kernel}" if seen is not None else one.text.split("\n", 1)[0]
        values = f"{_said(one.actual)}, expected {_said(one.expected)}"
        told = f"{values} {by}" if one.expected is not None else by
        told += f", {place_words(one.file, one.line)}"
        label = f"{one.what} :{one.line}"
        yield Entry("Differences", label, told, one.line, ("difference", at), True)


def _said(value: object) -> str:
    return number(value)


def _launches(run: ScriptRun) -> Iterator[Entry]:
    wrong = Counter(one.launch for one in run.findings)
    wrong.update(one.launch for one in run.differences)
    for one in run.launches:
        yield Entry(
            "Launches",
            one.kernel,
            _launch_words(one, wrong[one.id]),
            one.site.line,
            ("launch", one.id),
            one.state == "failed" or wrong[one.id] > 0,
        )


def _launch_words(one: LaunchSeen, wrong: int) -> str:
    grid = "×".join(str(size) for size in one.grid)
    took = f"{one.seconds:.2g} s" if one.seconds is not None else "running …"
    if one.state == "failed":
        took = "failed"
    found = plural(wrong, "finding") if wrong else ""
    file = place_words(one.site.file, one.site.line)
    return " ".join(part for part in (f":{one.site.line}", grid, took, found, file) if part)


def _kernels(run: ScriptRun) -> Iterator[Entry]:
    launches = Counter(one.kernel for one in run.launches)
    for kernel in run.kernels.values():
        function = kernel.function
        count = plural(launches[kernel.name], "launch", "launches")
        where = place_words(function.file, function.line)
        yield Entry(
            "Kernels", kernel.name, f"{where} {count}", function.line, ("kernel", kernel.name)
        )


def _remarks(run: ScriptRun) -> Iterator[Entry]:
    for one in run.remarks:
        where = place_words(one.file, one.line)
        place = ("line", one.file, one.line, one.text)
        yield Entry("Warnings", where, one.text, one.line, place)
