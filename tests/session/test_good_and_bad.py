"""The run of good inputs beside that of bad ones."""

from __future__ import annotations

from pathlib import Path

from aoti_tui.session.headless import Headless
from tests.session.test_language import failing


def test_where_good_and_bad_inputs_part(tmp_path: Path) -> None:
    session = Headless(failing("gather_dynamic", "idx_eq_size"))
    try:
        session.open()
        good = tmp_path / "good.pt"
        session.do("set arg1_1[3,1] = 10")
        session.do(f"save inputs {good}")
        session.do("inputs original")
        told = session.do(f"good {good}")
        values = told.values[0]
        assert "fails: index out of bounds: 0 <= tmp4 < ks1" in values["bad"]
        assert values["good"].endswith("run clean")
        assert values["symbols"] == []
        # The one element that differs is the first that a kernel loads.
        assert (values["first"]["name"], values["first"]["count"]) == ("tmp0", 1)
        assert (values["first"]["bad"], values["first"]["good"]) == (11, 10)
        assert session.do("c").text.startswith("The assert at kernel line 39 fails")
        assert not session.do("good /nowhere.pt").ok
    finally:
        session.close()
