"""A GPU core dump says which kernel failed, where, with what; and nothing in it is trusted."""

from __future__ import annotations

import gzip
import lzma
import mmap
import random
import struct
from pathlib import Path

import numpy as np
import pytest
import zstandard

from aoti_tui.artifacts.core_dump.model import blocks_of
from aoti_tui.artifacts.core_dump.reading import DumpFile, open_dump
from aoti_tui.artifacts.core_dump.sections import HEADER, Kind, rows_of
from aoti_tui.artifacts.errors import ArtifactError
from tests.cases import DATA

CORES = DATA / "cores"
JAGGED = CORES / "jagged_reduce.cudacore.xz"
TAKE = CORES / "take.cudacore.xz"
MUTATIONS = 150


@pytest.fixture(scope="module")
def take(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dump of a kernel that reads an illegal address, unpacked."""
    plain = tmp_path_factory.mktemp("core") / "take.cudacore"
    plain.write_bytes(lzma.decompress(TAKE.read_bytes()))
    return plain


def test_it_names_the_kernel_its_grid_and_what_it_was_called_with() -> None:
    with open_dump(JAGGED) as opened:
        dump = opened.dump
    launch = dump.failing
    assert launch is not None
    assert launch.name == "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"
    assert (launch.grid, launch.block) == ((4, 1, 1), (256, 1, 1))
    # in_ptr0, in_ptr1 (an empty tensor: null), out_ptr1, ks0, xnumel, r0_numel, two of Triton's.
    assert [one.unsigned for one in launch.parameters][1:6] == [0, 0x7FDBFC800600, 0, 4, 640]
    assert [one.size for one in launch.parameters] == [8, 8, 8, 8, 4, 4, 8, 8]
    assert launch.messages == ("index out of bounds: 0 <= tmp10 < ks0",)
    assert dump.devices[0].name == "NVIDIA H200"
    assert dump.devices[0].architecture == "sm_90"
    assert dump.driver == "580.159"


def test_the_failed_blocks_are_those_of_the_log_with_the_line_of_the_assert() -> None:
    with open_dump(JAGGED) as opened:
        dump = opened.dump
    assert list(blocks_of(dump.failed)) == [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)]
    assert {one.kind for one in dump.failed} == {"assert"}
    places = {(one.at.file.rsplit("/")[-1], one.at.line) for one in dump.failed if one.at}
    assert places == {("cbsyzkdqskw6edexfmmoh4c6t5fsyurkmothj7bfrezcafg5enrr.py", 46)}


def test_an_illegal_address_has_its_line_although_no_assert_stands_there(take: Path) -> None:
    with open_dump(take) as opened:
        dump = opened.dump
    (failed,) = dump.failed
    assert failed.kind == "illegal address"
    assert failed.block == (0, 0, 0)
    assert [thread[0] for thread in failed.threads] == list(range(64, 96))
    assert failed.at is not None
    assert failed.at.line == 17


def test_the_tensors_of_the_launch_are_read_out_of_the_memory(take: Path) -> None:
    with open_dump(take) as opened:
        launch = opened.dump.failing
        assert launch is not None
        table, index = (one.unsigned for one in launch.parameters[:2])
        held = opened.memory(table, 64 * 4)
        indices = opened.memory(index, 500 * 4)
        assert held is not None
        assert indices is not None
        assert np.frombuffer(held, np.float32).tolist() == [float(n) for n in range(64)]
        assert np.flatnonzero(np.frombuffer(indices, np.int32)).tolist() == [77]
        assert opened.memory(opened.dump.memory[-1].end - 4, 8) is None


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gz", "zst"])
def test_a_compressed_dump_is_the_same_dump(take: Path, tmp_path: Path, pack: object) -> None:
    packed = tmp_path / "core.packed"
    packed.write_bytes(pack(take.read_bytes()))  # type: ignore[operator]
    with open_dump(packed) as opened:
        assert opened.dump.failed == _dump_of(take)


def _dump_of(path: Path) -> object:
    with open_dump(path) as opened:
        return opened.dump.failed


def test_a_dump_of_many_gigabytes_opens_at_once(take: Path, tmp_path: Path) -> None:
    """80 GB of one allocation, sparse: only tables are read, not memory."""
    data = bytearray(take.read_bytes())
    (at,) = struct.unpack_from("<Q", data, 40)
    (count,) = struct.unpack_from("<H", data, 60)
    headers = [at + number * HEADER.size for number in range(count)]
    last = [one for one in headers if HEADER.unpack_from(data, one)[1] == Kind.GLOBAL][-1]
    big, size = tmp_path / "big", 80 << 30
    struct.pack_into("<QQ", data, last + 24, len(data), size)
    with big.open("wb") as stream:
        stream.write(data)
        stream.truncate(len(data) + size)
    with open_dump(big) as opened:
        assert opened.dump.memory_bytes > size
        assert opened.dump.failed == _dump_of(take)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (bytes(9000), "it begins with zeros"),
        (b"index out of bounds" * 10, "is no GPU core dump"),
        (b"\x7fELF\x02\x01" + bytes(100), "is no GPU core dump"),
        (b"\xfd7zXZ\0 and no more", "cannot be unpacked"),
    ],
)
def test_what_is_no_dump_is_said_to_be_none(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "core"
    path.write_bytes(content)
    with pytest.raises(ArtifactError, match=said), open_dump(path):
        pass


def test_a_dump_that_is_cut_off_says_how_much_is_missing(take: Path, tmp_path: Path) -> None:
    short = tmp_path / "core"
    short.write_bytes(take.read_bytes()[:1_000_000])
    with pytest.raises(ArtifactError, match="cut off: it has 1,000,000 bytes"), open_dump(short):
        pass


def test_rows_of_an_older_driver_lack_their_last_fields() -> None:
    row = struct.pack("<QIII", 7, 3, 2, 1) + b"\0" * 4
    (found,) = rows_of(Kind.BLOCKS, row, 24)
    assert (found["grid"], found.triple("block")) == (7, (3, 2, 1))
    with pytest.raises(ValueError, match="a row of 3 bytes"):
        rows_of(Kind.BLOCKS, row, 3)


def test_damaged_tables_are_refused_or_said_and_never_break_the_reader(take: Path) -> None:
    source = take.read_bytes()
    mapped = mmap.mmap(-1, len(source))
    mapped[:] = source
    (table,) = struct.unpack_from("<Q", source, 40)
    tables = 14680064  # The end of the GPU's memory, where the tables begin.
    chance = random.Random(14)
    refused = damaged = 0
    for _ in range(MUTATIONS):
        edits = []
        for _ in range(chance.choice([1, 2, 8])):
            low = chance.choice([0, tables, table, table])
            at = chance.randrange(low, 64 if low == 0 else len(source) - 8)
            edits.append((at, mapped[at : at + 8]))
            mapped[at : at + 8] = chance.choice([bytes(8), b"\xff" * 8, chance.randbytes(8)])
        try:
            found = DumpFile(take, mapped, take)
            damaged += bool(found.dump.damage)
        except ArtifactError:
            refused += 1
        for at, old in reversed(edits):
            mapped[at : at + 8] = old
    assert refused
    assert damaged
