"""A text is told apart before it is indexed."""

from __future__ import annotations

import pytest

from aoti_tui.index.recognise import ArtifactKind, describe_artifact

from .test_counts import COUNTS
from .test_kernel_sources import AUTOTUNE, CACHE_FILE, OUTPUT_CODE
from .wrappers import text_of


@pytest.mark.parametrize("name", COUNTS)
def test_wrappers(name: str) -> None:
    cpu = name == "2.13.0/cpu_folding"
    description = describe_artifact(text_of(name))
    assert description.kind is (ArtifactKind.CPU_WRAPPER if cpu else ArtifactKind.GPU_WRAPPER)
    assert description.is_wrapper


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", ArtifactKind.EMPTY),
        (" \n\t\n", ArtifactKind.EMPTY),
        ("PK\x03\x04\0\0stuff", ArtifactKind.BINARY),
        ("\x7fELF\ufffd\ufffd\ufffd", ArtifactKind.BINARY),
        (AUTOTUNE, ArtifactKind.AUTOTUNE_BLOCK),
        (OUTPUT_CODE, ArtifactKind.OUTPUT_CODE),
        (CACHE_FILE, ArtifactKind.KERNEL_FILE),
        ("#include <vector>\nint main() { return 0; }\n", ArtifactKind.CPP),
        ("import os\nprint(os.getcwd())\n", ArtifactKind.PYTHON),
        ("dear diary\n", ArtifactKind.TEXT),
        (
            "\x1b[31mx.py:37: unknown: block: [1,0,0], thread: [3,0,0] Assertion `a` failed.\n",
            ArtifactKind.LOG,
        ),
        (
            "frame #3: AOTInductorModel::run_impl(AtenTensorHandle*) + 0x12\n"
            "RuntimeError: CUDA error: device-side assert triggered\n",
            ArtifactKind.LOG,
        ),
        ("#include <a>\nvoid inductor_entry_impl(int x) {}\n", ArtifactKind.JIT_SOURCE),
        (
            'V1130 22:00:00.000000 123 torch/_inductor/x.py:1] {"has_payload": "0"}\n'
            "\t#include <a.h>\n\tnamespace torch {\n\tvoid AOTInductorModel::run_impl(\n",
            ArtifactKind.LOG,
        ),
        (
            "[rank0]:V1130 22:00:00.000000 12 torch/_inductor/graph.py:2] [0/0] [__output_code] "
            "import torch\nV1130 22:00:00.000000 12 torch/_inductor/graph.py:2] [0/0] "
            '[__output_code] #include "x.h"\n',
            ArtifactKind.LOG,
        ),
        ("device assertion failed: 'a', in unknown at /x/c.py:3\n", ArtifactKind.LOG),
        ("Memory access fault by GPU node-2 on address (nil).\n", ArtifactKind.LOG),
        (
            "import torch\ncpp_fused_add_0 = async_compile.cpp_pybinding(['x'], r'''\n"
            '#include "/tmp/x.h"\nextern "C" void kernel(float* p) { std::abs(1); }\n'
            "''')\n"
            "def call(args):\n    return ()\n",
            ArtifactKind.PLAIN_OUTPUT_CODE,
        ),
    ],
)
def test_everything_else(text: str, kind: ArtifactKind) -> None:
    description = describe_artifact(text)
    assert description.kind is kind
    python = kind in (ArtifactKind.OUTPUT_CODE, ArtifactKind.PLAIN_OUTPUT_CODE)
    assert description.is_python == description.is_wrapper == python
    assert description.reason
    assert description.has_kernel_sources == (
        kind in (ArtifactKind.AUTOTUNE_BLOCK, ArtifactKind.OUTPUT_CODE, ArtifactKind.KERNEL_FILE)
    )


def test_a_wrapper_cut_before_run_impl_is_still_one() -> None:
    text = text_of("demo")
    description = describe_artifact(text[: text.index("void AOTInductorModel::run_impl")])
    assert description.kind is ArtifactKind.GPU_WRAPPER
