"""A failure of a kernel that its user wrote by hand: no compiler made its index or its checks, so
that what can be done stands in the kernel and in the script."""

from __future__ import annotations

import re
from dataclasses import replace

from aoti_tui.failure.model import Failure, Fix
from aoti_tui.index.model import WrapperIndex

_OF_COMPILERS = (
    "turn the compiled-in checks on",
    "export with",
    "add the guard that is missing",
    "give inputs that the model was compiled for",
    "return early",
    "report",
)
"""Fixes, by how their titles begin, that no script has."""
_ARGUMENT = re.compile(r"\binputs\[(\d{1,6})\]")
_RUN = (
    "`aoti-tui run SCRIPT ARGUMENTS…` runs the whole script on a CPU and names each access outside "
    "of a tensor; on the GPU CUDA_LAUNCH_BLOCKING=1 (the traceback then names the right launch), "
    "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1 (keeps the failing launch with its data, which `--core "
    "FILE` opens), compute-sanitizer (names the kernel of a bad address), "
    "`@triton.jit(debug=True)` or TRITON_DEBUG=1 (compiles `tl.device_assert` in)."
)


def in_scripts_terms(failure: Failure, index: WrapperIndex) -> Failure:
    """The failure with fixes for a script; unchanged for what a compiler made."""
    if not index.is_script:
        return failure
    fixes = (_of_script(fix, failure) for fix in failure.fixes)
    return replace(failure, fixes=tuple(_by_name(fix, index) for fix in fixes if fix is not None))


def _by_name(fix: Fix, index: WrapperIndex) -> Fix:
    """A fix with the arguments of a recorded launch as the kernel calls them."""

    def name(found: re.Match[str]) -> str:
        position = int(found[1])
        return index.inputs[position].name if position < len(index.inputs) else found[0]

    requires = fix.requires and _ARGUMENT.sub(name, fix.requires)
    return Fix(_ARGUMENT.sub(name, fix.title), _ARGUMENT.sub(name, fix.text), requires)


def _of_script(fix: Fix, failure: Failure) -> Fix | None:
    if fix.title.startswith(_OF_COMPILERS):
        return None
    if fix.title.startswith("make the next run tell more"):
        return replace(fix, text=_RUN)
    if fix.title.startswith("check the values before the call"):
        data = [s.name for s in failure.index.sources if s.kind == "input" and s.name]
        made_of = (
            f"the values of {' and '.join(data)} make the address" if data else "data makes it"
        )
        return Fix(
            "check it before the launch",
            f"{made_of}, and nothing in the kernel looks at them: keep those that lead outside out "
            "of what it is given, or put them into the mask of the `tl.load` or `tl.store`.",
        )
    if fix.title.startswith(("guard the lookup", "guard the write")):
        return Fix(
            "mask the access in the kernel",
            "put what lies outside into the mask of the `tl.load` or `tl.store` (with `other=` for "
            "what such a lane shall have), or keep such an index out of what the kernel is given.",
        )
    if fix.requires is None and fix.title.startswith(("check the sizes", "validate the index")):
        return Fix(
            "check it before the launch",
            f"`{failure.index.text}` has to stay below {failure.bound.text} for each element that "
            "the kernel is given.",
        )
    return fix
