"""Generated code that could not be loaded is no kernel that failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from aoti_tui.cli.main import main
from aoti_tui.failure.log.asserts import read_log
from tests.cases import DATA

FILE = "/tmp/cache/kl/ckl4dxgdnuyslyqgy347ltklaayk2thu2kop73jmzeej5jvvr6ho.py"
TORCH = "/opt/torch/lib/python3.12/site-packages/torch"
ERROR = "TypeError: 'NoneType' object does not support the context manager protocol"
CACHED = f"""  File "{TORCH}/_inductor/codecache.py", line 1324, in cache_hit_post_compile
    artifact_path = graph.after_deserialization(constants)
"""
LOADED = f"""  File "{FILE}", line 203, in <module>
    multi_kernel_0 = async_compile.multi_kernel('multi_kernel_0', [
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "{TORCH}/_inductor/async_compile.py", line 505, in multi_kernel
    return MultiKernelCall(*args, **kwargs)
"""
WRAPPED = "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\n"
BEGIN = "Traceback (most recent call last):\n"
CALLED = f"""  File "{FILE}", line 305, in call
    triton_poi_fused_0.run(arg0_1, buf0, 4, stream=stream0)
"""


@pytest.mark.parametrize("prefix", ["", "[rank0]: "])
@pytest.mark.parametrize("wrapped", ["", WRAPPED])
@pytest.mark.parametrize("error", [ERROR, "AssertionError", "triton.errors.OutOfResources: shared"])
def test_the_error_and_the_line_that_was_loaded(prefix: str, wrapped: str, error: str) -> None:
    lines = (BEGIN + LOADED + wrapped + error + "\n\nSet TORCHDYNAMO_VERBOSE=1\n").splitlines()
    found = read_log("\n".join(prefix + line for line in lines)).loading
    assert found is not None
    assert (found.path, found.line, found.error) == (FILE, 203, error)
    assert found.code == "multi_kernel_0 = async_compile.multi_kernel('multi_kernel_0', ["


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(BEGIN + LOADED + CALLED + ERROR, id="run as a script"),
        pytest.param(BEGIN + CALLED + ERROR, id="called"),
        pytest.param(BEGIN + LOADED + "KeyboardInterrupt\nINFO: bye\nOther: thing", id="stopped"),
        pytest.param(
            BEGIN + LOADED + "RuntimeError: CUDA error: device-side assert triggered",
            id="a kernel before",
        ),
    ],
)
def test_what_is_no_loading_error(log: str) -> None:
    assert read_log(log).loading is None


@pytest.mark.parametrize("cached", [True, False])
def test_a_user_reads_that_no_kernel_failed_and_what_to_do(
    cached: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "error.log"
    log.write_text(BEGIN + (CACHED if cached else "") + LOADED + WRAPPED + ERROR + "\n")
    wrapper = DATA / "output_code" / "multi_kernel" / "output_code.py"
    main(["explain", str(wrapper), "--log", str(log)])
    said = " ".join(capsys.readouterr().out.split())
    assert "no kernel failed: the generated code could not be loaded" in said
    assert "line 203 at `multi_kernel_0 = async_compile.multi_kernel(" in said
    assert "TORCHINDUCTOR_CACHE_DIR" in said
    assert ("came out of the compiler's cache" in said) == cached
    assert "no Triton assert is in the log" not in said


def test_a_log_alone_whose_code_is_not_at_hand_says_it_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "error.log"
    log.write_text(BEGIN + LOADED + ERROR + "\n")
    assert main(["explain", str(log)]) != 0
    assert "a loading error, no kernel failure" in " ".join(capsys.readouterr().err.split())
