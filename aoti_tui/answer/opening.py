"""Opening a wrapper with what came with it: what it is, where its kernels' sources are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aoti_tui.answer.incident import Incident, Progress, Workshop
from aoti_tui.answer.known import known_of
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.given import Given
from aoti_tui.artifacts.kernel_files import kernel_files, kernel_files_beside
from aoti_tui.artifacts.log_file import LogText
from aoti_tui.artifacts.wrapper_file import WrapperText, open_wrapper
from aoti_tui.index.kernel_sources import KernelSource, find_kernel_sources
from aoti_tui.index.model import Gap, WrapperIndex
from aoti_tui.index.reader import read_wrapper
from aoti_tui.index.recognise import ArtifactKind, describe_artifact
from aoti_tui.replay.client import WorkerClient


def open_incident(
    wrapper: Path,
    *,
    log: LogText | None = None,
    log_name: str = "",
    given: Given | None = None,
    client: WorkerClient | None = None,
    progress: Progress | None = None,
    browse: bool = False,
) -> Incident:
    """Opens a wrapper (file, package or folder) with what came with it.

    ``log`` is the log's text or its lines. ``progress`` gets what is being done and its share from
    0 to 1.
    ``client`` is a worker that outlives what is opened; without it, the incident has its own.
    ``browse`` takes a CPU wrapper too, which has nothing to debug but can be listed.
    Raises :class:`~aoti_tui.artifacts.errors.ArtifactError` when nothing can be shown.
    """
    given = given or Given()
    say = progress or (lambda doing, share: None)
    say("reading the wrapper", 0.0)
    source = open_wrapper(wrapper, given.model)
    _check_kind(source, browse)
    sources = _kernel_sources(source, given.kernels)
    index = read_wrapper(
        source.text,
        str(source.path),
        kernel_sources=sources,
        progress=lambda share: say("indexing the wrapper", share),
    )
    _check_content(source, index)
    index = _with_missing_sources(index)
    workshop = Workshop(index, given, client)
    known, inputs, notes = known_of(index, given)
    incident = Incident(
        source=source,
        index=index,
        given=given,
        log=None,
        log_name="",
        failures=(),
        known=known,
        inputs=inputs,
        notes=notes,
        input_notes=notes,
        workshop=workshop,
    )
    if log is None:
        return incident
    say("reading the log", 0.0)
    return incident.with_log(log, log_name)


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
    ArtifactKind.LOG: "Give the wrapper (a *.wrapper.cpp or an output_code.py) and the log behind "
    "--log: code that stands in a log is not read yet.",
    ArtifactKind.JIT_WRAPPER: "C++ wrappers of torch.compile are not read yet: compile without "
    "cpp_wrapper and give the output_code.py.",
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


def _with_missing_sources(index: WrapperIndex) -> WrapperIndex:
    """The index with a gap for the kernels whose source was found nowhere."""
    missing = [k for k in index.kernels.values() if not k.has_source]
    if not missing:
        return index
    names = ", ".join(k.name for k in missing[:3]) + (", …" if len(missing) > 3 else "")
    gap = Gap(
        missing[0].line,
        names,
        f"the sources of {len(missing)} of {len(index.kernels)} kernels are not in the wrapper or "
        "beside it: give --kernels",
    )
    return replace(index, gaps=(*index.gaps, gap))


def _kernel_sources(source: WrapperText, path: Path | None) -> dict[str, KernelSource]:
    """Kernel sources outside of the wrapper: those given, else those that lie beside it."""
    if path is not None:
        files = kernel_files(path)
    elif "async_compile.triton(" in source.text or source.member:
        return {}
    else:
        files = kernel_files_beside(source.path)
    found: dict[str, KernelSource] = {}
    for name, text in files:
        for kernel, kernel_source in find_kernel_sources(text, name).items():
            found.setdefault(kernel, kernel_source)
    return found
