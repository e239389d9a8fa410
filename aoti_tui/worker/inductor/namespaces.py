"""The modules a kernel sees, as namespaces that hold only what kernels use."""

from __future__ import annotations

import math
from typing import Any

from ..engine.language.language import Language, language
from ..engine.values.handle import plain
from ..source.facts import Waiting
from ..source.namespace import Namespace
from .helpers import Helpers
from .visible import LANGUAGE, LANGUAGE_MATH, PYTHON_MATH, only

# Where generated and user kernels import from, over the torch and triton releases.
MODULES = {
    "triton": "triton",
    "triton.language": "tl",
    "triton.language.core": "tl",
    "triton.language.standard": "tl",
    "triton.language.random": "tl",
    "triton.language.math": "tl_math",
    "triton.language.extra": "extra",
    "triton.language.extra.cuda": "extra",
    "triton.language.extra.hip": "extra",
    "triton.language.extra.xpu": "extra",
    "triton.language.extra.intel": "extra",
    "triton.language.extra.libdevice": "libdevice",
    "triton.language.extra.cuda.libdevice": "libdevice",
    "triton.language.extra.hip.libdevice": "libdevice",
    "triton.language.extra.xpu.libdevice": "libdevice",
    "triton.language.extra.intel.libdevice": "libdevice",
    "triton.language.libdevice": "libdevice",
    "torch._inductor.runtime.triton_helpers": "triton_helpers",
    "torch._inductor.triton_helpers": "triton_helpers",
    "torch._inductor.runtime.triton_helpers.libdevice": "libdevice",
    "torch._inductor.runtime.triton_helpers.math": "tl_math",
    "torch._inductor.runtime.triton_helpers.tl": "tl",
    "torch._inductor.runtime.triton_compat.libdevice": "libdevice",
    "torch._inductor.runtime.triton_compat.math": "tl_math",
    "torch._inductor.runtime.triton_compat.tl": "tl",
    "math": "math",
}


# triton_helpers through which the programs of one grid wait for each other.
WAITING = Waiting(
    on_earlier=frozenset(
        ["exclusive_scan_decoupled_lookback", "exclusive_scan_decoupled_lookback_64"]
    ),
    on_all=frozenset(["x_grid_barrier"]),
)


class Namespaces:
    """One set per process; `member(module, name)` resolves an import."""

    def __init__(self, lang: Language) -> None:
        tl = lang.tl
        self.language = lang
        device = Namespace("libdevice", lang.libdevice())
        tl_math = Namespace("math", only(LANGUAGE_MATH, tl.math, tl))
        vendors = {
            vendor: Namespace(vendor, {"libdevice": device})
            for vendor in ("cuda", "hip", "xpu", "intel")
        }
        extra = Namespace("extra", {"libdevice": device, **vendors})
        members = only(LANGUAGE, tl, tl.standard, tl.random)
        parts = Namespace("tl", {**members, "math": tl_math, "extra": extra})
        # Inductor's kernels name core, standard and random for what triton.language has itself.
        same = dict.fromkeys(("core", "standard", "random"), parts)
        tl_space = Namespace("tl", {**members, "math": tl_math, "extra": extra, **same})
        triton_space = Namespace(
            "triton",
            {"cdiv": members["cdiv"], "next_power_of_2": _next_power_of_2, "language": tl_space},
        )
        self.spaces: dict[str, Any] = {
            "triton": triton_space,
            "tl": tl_space,
            "tl_math": tl_math,
            "extra": extra,
            "libdevice": device,
            "math": Namespace("math", only(PYTHON_MATH, math)),
        }
        self.spaces["triton_helpers"] = Helpers(lang, tl_space, device, tl_math)

    def module(self, path: str) -> Any | None:
        """The namespace that stands for an imported module, or None."""
        key = MODULES.get(path)
        return self.spaces[key] if key else None

    def member(self, path: str, name: str) -> Any | None:
        """What `from path import name` gives, or None when kernels have no business with it."""
        whole = self.module(f"{path}.{name}")
        if whole is not None or name.startswith("_"):
            return whole
        owner = self.module(path)
        return getattr(owner, name, None) if owner is not None else None

    def harmless(self, call: str) -> bool:
        """There is no driver to set."""
        return call in ("triton_helpers.set_driver_to_gpu", "triton_helpers.set_driver_to_cpu")


def _next_power_of_2(value: Any) -> int:
    number = int(plain(value))
    return 1 << max(number - 1, 0).bit_length()


_NAMESPACES: Namespaces | None = None


def namespaces() -> Namespaces:
    """The process's namespaces; the first call imports triton."""
    global _NAMESPACES
    if _NAMESPACES is None:
        _NAMESPACES = Namespaces(language())
    return _NAMESPACES
