"""A guess at the torch release that wrote a wrapper, from marks of its format."""

from __future__ import annotations

import re

_LAUNCH_LAST = re.compile(r"launchKernel\([^\n]*, stream_, false\)")


def guess_version(text: str, embedded: bool, has_launchers: bool) -> str:
    """A release or a range of releases such as ``2.8-2.11``; ``""`` when no mark is found."""
    if _LAUNCH_LAST.search(text):
        return "2.15+"
    if "CHECK(aoti_torch_clone_preserve_strides(" in text:
        return "2.14+"
    if "{ assert_size_stride(" in text or "KernelContextGuard " in text:
        return "2.13+"
    if "static __attribute__((noinline)) void call_" in text:
        return "2.12+"
    if embedded:
        return "2.8-2.11"
    if has_launchers:
        return "2.7"
    if "launchKernel(kernels." in text:
        return "2.6" if re.search(r"^    int64_t s\d+ = \w+_size\[", text, re.M) else "2.5"
    return ""
