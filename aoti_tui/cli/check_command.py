"""``aoti-tui check``: every launch with captured tensors, replayed and compared with the GPU."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.bundle import is_bundle, open_bundle
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.given import Given
from aoti_tui.cli.arguments import check_parser
from aoti_tui.cli.exit_codes import ANSWERED, FAILED
from aoti_tui.cli.json_output import VERSION
from aoti_tui.cli.opening import given_of, opened_from
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.questions.check import CheckedLaunch, CheckReport, check, totals_of
from aoti_tui.replay.questions.recorded_launches import check_recorded


def check_captured(argv: list[str]) -> int:
    """Runs the command: 0 when nothing mismatches, 1 when something does."""
    arguments = check_parser().parse_args(argv)
    whole = arguments.tensors is None and arguments.wrapper and is_bundle(arguments.wrapper)
    if arguments.tensors is None and not whole:
        raise ArtifactError(
            "no captured tensors were given",
            "check compares with tensors that were saved on the GPU",
            "Add --tensors DIR (AOTI's debug printer writes them to tmp/aoti_torch…) or --tensors "
            "FILE.pt (launches recorded one by one).",
        )
    tell = None if arguments.json else _say
    if whole:
        report = _check_bundle(arguments, tell)
    elif arguments.tensors.is_file():
        path, arguments.tensors = arguments.tensors, None
        report = _report(_checked(arguments.wrapper, path, given_of(arguments), tell), path)
    else:
        with opened_from(arguments) as incident:
            report = check(incident.session(), on_launch=tell)
    if arguments.json:
        launches = [
            {
                "kernel": one.launch.kernel,
                "launch_line": one.launch.line,
                "status": one.status,
                "max_abs": one.max_abs,
                "max_rel": one.max_rel,
                "bit_equal": one.bit_equal,
                "detail": one.detail,
            }
            for one in report.launches
        ]
        found = {"version": VERSION, "launches": launches, "totals": dict(report.totals)}
        json.dump(found, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        print(", ".join(f"{count} {status}" for status, count in report.totals.items()))
    return FAILED if report.totals.get("mismatch") else ANSWERED


def _check_bundle(
    arguments: argparse.Namespace, tell: Callable[[CheckedLaunch], None] | None
) -> CheckReport:
    """Checks the launches that a bundle holds, each against its own wrapper."""
    bundle = open_bundle(arguments.wrapper)
    with bundle.opened:
        if not bundle.launches:
            raise ArtifactError(
                f"{arguments.wrapper} does not hold what the GPU wrote",
                "it keeps what calls were given, before they ran; check compares what came out",
                "Record with --launches KERNEL, replay the call (aoti-tui replay BUNDLE --all), or "
                "add --tensors DIR with tensors that were saved on the GPU.",
            )
        found: list[CheckedLaunch] = []
        given = given_of(arguments)
        client = WorkerClient(given.python, given.timeout)
        try:
            for one in bundle.launches:
                found += _checked(one.wrapper, one.file, given, tell, client)
        finally:
            client.close()
    return _report(found, arguments.wrapper)


def _checked(
    wrapper: Path | None,
    launches: Path,
    given: Given,
    tell: Callable[[CheckedLaunch], None] | None,
    client: WorkerClient | None = None,
) -> list[CheckedLaunch]:
    """Every graph at hand checked against the launches that a file holds."""
    incident = open_incident(wrapper, given=given, client=client, browse=True)
    found: list[CheckedLaunch] = []
    for graph in incident.graphs.sources:
        one = incident.of_graph(graph)
        try:
            found += check_recorded(one.session(), launches, tell).launches
        finally:
            one.close()
    return found


def _report(launches: list[CheckedLaunch], path: Path) -> CheckReport:
    if not launches:
        raise ArtifactError(
            f"{path} holds no launch of this wrapper",
            "its kernels and graphs are others",
            "Give the wrapper of the run that was recorded.",
        )
    return CheckReport(tuple(launches), totals_of(launches))


def _say(one: CheckedLaunch) -> None:
    worst = f"  max error {one.max_rel:.2g} of the largest value" if one.max_rel else ""
    equal = "  bit-equal" if one.bit_equal else ""
    detail = f"  {one.detail}" if one.detail else ""
    print(
        f"{one.status:<11} :{one.launch.line:<6} {one.launch.kernel}{equal or worst}{detail}",
        flush=True,
    )
