"""Packages and libraries of AOTInductor that are loaded in Python.

Hooked are the loaders of torch/csrc/inductor/aoti_package/pybind.cpp and aoti_runner/pybind.cpp:
``run`` and ``boxed_run``, which take the flat inputs. Seen in torch 2.6 to 2.13; what a version
does not have is left alone.
"""

from __future__ import annotations

import zipfile
from types import ModuleType
from typing import Any

from ..copying import said

_CLASSES = (
    "AOTIModelPackageLoader",
    "AOTIModelContainerRunnerCpu",
    "AOTIModelContainerRunnerCuda",
    "AOTIModelContainerRunnerXpu",
)
_WRAPPER_END = ".wrapper.cpp"


def hook_packages(torch: ModuleType) -> None:
    """Hook every loader that this torch has."""
    inside = getattr(torch._C, "_aoti", None)
    for name in _CLASSES:
        loader = getattr(inside, name, None)
        if loader is not None:
            _hook_class(loader)


def _hook_class(loader: Any) -> None:
    opened: dict[int, Any] = {}
    init = loader.__init__

    def opened_with(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        _say_what_launches_need(args)
        opened[id(self)] = _site_of(args)

    loader.__init__ = opened_with
    for name in ("run", "boxed_run"):
        method = getattr(loader, name, None)
        if method is not None:
            setattr(loader, name, _recorded(method, opened))


def _say_what_launches_need(args: tuple[Any, ...]) -> None:
    from .. import options_now

    if options_now().launches:
        said(
            f"--launches: C++ launches the kernels of {args[0] if args else 'a package'}, they are "
            "not kept one by one (its calls are). Compile it with "
            "AOT_INDUCTOR_DEBUG_INTERMEDIATE_VALUE_PRINTER=2 and give what it saves to "
            "`aoti-tui check --tensors`."
        )


def _recorded(method: Any, opened: dict[int, Any]) -> Any:
    from .. import current_recorder

    def run(self: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        kept = current_recorder()
        if kept is None or kept.stopped:
            return method(self, inputs, *args, **kwargs)
        site = opened.get(id(self)) or _site_of(())
        number = kept.begin(kept.site(*site), inputs)
        try:
            given = method(self, inputs, *args, **kwargs)
        except BaseException as error:
            kept.failed(number, error)
            raise
        kept.end(number)
        return given

    return run


def _site_of(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Key, facts and text of a package; its wrapper is read when it is loaded, as its file may be
    gone when something fails."""
    path = str(args[0]) if args else ""
    model = str(args[1]) if len(args) > 1 and isinstance(args[1], str) else "model"
    facts = {"kind": "aoti", "name": model, "path": path}
    return ("aoti", path, model), facts, wrapper_in(path, model), _WRAPPER_END


def wrapper_in(path: str, model: str) -> str:
    """The text of a package's wrapper (or of that beside a library); ``""`` where there is none."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as package:
                names = [n for n in package.namelist() if n.endswith(_WRAPPER_END)]
                named = [n for n in names if f"/{model}/" in n] or names
                return package.read(named[0]).decode("utf-8", "replace") if named else ""
        with open(path.removesuffix(".so") + ".wrapper.cpp", encoding="utf-8") as file:
            return file.read()
    except (OSError, zipfile.BadZipFile):
        return ""
