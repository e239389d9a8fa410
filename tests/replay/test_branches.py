"""Branches and loops of a wrapper follow the values."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from aoti_tui.index.model import WrapperIndex
from aoti_tui.index.reader import read_wrapper
from aoti_tui.replay.questions.all_launches import replay_all
from aoti_tui.replay.questions.elements import read_argument

from .models import DATA, Opened

KERNEL = """
    async_compile.triton('{name}', '''
    import triton
    import triton.language as tl
    from torch._inductor.runtime import triton_helpers, triton_heuristics
    triton_helpers.set_driver_to_gpu()

    @triton_heuristics.pointwise(
        size_hints={{'x': 8}},
        filename=__file__,
        triton_meta={{
            'signature': {{'in_out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}},
            'constants': {{}}}},
        inductor_meta={{'grid_type': 'Grid1D', 'mutated_arg_names': ['in_out_ptr0']}},
    )
    @triton.jit
    def {name}(in_out_ptr0, xnumel, XBLOCK : tl.constexpr):
        xoffset = tl.program_id(0) * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = xindex < xnumel
        x0 = xindex
        tmp0 = tl.load(in_out_ptr0 + (x0), xmask)
        tmp1 = {value}
        tl.store(in_out_ptr0 + (x0), tmp1, xmask)
    ''', device_str='cuda')
"""
CALL = """
template <typename in_out_ptr0_type_, typename kernels_type_>
static inline void call_{name}(
    const in_out_ptr0_type_& in_out_ptr0,
    int64_t xnumel,
    int32_t device_idx_,
    cudaStream_t stream_,
    kernels_type_& kernels_,
    const std::optional<std::string>& cubin_dir_ = std::nullopt
){{
    /*{source}    */
    uint32_t grid_0 = ((xnumel + (8 - 1)) / (8));
    uint32_t grid_1 = 1;
    uint32_t grid_2 = 1;
    if (grid_0 == 0 || grid_1 == 0 || grid_2 == 0) return;
    if (kernels_.{name} == nullptr) {{
        kernels_.{name} = loadKernel("/cache/{name}.cubin", "{name}", 0, cubin_dir_);
    }}
    CUdeviceptr var_0 = reinterpret_cast<CUdeviceptr>(in_out_ptr0.data_ptr());
    int32_t var_1 = xnumel;
    void* kernel_args_[] = {{&var_0, &var_1}};
    launchKernel(kernels_.{name}, grid_0, grid_1, grid_2, 1, 0, kernel_args_, stream_);
}}
"""
HEAD = """
#include <torch/csrc/inductor/aoti_runtime/model.h>
namespace torch::aot_inductor {
"""
RUN = """
AOTInductorModel::AOTInductorModel(std::shared_ptr<ConstantMap> constants_map)
    : AOTInductorModelBase(2, 1, 0, device_str, std::move(cubin_dir), true) {
    inputs_info_[0].name = "arg0_1";
    inputs_info_[1].name = "arg1_1";
    outputs_info_[0].name = "output0";
}
void AOTInductorModel::run_impl(
    AtenTensorHandle* input_handles,
    AtenTensorHandle* output_handles,
    DeviceStreamType stream,
    AOTIProxyExecutorHandle proxy_executor
) {
    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 2);
    auto arg0_1 = std::move(inputs[0]);
    auto arg1_1 = std::move(inputs[1]);
    inputs.clear();
"""
LOOP = """
    while (1) {
        // subgraph: while_loop_cond_graph_0
        bool arg1_1_scalar;
        AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_item_bool(arg1_1, &arg1_1_scalar));
        if (!arg1_1_scalar) break;
        // subgraph: while_loop_body_graph_0
        call_triton_poi_fused_add_0(arg0_1, 4L, this->device_idx_, stream, kernels);
        call_triton_poi_fused_sub_1(arg1_1, 1L, this->device_idx_, stream, kernels);
    }
    call_triton_poi_fused_mul_2(arg0_1, 4L, this->device_idx_, stream, kernels);
    output_handles[0] = arg0_1.release();
} // AOTInductorModel::run_impl
} // namespace torch::aot_inductor
"""
KERNELS = {
    "triton_poi_fused_add_0": "tmp0 + 1.0",
    "triton_poi_fused_sub_1": "tmp0 - 1.0",
    "triton_poi_fused_mul_2": "tmp0 * 2.0",
}


def looping() -> WrapperIndex:
    calls = "".join(
        CALL.format(name=name, source=KERNEL.format(name=name, value=value))
        for name, value in KERNELS.items()
    )
    return read_wrapper(HEAD + calls + RUN + LOOP, "loop.wrapper.cpp")


def saved(tmp_path: Path, *tensors: torch.Tensor) -> Path:
    path = tmp_path / "inputs.pt"
    torch.save(tensors, path)
    return path


@pytest.mark.parametrize(("rounds", "result"), [(0, 2.0), (1, 4.0), (3, 8.0)])
def test_a_loop_runs_as_often_as_its_condition_holds(
    opened: Opened, tmp_path: Path, rounds: int, result: float
) -> None:
    """Ones, plus one in every round, times two."""
    inputs = saved(tmp_path, torch.ones(4), torch.full((1,), float(rounds)))
    session = opened(looping(), inputs=inputs)
    outcomes = [o.launch.kernel for o in replay_all(session).outcomes if o.status == "ok"]
    assert outcomes.count("triton_poi_fused_add_0") == rounds
    launch = session.index.launches_of("triton_poi_fused_mul_2")[0]
    found = read_argument(session, launch, "in_out_ptr0")
    assert [2 * v for v in found.block.values] == [result] * 4


def test_a_launch_inside_of_a_loop_is_reached_in_its_first_round(
    opened: Opened, tmp_path: Path
) -> None:
    inputs = saved(tmp_path, torch.ones(4), torch.full((1,), 2.0))
    session = opened(looping(), inputs=inputs)
    launch = session.index.launches_of("triton_poi_fused_sub_1")[0]
    result = session.run(launch)
    assert (result.grid, result.notes) == ((1, 1, 1), ())


@pytest.mark.parametrize(
    ("taken", "ok", "skipped"),
    [
        (True, "triton_poi_fused_addmm_relu_0", "triton_poi_fused_add_addmm_sin_1"),
        (False, "triton_poi_fused_add_addmm_sin_1", "triton_poi_fused_addmm_relu_0"),
    ],
)
def test_a_branch_follows_the_input(
    opened: Opened, tmp_path: Path, taken: bool, ok: str, skipped: str
) -> None:
    path = DATA / "cond" / "wrapper.cpp"
    index = read_wrapper(path.read_text(), str(path))
    inputs = saved(tmp_path, torch.zeros(3, 16), torch.tensor(taken))
    session = opened(index, inputs=inputs)
    statuses = {o.launch.kernel: o.status for o in replay_all(session).outcomes}
    assert (statuses[ok], statuses[skipped]) == ("ok", "skipped")
    forced = session.run(index.launches_of(skipped)[0])
    assert any("does not enter the branch" in note for note in forced.notes)
