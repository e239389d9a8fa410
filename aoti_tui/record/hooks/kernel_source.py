"""A kernel's text with what it needs: helpers and the constants that it names."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any


def parameters_of(kernel: Any) -> list[inspect.Parameter]:
    """The parameters of a kernel's function, in order."""
    return list(inspect.signature(kernel.fn).parameters.values())


def kernel_text(kernel: Any) -> tuple[dict[str, Any], str, str]:
    """Facts, source and suffix of a kernel: its own function first, then the ``jit`` functions that
    it calls, then the numbers and texts of the module that it names."""
    functions: list[Any] = []
    constants: dict[str, Any] = {}
    _gather(kernel, functions, constants)
    code = getattr(kernel.fn, "__code__", None)
    facts = {
        "kind": "launch",
        "name": kernel.fn.__name__,
        "path": getattr(code, "co_filename", ""),
        "line": int(
            getattr(kernel, "starting_line_number", 0) or getattr(code, "co_firstlineno", 0)
        ),
        "parameters": [
            {"name": one.name, "constexpr": "constexpr" in str(one.annotation)}
            for one in parameters_of(kernel)
        ],
        "constants": {name: repr(value) for name, value in constants.items()},
    }
    return facts, "\n\n".join(_source(one) for one in functions), ".py"


def _source(kernel: Any) -> str:
    text = getattr(kernel, "raw_src", None)
    if not isinstance(text, str):
        text = getattr(kernel, "src", None)
    if not isinstance(text, str):
        text = inspect.getsource(kernel.fn)
    text = textwrap.dedent(text)
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
            while not hasattr(value.fn, "__code__") and hasattr(value, "fn"):
                value = value.fn  # an Autotuner around the function
            _gather(value, functions, constants)
        elif hasattr(value, "value") and type(value).__name__ == "constexpr":
            if isinstance(value.value, (int, float, bool, str)):
                constants[name] = value.value
        elif isinstance(value, (int, float, bool, str)) and not name.startswith("__"):
            constants[name] = value
