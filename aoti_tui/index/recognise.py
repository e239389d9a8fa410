"""What a text is, before anyone tries to index it, so that an error can say what it found."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_GPU_KERNEL = re.compile(
    r"^\s*(?:CUfunction|hipFunction_t|std::unique_ptr<sycl::kernel>) \w+", re.M
)
_GPU_LAUNCH = re.compile(r"\b(?:launchKernel|loadKernel)\(")
_GPU_DEVICE = re.compile(
    r"AOTI\w+StreamGuard|CUDAStreamGuard|cached_torch_device_type_(?:cuda|xpu)"
)
_MODEL = re.compile(
    r"^void \w+::(?:_const_)?run_impl\($|^    inputs_info_\[\d+\]\.name = "
    r"|^\w+::\w+\(std::shared_ptr<ConstantMap>",
    re.M,
)
_JIT = re.compile(r"\binductor_entry_(?:impl|cpp)\b")
_CPP = re.compile(
    r"^\s*#\s*include\b|\bnamespace \w|\bstd::\w|^\s*(?:static|template)\b.*[({<]", re.M
)
_PYTHON_BLOCK = re.compile(r"^\s*\w+ = async_compile\.triton\(", re.M)
_OUTPUT_CODE = re.compile(r"^# AOT ID:|^def call\(args\)|^\s*def call\(self, args\)", re.M)
_CPP_WRAPPER = re.compile(r"^cpp_wrapper_src = ", re.M)
_SINGLE_KERNEL = re.compile(r"^@triton_heuristics\.\w+\(", re.M)
_JITTED = re.compile(r"^[ \t]*@(?:triton\.)?jit\b[^\n]*\n(?:[ \t]*@[^\n]*\n)*[ \t]*def \w", re.M)
_ASSERT = re.compile(
    r"block: \[\d+,\d+,\d+\], thread: \[|global id: \[\d+,\d+,\d+\], local id: \["
    r"|device-side assert|device assertion failed:|Traceback \(most recent"
    r"|Memory access fault by GPU|illegal memory access"
)
# TORCH_LOGS and torch_trace (torch/_logging/_internal.py): what they dump is prefixed or indented.
_TORCH_LOG = re.compile(r"(?:\[rank\d+\]:)?[VIWEF]\d{4} \d\d:\d\d:\d\d\.\d+ [^\n]{0,400}?:\d+\] ")
_TRACE = re.compile(r'^[VIWEF]\d{4} [^\n]{0,400}?:\d+\] \{[^\n]*"has_payload"', re.M)
_CPU_BLOCK = re.compile(r"^\s*\w+ = async_compile\.cpp(?:_pybinding)?\(", re.M)
_TORCH = re.compile(r"\btorch\b")
_PYTHON = re.compile(r"^(?:import|from) \w", re.M)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class ArtifactKind(Enum):
    """What a text turned out to be."""

    GPU_WRAPPER = "an AOTInductor wrapper for a GPU"
    CPU_WRAPPER = "an AOTInductor wrapper for the CPU"
    JIT_WRAPPER = "a C++ wrapper of torch.compile"
    JIT_SOURCE = "the C++ program of a wrapper of torch.compile, without its kernels"
    OUTPUT_CODE = "Inductor's Python output code (torch.compile)"
    PLAIN_OUTPUT_CODE = "Inductor's Python output code without a Triton kernel"
    AUTOTUNE_BLOCK = "Inductor's compile-time autotune block"
    KERNEL_FILE = "the source file of one Triton kernel"
    LOG = "a log"
    CPP = "C++ code that is not an AOTInductor wrapper"
    SCRIPT = "a script with Triton kernels of its own"
    PYTHON = "Python code without Triton kernels"
    TEXT = "text that is neither a wrapper nor a log"
    BINARY = "not text"
    EMPTY = "empty"


_CPP_WRAPPERS = (ArtifactKind.GPU_WRAPPER, ArtifactKind.CPU_WRAPPER, ArtifactKind.JIT_WRAPPER)


@dataclass(frozen=True, slots=True)
class ArtifactDescription:
    """The kind of a text and why it was taken for that."""

    kind: ArtifactKind
    reason: str
    """What in the text decided it, to be shown to the user."""

    @property
    def is_wrapper(self) -> bool:
        """Whether it can be indexed as a wrapper (one for the CPU has no kernels to show)."""
        return self.kind in _CPP_WRAPPERS or self.is_python

    @property
    def is_python(self) -> bool:
        """Whether it is a wrapper written in Python."""
        return self.kind in (ArtifactKind.OUTPUT_CODE, ArtifactKind.PLAIN_OUTPUT_CODE)

    @property
    def is_script(self) -> bool:
        """Whether it is a user's own program that defines Triton kernels."""
        return self.kind is ArtifactKind.SCRIPT

    @property
    def has_no_kernels(self) -> bool:
        """Whether it is a wrapper of which no GPU assert can come."""
        return self.kind in (ArtifactKind.CPU_WRAPPER, ArtifactKind.PLAIN_OUTPUT_CODE)

    @property
    def has_kernel_sources(self) -> bool:
        """Whether :func:`~aoti_tui.index.kernel_sources.find_kernel_sources` can use it."""
        return self.kind in (
            ArtifactKind.OUTPUT_CODE,
            ArtifactKind.AUTOTUNE_BLOCK,
            ArtifactKind.KERNEL_FILE,
            ArtifactKind.JIT_WRAPPER,
        )


def describe_artifact(text: str) -> ArtifactDescription:
    """Decide what ``text`` is. Never raises; bytes decoded with replacement are fine."""
    if not text.strip():
        return ArtifactDescription(ArtifactKind.EMPTY, "it holds nothing but white space")
    if _is_binary(text):
        return ArtifactDescription(ArtifactKind.BINARY, "it holds control or undecodable bytes")
    kind, reason = _torch_log(text) or _wrapper(text) or _python(text) or _other(text)
    return ArtifactDescription(kind, reason)


def _is_binary(text: str) -> bool:
    # Escape (0x1b) is left out: logs have colours.
    sample = text[:65536]
    odd = len(_CONTROL.findall(sample)) + sample.count("\ufffd")
    return "\0" in sample or odd * 100 > len(sample)


def _torch_log(text: str) -> tuple[ArtifactKind, str] | None:
    if _TORCH_LOG.match(text[:4096].lstrip()) is None:
        return None
    if _TRACE.search(text):
        return ArtifactKind.LOG, "it is a torch_trace log, which carries code as indented payloads"
    return ArtifactKind.LOG, "its lines begin as those of TORCH_LOGS do"


def _wrapper(text: str) -> tuple[ArtifactKind, str] | None:
    if _PYTHON_BLOCK.search(text) and _PYTHON.search(text):
        return None
    if not _MODEL.search(text):
        if _JIT.search(text) and _CPP.search(text):
            return ArtifactKind.JIT_SOURCE, "it defines inductor_entry_impl, not run_impl"
        return None
    gpu = next((p for p in (_GPU_KERNEL, _GPU_LAUNCH, _GPU_DEVICE) if p.search(text)), None)
    if gpu is None:
        return (
            ArtifactKind.CPU_WRAPPER,
            "it defines run_impl but neither loads nor launches kernels",
        )
    return ArtifactKind.GPU_WRAPPER, "it defines run_impl and uses a GPU"


def _python(text: str) -> tuple[ArtifactKind, str] | None:
    if _CPP_WRAPPER.search(text) and _PYTHON.search(text):
        if not _PYTHON_BLOCK.search(text) and not _GPU_LAUNCH.search(text):
            return (
                ArtifactKind.CPU_WRAPPER,
                "it holds its C++ as cpp_wrapper_src, and that launches no kernels",
            )
        return ArtifactKind.JIT_WRAPPER, "it is Python that holds its C++ as cpp_wrapper_src"
    if _PYTHON_BLOCK.search(text) and _PYTHON.search(text):
        if _OUTPUT_CODE.search(text):
            return ArtifactKind.OUTPUT_CODE, "it defines call() and async_compile.triton kernels"
        return ArtifactKind.AUTOTUNE_BLOCK, "it defines async_compile.triton kernels and no call()"
    if _PYTHON.search(text) and _OUTPUT_CODE.search(text) and _CPU_BLOCK.search(text):
        return (
            ArtifactKind.PLAIN_OUTPUT_CODE,
            "it defines call() and C++ kernels for the CPU, but no Triton kernels",
        )
    if _SINGLE_KERNEL.search(text) and "@triton.jit" in text:
        return ArtifactKind.KERNEL_FILE, "it decorates one kernel with triton_heuristics"
    if _JITTED.search(text) and _PYTHON.search(text):
        return ArtifactKind.SCRIPT, "it defines kernels with @triton.jit and is not generated"
    return None


def _other(text: str) -> tuple[ArtifactKind, str]:
    if _ASSERT.search(text):
        return ArtifactKind.LOG, "it holds assertion or error lines"
    if _CPP.search(text):
        return ArtifactKind.CPP, "it is C++ without a run_impl"
    if _PYTHON.search(text):
        if _OUTPUT_CODE.search(text) and _TORCH.search(text):
            return ArtifactKind.PLAIN_OUTPUT_CODE, "it defines call() but no Triton kernels"
        return ArtifactKind.PYTHON, "it imports Python modules"
    return ArtifactKind.TEXT, "nothing of a wrapper is in it"
