"""Start the worker: `PYTHON aoti_tui/worker/__main__.py`, requests on stdin, replies on stdout.

With arguments (`SCRIPT ARGS…` or `-m MODULE ARGS…`) it is a user's own program that runs instead.
With AOTI_TUI_CONTAIN set it first takes away from itself what a kernel has no need of.

The folder is loaded as a package of its own name and taken off the module path, so that neither
`aoti_tui` nor what happens to lie beside this file can be imported by the user's torch.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from typing import Any, Callable

PACKAGE = "aoti_replay_worker"


CONTAIN = "AOTI_TUI_CONTAIN"


def _load_folder(module: str) -> Callable[[Any], int]:
    """The `main` of one of the folder's modules."""
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != folder]
    spec = importlib.util.spec_from_file_location(
        PACKAGE, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        raise SystemExit(f"the worker's folder {folder} cannot be loaded as a package")
    package = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)
    main: Callable[[Any], int] = importlib.import_module(f"{PACKAGE}.{module}").main
    return main


def _compile_folder() -> None:
    """Write the byte code that a contained worker may not write, so that the next one starts
    as fast as any other program."""
    for root, _, files in os.walk(os.path.dirname(os.path.abspath(__file__))):
        for name in files:
            if not name.endswith(".py"):
                continue
            source = os.path.join(root, name)
            try:
                if _is_newer(source, importlib.util.cache_from_source(source)):
                    import py_compile

                    py_compile.compile(source, doraise=True)
            except (OSError, NotImplementedError):
                return


def _is_newer(source: str, compiled: str) -> bool:
    try:
        return os.stat(source).st_mtime > os.stat(compiled).st_mtime
    except FileNotFoundError:
        return True


if __name__ == "aoti_tui_child":
    # A process that the user's program spawned: the program's own code comes after this.
    _load_folder("script.child")(globals()["SETTINGS"])

if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(_load_folder("script.main")(sys.argv[1:]))
    contained = os.environ.pop(CONTAIN, "") != ""
    if contained:
        _compile_folder()
    sys.exit(_load_folder("service.serve")(contained))
