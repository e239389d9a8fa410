"""A wrapper whose two functions give one name to different buffers."""

from __future__ import annotations

from tests.flow.small import empty, last, launch, result, wrapper

from .models import Opened

CONSTANTS = (
    """
    static constexpr int64_t int_array_1[] = {1L};
    static constexpr int64_t int_array_3[] = {2L};"""
    + empty("buf0", "int_array_3")
    + launch("in_place", "buf0")
    + "\n    output_handles[0] = buf0.release();"
)


def test_a_buffer_of_the_constants_lends_its_shape_to_no_other(opened: Opened) -> None:
    """An op that no one can replay makes ``buf0``; the constants' ``buf0`` has 2 elements, of
    which the kernel would read 4."""
    index = wrapper(
        result("unheard_of", "buf0", "arg0_1") + empty("buf9") + launch("store", "buf0", "buf9"),
        CONSTANTS,
    )
    found = opened(index).run(last(index))
    assert found.faults == ()
    assert any("unheard_of" in note for note in found.notes)
