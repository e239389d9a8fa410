"""Colours, names and search of a source, made for what is looked at."""

from importlib import resources

import pytest

from aoti_tui.index.reader import read_wrapper
from aoti_tui.session.source.document import SourceDocument, matches


@pytest.fixture(scope="module")
def document() -> SourceDocument:
    path = resources.files("aoti_tui.demo").joinpath("jagged_reduce.wrapper.cpp")
    return SourceDocument.of_wrapper(read_wrapper(path.read_text(), str(path)))


def test_pieces_of_every_line_make_up_the_line(document: SourceDocument) -> None:
    for line in range(document.first, document.last + 1):
        assert "".join(piece for piece, _ in document.runs(line)) == document.text(line)


def test_a_kernel_is_coloured_as_python_inside_its_comment(document: SourceDocument) -> None:
    assert ("for", "keyword") in document.runs(761)
    assert ("640", "number") in document.runs(778)
    assert all(kind != "comment" for _, kind in document.runs(777))


def test_cpp_around_it_is_coloured_as_cpp(document: SourceDocument) -> None:
    assert ("auto", "keyword") in document.runs(1329)


def test_names_skip_keywords(document: SourceDocument) -> None:
    names = [at.name for at in document.names(1329)]
    assert names == ["arg4_1", "move", "inputs"]


def test_search_wraps_and_folds_case(document: SourceDocument) -> None:
    first = document.find("device_assert", 1, 1)
    assert first == 777
    assert document.find("device_assert", 777, -1) == 998
    assert document.find("XBLOCK", 1, 1) == document.find("xblock", 1, 1)
    assert document.find("Xblock", 1, 1) is None
    assert document.find("no such text", 1, 1) is None


def test_matches_gives_columns() -> None:
    assert matches("tmp1 + TMP1", "tmp1") == [(0, 4), (7, 11)]
    assert matches("tmp1 + TMP1", "TMP1") == [(7, 11)]
    assert matches("a[0]", "[0]") == [(1, 4)]


def test_colouring_touches_one_window_of_a_large_file() -> None:
    text = "\n".join(f"int value_{n} = {n};" for n in range(60_000))
    document = SourceDocument(tuple(text.split("\n")), path="big.cpp")
    document.runs(30_000)
    coloured = sum(len(lines) for lines in document._outer.values())
    assert 0 < coloured <= 100
