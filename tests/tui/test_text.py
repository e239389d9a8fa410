"""Text of files is shown as it is: no markup, nothing that moves the cursor."""

import pytest

from aoti_tui.session.text import visible
from aoti_tui.tui.text import fit, fit_words, plain, shorten_middle


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("tmp0[None, :]", "tmp0[None, :]"),
        ("[red]x[/red]", "[red]x[/red]"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\tb", "a   b"),
        ("\tb", "    b"),
        ("bell\x07 del\x7f nul\x00", "bell␇ del␡ nul␀"),
        ("日本語 🚀", "日本語 🚀"),
        ("left\u202eright", "left⟨U+202E⟩right"),
        ("no\u00a0break", "no break"),
        ("line\rreturn", "line␍return"),
    ],
)
def test_visible(raw: str, shown: str) -> None:
    assert visible(raw) == shown


def test_plain_keeps_line_ends_and_brackets() -> None:
    assert plain("[b]one[/b]\n\x1btwo").plain == "[b]one[/b]\n␛two"
    assert plain("[b]one[/b]").spans == []


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abc", 5, "abc  "),
        ("abcdef", 4, "abc…"),
        ("日本語", 4, "日 …"),
        ("abc", 0, ""),
    ],
)
def test_fit(text: str, width: int, shown: str) -> None:
    assert fit(text, width) == shown


def test_shortened_kernel_names_keep_family_and_number() -> None:
    short = shorten_middle("triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1", 20)
    assert short == "triton_red…m_where_1"
    assert len(short) == 20


def test_details_are_cut_between_words() -> None:
    assert fit_words("input 0, tensor, 6 guards", 40) == "input 0, tensor, 6 guards"
    assert fit_words("input 0, tensor, 6 guards", 18) == "input 0, tensor…"
    assert fit_words("opt-in: runs under AOTI_RUNTIME_CHECK_INPUTS=1", 12) == "opt-in…"
    assert fit_words("opt-in: runs under AOTI_RUNTIME_CHECK_INPUTS=1", 4) == ""
    assert fit_words("triton_red_fused_cumsum_0:46", 14) == "triton_…m_0:46"
    assert fit_words("", 5) == ""
