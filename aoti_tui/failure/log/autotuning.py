"""Text of autotuning: an assert that fires there can have seen data that nobody gave.

AOTI tunes in a block of its own before the model ever runs, on random tensors
(``generate_and_run_autotune_block``, torch/_inductor/codegen/wrapper.py); the choices of a template
are benchmarked on random tensors (torch/_inductor/select_algorithm.py); configurations of a kernel
are tried on the call's own data (``benchmark_all_configs``, torch/_inductor/runtime/
triton_heuristics.py), unless one of the others runs it.
"""

from __future__ import annotations

from aoti_tui.failure.model import AutotuneKind, Autotuning

_TEXTS: tuple[tuple[str, AutotuneKind], ...] = (
    ("Failed to run autotuning code block", "compile-time"),
    ("generate_and_run_autotune_block", "compile-time"),
    ("select_algorithm.py", "choices"),
    ("autotune_process", "choices"),
    ("AUTOTUNE ", "choices"),
    ("benchmark_all_configs", "configs"),
    ("autotune_to_one_config", "configs"),
    ("utotuning fail", "configs"),
    ("utotune fail", "configs"),
)
_ORDER: tuple[AutotuneKind, ...] = ("configs", "choices", "compile-time")
WORDS = ("utotun", "AUTOTUNE", "benchmark_all_configs", "select_algorithm.py")
"""What every line that speaks of autotuning has one of."""


def autotuning_of(line: str, number: int, known: Autotuning | None) -> Autotuning | None:
    """What is known of autotuning after one more line: the kind that explains most stays."""
    for text, kind in _TEXTS:
        if text in line:
            if known is None or _ORDER.index(kind) > _ORDER.index(known.kind):
                return Autotuning(kind, known.log_line if known is not None else number)
            return known
    return known


def autotuning_words(found: Autotuning) -> str:
    """What it means for an assert of the same log, and how it is avoided."""
    told = f"log line {found.log_line} speaks of autotuning"
    if found.kind == "compile-time":
        return (
            f"{told}: AOTInductor's own compile-time autotuning runs the kernels on random data, "
            "which holds no valid indices, so the assert says nothing of your inputs; compile with "
            "torch._inductor.config.triton.autotune_at_compile_time=False to avoid it"
        )
    if found.kind == "choices":
        return (
            f"{told}: the choices of a template are benchmarked at compile time on random data, so "
            "the assert may say nothing of your inputs; max_autotune=False avoids that, and "
            "triton.autotune_at_compile_time=False AOTInductor's own autotuning of kernels"
        )
    return (
        f"{told}: should the assert have fired while the kernel's configurations were tried, its "
        "blocks may be those of another configuration (block sizes, warps), and with AOTInductor's "
        "compile-time autotuning (triton.autotune_at_compile_time) its data is random, not yours"
    )
