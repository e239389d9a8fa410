"""Lines that resemble a Triton assert and are something else, named for what they are."""

from __future__ import annotations

import re

from aoti_tui.failure.model import LookAlike

_ATEN_OPS = {
    "IndexKernel.cu": "tensor indexing outside the compiled kernels (aten.index, index_put)",
    "Indexing.cu": "aten.index_select, index_add or embedding outside the compiled kernels",
    "ScatterGatherKernel.cu": "aten.gather or scatter outside the compiled kernels",
    "EmbeddingBackwardKernel.cu": "an embedding's backward outside the compiled kernels",
    "Embedding.cu": "an embedding outside the compiled kernels",
    "Loss.cu": "a loss with a class outside of its range",
    "NLLLoss2d.cu": "a loss with a class outside of its range",
    "TensorCompare.cu": "aten._assert_async: a check in the model itself",
    "Distributions.cu": "sampling from invalid probabilities",
    "MultinomialKernel.cu": "sampling from invalid probabilities",
}
_CUDA_SOURCE = re.compile(r"([\w.-]+\.(?:cuh?|hip))\s*:\s*(\d+)")
_CPU_CHECK = re.compile(
    r"!!! Uncaught exception: (?P<uncaught>.*)|kernel, (?P<file>\S+\.cpp):\d+, (?P<check>.*)"
)
_GUARD = re.compile(
    r"input_handles\[\d+\]: (?:unmatched|dim value is too)[^\n]*"
    r"|Expected [^\n]*\b[suz][a-z]*\d+\b[^\n]* but received[^\n]*"
)
_AUTOTUNE = re.compile(
    r"\bAUTOTUNE\b|autotune_process|benchmark_all_configs|autotune_to_one_config|"
    r"select_algorithm\.py|\b[Aa]utotun\w* (?:fail|error|choice|benchmark)"
)


def look_alike_of(text: str, log_line: int) -> LookAlike | None:
    """What a log line that is no Triton assert of a wrapper's kernel is; None for other lines."""
    shown = " ".join(text.split())[:300]
    source = _CUDA_SOURCE.search(text)
    if source is not None and "ssertion" in text:
        op = _ATEN_OPS.get(source[1].split("/")[-1], "a CUDA kernel of PyTorch or a library")
        return LookAlike(
            "aten-index-kernel",
            log_line,
            shown,
            f"{source[1]} is not a kernel of the wrapper but {op}: look for the eager op or the "
            "extern call that ran it",
        )
    if "Device-side assertion" in text:
        return LookAlike(
            "hip",
            log_line,
            shown,
            "a HIP device-side assertion: this log form carries no block and no kernel line",
        )
    if "device_assert(" in text:
        return LookAlike(
            "source-dump",
            log_line,
            shown,
            "a dump of kernel source, not an assert that fired",
        )
    cpu = _CPU_CHECK.search(text)
    if cpu is not None and ("out of bounds" in text or "index" in text):
        return LookAlike(
            "cpu-check",
            log_line,
            shown,
            "an index check of Inductor's C++ CPU code: no Triton kernel is involved",
        )
    guard = _GUARD.search(text)
    if guard is not None:
        return LookAlike(
            "guard",
            log_line,
            " ".join(guard[0].split())[:300],
            "a runtime check of the wrapper ended the call: no kernel failed"
            if guard[0].startswith("Expected")
            else "an input guard of the wrapper rejected the call before any kernel ran",
        )
    if "illegal memory access" in text:
        return LookAlike(
            "illegal-memory-access",
            log_line,
            shown,
            "a bad address, not an assert: which kernel did it is not in the log",
        )
    if _AUTOTUNE.search(text):
        return LookAlike("autotune", log_line, shown, "autotuning runs kernels on made-up data")
    return None
