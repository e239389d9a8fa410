"""Call functions whose grid is more than one division."""

from __future__ import annotations

from aoti_tui.index.model import WrapperIndex
from aoti_tui.index.reader import read_wrapper

WRAPPER = """
template <typename x_ptr_type_, typename kernels_type_>
static __attribute__((noinline)) void call_scale_kernel_0(
    const x_ptr_type_& x_ptr,
    int64_t ynumel,
    %s
    int32_t device_idx_,
    cudaStream_t stream_,
    kernels_type_& kernels_,
    const std::optional<std::string>& cubin_dir_ = std::nullopt
){
    %s
    if (grid_0 == 0 || grid_1 == 0 || grid_2 == 0) return;
    if (kernels_.scale_kernel_0 == nullptr) {
        kernels_.scale_kernel_0 = loadKernel("/x.cubin", "scale_kernel", 0, cubin_dir_);
    }
    CUdeviceptr var_0 = reinterpret_cast<CUdeviceptr>(x_ptr.data_ptr());
    int32_t var_1 = ynumel;
    void* kernel_args_[] = {&var_0, &var_1};
    launchKernel(kernels_.scale_kernel_0, grid_0, grid_1, grid_2, 4, 128, kernel_args_, stream_);
}
void AOTInductorModel::run_impl(
    DeviceStreamType stream
) {
    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 1);
    auto arg0_1 = std::move(inputs[0]);
    call_scale_kernel_0(arg0_1, s0, %s this->device_idx_, stream, kernels, this->cubin_dir_);
} // AOTInductorModel::run_impl
"""


def index_of(parameters: str, grid: str, passed: str) -> WrapperIndex:
    index = read_wrapper(WRAPPER % (parameters, grid, passed), "x")
    assert index.gaps == ()
    return index


def test_temporaries_of_a_grid_are_written_out() -> None:
    index = index_of(
        "",
        "uint32_t y_grid_raw_ = ((ynumel + (16 - 1)) / (16));\n"
        "    uint32_t y_grid_div_ = ((y_grid_raw_ + (65535 - 1)) / (65535));\n"
        "    uint32_t grid_0 = 1;\n"
        "    uint32_t grid_1 = (y_grid_div_ == 0 ? 0 : y_grid_raw_);\n"
        "    uint32_t grid_2 = y_grid_div_;",
        "",
    )
    kernel = index.kernels["scale_kernel_0"]
    raw = "((ynumel + (16 - 1)) / (16))"
    div = f"(({raw} + (65535 - 1)) / (65535))"
    assert [axis.written for axis in kernel.grid] == ["1", f"({div} == 0 ? 0 : {raw})", div]
    assert dict(kernel.blocks) == {"YBLOCK": 16}
    assert (kernel.num_warps, kernel.shared_memory) == (4, 128)


def test_a_precomputed_grid_is_filled_in_by_the_launch() -> None:
    index = index_of(
        "int64_t _launcher_s0,",
        "uint32_t grid_0 = c10::div_floor_integer(static_cast<int64_t>(63L + _launcher_s0), "
        "static_cast<int64_t>(64L));\n    uint32_t grid_1 = 1L;\n    uint32_t grid_2 = 1L;",
        "s0 + s1,",
    )
    kernel = index.kernels["scale_kernel_0"]
    assert kernel.call_parameters == ("x_ptr", "ynumel")
    assert kernel.grid == ()
    (launch,) = index.launches
    assert [(a.parameter, a.text) for a in launch.arguments] == [
        ("x_ptr", "arg0_1"),
        ("ynumel", "s0"),
    ]
    assert tuple(axis.written for axis in launch.grid) == (
        "c10::div_floor_integer(static_cast<int64_t>(63L + (s0 + s1)), static_cast<int64_t>(64L))",
        "1L",
        "1L",
    )
