"""Which elements a load reads over the whole grid, and which names hold loaded data unchanged."""

from __future__ import annotations

import pytest

from aoti_tui.kernel.addresses import elements_read, loaded_unchanged, masks_lanes_only
from aoti_tui.kernel.model import KernelProgram, Load
from tests.kernel.test_parse import kernel

VALUES = {"ks0": 3, "ks1": 4, "xnumel": 8}


def load_at(address: str) -> tuple[KernelProgram, Load, int]:
    program = kernel(f"    tmp0 = tl.load(in_ptr0 + ({address}), xmask)\n")
    definition = program.definition("tmp0")
    assert definition is not None
    return program, definition.loads[0], definition.order


@pytest.mark.parametrize(
    ("address", "elements"),
    [
        ("xindex", set(range(8))),
        ("7 - xindex", set(range(8))),
        ("2*xindex + ks0", set(range(3, 19, 2))),
        ("x1", {0, 1}),
        ("ks0*x1", {0, 3}),
        ("xindex % 3", {0, 1, 2}),
        ("(xindex % 4) + 10*(xindex // 4)", {0, 1, 2, 3, 10, 11, 12, 13}),
        ("5", {5}),
        ("-xindex", set(range(0, -8, -1))),
    ],
)
def test_elements_are_those_of_every_lane_that_the_launch_has(
    address: str, elements: set[int]
) -> None:
    program, load, before = load_at(address)
    found = elements_read(program, load, before, VALUES)
    assert found is not None
    assert set(found) == elements


@pytest.mark.parametrize("address", ["tmp9", "unknown*xindex", "xindex // x0", "xindex // (-2)"])
def test_an_address_of_data_or_of_unknown_sizes_is_not_guessed(address: str) -> None:
    program, load, before = load_at(address)
    assert elements_read(program, load, before, VALUES) is None


def test_an_address_without_a_known_extent_is_not_guessed() -> None:
    program, load, before = load_at("xindex")
    assert elements_read(program, load, before, {"ks0": 3}) is None


def test_a_grid_that_is_too_large_to_walk_is_left() -> None:
    program, load, before = load_at("xindex")
    assert elements_read(program, load, before, {"xnumel": 1 << 30}) is None


def test_a_huge_grid_that_repeats_is_walked_once() -> None:
    program, load, before = load_at("xindex % 16")
    found = elements_read(program, load, before, {"xnumel": 1 << 30})
    assert found is not None
    assert list(found) == list(range(16))


@pytest.mark.parametrize(
    ("body", "name", "pointer"),
    [
        ("tmp0 = tl.load(in_ptr0 + xindex)", "tmp0", "in_ptr0"),
        ("tmp0 = tl.load(in_ptr0 + xindex).to(tl.int64)", "tmp0", "in_ptr0"),
        ("tmp0 = tl.load(in_ptr1 + xindex)\n    tmp1 = tmp0", "tmp1", "in_ptr1"),
        (
            "tmp0 = tl.load(in_ptr0 + xindex)\n    tmp1 = tl.broadcast_to(tmp0, [XBLOCK])",
            "tmp1",
            "in_ptr0",
        ),
        (
            "tmp0 = tl.load(in_ptr0 + xindex)\n    tmp1 = tl.reshape(tmp0, [4, 2])",
            "tmp1",
            "in_ptr0",
        ),
        ("tmp0 = tl.load(in_ptr0 + xindex).to(tl.int32)", "tmp0", None),
        ("tmp0 = tl.load(in_ptr0 + xindex)\n    tmp1 = tmp0 + 1", "tmp1", None),
        ("tmp0 = tl.load(in_ptr0 + xindex)\n    tmp1 = -tmp0", "tmp1", None),
        ("tmp0 = xindex", "tmp0", None),
    ],
)
def test_only_what_keeps_every_value_is_called_a_copy(
    body: str, name: str, pointer: str | None
) -> None:
    found = loaded_unchanged(kernel(f"    {body}\n"), name, None)
    assert (found.pointers if found is not None else None) == ((pointer,) if pointer else None)


@pytest.mark.parametrize(
    ("mask", "only"),
    [
        (None, True),
        ("None", True),
        ("xmask", True),
        ("xmask & r0_mask", True),
        ("(ymask) & xmask", True),
        ("tmp4 & xmask", False),
        ("tmp_mask", False),
    ],
)
def test_a_mask_of_data_leaves_out_more_than_lanes(mask: str | None, only: bool) -> None:
    assert masks_lanes_only(mask) is only
