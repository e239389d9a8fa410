"""What a launch gives back: triton's CompiledKernel, without anything compiled."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..binding.parameters import Given


class Compiled:
    """The attributes that programs look at (triton/compiler/compiler.py, CompiledKernel)."""

    n_regs = 32
    n_spills = 0
    n_max_threads = 1024
    module = 0
    function = 0

    def __init__(self, jit: Any, given: Given) -> None:
        options = {"num_warps": 4, "num_stages": 3, "num_ctas": 1, **given.options}
        self.name = jit.fn.__name__
        self.asm = {"source": jit.src, "ttir": "", "ttgir": "", "llir": "", "ptx": "", "cubin": b""}
        self.metadata = SimpleNamespace(
            name=self.name, shared=0, cluster_dims=(1, 1, 1), tmem_size=0, **options
        )
        self.packed_metadata: tuple[Any, ...] = ()
        self.hash = ""
        self._jit = jit
        constexprs = [one.name for one in jit.params if one.is_constexpr]
        self._known = {name: given.values[name] for name in constexprs if name in given.values}
        self._options = {k: v for k, v in given.options.items() if k == "num_warps"}

    def _init_handles(self) -> None:
        """There is nothing to load onto a device."""

    def result(self) -> Compiled:
        """Itself: the compiler is never waited for."""
        return self

    def __getitem__(self, grid: Any) -> Any:
        return lambda *args, **_: self._jit[grid](**self._named(args), **self._options)

    def _named(self, args: tuple[Any, ...]) -> dict[str, Any]:
        """What was known when it was compiled stays so; it may be among the arguments or not, as
        triton's releases have it."""
        names = list(self._jit.arg_names)
        if len(args) < len(names):
            names = [name for name in names if name not in self._known]
        return {**dict(zip(names, args)), **self._known}
