"""``aoti-tui bundle``: a recording or a bundle, made fit to be given away."""

from __future__ import annotations

from pathlib import Path

from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.bundle import is_bundle, open_bundle
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.recording.editing import edited
from aoti_tui.artifacts.recording.reading import processes_in
from aoti_tui.artifacts.recording.watching import make_bundles
from aoti_tui.cli.arguments import bundle_parser
from aoti_tui.cli.exit_codes import ANSWERED
from aoti_tui.failure.prose.words import plural


def bundle(argv: list[str]) -> int:
    """Runs the command. Raises ArtifactError for what is no bundle and no recording."""
    arguments = bundle_parser().parse_args(argv)
    source: Path = arguments.bundle
    if source.is_dir() and processes_in(source):
        made = make_bundles(source, arguments.output, failed=True, ended="", on_exit=True)
        if not made:
            raise ArtifactError(
                f"{source} holds no call", "nothing was called before the end", "Record again."
            )
        print("\n".join(one.words for one in made))
        if not arguments.redact and not arguments.minimal:
            return ANSWERED
        if len(made) > 1:
            raise ArtifactError(
                f"{source} gave {len(made)} bundles",
                "which is meant is not known",
                "Name one of them: aoti-tui bundle FILE.aoti …",
            )
        source = made[0].path
    if not is_bundle(source):
        raise ArtifactError(
            f"{source} is no bundle",
            "it has no manifest of a bundle, nor is it the folder of a recording",
            "Give a .aoti file that `aoti-tui record` or `aoti-tui core … --extract` wrote.",
        )
    only = _failing(source) if arguments.minimal else None
    size, replaced = edited(source, arguments.output, only=only, redact=arguments.redact)
    said = f"{arguments.output}: {size:,} bytes"
    if only is not None:
        said += f", call {only} alone"
    if arguments.redact:
        said += f", {plural(replaced, 'tensor')} of floats replaced by noise"
    print(said)
    return ANSWERED


def _failing(source: Path) -> int | None:
    """The call that failed; None for a bundle that has none recorded."""
    opened = open_bundle(source)
    with opened.opened:
        if not opened.calls:
            return None
        first = opened.calls[0].number
    try:
        incident = open_incident(source)
    except ArtifactError:
        return first
    incident.close()
    return incident.recorded[1].number if incident.recorded is not None else first
