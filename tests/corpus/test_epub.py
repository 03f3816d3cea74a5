"""Books in EPUB: pages in the order of the book, its title, notes, and what is missing or broken."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest
from case_tables import every_case

from porism.corpus import detect_format, open_source
from porism.types import Document

CONTAINER = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>
<dc:title>Groups &amp; rings</dc:title><dc:creator>Ada</dc:creator><dc:creator>Emmy</dc:creator>
<dc:language>de</dc:language></metadata><manifest>
<item id="b" href="text/two%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="text/one.xhtml" media-type="application/xhtml+xml"/>
<item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/>
<item id="css" href="a.css" media-type="text/css"/></manifest>
<spine><itemref idref="a"/><itemref idref="gone"/><itemref idref="b"/><itemref idref="css"/></spine></package>"""
ONE = """<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Page</title></head>
<body><h1 id="first">First</h1><p>Let <math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math> be.</p>
<aside epub:type="footnote"><p>A note with $y$.</p></aside></body></html>"""
TWO = "<html><body><h1>Second</h1><div class='theorem' id='t'><p>Words.</p></div></body></html>"


def book(path: Path, **changed: str) -> Path:
    members = {
        "mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OPS/book.opf": PACKAGE,
        "OPS/text/one.xhtml": ONE, "OPS/text/two b.xhtml": TWO,
    }  # fmt: skip
    with ZipFile(path, "w") as archive:
        for name, text in {**members, **changed}.items():
            archive.writestr(name, text)
    return path


def read(path: Path) -> tuple[list[Document], list[str]]:
    problems: list[str] = []
    return list(open_source(path, "epub", on_problem=lambda problem: problems.append(str(problem)))), problems


def test_a_book_is_read_in_its_order(tmp_path: Path) -> None:
    documents, problems = read(book(tmp_path / "a.epub"))
    assert detect_format(tmp_path / "a.epub") == "epub"
    assert [document.id for document in documents] == ["a.epub#first", "a.epub#t"]
    first, theorem = documents
    assert first.fields["body"].text == "Let \ufffc be.\nA note with \ufffc."
    assert [formula.notation for formula in first.fields["body"].formulas] == ["mathml", "latex"]
    assert first.metadata == {
        "source": "a.epub", "file": "a.epub", "type": "section", "authors": ("Ada", "Emmy"), "language": "german",
        "section": ("Groups & rings", "First"),
    }  # fmt: skip
    assert theorem.metadata["section"] == ("Groups & rings", "Second")
    assert problems == ["a.epub: the page OPS/gone.xhtml is not there"]


@every_case(
    ("changed", "expected"),
    [
        ({"META-INF/container.xml": "<a"}, "damaged"), ({"META-INF/container.xml": "<a/>"}, "damaged"),
        ({"OPS/book.opf": "words"}, "damaged"),
    ],
)
def test_what_is_not_a_book_is_reported(changed: dict[str, str], expected: str, tmp_path: Path) -> None:
    documents, problems = read(book(tmp_path / "a.epub", **changed))
    assert documents == []
    assert expected in problems[0]
    (tmp_path / "b.epub").write_bytes(b"PK\x03\x04 broken")
    assert "damaged" in read(tmp_path / "b.epub")[1][0]


def test_only_so_much_of_a_book_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("porism.corpus.epub.reader.MAX_BOOK_CHARACTERS", len(ONE))
    documents, problems = read(book(tmp_path / "a.epub"))
    assert [document.fields["body"].formulas[0].source[-17:] for document in documents] == ["<mi>x</mi></math>"]
    assert "the rest is left out" in problems[-1]
