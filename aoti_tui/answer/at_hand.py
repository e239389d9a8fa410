"""All that can be had of what the user named: a wrapper, graphs in a folder, a log that leads to
them or holds them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aoti_tui.answer.graphs import Graphs
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.given import Given
from aoti_tui.artifacts.graphs.kernel_names import (
    base_name,
    code_alone,
    is_code_file_name,
    kernel_files_of,
)
from aoti_tui.artifacts.graphs.logged_code import CodeReader, LoggedCode
from aoti_tui.artifacts.graphs.opened import (
    chosen_graphs,
    kernels_alone,
    logged_graphs,
    open_wrappers,
)
from aoti_tui.artifacts.graphs.places import (
    CACHE_VARIABLE,
    CacheSearch,
    search_caches,
    unpacked,
)
from aoti_tui.artifacts.log_file import LogText, lines_of, open_log
from aoti_tui.artifacts.wrapper_file import WrapperText, is_package
from aoti_tui.failure.log.asserts import read_log
from aoti_tui.failure.log.loading import loading_words
from aoti_tui.failure.model import LogReading
from aoti_tui.index.recognise import ArtifactKind, describe_artifact

_HEAD = 1 << 20
_MOST_SCRIPTS = 200
_BEGINNINGS = ("# AOT ID", 'r"""', '"""', "from ", "import ")


@dataclass(frozen=True, slots=True)
class AtHand:
    """The graphs, and the log as it was read; None without one."""

    graphs: Graphs
    reading: LogReading | None
    log_name: str


def at_hand(
    wrapper: Path | None,
    log: LogText | None,
    log_name: str,
    given: Given,
    reading: LogReading | None = None,
) -> AtHand:
    """What the user named, opened; without a ``wrapper``, what the log leads to. ``reading`` is
    one that comes of no log.

    Raises ArtifactError where no code is found.
    """
    code = CodeReader()
    if log is not None:
        reading = read_log(code.watch(lines_of(log) if isinstance(log, str) else log))
    led = Graphs((), {})
    if wrapper is not None and not is_log(wrapper):
        held = open_wrappers(wrapper, given.model)
    else:
        name = wrapper if wrapper is not None else Path(log_name)
        held = ()
        if wrapper is not None:
            own = CodeReader()
            told = read_log(own.watch(_lines(wrapper)))
            held = logged_graphs(wrapper, own.found)
            code.found.extend(own.found)
            if reading is None:
                reading, log_name = told, str(wrapper)
        if not any(graph.graph for graph in held):
            held = logged_graphs(Path(log_name), code.found) or held
        dumped = given.core is not None and log is None
        led = _led_to(name, reading or LogReading(()), code.found, held, scripts=dumped)
        held = chosen_graphs(name, led.sources, given.model)
    kernels = dict(led.kernels)
    if log_name and held and (held[0].graph or len(held) > 1):
        codes = {code_alone(graph.text) for graph in held}
        logged = logged_graphs(Path(log_name), [c for c in code.found if c.kind == "graph"])
        held = (*held, *(graph for graph in logged if code_alone(graph.text) not in codes))
    for graph in held:
        kernels |= kernel_files_of(graph.text)
    signatures = tuple(c.text for c in code.found if c.kind == "inputs")
    return AtHand(Graphs(held, kernels, led.notes, signatures), reading, log_name)


def is_log(path: Path) -> bool:
    """Whether a file is a log (or a trace) and no wrapper."""
    try:
        if not path.is_file() or is_package(path):
            return False
        text = unpacked(path)
        if text is None:
            with path.open("rb") as file:
                text = file.read(_HEAD).decode("utf-8", errors="replace")
    except OSError:
        return False
    described = describe_artifact(text)
    if described.kind in (ArtifactKind.LOG, ArtifactKind.TEXT):
        return described.kind is ArtifactKind.LOG or "[__output_code]" in text
    # A log into which an output_code.py was pasted.
    return described.is_python and not text.lstrip().startswith(_BEGINNINGS)


def _lines(path: Path) -> LogText:
    text = unpacked(path)
    return lines_of(text) if text is not None else open_log(str(path))


def _led_to(
    log: Path,
    reading: LogReading,
    code: Sequence[LoggedCode],
    held: tuple[WrapperText, ...],
    *,
    scripts: bool,
) -> Graphs:
    """The graphs of a log that was given alone: those that it holds, else those that its paths
    lead to, or ``scripts`` that lie beside it. Raises ArtifactError where there are none."""
    if any(graph.graph for graph in held):
        return Graphs(held, {})
    kernel_paths = [a.path for a in reading.asserts]
    code_paths = [*(f.path for f in reading.frames), *(c.written_to for c in code if c.written_to)]
    if reading.loading is not None:
        code_paths.append(reading.loading.path)
    found = search_caches(kernel_paths, code_paths, log.absolute().parent, os.environ)
    if found.graphs:
        return Graphs(found.graphs, found.kernels, (_found_words(found),))
    if held:
        return Graphs(held, found.kernels, (_NO_LAUNCHES,))
    if found.kernels:
        text = kernels_alone(list(found.kernels.values()))
        path = Path(next(iter(found.kernels)))
        return Graphs((WrapperText(path, text),), found.kernels, (_NO_LAUNCHES,))
    if scripts:
        kernels = [a.kernel for a in reading.asserts] + [f.kernel for f in reading.faults]
        script = _script_beside(log, kernels)
        if script is not None:
            return Graphs((script,), {}, (f"{script.path.name} beside it defines the kernel",))
    raise _nothing_found(log, reading, found)


def _script_beside(dump: Path, kernels: Sequence[str]) -> WrapperText | None:
    """The one script in the folder of a dump that defines a kernel that was running."""
    found = []
    for path in sorted(dump.absolute().parent.glob("*.py"))[:_MOST_SCRIPTS]:
        try:
            text = path.read_text(errors="replace") if path.stat().st_size < _HEAD else ""
        except OSError:
            continue
        defines = any(f"def {kernel}(" in text for kernel in kernels if kernel)
        if defines and describe_artifact(text).is_script:
            found.append(WrapperText(path, text))
    return found[0] if len(found) == 1 else None


_NO_LAUNCHES = (
    "only kernels are at hand, not the output_code.py that launches them: what they are given is "
    "not known. The file that defines call() stands in the same cache folder "
    "(TORCHINDUCTOR_CACHE_DIR), and in a log with TORCH_LOGS=output_code"
)


def _found_words(found: CacheSearch) -> str:
    first = found.graphs[0]
    others = len(found.graphs) - 1
    more = f", and {others} more graph{'s' if others > 1 else ''}" if others else ""
    return f"the log leads to {first.path} (graph {first.graph or 'without an id'}){more}"


def _nothing_found(log: Path, reading: LogReading, found: CacheSearch) -> ArtifactError:
    """Which file is missing, and how to have it the next time."""
    named = [base_name(a.path) for a in reading.asserts]
    files = [f"{name[1:3]}/{name}" for name in dict.fromkeys(named) if is_code_file_name(name)]
    looked = ", ".join(map(str, found.looked)) or "no folder that the log names is here"
    if files:
        why = (
            f"the log names the kernel file {' and '.join(files)}; neither it nor a wrapper that "
            f"holds it was found (looked in: {looked})"
        )
    elif reading.asserts or reading.faults:
        why = f"the log names no file of the kernel, and no wrapper was found (looked in: {looked})"
    elif reading.loading is not None:
        why = loading_words(reading.loading)
    else:
        why = "the log holds no assert of a kernel, no traceback of generated code and no code"
    return ArtifactError(
        f"the code that {log} is of was not found",
        why,
        "Give the run's cache folder or its output_code.py: `aoti-tui explain FOLDER --log "
        f"{log.name}`, or set {CACHE_VARIABLE} to the folder. Next time, keep the cache with "
        f"{CACHE_VARIABLE}=FOLDER, or let the log hold the code: TORCH_LOGS=output_code.",
    )
