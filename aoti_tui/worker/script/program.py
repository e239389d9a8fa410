"""Runs a script or a module as `python` would: argv, path, `__main__`, and how it ends."""

from __future__ import annotations

import importlib
import io
import os
import runpy
import sys
import traceback
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .frames_of_ours import without_ours


@dataclass(frozen=True)
class End:
    """How the program ended. `error` is what it raised; `code` what its process exits with."""

    code: int
    error: BaseException | None = None

    @property
    def is_exception(self) -> bool:
        return self.error is not None and not isinstance(self.error, SystemExit)

    def place(self) -> dict[str, Any]:
        """File, line and text of what was raised."""
        last = self.error.__traceback__ if self.error is not None else None
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        if last is None:
            return {"file": None, "line": None, "text": str(self.error)}
        file, line = last.tb_frame.f_code.co_filename, last.tb_lineno
        return {"file": file, "line": line, "text": f"{type(self.error).__name__}: {self.error}"}

    def described(self) -> dict[str, Any]:
        """The `exit` event."""
        if self.error is None or not self.is_exception:
            return {"code": self.code}
        kind = type(self.error)
        return {
            "code": self.code,
            "exception": {
                "type": kind.__name__,
                "text": str(self.error),
                "traceback": "".join(
                    traceback.format_exception(kind, self.error, self.error.__traceback__)
                ),
            },
        }


def run(arguments: list[str]) -> End:
    """`-m MODULE ARGS…` or `SCRIPT ARGS…`, in a fresh `__main__`; an exception is printed."""
    main = ModuleType("__main__")
    sys.modules["__main__"] = main
    try:
        if arguments[0] == "-m":
            _module(arguments[1], arguments[2:])
        else:
            _script(main, arguments)
    except SystemExit as leaving:
        return End(_code(leaving), without_ours(leaving))
    except BaseException as error:
        without_ours(error)
        sys.stdout.flush()
        sys.excepthook(type(error), error, error.__traceback__)
        return End(1, error)
    return End(0)


def _module(name: str, arguments: list[str]) -> None:
    sys.argv = ["-m", *arguments]
    sys.path.insert(0, os.getcwd())
    run_as_main: Any = runpy._run_module_as_main  # type: ignore[attr-defined]
    run_as_main(name)


def _script(main: ModuleType, arguments: list[str]) -> None:
    path = arguments[0]
    sys.argv = list(arguments)
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        runpy.run_path(path, run_name="__main__")
        return
    # As Python does since 3.9: the file is named in full, whatever the command line says.
    path = os.path.abspath(path)
    sys.path.insert(0, os.path.dirname(path))
    with io.open_code(path) as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    main.__dict__.update(
        __file__=path, __builtins__=importlib.import_module("builtins"), __cached__=None
    )
    exec(code, main.__dict__)


def _code(leaving: SystemExit) -> int:
    if leaving.code is None:
        return 0
    return leaving.code if isinstance(leaving.code, int) else 1
