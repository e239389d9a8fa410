"""A failure of a graph of torch.compile in the terms of its user: arguments of the compiled
function instead of those of ``call``, and torch.compile's own switches instead of AOTInductor's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from aoti_tui.failure.model import BadElements, Failure, Fix, IndexedTensor, UserTerm
from aoti_tui.failure.provenance.known import Known
from aoti_tui.index.model import WrapperIndex

_Named = TypeVar("_Named", BadElements, IndexedTensor)
_ARGUMENT = re.compile(r"\binputs\[(\d{1,6})\]")
_CHECKS = "AOTI_RUNTIME_CHECK_INPUTS"
_NEXT_RUN = {
    "cuda": "CUDA_LAUNCH_BLOCKING=1: the Python traceback then names the graph and the launch "
    "(CUDA graphs hide launches: add torch._inductor.config.triton.cudagraphs=False, or another "
    "mode than reduce-overhead); CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1 keeps the failing launch with "
    "its data, which `--core FILE` opens; compute-sanitizer names the kernel of a bad address; ",
    "hip": "AMD_SERIALIZE_KERNEL=3 and HIP_LAUNCH_BLOCKING=1: the Python traceback then names the "
    "launch; ",
    "xpu": "UR_L0_SERIALIZE=2: the Python traceback then names the launch; ",
}
_KEEP = (
    "TORCHINDUCTOR_CACHE_DIR=FOLDER keeps the code that the log names; TORCH_LOGS=output_code puts "
    "it into the log; TORCH_COMPILE_DEBUG=1 also writes which line of the model each op is of; "
    "asserts stand in the code while torch._inductor.config.assert_indirect_indexing is on (the "
    "default)."
)
_MINIFIER = (
    ' TORCHDYNAMO_REPRO_AFTER="aot" with TORCHDYNAMO_REPRO_LEVEL=4 lets PyTorch\'s minifier make a '
    "small script of it; fx_graph_runnable.py of TORCH_COMPILE_DEBUG=1 runs the graph alone."
)


def of_user(tensor: _Named | None, known: Known) -> _Named | None:
    """A tensor of the answer with what it is to the user of torch.compile."""
    if tensor is None or tensor.position is None:
        return tensor
    return replace(tensor, user=known.user.get(tensor.position))


def in_users_terms(failure: Failure, index: WrapperIndex, known: Known) -> Failure:
    """The failure as its user speaks of it; unchanged for a wrapper of AOTInductor."""
    if not index.graph:
        return failure
    fixes = (_of_compile(fix, index) for fix in failure.fixes)
    own = tuple(_in_users_code(fix, known.user) for fix in fixes if fix is not None)
    return replace(failure, fixes=own)


def _of_compile(fix: Fix, index: WrapperIndex) -> Fix | None:
    """A fix with torch.compile's means; None where it has no such."""
    title = fix.title
    if title.startswith("turn the compiled-in checks on"):
        return None
    if title.startswith("make the next run tell more"):
        return replace(fix, text=_NEXT_RUN.get(index.device, _NEXT_RUN["cuda"]) + _KEEP)
    if title.startswith("export with"):
        return Fix(
            "compile with the edge cases",
            "call the compiled function with the smallest and the largest sizes that you serve "
            "(0 and 1 are compiled as sizes of their own), or mark the dimension: "
            "`torch._dynamo.mark_dynamic(x, DIM, min=…, max=…)`. TORCH_LOGS=recompiles,guards "
            "shows what each graph assumes of its sizes.",
        )
    if title.startswith("add the guard that is missing"):
        return Fix(
            "add the check that is missing",
            "torch.compile guards dtypes, strides and which sizes are equal, not how they relate "
            "to a table: say it in the model with `torch._check(…)`, or allow no other size with "
            "`torch._dynamo.mark_dynamic(x, DIM, min=…, max=…)`.",
        )
    if title.startswith("give inputs that the model was compiled for"):
        return replace(fix, title="give inputs that the graph was compiled for")
    if title.startswith("return early"):
        text = re.sub(r" \(an exported graph has no such branch.*?`\)", "", fix.text)
        return replace(fix, title=re.sub(r"input (\d+)", r"inputs[\1]", title), text=text)
    if title.startswith("report"):
        return replace(fix, text=fix.text + _MINIFIER)
    return replace(fix, text=fix.text.replace(f"{_CHECKS}=1", "the checks"))


def _in_users_code(fix: Fix, user: Mapping[int, UserTerm]) -> Fix:
    """A fix whose ``inputs[…]`` count as the user's arguments do; what is none of them is an
    argument of ``call``, about which a condition on the user's call says nothing. Where the file
    holds what ``call`` gets, the condition is on that."""
    requires = fix.requires
    if requires is not None and any(map(_is_users, user.values())):
        positions = {int(found[1]) for found in _ARGUMENT.finditer(requires)}
        known = all(_is_users(user.get(position)) for position in positions)
        requires = _ARGUMENT.sub(lambda m: _code(m, user), requires) if known else None
    return Fix(
        _ARGUMENT.sub(lambda m: _code(m, user), fix.title),
        _ARGUMENT.sub(lambda m: _code(m, user), fix.text),
        requires,
    )


def _is_users(term: UserTerm | None) -> bool:
    return term is not None and term.kind == "input" and term.input is not None


def _code(match: re.Match[str], user: Mapping[int, UserTerm]) -> str:
    term = user.get(int(match[1]))
    if term is not None and term.kind == "input" and term.input is not None:
        return f"inputs[{term.input}]"
    if term is not None and term.name:
        return term.name
    return f"args[{match[1]}]"
