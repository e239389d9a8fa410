"""Kernels whose source another file holds: its lines are named as that file's."""

from __future__ import annotations

from aoti_tui.failure.explain import Explainer
from aoti_tui.failure.prose.text import explanation
from aoti_tui.failure.provenance.tree import walk
from aoti_tui.flow.access import program_of_kernel
from tests.index.wrappers import index_of, sources_of


def test_an_assert_and_its_chain_name_the_file() -> None:
    name = "2.6.0/embed_ln"
    index, sources = index_of(name), sources_of(name)
    explainer = Explainer(index, lambda kernel: program_of_kernel(index.kernels[kernel]))
    kernel, found = next(
        (kernel, found)
        for kernel in index.kernels.values()
        for found in program_of_kernel(kernel).asserts
    )
    failure = explainer.explain_assert(kernel.name, found.line)
    assert failure is not None
    assert failure.wrapper_line is None
    line = sources[kernel.name].line + found.line - 1
    assert failure.place("model.wrapper.cpp") == f"embed_ln.autotune.py.gz:{line}"
    told = explanation(failure, "model.wrapper.cpp")
    assert f"embed_ln.autotune.py.gz:{line}" in told
    inside = [node for node in walk(failure.index.tree) if node.kind == "temporary"]
    assert inside
    assert all(node.line is None for node in inside)
    assert all(node.place.startswith("embed_ln.autotune.py.gz:") for node in inside)
