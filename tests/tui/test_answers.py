"""What the screen says of bad data, of trials, and of questions that have no answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from aoti_tui.artifacts.given import Given
from aoti_tui.session.request import OpenRequest
from aoti_tui.tui.dialogs.symbols import SetSymbol
from aoti_tui.tui.panes.chain import Chain
from aoti_tui.tui.panes.headline import Headline
from aoti_tui.tui.panes.run import RunPane
from tests.cases import DATA
from tests.tui.driving import Driver, opened

CASES = {
    "combo_kernels": "combo_oob",
    "scatter_add_atomic": "idx_past_rows",
    "max_autotune_mm": "row_oob",
    "embedding_ln": "id_too_large",
    "gather_half": "below_minus_n",
}


def request(model: str) -> OpenRequest:
    folder, bad = DATA / model, CASES[model]
    return OpenRequest(
        folder / "wrapper.cpp",
        log=folder / f"error.{bad}.log",
        given=Given(inputs=folder / f"inputs.{bad}.pt"),
        warm_up=False,
    )


def headline(user: Driver) -> tuple[str, ...]:
    return user.screen.query_one(Headline).lines


async def test_the_headline_of_bad_data_names_element_table_and_size() -> None:
    async with opened(request("combo_kernels"), size=(100, 30)) as user:
        await user.see(
            "guilty input 3 (arg3_1), element [5] = 9",
            "it indexes dimension 0 of input 2 (arg2_1), size 9: valid -9..8",
            "9 is ks0 = s20 = arg1_1.size(0) = arg2_1.size(0)",
            "no guard checks the values of arg3_1",
        )


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 45)])
@pytest.mark.parametrize("model", CASES)
async def test_the_whole_verdict_is_on_the_first_screen(model: str, size: tuple[int, int]) -> None:
    async with opened(request(model), size=size) as user:
        shown = user.screen.query_one(Headline)
        assert shown.rows(size[0]) == shown.size.height <= 8
        await user.see("guilty input", "why it indexes", "int(inputs[")
        await user.see("sure confirmed by the inputs; nothing else fits; not replayed yet (c)")


async def test_the_whole_answer_is_read_with_a() -> None:
    async with opened(request("scatter_add_atomic")) as user:
        await user.press("A")
        await user.see(
            "arg1_1[6, 23] = 9 (element 167): valid 0..4; 1 bad element of 168",
            "confirmed: arg1_1 holds 9, but ks0 = 5 allows at most 4",
            "fix: validate the index before the call",
        )


async def test_a_computed_bound_is_told_with_its_own_value() -> None:
    async with opened(request("max_autotune_mm")) as user:
        await user.press("c")
        await user.see(
            "tmp4 = 44, bound 4*ks0 = 32",
            "assert 0 <= tmp4 < 4*ks0 with tmp4 = 44, 4*ks0 = 32, ks0 = 8",
        )
        await user.press("i")
        await user.see("tmp4 → Input 1 is arg2_1", "arg2_1[0] = 44: valid -32..31")


async def test_i_says_which_value_it_followed_and_falls_back_to_the_failure() -> None:
    async with opened(request("combo_kernels")) as user:
        await user.press("c")
        await user.see("The assert at kernel line 30 fails")
        await user.press("n", "i")
        await user.see("tmp6 → Input 2 is arg2_1")
        # A line of C++ without a name of the model on it: the question is the failure's.
        user.app.session.go_line(1)
        await user.press("i")
        await user.see("tmp4 → Input 3 is arg3_1", "arg3_1[5] = 9: valid -9..8")


async def try_symbol(user: Driver, text: str) -> None:
    await user.press("equals_sign")
    await user.until(lambda: isinstance(user.app.screen, SetSymbol), "the dialog")
    await user.type(text)
    await user.press("enter")
    await user.until(lambda: not isinstance(user.app.screen, SetSymbol), "the dialog gone")


async def test_a_trial_is_called_one_and_taken_back(
    own_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(own_folders)
    async with opened() as user:
        chain = user.screen.query_one(Chain).as_text()
        await user.press("c")
        await user.until(
            lambda: user.app.session.state.recording is not None and not user.busy(), "the replay"
        )
        before = headline(user)
        # The name stands there already; typing it again does no harm.
        await try_symbol(user, "s7=3")
        await user.see(
            "WHAT IF s7 = 3: no assert fails (was: fails in 4 programs) — = takes it back",
            "rests on MADE-UP data: arg4_1",
            "ks0 = s7 = arg4_1.size(0) = 3",
            "data: MADE-UP + set s7 = 3",
        )
        assert not any("confirmed" in line or "= 0" in line for line in headline(user))
        assert "s7 = arg4_1.size(0) = 3" in user.screen.query_one(Chain).as_text()
        await user.press("R")
        await user.see("WHAT IF s7 = 3: no assert fails")
        (written,) = own_folders.glob("aoti-report-*.md")
        text = written.read_text()
        assert text.startswith("# WHAT IF s7 = 3: no assert fails (was: fails in 4 programs)\n")
        assert "`0 <= tmp10 < ks0` holds" in text
        assert "ks0 = s7 = arg4_1.size(0) = 3" in text
        assert "Fixes" not in text
        await user.press("escape")
        # What was set stands in the field: without its value it is taken back.
        await user.press("equals_sign")
        await user.until(lambda: isinstance(user.app.screen, SetSymbol), "the dialog")
        await user.see("s7=3")
        await user.press("backspace", "enter")
        await user.until(lambda: headline(user) == before, "the real run")
        assert "s7 = arg4_1.size(0) = 0" in user.screen.query_one(Chain).as_text()
        assert chain.splitlines()[0] == user.screen.query_one(Chain).as_text().splitlines()[0]


async def test_enter_on_the_symbol_that_is_offered_changes_nothing() -> None:
    async with opened(request("combo_kernels")) as user:
        await user.press("c")
        await user.see("The assert at kernel line 30 fails")
        recording = user.app.session.state.recording
        await try_symbol(user, "")
        assert user.app.session.state.recording is recording
        assert not user.app.session.state.running
        # Deliberately typed, there is nothing to take back.
        await user.press("equals_sign")
        await user.until(lambda: isinstance(user.app.screen, SetSymbol), "the dialog")
        await user.type("s20=")
        await user.press("enter")
        await user.see("s20 is not set: there is no value to take back")


async def test_a_trial_that_fails_says_what_fails_then() -> None:
    async with opened(request("combo_kernels")) as user:
        await try_symbol(user, "s20=8")
        await user.see(
            "WHAT IF s20 = 8: 0 <= tmp4 < ks0 fails in 1 program (was: fails in 1 program)"
        )
        await user.see("8 is ks0 = s20 = arg1_1.size(0)")


async def test_a_question_without_an_answer_leaves_the_verdict() -> None:
    async with opened(request("combo_kernels")) as user:
        await user.press("c")
        await user.see("The assert at kernel line 30 fails")
        pane = user.screen.query_one(RunPane)
        assert pane.view is not None
        verdict = pane.words
        await user.press("W")
        await user.press(*["backspace"] * 20)
        await user.type("out_ptr0[9999]")
        await user.press("enter")
        await user.see("out_ptr0 has no element 9999")
        await user.see("index out of bounds: 0 <= tmp4 < ks0: tmp4 = 9, ks0 = 9")
        assert pane.words == verdict
