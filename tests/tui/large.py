"""A wrapper as large as they come: the bundled one with hundreds of distinct kernels."""

from __future__ import annotations

import re
from importlib import resources

KERNEL = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"


def large_wrapper(kernels: int) -> str:
    """The demo's wrapper with ``kernels`` more kernels and as many more launches.

    Each copy has its own name and its own constants, as kernels of a real model do. A copy takes
    86 lines, so that 720 make 63,000.
    """
    text = resources.files("aoti_tui.demo").joinpath("jagged_reduce.wrapper.cpp").read_text()
    start = text.index(
        "template <typename in_ptr0_type_",
        text.index("launchKernel(kernels_.triton_red_fused_cumsum_0"),
    )
    end = text.index("template <typename", start + 10)
    block = text[start:end]
    call = next(line for line in text.split("\n") if line.strip().startswith(f"call_{KERNEL}("))
    member = f"    CUfunction {KERNEL}{{nullptr}};\n"
    blocks, calls, members = [], [], []
    for number in range(kernels):
        name = f"triton_red_fused_copy_{number + 10_000}"
        body = block.replace("640", str(1000 + number)).replace("< ks0", f"< {2000 + number}")
        blocks.append(body.replace(KERNEL, name))
        calls.append(
            f"    // Topologically Sorted Source Nodes: [copy_{number}], "
            "Original ATen: [aten.index]\n"
            + call.replace(KERNEL, name).replace("640L", f"{1000 + number}L")
        )
        members.append(member.replace(KERNEL, name))
    text = text.replace(member, member + "".join(members))
    text = (
        text[: end + len("".join(members))] + "".join(blocks) + text[end + len("".join(members)) :]
    )
    return re.sub(
        re.escape(call) + "\n", lambda m: m.group() + "\n".join(calls) + "\n", text, count=1
    )
