"""Kernel sources of other files, and the line they call 1."""

from __future__ import annotations

from aoti_tui.index.kernel_sources import find_kernel_sources
from aoti_tui.index.reader import read_wrapper

from .wrappers import sources_of, text_of

BODY = """
import triton
import triton.language as tl

@triton.jit
def _triton_helper_fn_add0(arg0_0, arg1_0):
    return arg0_0 + arg1_0

@triton_heuristics.pointwise(
    size_hints=[16, 64],
    filename=__file__,
    triton_meta={'signature': {0: '*i64', 1: '*fp32', 2: 'i32', 3: 'i32'}, 'device': \
DeviceProperties(type='cuda', index=0), 'constants': {3: 64}, 'configs': \
[AttrsDescriptor(divisible_by_16=(0, 1), equal_to_1=())]},
    inductor_meta={'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_index_0', \
'mutated_arg_names': ['out_ptr0']},
    min_elem_per_thread=0
)
@triton.jit
def triton_(in_ptr0, out_ptr0, ynumel, xnumel, YBLOCK : tl.constexpr, XBLOCK : tl.constexpr):
    xnumel = 64
    tl.device_assert(ks0 < 3, "index out of bounds: ks0 < 3")
"""
CACHE_FILE = BODY
AUTOTUNE = (
    "\nimport torch\nasync_compile = AsyncCompile()\n\n"
    "# kernel path: /srv/x.py\n"
    f"triton_poi_fused_index_0 = async_compile.triton('triton_', '''{BODY}''', "
    "device_str='cuda')\n\n\nasync_compile.wait(globals())\n"
)
OUTPUT_CODE = f"# AOT ID: ['0_inference']\n{AUTOTUNE}\ndef call(args):\n    return args\n"


def test_names_are_the_assigned_variables_and_line_1_is_that_line() -> None:
    for text in (AUTOTUNE, OUTPUT_CODE):
        (source,) = find_kernel_sources(text, "a.py").values()
        assert (source.name, source.function, source.path) == (
            "triton_poi_fused_index_0",
            "triton_",
            "a.py",
        )
        lines = text.split("\n")
        assert lines[source.line - 1] == source.lines[0]
        assert "async_compile.triton(" in source.lines[0]
        assert source.lines[2 - 1] == "import triton"
        assert source.lines[-1] == "''', device_str='cuda')"
        assert source.closed


def test_a_cache_file_counts_its_own_lines_the_same_way() -> None:
    (cached,) = find_kernel_sources(CACHE_FILE, "cabc.py").values()
    (block,) = find_kernel_sources(AUTOTUNE, "a.py").values()
    assert cached.name == block.name
    assert cached.line == 1
    assert cached.lines[1:-1] == block.lines[1:-1]


def test_an_unfinished_source_says_so() -> None:
    (source,) = find_kernel_sources(AUTOTUNE[: AUTOTUNE.index("def triton_(")], "a.py").values()
    assert not source.closed


def test_other_files_give_nothing() -> None:
    assert find_kernel_sources("", "x") == {}
    assert find_kernel_sources("def f(x):\n    return x\n", "x") == {}
    assert find_kernel_sources("# async_compile.triton('x'", "x") == {}


def test_positions_of_torch_2_5_become_names() -> None:
    text = text_of("2.5.1/mixed")
    name = "triton_poi_fused_mul_3"
    (source,) = find_kernel_sources(
        AUTOTUNE.replace("triton_poi_fused_index_0", name), "a"
    ).values()
    kernel = read_wrapper(text, "x", kernel_sources={name: source}).kernels[name]
    assert [(p.name, p.type) for p in kernel.parameters] == [
        ("in_ptr0", "*i64"),
        ("out_ptr0", "*fp32"),
        ("ynumel", "i32"),
        ("xnumel", "i32"),
        ("YBLOCK", "constexpr"),
        ("XBLOCK", "constexpr"),
    ]
    assert dict(kernel.constants) == {"xnumel": 64}
    # The outermost dimension comes first in the list form.
    assert dict(kernel.size_hints) == {"y": 16, "x": 64}
    assert kernel.mutated == ("out_ptr0",)
    assert kernel.triton_meta["device"] == "DeviceProperties(type='cuda', index=0)"
    assert kernel.inductor_meta["autotune_hints"] == set()


def test_a_launch_that_does_not_fit_the_source_is_a_gap() -> None:
    text = text_of("2.5.1/mixed")
    sources = sources_of("2.5.1/mixed")
    wrong = dict(sources, triton_poi_fused_mul_3=sources["triton_poi_fused__to_copy_2"])
    index = read_wrapper(text, "x", kernel_sources=wrong)
    (gap,) = index.gaps
    assert gap.reason == "launch passes 6 arguments, the kernel's source takes 3"
    launch = index.launches_of("triton_poi_fused_mul_3")[0]
    assert [a.parameter for a in launch.arguments] == [""] * 6
