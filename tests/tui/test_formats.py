"""Numbers in hexadecimal and as the bits of their type."""

import math

import pytest

from aoti_tui.session.values.formats import formatted


@pytest.mark.parametrize(
    ("value", "dtype", "how", "text"),
    [
        (1.5, "float32", "decimal", "1.5"),
        (255, "int64", "hex", "0xff"),
        (-1, "int32", "hex", "0xffffffff"),
        (-1, "int8", "bits", "0xff"),
        (-8, "int", "hex", "0xfffffffffffffff8"),
        (1 << 63, "uint64", "hex", "0x8000000000000000"),
        (True, "bool", "bits", "True"),
        (1.5, "float32", "hex", "0x1.8p+0"),
        (-2.0, "float32", "hex", "-0x1p+1"),
        (math.nan, "float32", "hex", "nan"),
        (1.5, "float32", "bits", "0x3fc00000"),
        (-math.inf, "float32", "bits", "0xff800000"),
        (math.nan, "float16", "bits", "0x7e00"),
        (1.5, "float64", "bits", "0x3ff8000000000000"),
        (1.5, "bfloat16", "bits", "0x3fc0"),
        (1.5, "float8_e4m3fn", "bits", "0x3c"),
        (448.0, "float8_e4m3fn", "bits", "0x7e"),
        (-(2.0**-9), "float8_e4m3fn", "bits", "0x81"),
        (math.nan, "float8_e4m3fn", "bits", "0x7f"),
        (0.0, "float8_e5m2", "bits", "0x00"),
        (-0.0, "float8_e5m2", "bits", "0x80"),
        (57344.0, "float8_e5m2", "bits", "0x7b"),
        (math.inf, "float8_e5m2", "bits", "0x7c"),
        ("float32 2 × 8, too large to send", "str", "bits", "float32 2 × 8, too large to send"),
    ],
)
def test_a_value_is_written_as_its_type_keeps_it(
    value: object, dtype: str, how: str, text: str
) -> None:
    assert formatted(value, dtype, how) == text
