"""Files that are not what they seem: pipes, devices, bombs, damaged zips, endless numbers."""

from __future__ import annotations

import contextlib
import os
import zipfile
from pathlib import Path

import pytest

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.wrapper_file import open_wrapper
from aoti_tui.cli.main import main
from tests.replay.models import DEMO

WRAPPER = (DEMO / "jagged_reduce.wrapper.cpp").read_text()
MEMBER = "m/data/aotinductor/model/a.wrapper.cpp"


def said(path: Path) -> str:
    """Why a wrapper cannot be opened."""
    with pytest.raises(ArtifactError) as caught:
        open_wrapper(path)
    return caught.value.why


def package(path: Path, content: bytes, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as written:
        written.writestr(MEMBER, content)
    return path


def test_a_device(tmp_path: Path) -> None:
    assert "device" in said(Path("/dev/zero"))
    assert "device" in said(Path("/dev/null"))


def test_a_sparse_file(tmp_path: Path) -> None:
    path = tmp_path / "wrapper.cpp"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    assert "at most 512 MB" in said(path)


def test_a_package_that_unpacks_to_much_more(tmp_path: Path) -> None:
    path = package(tmp_path / "m.pt2", b" " * (64 << 20))
    assert "unpacks from" in said(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_package_with_damage_inside(tmp_path: Path, method: int) -> None:
    path = package(tmp_path / "m.pt2", WRAPPER.encode(), method)
    data = bytearray(path.read_bytes())
    middle = len(data) // 3
    data[middle : middle + 40] = bytes(range(40))
    path.write_bytes(data)
    assert said(path)


def test_a_package_with_damage_at_its_end(tmp_path: Path) -> None:
    path = package(tmp_path / "m.pt2", WRAPPER.encode())
    data = path.read_bytes()
    end = data.rindex(b"PK\x05\x06")
    for at in range(end + 4, len(data)):
        for value in (0, 9, 255):
            path.write_bytes(data[:at] + bytes([value]) + data[at + 1 :])
            # It opens or says why not; nothing else.
            with contextlib.suppress(ArtifactError):
                open_wrapper(path)


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.write(write, b"// a wrapper\n")
    os.close(write)
    assert open_wrapper(Path(f"/dev/fd/{read}")).text == "// a wrapper\n"
    os.close(read)


HUGE = "9" * 5000
DEEP = "(" * 20_000 + "1" + ")" * 20_000


CHECK = 'tl.device_assert(((0 <= tmp10) & (tmp10 < ks0)) | ~(xmask), "index'
PLACES = {
    "call_triton_red_fused_cumsum_0(arg2_1, buf0, 1L, s19,": "1L",
    "int64_t s19 = arg2_1_size[0];": "0",
    CHECK: "0",
}


@pytest.mark.parametrize("number", [HUGE, DEEP, f"-{HUGE}L", f"0x{'f' * 6000}", "~" * 20_000 + "1"])
@pytest.mark.parametrize("place", PLACES)
def test_numbers_and_nesting_without_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: str, place: str
) -> None:
    assert place in WRAPPER
    path = tmp_path / "wrapper.cpp"
    path.write_text(WRAPPER.replace(place, place.replace(PLACES[place], number, 1)))
    log = ["--log", str(DEMO / "error.empty_weights.log"), "--no-replay"]
    assert main(["index", str(path)]) in (0, 2)
    assert main(["explain", str(path), *log]) in (0, 2, 3)
    assert "itself broke" not in capsys.readouterr().err


def test_a_kernel_nested_without_end_is_not_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrapper.cpp"
    path.write_text(WRAPPER.replace(CHECK, CHECK.replace("0", "~" * 20_000 + "1", 1)))
    inputs = str(DEMO / "inputs.empty_weights.pt")
    assert main(["replay", str(path), "--inputs", inputs, "--all"]) in (0, 1, 2)
    printed = capsys.readouterr()
    assert "itself broke" not in printed.err
    assert "nested" in printed.out or "not Python" in printed.out


def test_a_log_with_numbers_without_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = (DEMO / "error.empty_weights.log").read_text()
    for old in ("block: [0", "thread: [0", ":0,", "(0,"):
        path = tmp_path / "error.log"
        path.write_text(log.replace(old, old[:-1] + HUGE))
        main(["explain", str(DEMO / "jagged_reduce.wrapper.cpp"), "--log", str(path)])
        assert "itself broke" not in capsys.readouterr().err
