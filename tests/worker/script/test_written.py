"""Where a kernel's text stands, in every triton release's terms."""

from __future__ import annotations

import inspect
import textwrap
from types import SimpleNamespace

import triton
import triton.language as tl

from aoti_tui.worker.source.written import written


@triton.jit
def fill(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, i, mask=i < n)


def test_without_the_text_that_triton_keeps_from_3_5_on() -> None:
    python = fill.fn
    first = inspect.getsourcelines(python)[1]
    src = textwrap.dedent(inspect.getsource(python))
    old = SimpleNamespace(fn=python, starting_line_number=first, src=src[src.index("def ") :])
    found, new = written(old), written(fill)
    assert (found.text, found.line, found.end_line) == (new.text, new.line, new.end_line)
    assert [one.lineno for one in found.tree.body] == [first + 2, first + 3]
