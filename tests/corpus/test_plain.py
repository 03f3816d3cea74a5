"""Plain text: whole files, pieces of long ones, encodings."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from long_forms import LONG_ONLY

from porism.corpus.base import ReaderOptions, ignore_problem, ignore_progress
from porism.corpus.plain_text import MAX_LINE_LENGTH, PIECE, WHOLE_FILE, PlainReader
from porism.errors import Problem, SourceError
from porism.types import Document


def read(path: Path, problems: list[Problem] | None = None) -> list[Document]:
    report = ignore_problem if problems is None else problems.append
    return list(PlainReader().read(path, ReaderOptions(), report, ignore_progress))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "n.txt"


def test_a_short_file_is_one_document(file: Path) -> None:
    file.write_text("A title\n\nText $x^2$\nmore\n\n\nend\n", encoding="utf-8")
    (document,) = read(file)
    assert document.id == "n.txt"
    assert document.title.text == "A title"
    assert document.fields["body"].to_latex() == "A title\n\nText $x^2$\nmore\n\nend"
    assert document.metadata == {"source": "n.txt", "type": "text", "file": "n.txt", "line": "1"}


def test_a_long_file_is_cut_between_paragraphs(file: Path) -> None:
    paragraph = "a $b$ c\n" * 50
    file.write_text("\n".join([paragraph] * 40), encoding="utf-8")
    documents = read(file)
    assert [document.id for document in documents] == [f"n.txt#{number}" for number in range(1, len(documents) + 1)]
    assert sum(len(document.fields["body"].formulas) for document in documents) == 2_000
    assert all(PIECE < len(document.fields["body"].to_latex()) <= WHOLE_FILE + 500 for document in documents[:-1])
    lines = [int(document.metadata["line"]) for document in documents]
    assert lines[0] == 1
    assert lines == sorted(set(lines))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_encodings(encoding: str, file: Path) -> None:
    file.write_bytes("Möbius $\\mu$ transformation".encode(encoding))
    problems: list[Problem] = []
    assert read(file, problems)[0].fields["body"].to_latex() == "Möbius $\\mu$ transformation"
    assert problems == []


def test_other_bytes_are_read_as_latin_1_and_reported_once(file: Path) -> None:
    file.write_bytes(b"M\xf6bius\n\n\x93quoted\x94 caf\xe9 and \xc3\xa9")
    problems: list[Problem] = []
    assert read(file, problems)[0].fields["body"].text == "Möbius\n\n“quoted” café and é"
    assert [problem.what for problem in problems] == ["is not all UTF-8; other bytes are read as Latin-1"]


def test_a_named_encoding(file: Path) -> None:
    file.write_bytes("Эйлер".encode("cp1251"))
    (document,) = PlainReader().read(file, ReaderOptions(encoding="cp1251"), ignore_problem, ignore_progress)
    assert document.fields["body"].text == "Эйлер"


def test_binary_missing_and_empty_files(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"\x7fELF\0\0\0\1\2\3" * 10)
    problems: list[Problem] = []
    assert read(file, problems) == []
    assert problems[0].what == "is not text; it is left out"
    file.write_bytes(b"")
    with pytest.raises(SourceError, match="empty"):
        read(file)
    with pytest.raises(SourceError, match="no such"):
        read(tmp_path / "none.txt")
    file.write_bytes(b" \n\n \n")
    assert read(file) == []


@LONG_ONLY
def test_memory_does_not_grow_with_the_file(file: Path) -> None:
    def peak(size: int) -> int:
        file.write_bytes(b"some words and $x$ here\n\n" * size)
        tracemalloc.start()
        count = sum(1 for _ in PlainReader().read(file, ReaderOptions(), ignore_problem, ignore_progress))
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count > size // 200
        return used

    assert peak(20_000) < 2 * peak(2_000) + 100_000


def test_a_line_without_end_is_cut(file: Path) -> None:
    file.write_bytes(b"word " * (MAX_LINE_LENGTH // 2))
    documents = read(file)
    assert len(documents) >= 2
    assert sum(document.fields["body"].text.count("word") for document in documents) >= MAX_LINE_LENGTH // 2 - 5
