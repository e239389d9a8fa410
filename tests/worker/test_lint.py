"""What triton's compiler refuses is told, since the interpreter would let it pass."""

from __future__ import annotations

import ast
import math
import textwrap
from typing import Any

import pytest
import triton.language as tl

from aoti_tui.worker.source.lint import ABSENT, lint

GLOBALS = {"tl": tl, "math": math, "LIMIT": 4, "CONST": tl.constexpr(4), "DTYPE": tl.float32}


def told(body: str, known: dict[str, Any] | None = None, head: str = "x_ptr, n, B: tl.constexpr"):
    text = f"def k({head}):\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    definition = ast.parse(text).body[0]
    assert isinstance(definition, ast.FunctionDef)
    names = [one.arg for one in definition.args.args if one.annotation is None]
    found, _ = lint(definition, "k.py", lambda n: GLOBALS.get(n, ABSENT), known or {}, names)
    return [(one.place.line, one.text) for one in found]


@pytest.mark.parametrize(
    ("body", "line", "text"),
    [
        ("tl.store(x_ptr, LIMIT)", 2, "the global LIMIT is no constexpr"),
        ("for i in range(n):\n    if i > 3:\n        break", 4, "break"),
        ("for i in range(n):\n    if i > 3:\n        continue", 4, "continue"),
        ("while True:\n    n += 1", 2, "while True"),
        ("for i in [1, 2]:\n    pass", 2, "loops over range"),
        ("f = lambda v: v", 2, "lambda"),
        ("try:\n    pass\nexcept ValueError:\n    pass", 2, "try"),
        ("for i in range(n):\n    return", 3, "return inside of a loop"),
        ("m = 0 < n < 5", 2, "a chain of comparisons"),
        ("i = tl.load(x_ptr)\ntl.device_print(f'{i}')", 3, "an f-string cannot hold i"),
        ("if n > 0:\n    return 1\nreturn 2.0", 4, "returns a float here and an int in line 3"),
        ("if n > 0:\n    return n, n\nreturn", 4, "returns nothing here and 2 values in line 3"),
        ("tl.store(x_ptr, abs(n))", 2, "abs is not known"),
        ("a = b = 1.0", 2, "two targets"),
        ("x_ptr[0] = 1.0", 2, "an element of a block cannot be assigned"),
        ("a = n @ n", 2, "@ (tl.dot"),
        ("def inner(x):\n    return x", 2, "a function inside of a kernel"),
        ("for i in range(n):\n    B = 2", 3, "the constexpr B is assigned in a loop"),
    ],
)
def test_what_the_compiler_refuses(body: str, line: int, text: str) -> None:
    (only,) = told(body)
    assert only[0] == line
    assert text in only[1]


@pytest.mark.parametrize(
    "body",
    [
        "tl.store(x_ptr, CONST * math.pi)",
        "z = tl.zeros([B], DTYPE)",
        "tl.static_assert(B > 2, f'{B} is too small')",
        "for i in range(n):\n    if B == 3:\n        break",
        "a, (b, c) = 1.0, (2.0, 3.0)",
        "parts = [v + 1 for v in (1, 2)]",
        "assert n > 0, 'positive'",
        "if n > 2:\n    return\ntl.store(x_ptr, min(n, 3))",
        "'a docstring'\nx: tl.float32 = 1.0",
        "if x_ptr.dtype == tl.int8:\n    pass\nelse:\n    raise ValueError('no')",
        "if n is not None:\n    pass\nelse:\n    raise ValueError('no')",
    ],
)
def test_what_the_compiler_takes(body: str) -> None:
    assert told(body, {"B": 16}) == []


def test_a_branch_that_may_not_be_compiled_is_not_held_against_a_helper() -> None:
    body = "if flag:\n    return x\nreturn x, x"
    assert told(body, head="x, flag: tl.constexpr") == []
