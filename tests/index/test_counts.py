"""Every kernel, launch, input and symbol of real wrappers of every format is found.

The numbers were counted with grep in the files, not by the reader.
"""

from __future__ import annotations

import re

import pytest

from .wrappers import index_of

# name: kernels, launches, inputs, constants, outputs, guards, checks, symbols, allocations, mm
COUNTS = {
    "2.5.1/cond": (3, 3, 2, 4, 1, 0, 0, 4, 2, 2),
    "2.5.1/mixed": (4, 4, 2, 0, 3, 0, 0, 7, 6, 2),
    "2.5.1/user_triton__abi": (2, 2, 2, 0, 1, 0, 0, 1, 2, 0),
    "2.6.0/embed_ln": (2, 2, 1, 5, 1, 0, 1, 4, 2, 1),
    "2.7.1/jagged": (3, 3, 2, 0, 2, 10, 0, 4, 3, 0),
    "2.8.0/user_triton": (2, 2, 2, 0, 1, 10, 0, 1, 2, 0),
    "2.9.1/reductions": (2, 2, 3, 0, 10, 17, 0, 1, 9, 0),
    "2.13.0/cpu_folding": (0, 0, 2, 5, 3, 11, 10, 2, 1, 2),
    "2.13.0/jagged__profile": (3, 3, 2, 0, 2, 12, 2, 4, 3, 0),
    "2.15.0/cond": (3, 3, 2, 4, 1, 9, 4, 4, 2, 2),
    "2.15.0/jagged__debugprint": (3, 3, 2, 0, 2, 12, 2, 4, 3, 0),
    "2.15.0/jagged__shortnames": (3, 3, 2, 0, 2, 12, 2, 4, 3, 0),
    "max_autotune_mm": (3, 3, 2, 1, 2, 11, 0, 1, 4, 0),
    "unbacked_item": (3, 3, 2, 0, 1, 9, 6, 5, 2, 0),
    "combo_kernels": (2, 2, 4, 0, 5, 26, 0, 3, 5, 0),
    "demo": (6, 6, 3, 2, 1, 19, 0, 4, 6, 1),
}
SYMBOL = re.compile(r"[szu]f?\d+|ps\d+|\w+numel")


@pytest.mark.parametrize("name", COUNTS)
def test_everything_grep_finds_is_indexed(name: str) -> None:
    index = index_of(name)
    found = (
        len(index.kernels),
        len(index.launches),
        len(index.inputs),
        len(index.constants),
        len(index.outputs),
        len(index.guards),
        len(index.checks),
        sum(SYMBOL.fullmatch(s.name) is not None for s in index.symbols),
        sum(b.kind == "allocation" and b.function.is_main for b in index.buffers),
        sum(e.op in ("mm_out", "addmm_out", "bmm_out") for e in index.externs),
    )
    assert found == COUNTS[name]
    assert index.gaps == ()


@pytest.mark.parametrize("name", COUNTS)
def test_every_line_number_points_at_its_text(name: str) -> None:
    index = index_of(name)
    for one in index.inputs:
        assert one.name in index.lines[one.line - 1]
    for symbol in index.symbols:
        assert symbol.name in index.lines[symbol.line - 1]
    for launch in index.launches:
        assert launch.kernel in index.lines[launch.line - 1]
    for buffer in index.buffers:
        if not (buffer.of and buffer.kind == "alias"):
            assert buffer.name.partition("[")[0] in index.lines[buffer.line - 1]
    for extern in index.externs:
        assert extern.text.split("(")[0] in index.lines[extern.line - 1]
    for guard in index.guards:
        assert index.lines[guard.line - 1].strip().startswith("if (")
    for constant in index.constants:
        assert f'"{constant.name}"' in index.lines[constant.line - 1]
    for kernel in index.kernels.values():
        assert kernel.name in index.lines[kernel.line - 1]


@pytest.mark.parametrize("name", [n for n in COUNTS if n != "2.13.0/cpu_folding"])
def test_every_kernel_has_a_source_that_is_python(name: str) -> None:
    for kernel in index_of(name).kernels.values():
        assert "async_compile.triton(" in kernel.lines[0]
        assert kernel.lines[-1].lstrip().startswith("''', device_str=")
        compile(kernel.source, kernel.name, "exec")
        assert kernel.parameters
        assert kernel.num_warps is not None


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("2.5.1/cond", "2.5"),
        ("2.6.0/embed_ln", "2.6"),
        ("2.7.1/jagged", "2.7"),
        ("2.8.0/user_triton", "2.8-2.11"),
        ("max_autotune_mm", "2.8-2.11"),
        ("2.13.0/jagged__profile", "2.13+"),
        ("2.15.0/cond", "2.15+"),
    ],
)
def test_the_release_is_guessed_from_the_format(name: str, version: str) -> None:
    assert index_of(name).torch_version == version
