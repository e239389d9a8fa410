"""A script with a planted bug is run, and the bug is told with line, program and lane."""

from __future__ import annotations

from pathlib import Path

from tests.run.running import run, script

ADD = """
@triton.jit
def add_one(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i{mask})
    tl.store(o_ptr + i, x + 1, mask=i < n)

x = torch.arange(100.0)
o = torch.empty_like(x)
add_one[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, o, 100, BLOCK=32)
print(int(o.sum()))
"""


def test_a_right_script_runs_as_it_is(tmp_path: Path) -> None:
    script(tmp_path, ADD.format(mask=", mask=i < n"))
    ran = run(tmp_path, "main.py")
    assert (ran.code, ran.out) == (0, "5050\n")
    assert ran.err == ""
    assert ran.findings == []


def test_a_launch_is_told_with_its_call_site_and_arguments(tmp_path: Path) -> None:
    path = script(tmp_path, ADD.format(mask=", mask=i < n"))
    (launch,) = run(tmp_path, "main.py").report["launches"]
    assert (launch["kernel"], launch["file"], launch["call_line"]) == ("add_one", str(path), 13)
    assert launch["grid"] == [4, 1, 1]
    assert launch["mode"] == "many at once"
    x, o, n, block = launch["arguments"]
    assert (x["name"], x["dtype"], x["shape"], x["stride"]) == ("x_ptr", "float32", [100], [1])
    assert (o["device"], n["value"], block["value"]) == ("cpu", 100, 32)


def test_a_missing_mask_is_found_where_it_is_missing(tmp_path: Path) -> None:
    path = script(tmp_path, ADD.format(mask=""))
    ran = run(tmp_path, "main.py")
    assert ran.code == 4
    assert ran.out == "5050\n"
    (found,) = ran.findings
    assert (found["kind"], found["file"], found["line"]) == ("out-of-bounds", str(path), 8)
    assert (found["argument"], found["element"]) == ("x_ptr", 100)
    assert (found["program"], found["lane"], found["count"]) == ([3, 0, 0], [4], 28)
    assert f"{path}:8: reads x_ptr[100]" in ran.err


def test_an_assert_fires_in_python_and_in_triton(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        @triton.jit
        def positive(x_ptr, BLOCK: tl.constexpr):
            x = tl.load(x_ptr + tl.arange(0, BLOCK))
            assert x > 0, "not positive"
            tl.device_assert(x < 7, "too large")

        positive[(1,)](torch.arange(8.0), BLOCK=8)
        """,
    )
    ran = run(tmp_path, "main.py")
    told = [(found["line"], found["lane"], found["text"]) for found in ran.findings]
    assert told == [
        (8, [0], "assert failed: not positive"),
        (9, [7], "assert failed: too large"),
    ]


def test_a_bug_in_a_helper_of_another_file_is_told_in_that_file(tmp_path: Path) -> None:
    helper = script(
        tmp_path,
        """
        @triton.jit
        def fetch(x_ptr, i):
            return tl.load(x_ptr + i + 1)
        """,
        "helpers.py",
    )
    script(
        tmp_path,
        """
        import helpers

        @triton.jit
        def shift(x_ptr, o_ptr, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(o_ptr + i, helpers.fetch(x_ptr, i))

        x = torch.arange(8.0)
        shift[(1,)](x, torch.empty_like(x), BLOCK=8)
        """,
    )
    (found,) = run(tmp_path, "main.py").findings
    assert (found["file"], found["line"], found["lane"]) == (str(helper), 7, [7])


def test_the_exit_code_is_the_scripts_own(tmp_path: Path) -> None:
    script(tmp_path, "import sys\nprint(sys.argv)\nsys.exit(int(sys.argv[1]))\n")
    ran = run(tmp_path, "main.py", "7", "--check", "-m")
    assert (ran.code, ran.out) == (7, "['main.py', '7', '--check', '-m']\n")
    script(tmp_path, "raise SystemExit('leaving')\n", "text.py")
    ran = run(tmp_path, "text.py")
    assert (ran.code, ran.err) == (1, "leaving\n")


def test_a_traceback_has_no_frame_of_ours(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        """
        @triton.jit
        def wrong(x_ptr, BLOCK: tl.constexpr):
            x = tl.load(x_ptr + tl.arange(0, BLOCK))
            y = x + tl.arange(0, 2 * BLOCK)

        wrong[(1,)](torch.zeros(8), BLOCK=8)
        """,
    )
    ran = run(tmp_path, "main.py")
    assert ran.code == 1
    assert f'File "{path}", line 8, in wrong' in ran.err
    assert "worker" not in ran.err


def test_standard_input_and_a_module_are_the_scripts(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "other.py").write_text("WORD = 'relative'\n")
    (package / "__main__.py").write_text(
        "import sys\nfrom .other import WORD\nprint(WORD, input(), sys.argv[1:], __name__)\n"
    )
    ran = run(tmp_path, "-m", "package", "a", stdin="typed\n")
    assert (ran.code, ran.out) == (0, "relative typed ['a'] __main__\n")


def test_packages_see_no_interpreter(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        import os
        from triton.runtime.jit import JITFunction

        @triton.jit
        def kernel(x_ptr, n: tl.constexpr = 3):
            tl.static_assert(n == 3)
            tl.device_assert(tl.load(x_ptr) == tl.sum(tl.arange(0, 4), 0))

        print(len(kernel.cache_key))
        print("TRITON_INTERPRET" in os.environ, isinstance(kernel, JITFunction))
        print(kernel.fn.__name__, kernel.arg_names, kernel.params[1].is_constexpr)
        """,
    )
    ran = run(tmp_path, "main.py")
    assert ran.out == "64\nFalse True\nkernel ['x_ptr', 'n'] True\n"


def test_a_script_that_asks_for_tritons_interpreter_gets_our_engine(tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    head = 'import os\nos.environ["TRITON_INTERPRET"] = "1"\nimport torch, triton\n'
    path.write_text(head + "import triton.language as tl\n" + ADD.format(mask=""))
    ran = run(tmp_path, "main.py")
    assert ran.out == "5050\n"
    assert [found["kind"] for found in ran.findings] == ["out-of-bounds"]
