"""From parsed arguments to an incident."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.given import LAUNCH_SECONDS, Given
from aoti_tui.artifacts.log_file import LogText, open_log
from aoti_tui.cli.arguments import folder_of_tensors
from aoti_tui.cli.progress_line import ProgressLine

DEMO_WRAPPER = "jagged_reduce.wrapper.cpp"
DEMO_LOG = "error.empty_weights.log"
DEMO_INPUTS = "inputs.empty_weights.pt"


def demo_file(name: str) -> Path:
    """A file of the bundled failure."""
    return Path(str(resources.files("aoti_tui.demo").joinpath(name)))


def given_of(arguments: argparse.Namespace) -> Given:
    """Files and settings of the command line. Raises ArtifactError for unusable ones."""
    return Given(
        inputs=getattr(arguments, "inputs", None),
        settings=dict(getattr(arguments, "settings", [])),
        python=getattr(arguments, "python", None),
        constants=getattr(arguments, "constants", None),
        tensors=folder_of_tensors(getattr(arguments, "tensors", None)),
        core=getattr(arguments, "core", None),
        kernels=getattr(arguments, "kernels", None),
        model=getattr(arguments, "model", None),
        seed=getattr(arguments, "seed", 0),
        timeout=getattr(arguments, "timeout", LAUNCH_SECONDS),
    )


@contextmanager
def opened_from(
    arguments: argparse.Namespace, log_text: LogText | None = None
) -> Iterator[Incident]:
    """What a headless command was given, open for as long as it is needed: a terminal is told what
    its worker does, which ends with it. ``log_text`` is a log that was read already."""
    log = getattr(arguments, "log", None)
    arguments.wrapper = arguments.wrapper or getattr(arguments, "core", None)
    if arguments.wrapper is None and log is None:
        raise ArtifactError(
            "no wrapper was given",
            "there is nothing to open",
            "Give a *.wrapper.cpp, an output_code.py, a package, a folder, a log or a core dump.",
        )
    text: LogText | None = log_text
    if text is None and log is not None:
        text = open_log(log)
    given = given_of(arguments)
    incident = open_incident(arguments.wrapper, log=text, log_name=log or "", given=given)
    try:
        with ProgressLine(incident.workshop):
            yield incident
    finally:
        incident.close()
