"""Damaged and hostile files of every kind: an answer or a message, in seconds and in little memory.

The suite tries a few of each, the same ones every time; ``make fuzz N=10000`` tries that many of
each kind, other ones with every run.
"""

from __future__ import annotations

import ast
import io
import json
import lzma
import os
import resource
import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest
import triton
import triton.language as tl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aoti_tui.artifacts.bundle import write_bundle
from aoti_tui.cli.main import main
from aoti_tui.session.kept import config
from aoti_tui.worker.source.lint import ABSENT, lint
from tests.cases import DATA
from tests.fuzz.mutating import mutated, mutated_zip
from tests.worker.talking import HEADER, Talk

CASES = int(os.environ.get("FUZZ_N", "0"))
BY_HAND = CASES > 0
FEW = 25
SECONDS = 10.0
MEMORY = 1 << 30

SMALL = DATA / "bucketize_small_table"
WRAPPER = SMALL / "wrapper.cpp"
LOG = SMALL / "error.table_one_short.log"
INPUTS = SMALL / "inputs.table_one_short.pt"
CODE = DATA / "output_code" / "bucketize" / "output_code.0_inference.py"
CODE_LOG = DATA / "output_code" / "bucketize" / "error.table_one_short.log"


def _trace() -> bytes:
    """A log of TORCH_TRACE that holds the code of a graph."""
    head = "V0301 10:00:00.000000 7 torch/_logging/structured.py:28] "
    said = {"inductor_output_code": {"filename": "/tmp/torchinductor/ab/cab.py"}, "frame_id": 0}
    text = CODE.read_text()
    lines = [head + json.dumps({**said, "frame_compile_id": 0, "has_payload": "1"})]
    return "\n".join([*lines, *("\t" + line for line in text.split("\n")), ""]).encode()


def _bundle() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "call.aoti")
        manifest = {"wrapper": "w/wrapper.cpp", "log": "log.txt", "core": None}
        write_bundle(path, manifest, {"w/wrapper.cpp": WRAPPER.read_text(), "log.txt": LOG})
        return path.read_bytes()


def _package() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as package:
        package.writestr("m/data/aotinductor/model/a.wrapper.cpp", WRAPPER.read_bytes())
        package.writestr("m/version", "3")
    return target.getvalue()


@dataclass(frozen=True)
class Kind:
    """A kind of file: what a mutation starts from, what it is called, what is asked of it."""

    seed: Callable[[], bytes]
    name: str
    arguments: tuple[str, ...]
    is_zip: bool = False


NO_REPLAY = "--no-replay"
KINDS = {
    "wrapper": Kind(WRAPPER.read_bytes, "w.wrapper.cpp", ("explain", "FILE", "--log", str(LOG))),
    "output_code": Kind(
        CODE.read_bytes, "output_code.py", ("explain", "FILE", "--log", str(CODE_LOG), NO_REPLAY)
    ),
    "index of a wrapper": Kind(WRAPPER.read_bytes, "w.wrapper.cpp", ("index", "FILE", "--json")),
    "index of output_code": Kind(CODE.read_bytes, "output_code.py", ("index", "FILE", "--json")),
    "log": Kind(LOG.read_bytes, "error.log", ("explain", str(WRAPPER), "--log", "FILE", "--json")),
    "inputs": Kind(
        INPUTS.read_bytes,
        "inputs.pt",
        ("explain", str(WRAPPER), "--log", str(LOG), "--inputs", "FILE", NO_REPLAY),
        is_zip=True,
    ),
    "core dump": Kind(
        lambda: lzma.decompress((DATA / "cores" / "take.cudacore.xz").read_bytes()),
        "take.cudacore",
        ("core", "FILE", "--info"),
    ),
    "packed core dump": Kind(
        (DATA / "cores" / "take.cudacore.xz").read_bytes, "c.xz", ("core", "FILE", "--json")
    ),
    "bundle": Kind(_bundle, "call.aoti", ("explain", "FILE", NO_REPLAY), is_zip=True),
    "package": Kind(_package, "model.pt2", ("index", "FILE"), is_zip=True),
    "kernel file": Kind(
        CODE.read_bytes, "kernel.py", ("index", str(WRAPPER), "--kernels", "FILE", "--json")
    ),
    "trace": Kind(_trace, "dedicated_log_torch_trace.log", ("explain", "FILE", NO_REPLAY)),
}

# A few, the same in every run of the suite; by hand as many as are asked for, and new ones.
ONCE = settings(
    max_examples=CASES or FEW,
    derandomize=not BY_HAND,
    deadline=None,
    database=None,
    print_blob=BY_HAND,
    suppress_health_check=list(HealthCheck),
)


def fine(arguments: list[str]) -> None:
    """What must hold of every file."""
    out, err = io.StringIO(), io.StringIO()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.monotonic()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    taken = time.monotonic() - start
    said = err.getvalue()
    assert code in (0, 2, 3), said
    assert "itself broke" not in said, said
    assert "Traceback" not in said, said
    assert out.getvalue().strip() or said.strip()
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(out.getvalue() + said)
    assert taken < SECONDS, f"it took {taken:.1f} s"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < MEMORY, f"it took {grown >> 20} MiB"
    assert "confirmed by a replay" not in out.getvalue()


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_was_changed(kind: str, tmp_path: Path) -> None:
    what = KINDS[kind]
    seed = what.seed()
    path = tmp_path / what.name
    arguments = [str(path) if one == "FILE" else one for one in what.arguments]

    @ONCE
    @given(mutated_zip(seed) if what.is_zip else mutated(seed))
    def try_one(data: bytes) -> None:
        path.write_bytes(data)
        fine(arguments)

    try_one()


STATE = {
    "hint_seen": True,
    "breakpoints": {"/m.cpp": [{"kernel": "k", "kernel_line": 7, "condition": "tmp1 < 0"}]},
    "watches": {"/m.cpp": ["tmp1", "tmp2 + 1"]},
}
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@ONCE
@given(
    mutated(json.dumps(STATE).encode())
    | st.dictionaries(st.sampled_from([*STATE, "theme", "keys", "layout"]), ANY).map(
        lambda one: json.dumps(one).encode()
    )
)
def test_a_state_that_was_changed(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", folder)
        patch.setenv("XDG_STATE_HOME", f"{folder}/state")
        for path in (config.state_file(), config.config_file()):
            path.parent.mkdir(parents=True)
            path.write_bytes(data)
        loaded = config.load(frozenset({"step"}))
        loaded.watches["/other.cpp"] = ["tmp9"]
        assert config.save_memory(loaded) == ""
        assert config.load(frozenset({"step"})).watches["/other.cpp"] == ["tmp9"]


KERNEL = """
@triton.jit
def k(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    for r in range(0, 4, 1):
        tmp0 = tl.load(in_ptr0 + (xindex + r), xmask, eviction_policy='evict_last')
    tmp1 = libdevice.exp(tmp0.to(tl.float32)) if XBLOCK > 2 else tl_math.abs(tmp0)
    tl.device_assert((0 <= tmp0) | ~xmask, "index out of bounds")
    tl.store(out_ptr0 + (xindex), tmp1, xmask)
"""


def test_a_kernel_that_was_changed() -> None:
    """The worker answers, whatever its source has become, and goes on to the next."""
    worker = Talk()
    worker.ask("warm")

    @ONCE
    @given(mutated((HEADER + KERNEL).encode()))
    def try_one(data: bytes) -> None:
        source = data.decode("utf-8", "replace")
        start = time.monotonic()
        worker.send("kernel", key="k", source=source, function="k", signature={})
        reply = worker.answer()
        if reply["event"] == "error":
            assert reply["kind"] in ("refused", "unsupported", "python"), dict(reply)
        assert time.monotonic() - start < SECONDS

    try_one()
    assert worker.close() == 0


@ONCE
@given(mutated((HEADER + KERNEL).encode()))
def test_the_source_of_a_script_that_was_changed(data: bytes) -> None:
    """What a script's kernels are warned of before they run."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    names = {"tl": tl, "triton": triton}
    start = time.monotonic()
    for definition in tree.body:
        if isinstance(definition, ast.FunctionDef):
            lint(definition, "k.py", lambda name: names.get(name, ABSENT))
    assert time.monotonic() - start < SECONDS
