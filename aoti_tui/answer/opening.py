"""Opening a wrapper with what came with it: what it is, where its kernels' sources are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aoti_tui.answer.at_hand import at_hand
from aoti_tui.answer.core import open_core, reading_of
from aoti_tui.answer.graphs import Graphs
from aoti_tui.answer.incident import Incident, Progress, Workshop
from aoti_tui.answer.indexing import indexed
from aoti_tui.answer.known import takes_inputs
from aoti_tui.answer.recorded_calls import open_recorded
from aoti_tui.artifacts.bundle import BundledCall, is_bundle, open_bundle
from aoti_tui.artifacts.core_dump.reading import is_dump
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.given import Given
from aoti_tui.artifacts.graphs.opened import several_graphs
from aoti_tui.artifacts.log_file import LogText
from aoti_tui.artifacts.wrapper_file import WrapperText
from aoti_tui.failure.provenance.known import Known
from aoti_tui.index.model import WrapperIndex
from aoti_tui.index.recognise import ArtifactKind, describe_artifact
from aoti_tui.replay.client import WorkerClient


def open_incident(
    wrapper: Path | None,
    *,
    log: LogText | None = None,
    log_name: str = "",
    given: Given | None = None,
    client: WorkerClient | None = None,
    progress: Progress | None = None,
    browse: bool = False,
) -> Incident:
    """Opens what the user has: a wrapper, a package, a folder of graphs, a log or a core
    dump alone, or a bundle of these.

    ``log`` is the log's text or its lines; it may hold the code, and leads to it where no
    ``wrapper`` is given. Where ``wrapper`` is a log or a
    core dump itself and no other is given, it is that.
    ``progress`` gets what is being done and its share from
    0 to 1.
    ``client`` is a worker that outlives what is opened; without it, the incident has its own.
    ``browse`` takes a CPU wrapper too, which has nothing to debug but can be listed.
    Raises :class:`~aoti_tui.artifacts.errors.ArtifactError` when nothing can be shown.
    """
    given = given or Given()
    say = progress or (lambda doing, share: None)
    say("reading the wrapper", 0.0)
    bundle = open_bundle(wrapper) if wrapper is not None and is_bundle(wrapper) else None
    if bundle is not None and bundle.calls:
        others = given

        def open_call(call: BundledCall, text: LogText | None) -> Incident:
            return open_incident(
                call.wrapper,
                log=text,
                log_name="log.txt" if text is not None else "",
                given=replace(others, inputs=others.inputs or call.inputs),
                client=client,
                progress=progress,
                browse=browse,
            )

        return open_recorded(bundle, open_call, log)
    if bundle is not None:
        wrapper, given = bundle.wrapper or bundle.core, replace(given, core=bundle.core)
    elif given.core is not None and is_bundle(given.core):
        bundle = open_bundle(given.core)
        given = replace(given, core=bundle.core)
    if wrapper is not None and given.core is None and is_dump(wrapper):
        given = replace(given, core=wrapper)
    if wrapper == given.core:
        wrapper = None
    core = open_core(given.core) if given.core is not None else None
    if core is not None and bundle is not None:
        core.opened.push(bundle.opened)
    told = reading_of(core.dump) if core is not None and log is None else None
    hand = at_hand(wrapper, log, log_name or str(given.core or ""), given, told)
    decided = browse or hand.reading is not None
    source = _first(hand.graphs, wrapper or Path(log_name), given, decided=decided, browse=browse)
    index = indexed(
        source, given.kernels, progress=lambda share: say("indexing the wrapper", share)
    )
    _check_content(source, index)
    workshop = Workshop(index, given, client, core)
    incident = Incident(
        source=source,
        index=workshop.index,
        given=given,
        log=None,
        log_name="",
        failures=(),
        known=Known(),
        inputs=(),
        notes=hand.graphs.notes,
        workshop=workshop,
        graphs=hand.graphs,
    )
    if hand.reading is None:
        return incident.with_known()
    say("reading the log", 0.0)
    reading = hand.reading
    if core is not None and told is not None:
        reading = reading_of(
            core.dump, hand.graphs.sources, lambda one: indexed(one, given.kernels)
        )
    return incident.with_reading(reading, hand.log_name)


def _first(graphs: Graphs, path: Path, given: Given, *, decided: bool, browse: bool) -> WrapperText:
    """The graph to begin with; where a log has not ``decided`` yet and several can be meant, one
    that alone takes the given inputs. Raises ArtifactError where that is not known."""
    # A script's text tells no more than its kernels: what they were given has to come from a dump.
    usable = [s for s in graphs.sources if _is_usable(s, scripts=given.core is not None)]
    if not usable:
        _check_kind(graphs.sources[0], browse)
        return graphs.sources[0]
    if len(usable) == 1 or decided:
        return usable[0]
    takes = [s for s in usable if takes_inputs(indexed(s, given.kernels), given)]
    if len(takes) != 1:
        raise several_graphs(path, usable)
    return takes[0]


def _is_usable(source: WrapperText, *, scripts: bool) -> bool:
    described = describe_artifact(source.text)
    if described.is_script:
        return scripts
    return described.is_wrapper and not described.has_no_kernels


def _check_kind(source: WrapperText, browse: bool) -> None:
    described = describe_artifact(source.text)
    if described.is_wrapper:
        if described.has_no_kernels and not browse:
            raise ArtifactError(
                f"{source.name} is a CPU-only wrapper",
                f"{described.reason}: it holds no Triton kernel, so no GPU assert can come from it",
                "Give the wrapper of the model compiled for the GPU.",
            )
        return
    raise ArtifactError(
        f"{source.name} is not a wrapper of AOTInductor or torch.compile",
        f"expected a generated *.wrapper.cpp or output_code.py, found {described.kind.value} "
        f"({described.reason})",
        _INSTEAD.get(described.kind, _WRAPPERS),
    )


_WRAPPERS = (
    "Give the *.wrapper.cpp or output_code.py that the compiler wrote, the .pt2 package, or its "
    "folder."
)
_INSTEAD = {
    ArtifactKind.JIT_SOURCE: "Give the Python file that holds it as cpp_wrapper_src: the kernels "
    "stand in its docstring (Inductor's cache folder has both).",
    ArtifactKind.SCRIPT: "Run it: `aoti-tui run FILE ARGUMENTS…` steps its kernels on this "
    "machine; with the GPU core dump of a failed run, `aoti-tui FILE --core DUMP` explains that.",
    ArtifactKind.KERNEL_FILE: "Give the output_code.py that holds this kernel: the file in the "
    "same cache folder that defines call().",
}


def _check_content(source: WrapperText, index: WrapperIndex) -> None:
    if not index.kernels and not index.launches and not index.inputs:
        raise ArtifactError(
            f"{source.name} holds nothing that could be read",
            "no kernel, no launch and no input was found in it",
            "Is the file cut off? Copy it again.",
        )
