"""Flashcards of Anki: both forms of collections, exports as text, and what is broken."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
import zstandard
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus.notes.anki import AnkiTextReader
from porism.corpus.opening import open_source
from porism.corpus.registry import detect_format
from porism.errors import Problem
from porism.types import Document

_NOTES = """
CREATE TABLE notes (id INTEGER PRIMARY KEY, guid TEXT, mid INTEGER, tags TEXT, flds TEXT);
CREATE TABLE cards (id INTEGER PRIMARY KEY, nid INTEGER, did INTEGER, ord INTEGER);
INSERT INTO cards VALUES (1, 10, 5, 0), (2, 11, 5, 0), (3, 11, 1, 1);
"""
_OLD = "CREATE TABLE col (models TEXT, decks TEXT);"
_NEW = """
CREATE TABLE notetypes (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE fields (ntid INTEGER, ord INTEGER, name TEXT);
CREATE TABLE decks (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO notetypes VALUES (1, 'Basic'), (2, 'Cloze');
INSERT INTO fields VALUES (1, 1, 'Back'), (1, 0, 'Front'), (2, 0, 'Text'), (2, 1, 'Extra'), (2, 2, 'Source');
INSERT INTO decks VALUES (1, 'Default'), (5, 'Maths' || char(31) || 'Groups');
"""
_FIELDS = {"1": {"flds": [{"name": "Front"}, {"name": "Back"}]},
           "2": {"flds": [{"name": "Text"}, {"name": "Extra"}, {"name": "Source"}]}}
_DECKS = {"1": {"name": "Default"}, "5": {"name": "Maths::Groups"}}
NOTES = [
    (10, "a", 1, " group lagrange ", "Order of \\(H \\le G\\)?\x1f<div>It <b>divides</b> [$]|G|[/$]:<br>"
     "<anki-mathjax block=\"true\">|G| = [G:H] |H|</anki-mathjax></div>[sound:a.mp3]"),
    (11, "b", 2, "", "{{c1::Every {{c2::subgroup}}::which}} of "
     "[latex]$\\mathbb{Z}$[/latex] is \\({{c3::n\\mathbb{Z} }}\\)"
     "\x1f[$$]n &gt; 0[/$$]\x1fLang"),
    (12, "c", 9, "", "\x1f"),
]


def database(path: Path, *, new: bool) -> bytes:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_NOTES + (_NEW if new else _OLD))
        if not new:
            connection.execute("INSERT INTO col VALUES (?, ?)", (json.dumps(_FIELDS), json.dumps(_DECKS)))
        connection.executemany("INSERT INTO notes VALUES (?, ?, ?, ?, ?)", NOTES)
        connection.commit()
    return path.read_bytes()


def package(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
    return path


def read(path: Path) -> tuple[list[Document], list[Problem]]:
    problems: list[Problem] = []
    return list(open_source(path, on_problem=problems.append)), problems


@every_case("new", [False, True])
def test_a_note_is_a_document(tmp_path: Path, new: bool) -> None:
    data = database(tmp_path / "x.db", new=new)
    members = {"collection.anki2": b"stub", "media": b"{}"}
    members |= {"collection.anki21b": zstandard.compress(data)} if new else {"collection.anki21": data}
    path = package(tmp_path / "deck.apkg", members)
    assert detect_format(path) == "anki"
    (basic, cloze), problems = read(path)
    assert problems == []
    assert basic.title.to_latex() == r"Order of $H \le G$?"
    assert basic.fields["body"].to_latex() == "It divides $|G|$:\n$$|G| = [G:H] |H|$$"
    assert basic.metadata == {
        "source": "deck.apkg", "file": "deck.apkg", "type": "flashcard", "tags": ("group", "lagrange"),
        "deck": ("Maths", "Maths::Groups"),
    }
    assert basic.id == "deck.apkg#10"
    assert cloze.title.to_latex() == r"Every subgroup of $\mathbb{Z}$ is $n\mathbb{Z}$"
    assert cloze.fields["body"].to_latex() == "Extra: $$n > 0$$\n\nSource: Lang"


@every_case(("data", "problem"), [
    (b"PK\x03\x04 nothing", "not a zip file"), (b"", "empty"), ({}, "no collection"),
    ({"collection.anki2": b"SQLite format 3\0"}, "database cannot be read"),
    ({"collection.anki21b": b"no zstd"}, "not a package"),
    ({"collection.anki21b": zstandard.compress(bytes(300 << 20))}, "unpacks to more"),
])  # fmt: skip
def test_what_is_no_package_is_reported(tmp_path: Path, data: bytes | dict[str, bytes], problem: str) -> None:
    path = tmp_path / "a" / "x.colpkg"
    path.parent.mkdir()
    (path.parent / "b.md").write_text("words", encoding="utf-8")
    if isinstance(data, bytes):
        path.write_bytes(data)
    else:
        package(path, data)
    documents, problems = read(path.parent)
    assert [document.id for document in documents] == ["a/b.md"]
    assert [place.where for place in problems] == ["x.colpkg"]
    assert problem in problems[0].what


TEXT = """#separator:tab
#html:true
#guid column:1
#deck column:2
#tags column:5
#columns:GUID\tDeck\tFront\tBack\tTags
g1\tA::B\t"What is \\(x\\)?\nReally?"\t[$]y[/$]\tt1 t2
\t\tOnly this\t
"""


def test_exports_as_text(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(TEXT, encoding="utf-8")
    assert detect_format(tmp_path / "notes.txt") == "anki-text"
    (first, second), problems = read(tmp_path / "notes.txt")
    assert problems == []
    assert (first.id, first.title.to_latex(), first.fields["body"].to_latex()) == (
        "notes.txt#g1", "What is $x$? Really?", "$y$"
    )
    assert first.metadata["deck"] == ("A", "A::B")
    assert (first.metadata["tags"], first.metadata["line"]) == (("t1", "t2"), "7")
    assert (second.id, second.fields["body"].text, second.metadata["line"]) == ("notes.txt#9", "Only this", "9")
    (tmp_path / "notes.txt").write_text("#separator:Comma\n#html:false\nif a<b,\"$x$, and\"\n", encoding="utf-8")
    (document,), _ = read(tmp_path / "notes.txt")
    assert (document.title.text, document.fields["body"].to_latex()) == ("if a<b", "$x$, and")
    (tmp_path / "notes.txt").write_text("# separator: just text", encoding="utf-8")
    assert detect_format(tmp_path / "notes.txt") == "text"


@given(st.text(alphabet='#:a \t\n",separtohml{}c1$[]/', max_size=150))
def test_any_text_is_read(text: str) -> None:
    list(AnkiTextReader().documents(f"#separator:tab\n{text}", "x.txt", "x", lambda problem: None))


@given(st.binary(max_size=300))
def test_any_bytes_are_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("anki") / "x.apkg"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("collection.anki2", b"SQLite format 3\0" + data)
    path.write_bytes(packed.getvalue())
    assert read(path)[0] == []
