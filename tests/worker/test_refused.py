"""A wrapper is text from somewhere else: what is no kernel is not run."""

from __future__ import annotations

import pytest

from .talking import HEADER, Talk

BODIES = [
    "__import__('os').system('touch /tmp/pwned')",
    "tmp0 = ().__class__.__bases__[0].__subclasses__()",
    "tmp0 = tl.core.sys",
    "tmp0 = tl.core.__dict__",
    "tmp0 = tl.tensor.mro()",
    "tmp0 = triton.runtime.os",
    "tmp0 = triton_helpers.warnings",
    "tmp0 = triton_helpers.triton",
    "tmp0 = libdevice.np",
    "tmp0 = getattr(tl, 'core')",
    "tmp0 = eval('1')",
    "exec('1')",
    "tmp0 = open('/etc/passwd')",
    "tmp0 = in_ptr0.handle.data.tofile('/tmp/x')",
    "tmp0 = tl.load.__globals__",
    "tmp0 = '{0.__class__}'.format(1)",
    "tmp0 = lambda: 1",
    "tmp0 = [x for x in range(3)]",
    "tmp0 = (tl.load if in_ptr0 else tl.store)(in_ptr0)",
    "import os",
    "from os import system",
    "global tl",
    "with tl: pass",
    "raise ValueError",
    "in_ptr0.dtype = 1",
    "tl.load = print",
    "in_ptr0[0] = 1",
    "def inner(): pass",
    "class Inner: pass",
    "tmp0 = (y := 3)",
    "tmp0 = 9 ** 9 ** 9",
    "tmp0 = 1 << 100000",
    "tmp0 = print(*[1])",
    "tmp0 = dict(**{})",
    "del in_ptr0",
    "__settle = 1",
    "tmp0 = unknown_name",
    "tmp0 = vars()",
]
MODULES = [
    ("import os\n@triton.jit\ndef k(in_ptr0):\n    os.system('true')\n", "os, imported from os"),
    ("open('/tmp/x', 'w')\n@triton.jit\ndef k(in_ptr0):\n    pass\n", "Expr outside a function"),
    ("x = open('/tmp/x')\n@triton.jit\ndef k(in_ptr0):\n    pass\n", "a call of open"),
    ("for i in range(3): pass\n@triton.jit\ndef k(in_ptr0):\n    pass\n", "For outside a function"),
    ("class A: pass\n@triton.jit\ndef k(in_ptr0):\n    pass\n", "ClassDef outside a function"),
    ("@triton.jit\ndef k(in_ptr0, a=open('x')):\n    pass\n", "the unknown name open"),
    ("@triton.jit\ndef k(*in_ptr0):\n    pass\n", "* or ** parameters"),
    ("@triton.jit\nasync def k(in_ptr0):\n    pass\n", "AsyncFunctionDef outside a function"),
    ("def k(:\n", "it is not Python"),
    ("\x00", "it is not Python"),
    (
        "from triton.language.core import sys\n@triton.jit\ndef k(in_ptr0):\n    sys.exit()\n",
        "sys, imported from triton.language.core",
    ),
    ("triton_helpers.set_driver_to_gpu(open('x'))\ndef k(in_ptr0):\n    pass\n", "Expr outside"),
]


@pytest.mark.parametrize("body", BODIES)
def test_statements_no_kernel_has_are_refused(worker: Talk, body: str) -> None:
    text = HEADER + f"@triton.jit\ndef k(in_ptr0):\n    {body}\n"
    error = worker.fail("kernel", key="k", source=text, function="k", signature={})
    assert error["kind"] == "refused"
    assert error["kernel_line"] == text[: text.index(body)].count("\n") + 1
    assert error["reason"]


@pytest.mark.parametrize(("module", "reason"), MODULES)
def test_modules_no_kernel_lives_in_are_refused(worker: Talk, module: str, reason: str) -> None:
    text = HEADER + module
    error = worker.fail("kernel", key="k", source=text, function="k", signature={})
    assert error["kind"] == "refused"
    assert reason in error["reason"]


def test_decorators_are_not_run(worker: Talk) -> None:
    text = HEADER + "@open('/nowhere', 'w').write\n@triton.jit\ndef k(in_ptr0):\n    pass\n"
    assert worker.ask("kernel", key="k", source=text, function="k", signature={})["flags"] == []


def test_user_kernels_bring_constants_and_helpers(worker: Talk) -> None:
    text = (
        HEADER
        + "from triton.language.extra.cuda import libdevice as ld\n"
        + "SCALE: tl.constexpr = tl.constexpr(3)\nKIND = tl.float32\nBIAS = -2\n"
        + "@triton.jit\ndef k(out_ptr0, n, BLOCK: tl.constexpr):\n"
        + "    tmp0 = twice(tl.arange(0, BLOCK).to(KIND)) * SCALE + BIAS\n"
        + "    tmp1 = ld.sqrt(tmp0 * tmp0)\n"
        + "    tl.store(out_ptr0 + tl.arange(0, BLOCK), tmp1, tl.arange(0, BLOCK) < n)\n"
        + "@triton.jit\ndef twice(x):\n    return x * 2\n"
    )
    signature = {"out_ptr0": "*fp32", "n": "i32"}
    worker.ask("kernel", key="k", source=text, function="k", signature=signature)
    worker.ask("zeros", name="out", shape=[4], stride=None, dtype="float32")
    args = {"out_ptr0": {"tensor": "out"}, "n": {"int": 3}}
    worker.ask("scan", kernel="k", args=args, blocks={"BLOCK": 4}, grid=[1], write=True)
    assert worker.values("out").tolist() == [2.0, 4.0, 10.0, 0.0]
