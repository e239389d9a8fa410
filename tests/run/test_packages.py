"""What packages do with kernels beyond plain launches works as it does on a GPU."""

from __future__ import annotations

from pathlib import Path

from tests.run.running import Watched, run, script


def test_a_class_with_a_pointer_of_its_own_may_lead_backwards(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        class Buffer:
            def __init__(self, base, offset, strides):
                self._base, self.offset, self.strides = base, offset, strides
                self.dtype, self.shape, self.device = base.dtype, base.shape, base.device
            def data_ptr(self):
                return self._base.data_ptr() + self.offset * self._base.element_size()
            def stride(self):
                return self.strides

        @triton.jit
        def copy(x_ptr, o_ptr, step, n, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(o_ptr + i, tl.load(x_ptr + i * step, mask=i < n), mask=i < n)

        x = torch.arange(5.0)
        o = torch.empty_like(x)
        copy[(1,)](Buffer(x, 4, (-1,)), o, -1, 5, BLOCK=8)
        print(o.tolist())
        """,
    )
    ran = run(tmp_path, "main.py")
    assert (ran.code, ran.out) == (0, "[4.0, 3.0, 2.0, 1.0, 0.0]\n")


def test_a_reinterpreted_tensor_has_another_type(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        @triton.jit
        def widen(x_ptr, o_ptr, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(o_ptr + i, tl.load(x_ptr + i).to(tl.float32))

        x = torch.tensor([0x38, 0x40, 0xB8, 0x00], dtype=torch.uint8)
        o = torch.empty(4)
        widen[(1,)](triton.reinterpret(x, tl.float8e4nv), o, BLOCK=4)
        print(o.tolist())
        """,
    )
    assert run(tmp_path, "main.py").out == "[1.0, 2.0, -1.0, 0.0]\n"


def test_what_is_known_at_compile_time_has_a_value(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        @triton.jit
        def zero(dtype):
            kind = dtype.value
            return tl.full([4], 0, kind)

        @triton.jit
        def fill(o_ptr, N: tl.constexpr):
            tl.store(o_ptr + tl.arange(0, 4), zero(o_ptr.dtype.element_ty) + N.value)

        o = torch.empty(4, dtype=torch.int32)
        fill[(1,)](o, N=3)
        print(o.tolist())
        """,
    )
    assert run(tmp_path, "main.py").out == "[3, 3, 3, 3]\n"


def test_autotune_heuristics_and_warmup(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        @triton.autotune([triton.Config({"BLOCK": b}) for b in (4, 8)], key=["n"])
        @triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
        @triton.jit
        def fill(o_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(o_ptr + i, BLOCK * 10 + EVEN, mask=i < n)

        o = torch.empty(12, dtype=torch.int32)
        grid = lambda meta: (triton.cdiv(12, meta["BLOCK"]),)
        fill[grid](o, 12)
        print(o[0].item(), fill.best_config.kwargs, fill.warmup(o, 12, grid=grid)[0].n_spills)
        """,
    )
    ran = run(tmp_path, "main.py")
    assert ran.out == "41 {'BLOCK': 4} 0\n"
    assert len(ran.report["launches"]) == 1
    assert any("autotuned" in flag["text"] for flag in ran.report["flags"])
    assert run(tmp_path, "--config", "1", "main.py").out == "80 {'BLOCK': 8} 0\n"


def test_a_descriptor_made_by_the_script_is_an_argument_of_the_first_launch(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        from triton.tools.tensor_descriptor import TensorDescriptor

        @triton.jit
        def double(x, o):
            o.store([0, 0], x.load([0, 4]) * 2)

        x = torch.arange(32.0).reshape(4, 8)
        o = torch.zeros(4, 8)
        given = [TensorDescriptor.from_tensor(one, [4, 4]) for one in (x, o)]
        double[(1,)](*given)
        print(o[1].tolist())
        """,
    )
    assert run(tmp_path, "main.py").out == "[24.0, 26.0, 28.0, 30.0, 0.0, 0.0, 0.0, 0.0]\n"


def test_a_compiled_kernel_is_launched_again(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        @triton.jit
        def add(x_ptr, BY: tl.constexpr, n, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) + BY, mask=i < n)

        x, y = torch.zeros(3), torch.zeros(3)
        compiled = add[(1,)](x, 5, 3, BLOCK=4)
        compiled[(1, 1, 1)](x, 5, 2, 4)
        compiled[(1, 1, 1)](y, 3)
        print(x.tolist(), y.tolist())
        """,
    )
    assert run(tmp_path, "main.py").out == "[10.0, 10.0, 5.0] [5.0, 5.0, 5.0]\n"


def test_the_state_of_a_cuda_generator_is_a_seed_and_an_offset(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        torch.cuda.manual_seed(7)
        state = torch.cuda.get_rng_state()
        seed, offset = state.view(torch.int64).tolist()
        first = torch.rand(3, device="cuda").tolist()
        moved = torch.cuda.default_generators[0].get_state().view(torch.int64).tolist()
        torch.cuda.set_rng_state(state)
        print(seed, offset, moved[1] > 0, torch.rand(3, device="cuda").tolist() == first)
        """,
    )
    assert run(tmp_path, "main.py").out == "7 0 True True\n"


def test_a_view_that_repeats_elements_may_be_stepped_out_of(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        @triton.jit
        def gather(x_ptr, at_ptr, o_ptr, stride, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            at = tl.load(at_ptr + i)
            tl.store(o_ptr + i, tl.load(x_ptr + at * stride))

        x = torch.arange(24.0).reshape(6, 4)
        at = torch.tensor([5, 0, 3, 1])
        o = torch.empty(4)
        gather[(1,)](torch.as_strided(x, (4, 2), (0, 1)), at, o, 4, BLOCK=4)
        print(o.tolist())
        """,
    )
    ran = run(tmp_path, "main.py")
    assert (ran.out, ran.findings) == ("[20.0, 0.0, 12.0, 4.0]\n", [])


def test_a_kernel_with_block_pointers_is_recorded(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        @triton.jit
        def double(x_ptr, o_ptr, n):
            x_block = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (4,), (0,))
            o_block = tl.make_block_ptr(o_ptr, (n,), (1,), (0,), (4,), (0,))
            tl.store(o_block, tl.load(x_block) * 2)

        x = torch.arange(4.0)
        double[(1,)](x, torch.empty_like(x), 4)
        """,
    )
    with Watched(tmp_path, "main.py") as watched:
        assert watched.until("exit")["code"] == 0
        reply = watched.ask("record", launch=0, program=[0, 0, 0])
        assert {"x_block", "o_block"} <= {one["name"] for one in reply["steps"]}


REGISTERED = """
    from torch.library import Library, custom_op

    @triton.jit
    def double(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * 2, i < n)

    def launch(x):
        o = torch.empty_like(x)
        assert o.is_cuda and x.is_cuda
        double[(triton.cdiv(x.numel(), 16),)](x, o, x.numel(), BLOCK=16)
        return o
    """


def test_an_operator_for_cuda_alone_is_run_by_its_kernel(tmp_path: Path) -> None:
    script(
        tmp_path,
        REGISTERED
        + """
    @custom_op("shop::double", mutates_args=(), device_types="cuda")
    def doubled(x: torch.Tensor) -> torch.Tensor:
        return launch(x)

    lib = Library("store", "FRAGMENT")
    lib.define("double(Tensor x) -> Tensor")
    lib.impl("double", launch, "CUDA")

    @custom_op("shop::either", mutates_args=())
    def either(x: torch.Tensor) -> torch.Tensor:
        return x * 3
    either.register_kernel("cuda")(launch)

    x = torch.arange(3.0, device="cuda")
    for run in (doubled, torch.ops.store.double, either):
        print(run(x).tolist(), run(x).device)
    print(either(torch.ones(2)).tolist())
    try:
        doubled(torch.ones(2))
    except NotImplementedError as error:
        print(str(error)[:58])
    """,
    )
    ran = run(tmp_path, "main.py", "--check", "--json", "out.json")
    assert ran.out.splitlines() == [
        *["[0.0, 2.0, 4.0] cuda:0"] * 3,
        "[3.0, 3.0]",
        "Could not run 'shop::double' with arguments from the 'CPU'",
    ]


def test_an_operator_of_torch_that_a_library_replaces_for_cuda(tmp_path: Path) -> None:
    script(
        tmp_path,
        REGISTERED
        + """
    lib = Library("aten", "IMPL")
    lib.impl("aten::log1p", launch, "CUDA")

    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.special.log1p(x).sum()

    x = torch.ones(20, device="cuda", requires_grad=True)
    loss = Model()(x)
    loss.backward()
    print(loss.item(), x.grad.device, x.grad[0].item())
    print(round(torch.log1p(torch.ones(1)).item(), 3))
    lib._destroy()
    print(round(torch.log1p(x)[0].item(), 3))
    """,
    )
    ran = run(tmp_path, "main.py")
    assert (ran.code, ran.out.split()) == (0, ["40.0", "cuda:0", "0.5", "0.693", "0.693"])
