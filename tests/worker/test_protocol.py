"""Starting, ending, and what is said when something is missing."""

from __future__ import annotations

import sys

import pytest

from .talking import MAIN, Talk, compiled


@pytest.fixture
def bare() -> Talk:
    """A worker under a Python that has no site-packages, hence no torch and no numpy."""
    return Talk([sys.executable, "-I", "-S", str(MAIN)])


def test_hello_names_versions_and_python(worker: Talk) -> None:
    hello = worker.ask("hello")
    assert hello["executable"] == sys.executable
    assert hello["torch"].startswith("2.")
    assert hello["triton"].startswith("3.")
    assert hello["problems"] == []


def test_hello_answers_where_torch_is_missing(bare: Talk) -> None:
    hello = bare.ask("hello")
    assert (hello["torch"], hello["triton"], hello["numpy"]) == (None, None, None)
    assert [text.split()[0] for text in hello["problems"]] == ["torch", "triton", "numpy"]
    assert f"{sys.executable} -m pip install 'torch>=2.6'" in hello["problems"][0]
    assert bare.close() == 0


def test_requests_say_what_to_install_where_torch_is_missing(bare: Talk) -> None:
    for request in ("warm", "reset"):
        error = bare.fail(request)
        assert error["kind"] == "unavailable"
        assert error["missing"] == "torch, triton, numpy"
        assert "-m pip install 'torch>=2.6'" in error["message"]
    assert bare.ask("hello")["torch"] is None
    bare.close()


def test_the_folder_beside_the_worker_cannot_be_imported(worker: Talk) -> None:
    text = """
    import aoti_tui
    @triton.jit
    def peek(in_ptr0):
        tmp0 = aoti_tui.worker
    """
    error = worker.fail(
        "kernel", key="peek", source=text.replace("\n    ", "\n"), function="peek", signature={}
    )
    assert error["kind"] == "refused"


def test_prints_do_not_break_the_stream(worker: Talk) -> None:
    compiled(
        worker,
        """
        @triton.jit
        def noisy(out_ptr0, XBLOCK : tl.constexpr):
            print("hello")
            tl.device_print("x", tl.arange(0, XBLOCK))
            tl.static_print("y")
            tl.store(out_ptr0 + tl.arange(0, XBLOCK), 7)
        """,
        "noisy",
        {"out_ptr0": "*i64"},
    )
    worker.ask("zeros", name="out", shape=[4], stride=None, dtype="int64")
    args = {"out_ptr0": {"tensor": "out"}}
    blocks = {"XBLOCK": 4}
    worker.ask("scan", kernel="noisy", args=args, blocks=blocks, grid=[1], write=True)
    assert worker.values("out").tolist() == [7, 7, 7, 7]


@pytest.mark.parametrize(
    ("request_name", "fields", "part"),
    [
        ("dance", {}, "no request dance"),
        ("describe", {"name": "nothing"}, "no tensor nothing"),
        ("scan", {"kernel": "nothing", "grid": [1]}, "no kernel nothing"),
        ("load", {}, "path"),
        ("zeros", {"name": "a", "shape": [-1], "stride": None, "dtype": "int64"}, "negative"),
        ("zeros", {"name": "a", "shape": [2], "stride": None, "dtype": "int63"}, "int63"),
        (
            "empty",
            {"name": "a", "shape": [1 << 50], "stride": None, "dtype": "float64"},
            "no memory",
        ),
    ],
)
def test_bad_requests_are_answered(
    worker: Talk, request_name: str, fields: dict[str, object], part: str
) -> None:
    error = worker.fail(request_name, **fields)
    assert error["kind"] == "bad-request"
    assert part in error["message"]
    assert worker.ask("hello")["problems"] == []


def test_what_is_no_frame_ends_the_worker_with_a_message() -> None:
    talk = Talk([sys.executable, "-I", "-S", str(MAIN)])
    assert talk.process.stdin is not None
    talk.process.stdin.write(b"\x00\x01 nonsense\n")
    talk.process.stdin.flush()
    reply = talk.event()
    assert (reply["event"], reply["kind"]) == ("error", "bad-request")
    assert talk.process.wait(timeout=30) == 2
    talk.process.stdin.close()


def test_a_parameter_without_value_is_named(worker: Talk) -> None:
    compiled(
        worker,
        """
        @triton.jit
        def needs(out_ptr0, ks0, XBLOCK : tl.constexpr):
            tl.store(out_ptr0 + ks0, 1.0)
        """,
        "needs",
        {"out_ptr0": "*fp32", "ks0": "i64"},
    )
    worker.ask("zeros", name="out", shape=[1], stride=None, dtype="float32")
    args = {"out_ptr0": {"tensor": "out"}}
    error = worker.fail("scan", kernel="needs", args=args, blocks={"XBLOCK": 1}, grid=[1])
    assert error["kind"] == "bad-request"
    assert "ks0" in error["message"]


def test_the_kernels_own_python_error_has_its_line(worker: Talk) -> None:
    text = compiled(
        worker,
        """
        @triton.jit
        def broken(out_ptr0, XBLOCK : tl.constexpr):
            tmp0 = tl.arange(0, XBLOCK)
            tmp1 = tmp0 + tl.arange(0, 8)
            tl.store(out_ptr0 + tmp0, tmp1)
        """,
        "broken",
        {"out_ptr0": "*i64"},
    )
    worker.ask("zeros", name="out", shape=[4], stride=None, dtype="int64")
    args = {"out_ptr0": {"tensor": "out"}}
    error = worker.fail("scan", kernel="broken", args=args, blocks={"XBLOCK": 4}, grid=[1])
    assert error["kind"] == "python"
    assert text.split("\n")[error["kernel_line"] - 1].strip().startswith("tmp1 =")
