"""Hooking modules when the program imports them, and never importing them for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ..copying import said
from .aoti import hook_packages
from .compiled import hook_graphs
from .compiled_launches import hook_compiled_launches
from .launches import hook_autotuner, hook_interpreter, hook_launches

HOOKS: dict[str, Callable[[ModuleType], None]] = {
    "torch": hook_packages,
    "torch._inductor.output_code": hook_graphs,
    "torch._inductor.runtime.triton_heuristics": hook_compiled_launches,
    "triton.runtime.jit": hook_launches,
    "triton.runtime.autotuner": hook_autotuner,
    "triton.runtime.interpreter": hook_interpreter,
}


def hook_imports() -> None:
    """Hook the modules that are there, and the others as soon as they are."""
    for name in HOOKS:
        module = sys.modules.get(name)
        if module is not None:
            _hook(name, module)
    sys.meta_path.insert(0, _Finder())


def _hook(name: str, module: ModuleType) -> None:
    try:
        HOOKS[name](module)
    except Exception as error:
        said(f"{name} cannot be hooked, its calls are not recorded: {error!r}")


class _Finder(MetaPathFinder):
    """Finds nothing itself: lets the others find, and hooks what they load."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in HOOKS:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            found = finder.find_spec(name, path, target)
            if found is not None:
                if found.loader is not None:
                    found.loader = _Loader(found.loader)
                return found
        return None


class _Loader(Loader):
    """The module's own loader, followed by the hook."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._own.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None:
            spec.loader = self._own
        module.__loader__ = self._own
        self._own.exec_module(module)
        _hook(module.__name__, module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)
