"""The modules a kernel sees, as namespaces that hold only what kernels use."""

from __future__ import annotations

import math
from typing import Any

from ..engine.language.language import Language, language, public
from ..engine.values.handle import plain
from ..source.facts import Waiting
from ..source.namespace import Namespace
from .helpers import Helpers

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
        tl_math = Namespace("math", {**public(tl.math), **_only(public(tl), tl.math)})
        extra = Namespace("extra", {"libdevice": device})
        for vendor in ("cuda", "hip", "xpu", "intel"):
            setattr(extra, vendor, Namespace(vendor, {"libdevice": device}))
        language_members = public(tl)
        for module in (tl.standard, tl.random):
            for name, member in public(module).items():
                language_members.setdefault(name, member)
        for hidden in ("str_to_ty", "jit", "annotations", "constexpr_function"):
            language_members.pop(hidden, None)
        tl_space = Namespace("tl", language_members)
        for name in ("core", "standard", "random"):
            setattr(tl_space, name, tl_space)
        tl_space.__dict__.update(math=tl_math, extra=extra)
        triton_space = Namespace(
            "triton",
            {
                "cdiv": tl_space.__dict__["cdiv"],
                "next_power_of_2": _next_power_of_2,
                "language": tl_space,
            },
        )
        pure = {
            name: getattr(math, name)
            for name in (
                "pi",
                "e",
                "inf",
                "nan",
                "tau",
                "log",
                "log2",
                "sqrt",
                "exp",
                "ceil",
                "floor",
            )
        }
        self.spaces: dict[str, Any] = {
            "triton": triton_space,
            "tl": tl_space,
            "tl_math": tl_math,
            "extra": extra,
            "libdevice": device,
            "math": Namespace("math", pure),
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
        return call == "triton_helpers.set_driver_to_gpu"


def _only(members: dict[str, Any], module: Any) -> dict[str, Any]:
    """Members that tl.math lacks in some releases (abs, exp… moved between modules)."""
    names = (
        "abs",
        "exp",
        "exp2",
        "log",
        "log2",
        "cos",
        "sin",
        "sqrt",
        "rsqrt",
        "floor",
        "ceil",
        "erf",
    )
    return {n: members[n] for n in names if n in members and not hasattr(module, n)}


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
