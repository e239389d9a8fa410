"""A bundle is one zip with a manifest; what is odd about it is said."""

from __future__ import annotations

import contextlib
import json
import zipfile
from pathlib import Path

import pytest

from aoti_tui.artifacts.bundle import is_bundle, open_bundle, write_bundle
from aoti_tui.artifacts.errors import ArtifactError


def test_what_was_written_is_read_back_and_goes_when_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "call.aoti"
    size = write_bundle(
        path, {"wrapper": "wrapper/w.cpp", "core": None}, {"wrapper/w.cpp": "// text"}
    )
    assert size == path.stat().st_size
    assert is_bundle(path)
    bundle = open_bundle(path)
    assert bundle.wrapper is not None
    assert bundle.wrapper.read_text() == "// text"
    assert bundle.core is None
    bundle.opened.close()
    assert not bundle.wrapper.exists()


def test_a_name_that_leads_out_of_the_folder_stays_in_it(tmp_path: Path) -> None:
    path = tmp_path / "evil.aoti"
    write_bundle(path, {"wrapper": "../../evil.cpp"}, {"../../evil.cpp": "//"})
    bundle = open_bundle(path)
    assert bundle.wrapper is not None
    assert bundle.wrapper.name == "evil.cpp"
    assert not (tmp_path.parent / "evil.cpp").exists()
    bundle.opened.close()


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ({"format": "aoti-tui bundle", "version": 99}, "is of version 99"),
        ({"format": "aoti-tui bundle", "version": 1, "wrapper": "none.cpp"}, "cannot be read"),
        ({"format": "aoti-tui bundle", "version": "x"}, "cannot be read"),
    ],
)
def test_a_bundle_that_cannot_be_used_says_why(
    tmp_path: Path, manifest: dict[str, object], said: str
) -> None:
    path = tmp_path / "call.aoti"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("manifest.json", json.dumps(manifest))
    with pytest.raises(ArtifactError, match=said):
        open_bundle(path)


def test_other_zips_are_none(tmp_path: Path) -> None:
    path = tmp_path / "model.pt2"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("data/x", "1")
    assert not is_bundle(path)
    path.write_bytes(b"PK\x03\x04 and nothing")
    assert not is_bundle(path)


def test_a_bundle_that_cannot_be_written_keeps_what_was_there(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="cannot be written"):
        write_bundle(tmp_path / "none" / "call.aoti", {}, {})


@pytest.mark.parametrize("what", ["wrapper", "log", "core", "inputs"])
def test_much_of_nothing_takes_no_room(tmp_path: Path, what: str) -> None:
    """A few kilobytes that unpack to a hundred times as much: they become a hole."""
    path, size = tmp_path / "bomb.aoti", 256 << 20
    big = tmp_path / "big"
    with big.open("wb") as file:
        file.truncate(size)
    write_bundle(path, {what: "big"}, {"big": big})
    assert path.stat().st_size < size >> 8
    bundle = open_bundle(path)
    unpacked = getattr(bundle, what)
    assert unpacked.stat().st_size == size
    assert unpacked.stat().st_blocks * 512 < 1 << 20
    bundle.opened.close()


def test_a_bundle_with_damage_inside_says_so(tmp_path: Path) -> None:
    path = tmp_path / "call.aoti"
    write_bundle(path, {"wrapper": "w.cpp"}, {"w.cpp": "// text " * 1000})
    data = path.read_bytes()
    for at in range(30, len(data), 7):
        path.write_bytes(data[:at] + b"\x8a\xff" + data[at + 2 :])
        if is_bundle(path):
            # It opens or says why not; nothing else.
            with contextlib.suppress(ArtifactError):
                open_bundle(path).opened.close()
