"""Started by every Python that has this folder in its PYTHONPATH: installs the hooks below
``aoti-tui record`` or where ``AOTI_TUI_RECORD`` names a bundle, and nothing anywhere else; then
lets the ``sitecustomize`` run that would have run without it."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))


def _install() -> None:
    package = os.path.dirname(os.path.dirname(_here))
    name = os.path.basename(package)
    if name not in sys.modules and importlib.util.find_spec(name) is None:
        # Under another Python, without a place on sys.path that would bring other packages along.
        spec = importlib.util.spec_from_file_location(
            name, os.path.join(package, "__init__.py"), submodule_search_locations=[package]
        )
        if spec is not None and spec.loader is not None:
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
    importlib.import_module(name + ".record").install()


def _run_the_other() -> None:
    places = [one for one in sys.path if os.path.abspath(one or ".") != _here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", places)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


try:
    if os.environ.get("AOTI_TUI_RECORD_FOLDER") or os.environ.get("AOTI_TUI_RECORD"):
        _install()
except Exception as error:
    print("aoti-tui record: nothing is recorded:", repr(error), file=sys.stderr)
_run_the_other()
