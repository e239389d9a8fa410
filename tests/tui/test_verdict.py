"""The first screen is a verdict: who is guilty, why, the fix, how sure, and what else fits."""

from __future__ import annotations

from pathlib import Path

import torch

from aoti_tui.artifacts.given import Given
from aoti_tui.artifacts.log_file import LogText
from aoti_tui.failure.prose.headline import broken_side
from aoti_tui.session.request import OpenRequest
from aoti_tui.tui.panes.chain import Chain
from aoti_tui.tui.panes.headline import Headline
from aoti_tui.tui.panes.source import SourceView
from tests.answer.test_bad_access import FAULT, unchecked
from tests.answer.wrappers import branch, call, indices, inputs, logged, wrapper
from tests.cases import DATA
from tests.cli.test_faults_of_compile import BLOCKING
from tests.failure.test_loading import BEGIN, CACHED, ERROR, LOADED
from tests.tui.driving import Driver, opened

SMALL = (80, 24)
A, B = "triton_poi_fused_index_0", "triton_poi_fused_index_1"


def case(model: str, bad: str, *, given: bool = True) -> OpenRequest:
    folder = DATA / model
    return OpenRequest(
        folder / "wrapper.cpp",
        log=folder / f"error.{bad}.log",
        given=Given(inputs=folder / f"inputs.{bad}.pt" if given else None),
        warm_up=False,
    )


def made(
    folder: Path, text: str, log: LogText | None, data: tuple[torch.Tensor, ...] | None = None
) -> OpenRequest:
    (folder / "model.wrapper.cpp").write_text(text)
    given = Given()
    if data is not None:
        torch.save(data, folder / "inputs.pt")
        given = Given(inputs=folder / "inputs.pt")
    return OpenRequest(folder / "model.wrapper.cpp", log_text=log, given=given, warm_up=False)


def verdict(user: Driver) -> list[str]:
    """The rows on top of the screen, each as one text from its label on."""
    rows = [row.strip() for row in user.rows()[: user.screen.query_one(Headline).size.height]]
    return [" ".join(row.split()) for row in rows]


def footer(user: Driver) -> str:
    return user.rows()[-1]


async def stopped(user: Driver) -> None:
    await user.press("c")
    await user.see("The assert at kernel line")
    await user.until(lambda: not user.busy(), "the end of the replay")


async def test_an_empty_dimension_is_named_with_its_fix() -> None:
    async with opened(size=SMALL) as user:
        rows = verdict(user)
        assert rows[0].startswith("✗ triton_red_fused_")
        assert rows[0].endswith("failed: 0 <= tmp10 < ks0 in 4 programs")
        assert rows[1] == "guilty input 2 (arg4_1), dimension 0 = 0"
        assert rows[2].startswith("why dimension 0 of input 2 (arg4_1) is 0, so no index is valid")
        assert "fix return early when input 2 is empty: inputs[2].size(0) > 0" in rows
        assert "sure confirmed by the inputs; nothing else fits; not replayed yet (c)" in rows


async def test_a_replay_is_told_with_the_program_that_it_is_of() -> None:
    async with opened(size=(100, 30)) as user:
        await stopped(user)
        await user.see("sure confirmed by a replay in program 2 (4 fail); nothing else fits")


async def test_without_inputs_nothing_is_called_guilty() -> None:
    async with opened(case("embedding_ln", "id_too_large", given=False), size=SMALL) as user:
        rows = verdict(user)
        assert "suspect the values of input 0 (arg5_1)" in rows
        assert "sure possible: no inputs are given (O reads them), not replayed" in rows
        assert any(row.startswith("or input 0 (arg5_1)") for row in rows)
        await user.see("data: MADE-UP")


async def test_an_index_that_is_computed_waits_for_a_replay() -> None:
    async with opened(case("jagged_index_copy", "lengths_overrun"), size=SMALL) as user:
        rows = verdict(user)
        assert "suspect the values of input 0 (arg0_1)" in rows
        assert "sure possible, not replayed yet: c replays it with the given inputs" in rows
        assert any(row.startswith("fix require int((inputs[0].cumsum(0) -") for row in rows)
        await stopped(user)
        lines = user.screen.query_one(Headline).lines
        assert any("in lane [" in line and "of program (" in line for line in lines)
        assert any(line.startswith("sure: confirmed by a replay in program ") for line in lines)


async def test_two_rivals_are_told_with_the_input_that_decides(tmp_path: Path) -> None:
    text = wrapper(branch(call(A, "arg0_1"), call(B, "arg0_1")), A, B)
    async with opened(made(tmp_path, text, logged(1)), size=SMALL) as user:
        rivals = next(row for row in verdict(user) if row.startswith("rivals"))
        assert rivals.startswith("rivals 2 kernels fit; decided by the value of input 2 (arg2_1)")
        await user.see("of `if (arg2_1_scalar)`, which is not known")


async def test_what_the_log_contradicts_is_said_before_anything_else(tmp_path: Path) -> None:
    text = wrapper(call(A, "arg0_1"), A)
    data = inputs(indices(0, 9))
    async with opened(made(tmp_path, text, logged(7), data), size=SMALL) as user:
        rows = verdict(user)
        assert rows[1].startswith("but contradicted: the log names block [7, 0, 0], this launch")
        assert "suspect input 0 (arg0_1), element [1] = 9" in rows
        assert not any("confirmed" in row for row in rows)


def test_a_condition_that_an_empty_input_meets_is_told_by_the_side_that_broke() -> None:
    both = "inputs[2].numel() == 0 or (-9 <= int(inputs[2].min()) and int(inputs[2].max()) < 9)"
    assert broken_side(both, down=True) == "-9 <= int(inputs[2].min())"
    assert broken_side(both, down=False) == "int(inputs[2].max()) < 9"
    assert broken_side("inputs[0].size(0) > 0", down=False) == "inputs[0].size(0) > 0"


async def test_compile_time_autotuning_is_the_first_thing_that_is_said(tmp_path: Path) -> None:
    log = "RuntimeError: Failed to run autotuning code block: boom\n" + logged(0)
    text = wrapper(call(A, "arg0_1"), A)
    async with opened(made(tmp_path, text, log), size=SMALL) as user:
        assert verdict(user)[1].startswith("but log line 1 speaks of autotuning: AOTInductor's own")
        failure = user.app.session.state.failure
        assert failure is not None
        assert failure.cause.code == "tuned-on-random-data"
        assert failure.fixes[0].title == "compile without autotuning on random data"
        assert not any("the index" in fix.text for fix in failure.fixes)


async def test_inputs_that_do_not_fail_are_a_contradiction_once_replayed(tmp_path: Path) -> None:
    text = wrapper(call(A, "arg0_1"), A)
    async with opened(made(tmp_path, text, logged(0), inputs(indices(0, 1))), size=SMALL) as user:
        await user.press("c")
        await user.until(lambda: user.app.session.state.outcome is not None, "the replay")
        await user.until(lambda: not user.busy(), "the judgement")
        rows = verdict(user)
        assert rows[1].startswith("but contradicted: the replay with the given inputs did not make")
        lines = user.screen.query_one(Headline).lines
        assert any(
            line.startswith("suspect: the failed run had other inputs than the given ones")
            for line in lines
        )
        assert any(line.startswith("next: save the arguments of the call") for line in lines)
        assert not any(line.startswith(("guilty", "fix")) for line in lines)


async def test_a_size_that_came_out_wrong_is_told_without_a_log(tmp_path: Path) -> None:
    folder = DATA / "max_autotune_mm"
    given = list(torch.load(folder / "inputs.row_oob.pt"))
    given[0] = torch.zeros((33, *given[0].shape[1:]), dtype=given[0].dtype)
    torch.save(tuple(given), tmp_path / "inputs.pt")
    request = OpenRequest(
        folder / "wrapper.cpp", given=Given(inputs=tmp_path / "inputs.pt"), warm_up=False
    )
    async with opened(request, size=SMALL) as user:
        rows = verdict(user)
        assert rows[0] == "✗ s65 came out wrong: 8 instead of 8.25"
        assert rows[1] == "guilty the size, with input 0 (arg1_1), dimension 0 = 33"
        await user.see("s65 = (1.0/4.0)*arg1_1_size_0 gave 8, exactly it is 8.25")


async def test_a_memory_fault_leads_to_the_key_that_finds_it(tmp_path: Path) -> None:
    request = made(tmp_path, unchecked("tmp0"), FAULT, inputs(indices(0, 1, 9)))
    async with opened(request, size=SMALL) as user:
        rows = verdict(user)
        assert rows[0] == "✗ the log reports a memory fault, and no assert"
        assert rows[1].startswith("next d replays the whole model up to its first access outside")
        assert footer(user).startswith(" d Bad access")
        await user.press("d")
        await user.see("sure confirmed by a replay in program 0; nothing else fits")
        await user.see("guilty input 0 (arg0_1) element [2] = 9 leads to element 9 of input 0")
        assert "! Fix" in footer(user)
        assert "[1 Source]" in user.text()


async def test_a_traceback_names_the_launch_of_a_memory_fault() -> None:
    code = DATA / "output_code" / "gnn" / "output_code.py"
    request = OpenRequest(code, log_text=BLOCKING, warm_up=False)
    async with opened(request, size=(160, 45)) as user:
        rows = verdict(user)
        assert rows[0].startswith("✗ a bad address and no assert; the traceback names triton_poi_")
        assert rows[0].endswith("_zeros_like_1 (:308)")
        assert "sure not replayed yet: which access and input did it is not known" in rows


async def test_code_that_could_not_be_loaded_is_no_failure_of_a_kernel(tmp_path: Path) -> None:
    """What to do about it is on the first screen."""
    log = BEGIN + CACHED + LOADED + ERROR + "\n"
    async with opened(made(tmp_path, unchecked("tmp0"), log), size=SMALL) as user:
        rows = verdict(user)
        assert rows[0] == "✗ no kernel failed: the generated code could not be loaded"
        assert rows[1].startswith("why TypeError: 'NoneType' object does not support")
        assert any("TORCHINDUCTOR_FORCE_DISABLE_CACHES=1" in row for row in rows)


async def test_the_fixes_are_one_key_or_one_word_away() -> None:
    async with opened(case("gather_half", "below_minus_n"), size=SMALL) as user:
        assert "! Fix" in footer(user)
        needed = "requires -inputs[0].size(0) <= int(inputs[2].min()) and "
        await user.press("exclamation_mark")
        await user.see("1. validate the index before the call", needed, "2. guard the lookup at")
        await user.press("escape", "colon")
        await user.type("fix")
        await user.press("enter")
        await user.see("1. validate the index before the call")


async def test_the_footer_keeps_its_keys_after_a_run() -> None:
    async with opened(size=SMALL) as user:
        await stopped(user)
        shown = footer(user)
        for key in ("i Input", "c Run", "! Fix", "n Step", "N Back", "] Lane", "= What if"):
            assert key in shown
        for key in ("/ Find", "? Help", "q Quit"):
            assert key in shown


async def test_a_stop_keeps_the_source_in_sight_and_the_focus_in_it() -> None:
    async with opened(size=SMALL) as user:
        await stopped(user)
        row = next(row for row in user.rows() if " 777 " in row)
        assert "((0 <= tmp10) & (tmp10 < ks0)) | ~(xmask)" in row
        assert "◂ ✗" in row
        await user.see("tmp10 int64", "program 2 of 4×1×1")
        assert user.screen.focused_pane() == "source"
        assert user.screen.query_one(SourceView).line == 777


async def test_a_value_never_covers_the_condition_of_an_assert() -> None:
    async with opened(size=(100, 30)) as user:
        await stopped(user)
        row = next(row for row in user.rows() if " 777 " in row)
        assert "‹((0 <= tmp10) & (tmp10 < ks0))" in row
        assert "◂" not in row.partition("┃│")[0]


async def test_provenance_opens_on_the_guilty_branch() -> None:
    async with opened(case("combo_kernels", "combo_oob")) as user:
        node = user.screen.query_one(Chain).node_at_cursor
        assert node is not None
        assert node.source is not None
        assert (node.source.kind, node.source.position) == ("input", 3)
        assert user.screen.query_one(Chain).roots[0].kind == "index"
    async with opened() as user:
        node = user.screen.query_one(Chain).node_at_cursor
        assert node is not None
        assert node.source is not None
        assert (node.source.kind, node.source.position, node.source.dim) == ("input_dim", 2, 0)
        assert user.screen.query_one(Chain).roots[0].kind == "bound"


async def test_jumping_back_from_an_input_takes_message_and_chain_along() -> None:
    async with opened(case("combo_kernels", "combo_oob")) as user:
        chain = user.screen.query_one(Chain)
        at, before = user.app.session.state.place.line, chain.node_at_cursor
        user.app.session.go_line(at, "ks0", remember=False)
        await user.press("i")
        await user.see("ks0 → Input 1 is arg1_1")
        assert chain.node_at_cursor != before
        await user.press("ctrl+o")
        await user.see(f"Back at line {at}.")
        assert chain.node_at_cursor == before


async def test_an_input_of_torch_compile_is_named_as_its_user_knows_it() -> None:
    folder = DATA / "output_code" / "gnn"
    for file, who in (
        ("users_inputs.bad_src.pt", "input 1 of the compiled function (arg"),
        ("inputs.bad_src.pt", "`call` argument 2 (arg"),
    ):
        request = OpenRequest(
            folder / "output_code.py",
            log=folder / "error.bad_src.log",
            given=Given(inputs=folder / file),
            warm_up=False,
        )
        async with opened(request, size=SMALL) as user:
            guilty = verdict(user)[1]
            assert guilty.startswith((f"guilty {who}", f"suspect {who}"))
            assert "element [0, " in guilty
