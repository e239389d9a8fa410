"""Kernels that are given addresses: kept in a tensor, as grouped kernels do, or as a number."""

from __future__ import annotations

from pathlib import Path

from tests.run.running import Watched, numbers, run, script

MANY = """
    @triton.jit
    def total(pointers, sizes, o_ptr, MORE: tl.constexpr, BLOCK: tl.constexpr):
        group = tl.program_id(0)
        x_ptr = tl.load(pointers + group).to(tl.pointer_type(tl.float32))
        n = tl.load(sizes + group) + MORE
        i = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=0.0)
        tl.store(o_ptr + group, tl.sum(x))
        tl.store(x_ptr + i, x * 2, mask=i < n)

    xs = [torch.full((size,), float(size), device="cuda") for size in (5, 17, 33)]
    pointers = torch.tensor([x.data_ptr() for x in xs], device="cuda")
    sizes = torch.tensor([5, 17, 33], device="cuda", dtype=torch.int32)
    o = torch.empty(3, device="cuda")
    total[(3,)](pointers, sizes, o, MORE={more}, BLOCK=64)
    print(o.tolist(), [x[0].item() for x in xs])
"""


def test_addresses_in_a_tensor_lead_to_the_tensors(tmp_path: Path) -> None:
    script(tmp_path, MANY.format(more=0))
    ran = run(tmp_path, "main.py")
    assert (ran.code, ran.findings) == (0, [])
    assert ran.out == "[25.0, 289.0, 1089.0] [10.0, 34.0, 66.0]\n"


def test_beyond_one_of_them_is_out_of_bounds_though_another_lies_there(tmp_path: Path) -> None:
    script(tmp_path, MANY.format(more=2))
    ran = run(tmp_path, "main.py")
    assert ran.code == 4
    reads = [one for one in ran.findings if one["line"] == 11]
    assert [(one["argument"], one["element"], one["program"], one["lane"]) for one in reads] == [
        (f"*pointers[{group}]", size, [group, 0, 0], [size])
        for group, size in enumerate((5, 17, 33))
    ]


def test_such_a_launch_is_recorded_as_it_was(tmp_path: Path) -> None:
    script(tmp_path, MANY.format(more=0))
    with Watched(tmp_path, "main.py") as watched:
        assert watched.until("exit")["code"] == 0
        reply = watched.ask("record", launch=0, program=[1, 0, 0])
        (x,) = [one for one in reply["steps"] if one["name"] == "x"]
        assert numbers(reply, x["value"])[:18] == [17.0] * 17 + [0.0]
        assert reply["faults"] == []


def test_an_address_as_a_number_leads_to_its_tensor(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        @triton.jit
        def double(address, n, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            at = address.to(tl.pointer_type(tl.float32)) + i
            tl.store(at, tl.load(at, mask=i < n) * 2, mask=i < n)

        x = torch.arange(4.0)
        double[(1,)](x.data_ptr(), 4, BLOCK=8)
        print(x.tolist())
        """,
    )
    ran = run(tmp_path, "main.py")
    assert (ran.code, ran.out) == (0, "[0.0, 2.0, 4.0, 6.0]\n")
