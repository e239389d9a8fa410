"""The size that a bound is made of, where another number stands before it."""

from __future__ import annotations

import pytest

from aoti_tui.cli.main import main
from tests.cases import DATA


def test_a_size_has_its_own_number_where_the_equations_end_at_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    case = DATA / "max_autotune_mm"
    log, given = str(case / "error.row_oob.log"), str(case / "inputs.row_oob.pt")
    main(["explain", str(case / "wrapper.cpp"), "--log", log, "--inputs", given, "--no-replay"])
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "= arg1_1.size(0)/4 = 8: the size of dimension 0 of input 0 (arg1_1), which is 32" in said
    )
