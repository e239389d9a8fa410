"""Lines that resemble a Triton assert and are something else, named for what they are."""

from __future__ import annotations

import re

from aoti_tui.failure.log.faults import fault_of, fault_words
from aoti_tui.failure.log.forms import is_host_assertion
from aoti_tui.failure.model import LookAlike, LookAlikeKind

_ATEN_OPS = {
    # By the file's name without its ending: HIP's copies end in .hip.
    "IndexKernel": "tensor indexing outside the compiled kernels (aten.index, index_put)",
    "Indexing": "aten.index_select, index_add or embedding outside the compiled kernels",
    "ScatterGatherKernel": "aten.gather or scatter outside the compiled kernels",
    "EmbeddingBackwardKernel": "an embedding's backward outside the compiled kernels",
    "Embedding": "an embedding outside the compiled kernels",
    "Loss": "a loss with a class outside of its range",
    "NLLLoss2d": "a loss with a class outside of its range",
    "TensorCompare": "aten._assert_async: a check in the model itself",
    "Distributions": "sampling from invalid probabilities",
    "MultinomialKernel": "sampling from invalid probabilities",
}
_CUDA_SOURCE = re.compile(r"\.(?:cuh?|hip)\s{0,40}:\s{0,40}\d")
_CPU_CHECK = re.compile(
    r"!!! Uncaught exception: |kernel, [^\s,]{1,1000}\.cpp:\d+, |Exception raised from cpp_fused_"
    r"|RuntimeError: index out of bounds: [^\n]{0,300}?\dL\b"
)
_GUARD = re.compile(r"input_handles\[\d+\]: (?:unmatched|dim value is too)[^\n]*")
_SYMBOL = re.compile(r"\b[suz][a-z]{0,8}\d+\b")
_LONGEST_CHECK = 500


def look_alike_of(text: str, log_line: int) -> LookAlike | None:
    """What a log line that is no Triton assert of a wrapper's kernel is; None for other lines."""
    shown = " ".join(text.split())[:300]
    if "ssertion" in text:
        source = _cuda_source(text)
        if source:
            op = _ATEN_OPS.get(source.rsplit(".", 1)[0], "a kernel of PyTorch or a library")
            return LookAlike(
                "aten-index-kernel",
                log_line,
                shown,
                f"{source} is not a kernel of the wrapper but {op}: look for the eager op or the "
                "extern call that ran it",
            )
        if "Device-side assertion" in text:
            return LookAlike(
                "hip",
                log_line,
                shown,
                "a HIP device-side assertion: this log form carries no block and no kernel line",
            )
        if is_host_assertion(text):
            return LookAlike(
                "host-assert",
                log_line,
                shown,
                "an assertion of C or C++ code on the host (a compiler, a library): no kernel "
                "printed it",
            )
    if "device_assert(" in text:
        return LookAlike(
            "source-dump",
            log_line,
            shown,
            "a dump of kernel source, not an assert that fired",
        )
    if _CPU_CHECK.search(text) and ("out of bounds" in text or "index" in text):
        return LookAlike(
            "cpu-check",
            log_line,
            shown,
            "an index check of Inductor's C++ CPU code: no Triton kernel is involved",
        )
    guard = _guard(text)
    if guard is not None:
        return LookAlike(
            "guard",
            log_line,
            " ".join(guard.split())[:300],
            "a runtime check of the wrapper ended the call: no kernel failed"
            if guard.startswith("Expected")
            else "an input guard of the wrapper rejected the call before any kernel ran",
        )
    fault = fault_of(text, log_line)
    if fault is not None:
        kind: LookAlikeKind = "illegal-memory-access" if fault.kind == "illegal" else "memory-fault"
        return LookAlike(kind, log_line, shown, fault_words(fault))
    return None


def _cuda_source(text: str) -> str:
    """The name of the CUDA or HIP file that a line names with a line number."""
    found = _CUDA_SOURCE.search(text)
    if found is None:
        return ""
    end = text.index(":", found.start())
    start = found.start()
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_.-"):
        start -= 1
    return text[start:end].rstrip()


def _guard(text: str) -> str | None:
    """The text of an input guard or a runtime check that a line holds."""
    guard = _GUARD.search(text)
    if guard is not None:
        return guard[0]
    but = text.find(" but received")
    start = text.rfind("Expected ", max(0, but - _LONGEST_CHECK), but) if but > 0 else -1
    if start >= 0 and _SYMBOL.search(text, start, but):
        return text[start:].split("\n", 1)[0]
    return None
