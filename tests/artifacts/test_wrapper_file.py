"""Finding the wrapper in what a user has: folders, packages, caches of older torch."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.given import Given
from aoti_tui.artifacts.wrapper_file import open_wrapper
from tests.cases import DATA, DEMO

WRAPPER = DEMO / "jagged_reduce.wrapper.cpp"
OLD = DATA / "versions" / "2.6.0"


def test_a_folder_with_one_wrapper_is_opened(tmp_path: Path) -> None:
    inner = tmp_path / "data" / "aotinductor" / "model"
    inner.mkdir(parents=True)
    (inner / "cabc.wrapper.cpp").write_bytes(WRAPPER.read_bytes())
    (inner / "cdef.kernel.cpp").write_text("// nothing\n")
    found = open_wrapper(tmp_path)
    assert found.path == inner / "cabc.wrapper.cpp"
    assert found.text == WRAPPER.read_text()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_a_wrapper_that_an_editor_saved_otherwise_is_opened(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "c.wrapper.cpp"
    path.write_bytes(WRAPPER.read_text().encode(encoding))
    assert open_wrapper(path).text == WRAPPER.read_text()


def test_a_folder_with_several_offers_them(tmp_path: Path) -> None:
    for name in ("encoder", "decoder"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "c.wrapper.cpp").write_bytes(WRAPPER.read_bytes())
    with pytest.raises(ArtifactError) as raised:
        open_wrapper(tmp_path)
    assert "encoder/c.wrapper.cpp" in raised.value.why
    assert "decoder/c.wrapper.cpp" in raised.value.why
    assert open_wrapper(tmp_path, "decoder").path.parent.name == "decoder"
    with pytest.raises(ArtifactError, match="no model vocoder"):
        open_wrapper(tmp_path, "vocoder")


def test_a_package_is_read_in_place(tmp_path: Path) -> None:
    path = tmp_path / "model.pt2"
    with zipfile.ZipFile(path, "w") as package:
        package.write(WRAPPER, "m/data/aotinductor/model/cabc.wrapper.cpp")
        package.writestr("m/data/aotinductor/model/cabc.wrapper.so", b"\x7fELF")
    found = open_wrapper(path)
    assert found.text == WRAPPER.read_text()
    assert found.model == "model"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.pt2"], "nothing is unpacked"


def test_a_damaged_package_gets_a_message(tmp_path: Path) -> None:
    path = tmp_path / "model.pt2"
    with zipfile.ZipFile(path, "w") as package:
        package.write(WRAPPER, "m/data/aotinductor/model/cabc.wrapper.cpp")
    data = bytearray(path.read_bytes())
    data[200:260] = b"\xff" * 60
    path.write_bytes(bytes(data))
    with pytest.raises(ArtifactError, match="cannot be read as a package"):
        open_wrapper(path)


def old_wrapper(name: str) -> tuple[bytes, bytes]:
    return (
        gzip.decompress((OLD / f"{name}.wrapper.cpp.gz").read_bytes()),
        gzip.decompress((OLD / f"{name}.autotune.py.gz").read_bytes()),
    )


OLD_NAME = next(p.name.split(".")[0] for p in sorted(OLD.glob("*.autotune.py.gz")))


def test_a_wrapper_of_old_torch_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "cx").mkdir()
    (tmp_path / "cx" / "cxyz.cpp").write_bytes(old_wrapper(OLD_NAME)[0])
    (tmp_path / "cx" / "ckernel.cpp").write_text("int main() { return 0; }\n")
    assert open_wrapper(tmp_path).path.name == "cxyz.cpp"


def test_kernel_sources_beside_an_old_wrapper_are_found_unasked(tmp_path: Path) -> None:
    wrapper, block = old_wrapper(OLD_NAME)
    path = tmp_path / f"{OLD_NAME}.wrapper.cpp"
    path.write_bytes(wrapper)
    assert not any(k.has_source for k in open_incident(path).index.kernels.values())
    (tmp_path / f"{OLD_NAME}.autotune.py").write_bytes(block)
    assert all(k.has_source for k in open_incident(path).index.kernels.values())


def test_kernel_sources_can_be_named(tmp_path: Path) -> None:
    wrapper, block = old_wrapper(OLD_NAME)
    path = tmp_path / "model.wrapper.cpp"
    path.write_bytes(wrapper)
    cache = tmp_path / "cache" / "ab"
    cache.mkdir(parents=True)
    (cache / "cblock.py").write_bytes(block)
    index = open_incident(path, given=Given(kernels=tmp_path / "cache")).index
    assert all(k.has_source for k in index.kernels.values())
    with pytest.raises(ArtifactError, match="holds no kernel sources"):
        open_incident(path, given=Given(kernels=DEMO / "error.empty_weights.log"))
