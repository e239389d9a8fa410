"""``aoti-tui core``: what a GPU core dump holds, as text or as JSON."""

from __future__ import annotations

import json
import sys
from datetime import datetime, timezone
from itertools import groupby

from aoti_tui.artifacts.core_dump.model import CoreDump, FailedThreads, KernelLaunch, Triple
from aoti_tui.artifacts.core_dump.reading import open_dump
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.cli.arguments import core_parser
from aoti_tui.cli.core_extract import extracted
from aoti_tui.cli.core_json import device_words, info_json
from aoti_tui.cli.exit_codes import ANSWERED
from aoti_tui.failure.prose.words import plural

_SHOWN = 8


def core(argv: list[str]) -> int:
    """Runs the command. Raises ArtifactError for a file that is no GPU core dump."""
    arguments = core_parser().parse_args(argv)
    if arguments.redact and (arguments.extract is None or arguments.wrapper is None):
        raise ArtifactError(
            "nothing can be redacted",
            "which bytes are floats stands in the wrapper, and only an extract is written",
            "Give --extract OUT.aoti and --wrapper FILE.",
        )
    with open_dump(arguments.core) as opened:
        dump = opened.dump
        if arguments.extract is not None:
            said = extracted(opened, arguments.extract, arguments.wrapper, redact=arguments.redact)
            print(said, file=sys.stderr if arguments.json else sys.stdout)
            if not arguments.json:
                return ANSWERED
    if arguments.json:
        json.dump(info_json(dump), sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        print("\n".join(info_lines(dump)))
    return ANSWERED


def info_lines(dump: CoreDump) -> list[str]:
    lines = [f"{dump.path}: " + (", ".join(map(device_words, dump.devices)) or "no device said")]
    if dump.driver:
        written = datetime.fromtimestamp(dump.written, timezone.utc) if dump.written else None
        when = f", written {written:%Y-%m-%d %H:%M} UTC" if written else ""
        lines.append(f"  driver {dump.driver}{when}")
    for launch in dump.launches:
        lines += ["", *_launch_lines(launch, dump.failed_of(launch))]
    if not dump.launches:
        lines += ["", "no kernel was running"]
    total = _bytes(dump.memory_bytes)
    lines += ["", f"memory: {total} in {plural(len(dump.memory), 'range')}"]
    if not dump.memory:
        lines[-1] = "memory: none (skip_global_memory?): scalars, grid, block and line are there"
    lines += [f"damage: {one}" for one in dump.damage]
    return lines


def _launch_lines(launch: KernelLaunch, failed: tuple[FailedThreads, ...]) -> list[str]:
    name = launch.name or "a kernel whose image is not in the dump"
    shape = f"grid {_dims(launch.grid)}, {plural(_product(launch.block), 'thread')} a block"
    lines = [f"{name}: {shape}"]
    for parameter in launch.parameters:
        value, size = parameter.unsigned, parameter.size
        shown = f"0x{value:x}" if size == 8 else str(value)
        lines.append(f"  param {parameter.position:<3} {size} bytes  {shown}")
    for (kind, place), same in groupby(failed, key=lambda one: (one.kind, one.at)):
        blocks = list(same)
        lines.append(f"  {kind}" + (f" at {place.file}:{place.line}" if place is not None else ""))
        for failing in blocks[:_SHOWN]:
            lines.append(f"    block {list(failing.block)}: thread {_threads(failing.threads)}")
        if len(blocks) > _SHOWN:
            lines.append(f"    and {plural(len(blocks) - _SHOWN, 'more block')}")
    return lines


def _threads(threads: tuple[Triple, ...]) -> str:
    shown = [str(x) if not (y or z) else f"{x},{y},{z}" for x, y, z in threads[:_SHOWN]]
    rest = len(threads) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def _dims(grid: Triple) -> str:
    return "×".join(map(str, grid))


def _product(sizes: Triple) -> int:
    return sizes[0] * sizes[1] * sizes[2]


def _bytes(count: int) -> str:
    for unit, size in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >> size:
            return f"{count / (1 << size):.1f} {unit}"
    return f"{count} bytes"
