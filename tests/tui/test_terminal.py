"""The real program in a real terminal: the path of an incident, a doubt and a what-if."""

import os
from importlib import resources
from pathlib import Path

from tests.tui.terminal import Terminal

DEMO = Path(str(resources.files("aoti_tui.demo")))
WRAPPER = str(DEMO / "jagged_reduce.wrapper.cpp")
KERNEL = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"


def test_six_steps_on_the_demo() -> None:
    with Terminal(["--demo"]) as user:
        user.see(
            f"{KERNEL} failed: 0 <= tmp10 < ks0 in 4 programs",
            "ks0 = s7 = arg4_1.size(0) = 0",
            "input 2 (arg4_1)",
            "AOTI_RUNTIME_CHECK_INPUTS=1",
            "✗ 777 46",
        )
        user.press("i")
        user.see("Input 2 is arg4_1, dimension 0 = 0", "1329", "auto arg4_1 = std::move")
        user.press("\x0f")
        user.see("777 46 ┃")
        user.press("\x1b[A" * 5)
        user.see("772 41 ┃")
        user.press("b")
        user.see("Breakpoint set: kernel line 41 (tmp6)", "● 772")
        user.press("c")
        user.see("Stopped at breakpoint line 41: tmp6", "tmp6 = where(tmp4=False, tmp2=-1")
        user.press("n")
        user.see("773 42 ┃")
        user.press("c")
        user.see(
            "fails in 1 lane of program 2: tmp10 = -1, ks0 = 0",
            KERNEL,
            "s7",
            "arg4_1",
            "✗-1‹",
        )
        user.press("q")
        assert user.wait() == 0


def test_a_log_pasted_anywhere_is_read() -> None:
    log = "\n".join((DEMO / "error.empty_weights.log").read_text().split("\n")[:40])
    with Terminal([WRAPPER]) as user:
        user.see("No failure is open")
        user.paste(log)
        user.see(f"{KERNEL} failed: 0 <= tmp10 < ks0", "the pasted log: 1 failure")
        user.paste("nothing of the kind")
        user.see("The failure shown stays: no Triton assert is in the log")
        user.see(f"{KERNEL} failed: 0 <= tmp10 < ks0")


def test_keys_typed_before_a_dialog_is_there_are_not_lost() -> None:
    with Terminal(["--demo"]) as user:
        user.see("failed: 0 <= tmp10 < ks0")
        user.press("/libdevice\r")
        user.see("“libdevice”: ")
        user.press("o/no/such/file\r")
        user.see("There is no file /no/such/file.")


def test_copying_inside_of_tmux_goes_through_tmux_too(tmp_path: Path) -> None:
    """By default tmux drops what an application copies by OSC 52."""
    tmux = tmp_path / "tmux"
    tmux.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\ncat > {tmp_path}/copied\n')
    tmux.chmod(0o755)
    environment = {"TMUX": "/tmp/tmux,1,0", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    with Terminal(["--demo"], environment=environment) as user:
        user.see("failed: 0 <= tmp10 < ks0")
        user.press("Y")
        user.see("Copied the chain")
        assert "s7 = arg4_1.size(0) = 0" in user.clipboard
        assert (tmp_path / "copied").read_text() == user.clipboard
        assert (tmp_path / "arguments").read_text() == "load-buffer -w -\n"


def test_incident_a_pasted_log_leads_to_the_input_and_the_chain_is_copied() -> None:
    log = "\n".join((DEMO / "error.empty_weights.log").read_text().split("\n")[:40])
    with Terminal([WRAPPER, "--inputs", str(DEMO / "inputs.empty_weights.pt")]) as user:
        user.see("No failure is open")
        user.press("p")
        user.see("Paste a log")
        user.paste(log)
        user.see("[2,0,0], thread: [7,0,0]")
        user.press("\x13")
        user.see(f"{KERNEL} failed: 0 <= tmp10 < ks0")
        user.press("i")
        user.see("Input 2 is arg4_1, dimension 0 = 0")
        user.press("Y")
        user.see("Copied the chain")
        assert "s7 = arg4_1.size(0) = 0" in user.clipboard
        user.press("q")
        assert user.wait() == 0


def test_doubt_back_from_the_assert_to_the_load_and_its_element() -> None:
    with Terminal(["--demo"], columns=160, rows=45) as user:
        user.see("0 <= tmp10 < ks0")
        user.press("c")
        user.see("fails in 1 lane of program 2")
        # tmp10 is tmp8 where negative; who made it, and so on down to the load.
        user.press("w")
        user.see("tmp10 = where(tmp9=True, tmp8=-1, tmp6=-1) → -1")
        user.press("w")
        user.see("tmp8 = (tmp6=-1) + (tmp7=0) → -1")
        user.press("w")
        user.see("tmp6 = where(tmp4=False, tmp2=-1, tmp5=-1) → -1")
        # Each time the operand that decided: where(tmp4=False, …) took tmp5.
        user.press("w")
        user.see("tmp5 = -1 + (ks0=0) → -1")
        user.press("w")
        user.see("tmp5 = -1 comes from ks0 = 0 (s7, input)")
        # And the other operand: the element of the buffer that this program loads, and the
        # kernel, program and lane that wrote it.
        user.press("\x1b[A" * 12)
        user.see("759 28 ┃")
        user.press("t")
        user.see("reads in_ptr0[2]", "→ 0")
        user.press("w")
        user.see("in_ptr0[2] is buf0[2] = 0, written once by lane [0, 2] of program 0")
        user.press("\x0f")
        user.see("Back at step")
        user.press("q")
        assert user.wait() == 0


def test_what_if_the_dimension_were_one() -> None:
    with Terminal(["--demo"], columns=160, rows=45) as user:
        user.see("0 <= tmp10 < ks0")
        user.press("=")
        user.see("What if a symbol had another value?", "arg4_1.size(0)")
        user.see("s7=")
        user.press("1")
        user.see("s7=1")
        user.press("\r")
        user.see("No assert fails in 4 programs", "s7 = 1 (set)")
        user.press("=")
        user.see("What if a symbol had another value?")
        user.see("s7=")
        user.press("0")
        user.see("s7=0")
        user.press("\r")
        user.see("tmp10 = -1, ks0 = 0")
        user.press("q")
        assert user.wait() == 0


def test_a_missing_wrapper_is_a_message_not_a_traceback(tmp_path: Path) -> None:
    with Terminal([str(tmp_path / "none.cpp")]) as user:
        assert user.wait() != 0
        assert "none.cpp" in user.text
        assert "Traceback" not in user.text
