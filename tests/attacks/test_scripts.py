"""`--script`: what a wrapper says stays text, also in the script that is written of it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from aoti_tui.cli.main import main
from aoti_tui.index.reader import read_wrapper
from aoti_tui.replay.questions.script import _as_checked, _functions, _imports
from tests.replay.models import DEMO

WRAPPER = (DEMO / "jagged_reduce.wrapper.cpp").read_text()
KERNEL = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"
HEAD = f"def {KERNEL}(in_ptr0, in_ptr1,"


@pytest.mark.parametrize(
    "head",
    [
        f"def {KERNEL}(in_ptr0: open({{target}}, 'w'), in_ptr1,",
        f"def {KERNEL}(in_ptr0, in_ptr1: __import__('os').system('touch ' + {{target}}),",
    ],
)
@pytest.mark.parametrize("name", ["wrapper.cpp", 'a"""+open(__file__+"x","w").name+""".cpp'])
def test_nothing_but_the_kernel_runs(tmp_path: Path, head: str, name: str) -> None:
    target = tmp_path / "pwned"
    assert HEAD in WRAPPER
    wrapper = tmp_path / name
    wrapper.write_text(WRAPPER.replace(HEAD, head.format(target=repr(str(target)))))
    script = tmp_path / "repro.py"
    arguments = ["replay", str(wrapper), "--inputs", str(DEMO / "inputs.empty_weights.pt")]
    main([*arguments, "--kernel", KERNEL, "--script", str(script)])
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert "lanes fail" in done.stdout, done.stderr
    assert not target.exists()
    assert not (tmp_path / "repro.pyx").exists()


@pytest.mark.parametrize(
    "source",
    [
        "@triton.jit\ndef k(x) -> open('a', 'w'):\n    pass\n",
        "@triton.jit\ndef k(x):\n    y: open('a', 'w') = 1\n    z: open('a', 'w')\n",
        "A = 1; B: open('a', 'w') = 2\n@triton.jit\ndef k(x):\n    pass\n",
        "import os\n@triton.jit\ndef k(x: os.system('true')):\n    pass\n",
        "from os import open\n@triton.jit\ndef k(x: open('a')):\n    pass\n",
        "'''\r\r\nopen('a', 'w')\n'''\n@triton.jit\ndef k(x):\n    pass\n",
        "@open('a', 'w').write\n@triton.jit\ndef k(x):\n    pass\n",
    ],
)
def test_annotations_decorators_and_lines_beside_are_left_out(source: str) -> None:
    text = _imports(source) + _functions(source)
    assert "open" not in text
    assert "os" not in text
    assert "def k(x):" in text


def test_a_kernel_as_compilers_write_it_stays_as_it_is() -> None:
    for kernel in read_wrapper(WRAPPER, "wrapper.cpp").kernels.values():
        for node in ast.parse(kernel.source).body:
            if isinstance(node, ast.FunctionDef):
                lines = kernel.source.split("\n")[node.lineno - 1 : node.end_lineno]
                assert _as_checked(node, "\n".join(lines)) == "\n".join(lines)
