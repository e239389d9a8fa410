"""A wrapper of two kernels put together by hand, to ask pure questions of.

``first`` copies input 1 (``ids``) into ``buf0``, ``second`` looks rows of input 0 (``table``) up
by it. The rows are ``s0``; ``s1`` is a quarter of them, computed with a float ratio.
"""

from __future__ import annotations

from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.late import Late
from aoti_tui.index.model import (
    Argument,
    Buffer,
    Constant,
    Function,
    Guard,
    Input,
    Kernel,
    KernelFacts,
    Launch,
    LaunchId,
    Site,
    Symbol,
    SymbolKind,
    WrapperIndex,
)
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.parse import parse_kernel

MAIN = Function("main", "run_impl")

FIRST = """
def first(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tl.store(out_ptr0 + (x0), tmp0, xmask)
"""
SECOND = """
def second(in_ptr0, in_ptr1, out_ptr0, ks0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = ks0
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < ks0)) | ~(xmask), "0 <= tmp4 < ks0")
    tmp6 = tl.load(in_ptr1 + (8*tmp4), xmask)
    tl.store(out_ptr0 + (x0), tmp6, xmask)
"""
PROGRAMS = {"first": parse_kernel(FIRST, "first"), "second": parse_kernel(SECOND, "second")}


def program_of(name: str) -> KernelProgram:
    return PROGRAMS[name]


def tensor(parameter: str, base: str) -> Argument:
    return Argument(parameter, base, TensorView(base))


def number(parameter: str, text: str) -> Argument:
    return Argument(parameter, text, value=read(text))


def launch(identity: int, kernel: str, line: int, *arguments: Argument) -> Launch:
    return Launch(LaunchId(identity), kernel, Site("w.cpp", line, line), MAIN, arguments)


def symbol(name: str, line: int, kind: SymbolKind, text: str, **more: object) -> Symbol:
    return Symbol(name, line, kind, read(text), MAIN, **more)  # type: ignore[arg-type]


def kernel(name: str, source: str) -> Kernel:
    lines = ("async_compile.triton('', '''", *source.strip("\n").split("\n"), "''')")
    return Kernel(name, 100, 100, None, lines, "pointwise", (), Late.known(KernelFacts(name)))


INDEX = WrapperIndex(
    path="w.cpp",
    lines=(),
    kernels={"first": kernel("first", FIRST), "second": kernel("second", SECOND)},
    launches=(
        launch(
            0,
            "first",
            30,
            tensor("in_ptr0", "ids"),
            tensor("out_ptr0", "buf0"),
            number("xnumel", "6L"),
        ),
        launch(
            1,
            "second",
            40,
            tensor("in_ptr0", "buf0"),
            tensor("in_ptr1", "table"),
            tensor("out_ptr0", "buf1"),
            number("ks0", "s0"),
            number("xnumel", "6L"),
        ),
    ),
    inputs=(Input(0, "table", 10), Input(1, "ids", 11)),
    symbols=(
        symbol("s0", 12, "input_dim", "table_size[0]", position=0, dim=0, tensor="table"),
        symbol("s1", 13, "expression", "(1.0/4.0)*s0"),
        symbol("s2", 14, "expression", "4L*s1"),
    ),
    guards=(Guard(0, "table", "min", 0, "2", 5, "AOTI_RUNTIME_CHECK_INPUTS"),),
    checks=(),
    constants=(Constant("w", 0, 3, "float32", (7, 8), (8, 1), "emb.weight"),),
    buffers=(
        Buffer("buf0", 20, "allocation", MAIN, sizes=(read("6L"),), strides=(read("1L"),)),
        Buffer("buf1", 21, "allocation", MAIN, sizes=(read("6L"),), strides=(read("1L"),)),
    ),
    externs=(),
    outputs=(),
    found_gaps=Late.known(()),
    main=MAIN,
)
FLOW = DataFlow(INDEX, program_of)
