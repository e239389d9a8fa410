"""Small wrappers for questions of data flow, through the real reader.

``wrapper(main, constants)`` puts statements of the C++ wrapper into ``run_impl`` and
``_const_run_impl``. The kernels that they can call are those of :data:`KERNELS`.
"""

from __future__ import annotations

from aoti_tui.flow.dataflow import DataFlow, Storage, Writer
from aoti_tui.index.model import Launch, WrapperIndex
from aoti_tui.index.reader import read_wrapper

POINTERS = ("in_ptr0", "in_ptr1", "in_out_ptr0", "out_ptr0")
HEAD = """    x = tl.program_id(0) * 4 + tl.arange(0, 4)
"""
KERNELS = {
    # name: (parameters, body, helpers)
    "store": ("in_ptr0 out_ptr0", "tl.store(out_ptr0 + x, tl.load(in_ptr0 + x), None)", ""),
    "in_place": (
        "in_out_ptr0",
        "tmp0 = tl.load(in_out_ptr0 + x)\n    tl.store(in_out_ptr0 + x, tmp0 + 1, None)",
        "",
    ),
    "takes_over": (
        "in_out_ptr0 in_ptr0",
        "tmp0 = tl.load(in_ptr0 + x)\n    tl.store(in_out_ptr0 + x, tmp0, None)",
        "",
    ),
    "atomic": (
        "in_ptr0 out_ptr0",
        "tmp0 = tl.load(in_ptr0 + x)\n    tl.atomic_add(out_ptr0 + tmp0, 1.0, None)",
        "",
    ),
    "scattered": (
        "in_ptr0 out_ptr0",
        "tmp0 = tl.load(in_ptr0 + x)\n    tl.store(out_ptr0 + tmp0, 1.0, None)",
        "",
    ),
    "bare_helper": (
        "in_ptr0 out_ptr0",
        "tmp0 = tl.load(in_ptr0 + x)\n    put(out_ptr0, x, tmp0)",
        "def put(pointer, at, value):\n    tl.store(pointer + at, value)\n",
    ),
    "nested_helper": (
        "in_ptr0 out_ptr0",
        "move(in_ptr0, out_ptr0, x)",
        "def put(pointer, at, value):\n    place = pointer + at\n    tl.store(place, value)\n\n"
        "@triton.jit\ndef get(pointer, at):\n    return tl.load(pointer + at)\n\n"
        "@triton.jit\ndef move(source, to, at):\n    put(to, at, value=get(source, at))\n",
    ),
    "reading_helper": (
        "in_ptr0 out_ptr0",
        "tmp0 = get(in_ptr0, x)\n    tl.store(out_ptr0 + x, tmp0)",
        "def get(pointer, at):\n    return tl.load(pointer + at)\n",
    ),
    "atomic_helper": (
        "in_ptr0 out_ptr0",
        "tmp0 = count(out_ptr0, x)",
        "def count(pointer, at):\n    return tl.atomic_add(pointer + at, 1)\n",
    ),
}
SOURCELESS = {"lost": "in_ptr0 in_out_ptr0 out_ptr0"}

_LAUNCHER = """
template <{types}, typename kernels_type_>
static inline void call_{name}(
    {parameters},
    int32_t device_idx_,
    cudaStream_t stream_,
    kernels_type_& kernels_,
    const std::optional<std::string>& cubin_dir_ = std::nullopt
){{
{source}
    uint32_t grid_0 = 1;
    launchKernel(kernels_.{name}, grid_0, 1, 1, 1, 0, kernel_args_, stream_);
}}
"""
_SOURCE = """    /*
    async_compile.triton('{name}', '''
    import triton
    import triton.language as tl

{helpers}
    @triton_heuristics.pointwise(
        size_hints={{'x': 4}},
        triton_meta={{'signature': {signature}}},
        inductor_meta={{'kernel_name': '{name}', 'mutated_arg_names': []}},
    )
    @triton.jit
    def {name}({arguments}):
        x = tl.program_id(0) * 4 + tl.arange(0, 4)
{body}
    ''', device_str='cuda')
    */"""
_MODEL = """
AOTInductorModel::AOTInductorModel() {{
    constants_info_[0].name = "folded";
    constants_info_[0].dtype = static_cast<int32_t>(cached_torch_dtype_float32);
    constants_info_[0].offset = 0;
    constants_info_[0].data_size = 32;
    constants_info_[0].from_folded = true;
    constants_info_[0].shape = {{8}};
    constants_info_[0].stride = {{1}};
    constants_info_[0].original_fqn = "";
}}
std::unordered_map<std::string, AtenTensorHandle> AOTInductorModel::const_run_impl(
    DeviceStreamType stream, AOTIProxyExecutorHandle proxy_executor, bool initialization
) {{
    folded_constants_map["folded"] = output_handles[0];
}}
{launchers}
void AOTInductorModel::_const_run_impl(
    std::vector<AtenTensorHandle>& output_handles, DeviceStreamType stream
) {{
{constants}
}}
void AOTInductorModel::run_impl(
    AtenTensorHandle* input_handles, AtenTensorHandle* output_handles
) {{
    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 2);
    auto arg0_1 = std::move(inputs[0]);
    auto arg1_1 = std::move(inputs[1]);
    auto arg0_1_size = arg0_1.sizes();
    int64_t s0 = arg0_1_size[0];
    static constexpr int64_t int_array_0[] = {{8L}};
    static constexpr int64_t int_array_1[] = {{1L}};
    static constexpr int64_t int_array_2[] = {{4L}};
{main}
}} // AOTInductorModel::run_impl
"""


def wrapper(main: str, constants: str = "") -> WrapperIndex:
    """The index of a wrapper with these statements; nothing in it is a gap."""
    names = [n for n in (*KERNELS, *SOURCELESS) if f"call_{n}(" in main + constants]
    text = _MODEL.format(launchers="\n".join(map(_launcher, names)), main=main, constants=constants)
    index = read_wrapper(text, "x")
    assert index.gaps == (), index.gaps
    return index


def _launcher(name: str) -> str:
    parameters, body, helpers = KERNELS.get(name, (SOURCELESS.get(name, ""), "", ""))
    names = parameters.split()
    source = ""
    if body:
        indented = "\n".join(f"        {line.strip()}" for line in body.split("\n"))
        jit = f"@triton.jit\n{helpers}" if helpers else ""
        source = _SOURCE.format(
            name=name,
            helpers="\n".join(f"    {line}" for line in jit.split("\n")),
            signature=dict.fromkeys(names, "*fp32"),
            arguments=", ".join(names),
            body=indented,
        )
    return _LAUNCHER.format(
        name=name,
        types=", ".join(f"typename {n}_type_" for n in names),
        parameters=",\n    ".join(f"const {n}_type_& {n}" for n in names),
        source=source,
    )


def empty(name: str, sizes: str = "int_array_0") -> str:
    """A new buffer of 8 elements (4 with ``int_array_2``)."""
    return f"""
    AtenTensorHandle {name}_handle;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(1, {sizes}, int_array_1, \
cached_torch_dtype_float32, cached_torch_device_type_cuda, this->device_idx_, &{name}_handle));
    RAIIAtenTensorHandle {name}({name}_handle);"""


def launch(kernel: str, *arguments: str) -> str:
    passed = ", ".join(arguments)
    return f"\n    call_{kernel}({passed}, this->device_idx_, stream, kernels, this->cubin_dir_);"


def call(op: str, *arguments: str) -> str:
    return f"\n    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cuda_{op}({', '.join(arguments)}));"


def result(op: str, name: str, *arguments: str) -> str:
    """An op that makes its result, which is named on a later line."""
    return (
        f"\n    AtenTensorHandle {name}_handle;{call(op, *arguments, f'&{name}_handle')}"
        f"\n    RAIIAtenTensorHandle {name}({name}_handle);"
    )


def alias(name: str, of: str) -> str:
    return (
        f"\n    AtenTensorHandle {name}_handle;"
        f"\n    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_assign_tensors_out({of}, &{name}_handle));"
        f"\n    RAIIAtenTensorHandle {name}({name}_handle);"
    )


def view(name: str, sizes: str = "int_array_2", offset: str = "0L") -> str:
    return (
        "wrap_with_raii_handle_if_needed(reinterpret_tensor_wrapper("
        f"{name}, 1, {sizes}, int_array_1, {offset}))"
    )


def last(index: WrapperIndex) -> Launch:
    return index.launches[-1]


def written(flow: DataFlow, name: str, reader: Launch) -> list[str]:
    """Who wrote what ``reader`` sees under ``name``, the newest first: ``store`` for a writer after
    which nothing older counts, ``store?`` for one that leaves something, ``store~`` for one of a
    loop's round before. Ends with the inputs and constants that can still be seen."""
    at = flow.before(reader)
    found: list[str] = []
    for storage in flow.storages(name, at):
        writers = flow.writers(storage, at)
        settled = False
        for writer in writers:
            found.append(_said(writer))
            if writer.settles:
                settled = True
                break
        if not settled and storage.defined is None:
            found.append(storage.name)
    return found


def _said(writer: Writer) -> str:
    name = writer.launch.kernel if writer.launch is not None else None
    if name is None:
        assert writer.extern is not None
        name = writer.extern.op
    return name + ("" if writer.settles else "?" if writer.earlier else "~")


def names(storages: list[Storage]) -> list[str]:
    return [storage.name for storage in storages]
