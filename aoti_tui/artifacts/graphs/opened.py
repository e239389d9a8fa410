"""All wrappers of what the user named: AOTInductor's one, or the graphs of torch.compile."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.graphs.kernel_names import code_alone
from aoti_tui.artifacts.graphs.logged_code import LoggedCode
from aoti_tui.artifacts.graphs.places import graphs_below
from aoti_tui.artifacts.wrapper_file import (
    DAMAGE,
    NoWrapper,
    WrapperText,
    decode,
    is_graph,
    member_of,
    no_such_model,
    open_wrapper,
)


def open_wrappers(path: Path, model: str | None = None) -> tuple[WrapperText, ...]:
    """The wrappers of a file, package or folder: one, or all graphs of torch.compile.

    ``model`` chooses: a model of AOTInductor, or a graph by its AOT id, file or folder. Raises
    :class:`~aoti_tui.artifacts.errors.ArtifactError` when there is none.
    """
    try:
        return (open_wrapper(path, model),)
    except NoWrapper:
        graphs = tuple(graphs_below(path) if path.is_dir() else graphs_in_package(path))
        if not graphs:
            raise
        return chosen_graphs(path, graphs, model)


def chosen_graphs(
    path: Path, graphs: tuple[WrapperText, ...], model: str | None
) -> tuple[WrapperText, ...]:
    """Those of ``graphs`` that ``model`` names; all without it."""
    if model is None:
        return graphs
    named = tuple(g for g in graphs if model in names_of(g))
    if not named:
        raise no_such_model(path, model, [label(path, g) for g in graphs])
    return named


def names_of(graph: WrapperText) -> tuple[str, ...]:
    """What a user can call a graph."""
    path = graph.path
    return (graph.graph, path.name, path.stem, path.parent.name, str(path), graph.model)


def label(folder: Path, graph: WrapperText) -> str:
    """``0_inference  model__0_inference_0.0/output_code.py``."""
    place = graph.member or str(graph.path)
    return f"{graph.graph or '?'}  {place.removeprefix(f'{folder}/')}"


def several_graphs(path: Path, graphs: Sequence[WrapperText]) -> ArtifactError:
    """What to say where nothing tells which of several graphs is meant."""
    return ArtifactError(
        f"{path} holds {len(graphs)} graphs",
        "which one is meant is not known:\n  " + "\n  ".join(label(path, g) for g in graphs[:40]),
        "Give the log of the failed run with --log, or choose one with --model NAME.",
    )


def graphs_in_package(path: Path) -> tuple[WrapperText, ...]:
    """The graphs of torch.compile in a zip, each code once."""
    found: dict[str, WrapperText] = {}
    try:
        with zipfile.ZipFile(path) as package:
            for name in sorted(package.namelist()):
                if not name.endswith(".py"):
                    continue
                data = member_of(package, name)
                if is_graph(data[:4096], lambda data=data: data):  # type: ignore[misc]
                    text = decode(data, f"{path}:{name}")
                    found.setdefault(code_alone(text), WrapperText(path, text, name))
    except DAMAGE as error:
        raise ArtifactError(
            f"{path} cannot be read as a package",
            str(error) or type(error).__name__,
            "Copy the file again.",
        ) from error
    return tuple(found.values())


def logged_graphs(log: Path, code: Sequence[LoggedCode]) -> tuple[WrapperText, ...]:
    """The graphs that stand in a log, each code once; where it holds kernels alone, those."""
    texts: dict[str, WrapperText] = {}
    for one in code:
        if one.kind == "graph":
            texts.setdefault(code_alone(one.text), WrapperText(log, one.text, one.written_to))
    if not texts:
        kernels = [one.text for one in code if one.kind == "kernel"]
        if kernels:
            text = kernels_alone(kernels)
            texts[text] = WrapperText(log, text, "the kernels of the log")
    return tuple(texts.values())


def kernels_alone(kernels: Sequence[str]) -> str:
    """A wrapper of kernels whose launches nobody knows; line n of a single kernel's file is line n
    of it."""
    parts: list[str] = []
    for text in dict.fromkeys(kernels):
        name, raw = _function_name(text), "r" if "\\" in text else ""
        first = "" if text.startswith("\n") else "\n"
        parts.append(f"{name} = async_compile.triton('{name}', {raw}'''{first}{text.rstrip()}")
        parts.append("''', device_str='cuda')")
    return "\n".join((*parts, "# AOT ID: none, kernels alone", ""))


def _function_name(kernel: str) -> str:
    for line in kernel[kernel.find("@triton.jit") :].splitlines():
        if line.startswith("def ") and "(" in line:
            return line[4 : line.index("(")]
    return "kernel"
