"""Explanations across torch versions and variants, and logs that leave room for doubt."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.given import Given
from aoti_tui.failure.prose.text import explanation
from aoti_tui.failure.provenance.tree import walk
from tests.cases import DATA, DEMO
from tests.workers import shared_worker

VERSIONS = DATA / "versions"


def assert_line(path: str, line: int, message: str, program: str = "0,0,0", thread: int = 3) -> str:
    return (
        f"{path}:{line}: unknown: block: [{program}], thread: [{thread},0,0] "
        f"Assertion `{message}` failed.\n"
    )


def unpacked(tmp_path: Path, name: str) -> Path:
    """A kept wrapper of some torch version, with its autotune block beside it where kept."""
    path = tmp_path / f"{Path(name).name}.wrapper.cpp"
    path.write_bytes(gzip.decompress((VERSIONS / f"{name}.wrapper.cpp.gz").read_bytes()))
    block = VERSIONS / f"{name}.autotune.py.gz"
    if block.exists():
        (tmp_path / f"{Path(name).name}.autotune.py").write_bytes(
            gzip.decompress(block.read_bytes())
        )
    return path


KEPT = sorted(
    str(p.relative_to(VERSIONS)).removesuffix(".wrapper.cpp.gz")
    for p in VERSIONS.glob("*/*.wrapper.cpp.gz")
)


@pytest.mark.parametrize("name", KEPT)
def test_every_assert_of_every_version_is_explained(tmp_path: Path, name: str) -> None:
    incident = open_incident(unpacked(tmp_path, name), browse=True)
    for kernel in incident.index.kernels.values():
        for found in incident.kernel_program(kernel.name).asserts:
            if found.disabled:
                continue
            log = assert_line("/c/cabc.py", found.line, found.message)
            failures = incident.with_log(log, "log").failures
            assert kernel.name in {c.kernel for c in failures[0].candidates}
            assert failures[0].kernel_line == found.line
            failure = incident.explain_assert(kernel.name, found.line)
            assert failure is not None
            sources = (*failure.bound.sources, *failure.index.sources)
            assert failure.bound.sources
            assert failure.index.sources
            assert not any(s.kind == "unknown" for s in sources)


def test_model_lines_come_with_the_explanation(tmp_path: Path) -> None:
    name = next(n for n in KEPT if "profile" in n)
    incident = open_incident(unpacked(tmp_path, name))
    launch = next(la for la in incident.index.launches if "index" in la.kernel)
    found = incident.kernel_program(launch.kernel).asserts[0]
    failure = incident.explain_assert(launch.kernel, found.line)
    assert failure is not None
    text = explanation(failure, "w.cpp")
    frame = launch.model_frames[0]
    assert f"{frame.file}:{frame.line} in forward" in text


def demo() -> Incident:
    return open_incident(DEMO / "jagged_reduce.wrapper.cpp")


def test_text_alone_is_enough_when_the_path_is_useless() -> None:
    log = assert_line("unknown", 0, "index out of bounds: 0 <= tmp10 < ks0")
    failure = demo().with_log(log, "log").failures[0]
    assert (failure.kernel_line, failure.wrapper_line) == (46, 777)
    assert "text fits" in failure.candidates[0].reason


def test_a_wrong_line_is_said_and_text_decides() -> None:
    log = assert_line("/c/cabc.py", 12, "index out of bounds: 0 <= tmp10 < ks0")
    failure = demo().with_log(log, "log").failures[0]
    assert failure.kernel_line == 46
    assert "no assert with this text stands on kernel line 12" in failure.candidates[0].reason


def test_one_failure_for_one_assert_however_it_is_logged() -> None:
    message = "index out of bounds: 0 <= tmp10 < ks0"
    log = (
        assert_line("/c/cabc.py", 46, message, "1,0,0")
        + assert_line("unknown", 0, message, "2,0,0")
        + assert_line("<frozen runpy>", 198, message, "1,0,0")
    )
    failures = demo().with_log(log, "log").failures
    assert len(failures) == 1
    assert failures[0].programs == ((1, 0, 0), (2, 0, 0))
    assert failures[0].threads == 3


def test_two_asserts_are_two_failures_in_the_order_of_the_log() -> None:
    log = assert_line("/c/ca.py", 42, "index out of bounds: 0 <= tmp12 < ks1") + assert_line(
        "/c/cb.py", 46, "index out of bounds: 0 <= tmp10 < ks0"
    )
    failures = demo().with_log(log, "log").failures
    assert [f.kernel_line for f in failures] == [42, 46]


def test_threads_that_a_kernel_does_not_have_rank_it_last() -> None:
    log = (DATA / "llama_bf16" / "error.token_id_eq_vocab.log").read_text()
    incident = open_incident(DATA / "llama_bf16" / "model.pt2")
    first, second = incident.with_log(log, "log").failures[0].candidates
    warps = incident.index.kernels[first.kernel].num_warps
    assert warps is not None
    more = assert_line("/c/cabc.py", 40, "index out of bounds: 0 <= tmp4 < 1024", thread=32 * warps)
    ranked = incident.with_log(more, "log").failures[0].candidates
    if (incident.index.kernels[second.kernel].num_warps or 0) > warps:
        assert ranked[0].kernel == second.kernel
    assert any("and the log names thread" in c.reason for c in ranked)


@pytest.mark.parametrize(
    ("model", "bad", "launch", "source", "cause"),
    [
        ("reused", "second", 1038, 2, "index-equals-size"),
        ("cond_lookup", "false_branch", 1097, 1, "index-too-large"),
        ("experts", "sentinel", 919, 1, "index-too-negative"),
        ("view_offset", "overrun", 1022, 0, "index-too-large"),
    ],
)
def test_a_replay_finds_the_launch_and_the_input(
    model: str, bad: str, launch: int, source: int, cause: str
) -> None:
    """Logs of an H200, written by the stand-alone script, so only their text fits a kernel:
    the second of three launches of one kernel, a branch of a cond, a routing sentinel, and a
    buffer that two kernels fill through views."""
    folder = DATA / model
    constants = folder / "constants.pt"
    given = Given(
        inputs=folder / f"inputs.{bad}.pt", constants=constants if constants.exists() else None
    )
    log = (folder / f"error.{bad}.log").read_text()
    incident = open_incident(folder / "wrapper.cpp", log=log, given=given, client=shared_worker())
    try:
        failure = incident.judge(incident.failures[0]).failure
    finally:
        incident.close()
    assert (failure.cause.code, failure.cause.confirmed) == (cause, True)
    assert [(s.kind, s.position) for s in failure.index.sources] == [("input", source)]
    index_node = failure.index.tree
    arguments = {n.line for n in walk(index_node) if n.kind == "argument"}
    assert launch in arguments
