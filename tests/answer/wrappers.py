"""Small wrappers in the generated form, with kernels that look indices up: what of them runs, and
how often, is up to the test."""

from __future__ import annotations

from pathlib import Path

import torch

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.given import Given
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.session import ReplaySession

MESSAGE = "index out of bounds: 0 <= tmp0 < ks0"
ASSERT_LINE = 23
"""Kernel line of the assert in every kernel."""
BLOCK = 4

_KERNEL = """
template <typename in_ptr0_type_, typename out_ptr0_type_, typename kernels_type_>
static inline void call_{name}(
    const in_ptr0_type_& in_ptr0,
    const out_ptr0_type_& out_ptr0,
    int64_t ks0,
    int64_t xnumel,
    int32_t device_idx_,
    cudaStream_t stream_,
    kernels_type_& kernels_,
    const std::optional<std::string>& cubin_dir_ = std::nullopt
){{
    /*
    async_compile.triton('{name}', '''
    import triton
    import triton.language as tl
    from torch._inductor.runtime import triton_helpers, triton_heuristics
    triton_helpers.set_driver_to_gpu()

    @triton_heuristics.pointwise(
        size_hints={{'x': 8}},
        filename=__file__,
        triton_meta={{
            'signature': {{'in_ptr0': '*i64', 'out_ptr0': '*i64', 'ks0': 'i32', 'xnumel': 'i32',
                          'XBLOCK': 'constexpr'}},
            'constants': {{}}}},
        inductor_meta={{'grid_type': 'Grid1D', 'mutated_arg_names': []}},
    )
    @triton.jit
    def {name}(in_ptr0, out_ptr0, ks0, xnumel, XBLOCK : tl.constexpr):
        xoffset = tl.program_id(0) * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = xindex < xnumel
        x0 = xindex
        tmp0 = tl.load(in_ptr0 + (x0), xmask)
        tl.device_assert(((0 <= tmp0) & (tmp0 < ks0)) | ~(xmask), "{message}")
        tmp1 = {stored}
        tl.store(out_ptr0 + (x0), tmp1, xmask)
    ''', device_str='cuda')
    */
    uint32_t grid_0 = ((xnumel + (4 - 1)) / (4));
    uint32_t grid_1 = 1;
    uint32_t grid_2 = 1;
    if (grid_0 == 0 || grid_1 == 0 || grid_2 == 0) return;
    if (kernels_.{name} == nullptr) {{
        kernels_.{name} = loadKernel("/cache/{name}.cubin", "{name}", 0, cubin_dir_);
    }}
    CUdeviceptr var_0 = reinterpret_cast<CUdeviceptr>(in_ptr0.data_ptr());
    CUdeviceptr var_1 = reinterpret_cast<CUdeviceptr>(out_ptr0.data_ptr());
    int32_t var_2 = ks0;
    int32_t var_3 = xnumel;
    void* kernel_args_[] = {{&var_0, &var_1, &var_2, &var_3}};
    launchKernel(kernels_.{name}, grid_0, grid_1, grid_2, 1, 0, kernel_args_, stream_);
}}
"""
_HEAD = """
#include <torch/csrc/inductor/aoti_runtime/model.h>
namespace torch::aot_inductor {
"""
_RUN = """
AOTInductorModel::AOTInductorModel(std::shared_ptr<ConstantMap> constants_map)
    : AOTInductorModelBase(4, 1, 0, device_str, std::move(cubin_dir), true) {
    inputs_info_[0].name = "arg0_1";
    inputs_info_[1].name = "arg1_1";
    inputs_info_[2].name = "arg2_1";
    inputs_info_[3].name = "arg3_1";
    outputs_info_[0].name = "output0";
}
void AOTInductorModel::run_impl(
    AtenTensorHandle* input_handles,
    AtenTensorHandle* output_handles,
    DeviceStreamType stream,
    AOTIProxyExecutorHandle proxy_executor
) {
    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 4);
    auto arg0_1 = std::move(inputs[0]);
    auto arg1_1 = std::move(inputs[1]);
    auto arg2_1 = std::move(inputs[2]);
    auto arg3_1 = std::move(inputs[3]);
    auto arg0_1_size = arg0_1.sizes();
    int64_t s0 = arg0_1_size[0];
    inputs.clear();
    const int64_t int_array_0[] = {s0};
    static constexpr int64_t int_array_1[] = {1L};
    AtenTensorHandle buf0_handle;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(
        1, int_array_0, int_array_1, cached_torch_dtype_int64, cached_torch_device_type_cuda,
        this->device_idx_, &buf0_handle));
    RAIIAtenTensorHandle buf0(buf0_handle);
"""
_END = """
    output_handles[0] = buf0.release();
} // AOTInductorModel::run_impl
} // namespace torch::aot_inductor
"""


def call(kernel: str, source: str, size: str = "5L", extent: str = "s0") -> str:
    """A launch: indices of ``source`` into a table of ``size`` rows."""
    passed = f"{source}, buf0, {size}, {extent}, this->device_idx_, stream, kernels"
    return f"    call_{kernel}({passed});\n"


def branch(then: str, otherwise: str = "") -> str:
    """A ``torch.cond`` on the value of input 2."""
    return (
        "    bool arg2_1_scalar;\n"
        "    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_item_bool(arg2_1, &arg2_1_scalar));\n"
        f"    if (arg2_1_scalar) {{\n    // subgraph: true_graph_0\n{then}    }} else {{\n"
        f"    // subgraph: false_graph_0\n{otherwise}    }}\n"
    )


def loop(body: str) -> str:
    """A ``while_loop`` that runs while input 2 holds."""
    return (
        "    while (1) {\n"
        "    // subgraph: while_loop_cond_graph_0\n"
        "    bool arg2_1_scalar;\n"
        "    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_item_bool(arg2_1, &arg2_1_scalar));\n"
        "    if (!arg2_1_scalar) break;\n"
        f"    // subgraph: while_loop_body_graph_0\n{body}    }}\n"
    )


def wrapper(body: str, *kernels: str) -> str:
    """A wrapper whose ``run_impl`` does ``body``; it takes two index tensors, a flag and a tensor
    of which only the size is used."""
    made = [
        _KERNEL.format(name=name, message=MESSAGE, stored=f"tmp0 + {number}")
        for number, name in enumerate(kernels)
    ]
    return _HEAD + "".join(made) + _RUN + body + _END


def logged(*programs: int, line: int = ASSERT_LINE) -> str:
    """A log that names these programs; the line is that of the kernels."""
    return "".join(
        f"/c/cabc.py:{line}: unknown: block: [{x},0,0], thread: [1,0,0] "
        f"Assertion `{MESSAGE}` failed.\n"
        for x in programs
    )


def opened(
    worker: WorkerClient,
    folder: Path,
    text: str,
    log: str,
    inputs: tuple[torch.Tensor, ...] | None = None,
) -> Incident:
    """The incident of a wrapper, a log and inputs, as the command line opens it, but for the
    worker: importing torch takes seconds."""
    path = folder / "model.wrapper.cpp"
    path.write_text(text)
    given = Given()
    if inputs is not None:
        torch.save(inputs, folder / "inputs.pt")
        given = Given(inputs=folder / "inputs.pt")
    incident = open_incident(path, log=log, given=given)
    incident.workshop.session = ReplaySession(incident.index, given, client=worker)
    return incident


def indices(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int64)


def inputs(
    first: torch.Tensor, second: torch.Tensor | None = None, flag: bool = True, size: int = 4
) -> tuple[torch.Tensor, ...]:
    fine = torch.zeros(len(first), dtype=torch.int64)
    return first, second if second is not None else fine, torch.tensor(flag), torch.zeros(size)
