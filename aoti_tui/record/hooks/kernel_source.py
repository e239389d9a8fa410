"""A kernel's text with what it needs: helpers and the constants that it names."""

from __future__ import annotations

import textwrap
from typing import Any


def kernel_text(kernel: Any) -> tuple[dict[str, Any], str, str]:
    """Facts, source and suffix of a kernel: its own function first, then the ``jit`` functions that
    it calls, then the numbers and texts of the module that it names."""
    functions: list[Any] = []
    constants: dict[str, Any] = {}
    _gather(kernel, functions, constants)
    file = getattr(getattr(kernel.fn, "__code__", None), "co_filename", "")
    line = int(getattr(kernel, "starting_line_number", 0) or 0)
    facts = {
        "kind": "launch",
        "name": kernel.fn.__name__,
        "path": file,
        "line": line,
        "parameters": [{"name": p.name, "constexpr": bool(p.is_constexpr)} for p in kernel.params],
        "constants": {name: repr(value) for name, value in constants.items()},
    }
    return facts, "\n\n".join(_source(one) for one in functions), ".py"


def _source(kernel: Any) -> str:
    text = textwrap.dedent(kernel.raw_src if isinstance(getattr(kernel, "raw_src", None), str)
                           else getattr(kernel, "src", ""))  # fmt: skip
    at = text.find("def ")
    return f"@triton.jit\n{text[at:].rstrip()}\n"


def _gather(kernel: Any, functions: list[Any], constants: dict[str, Any]) -> None:
    if kernel in functions:
        return
    functions.append(kernel)
    space = getattr(kernel.fn, "__globals__", {})
    code = getattr(kernel.fn, "__code__", None)
    for name in getattr(code, "co_names", ()):
        value: Any = space.get(name)
        if hasattr(value, "arg_names") and hasattr(value, "fn"):
            while not hasattr(value, "params") and hasattr(value, "fn"):
                value = value.fn  # an Autotuner around the function
            _gather(value, functions, constants)
        elif hasattr(value, "value") and type(value).__name__ == "constexpr":
            if isinstance(value.value, (int, float, bool, str)):
                constants[name] = value.value
        elif isinstance(value, (int, float, bool, str)) and not name.startswith("__"):
            constants[name] = value
