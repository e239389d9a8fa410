"""Redacted floats have the spread of the real ones, and keep what can be a cause."""

from __future__ import annotations

import math
import statistics
import struct

import pytest

from aoti_tui.artifacts.core_dump.noise import noise_like


def test_mean_and_spread_are_kept_and_no_value_is() -> None:
    real = [3 + math.sin(n) for n in range(2000)]
    made = struct.unpack("<2000d", noise_like(struct.pack("<2000d", *real), "float64", 7))
    assert statistics.fmean(made) == pytest.approx(statistics.fmean(real), abs=0.05)
    assert statistics.pstdev(made) == pytest.approx(statistics.pstdev(real), rel=0.05)
    assert not set(made) & set(real)


@pytest.mark.parametrize(("dtype", "code"), [("float32", "f"), ("float16", "e")])
def test_zeros_infinities_and_nan_stay_in_their_places(dtype: str, code: str) -> None:
    real = [1.5, 0.0, math.inf, -math.inf, math.nan, 2.5]
    made = struct.unpack(f"<6{code}", noise_like(struct.pack(f"<6{code}", *real), dtype, 1))
    assert made[1:4] == (0.0, math.inf, -math.inf)
    assert math.isnan(made[4])
    assert made[0] != 1.5


def test_bfloat16_is_read_and_written_by_its_upper_half() -> None:
    real = b"".join(struct.pack("<f", 2.0 + n / 8)[2:] for n in range(64))
    made = noise_like(real, "bfloat16", 3)
    values = [struct.unpack("<f", b"\0\0" + made[at : at + 2])[0] for at in range(0, 128, 2)]
    assert statistics.fmean(values) == pytest.approx(2.0 + 63 / 16, rel=0.3)
    assert made != real
