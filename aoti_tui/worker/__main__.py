"""Start the worker: `PYTHON aoti_tui/worker/__main__.py`, requests on stdin, replies on stdout.

The folder is loaded as a package of its own name and taken off the module path, so that neither
`aoti_tui` nor what happens to lie beside this file can be imported by the user's torch.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from typing import Callable

PACKAGE = "aoti_replay_worker"


def _load_folder() -> Callable[[], int]:
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
    serve: Callable[[], int] = importlib.import_module(f"{PACKAGE}.service.serve").main
    return serve


if __name__ == "__main__":
    sys.exit(_load_folder()())
