"""Notebooks of Xournal++."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus.base import ReaderOptions
from porism.corpus.notes.xournal import XournalReader
from porism.corpus.opening import open_source
from porism.errors import Problem
from porism.types import Document

NOTEBOOK = """<?xml version="1.0" standalone="no"?>
<xournal creator="xournalpp 1.2.0" fileversion="4">
<title>Xournal++ document - see https://xournalpp.github.io/</title>
<page width="595" height="841"><background type="solid" color="#ffffffff" style="lined"/>
<layer><stroke tool="pen" color="#000000ff" width="1.41">1.0 2.0 3.0 4.0</stroke>
<teximage text="\\frac{a}{b} &lt; c" left="10.0" top="90.0" right="20" bottom="30">aGVsbG8=</teximage>
<text font="Sans" size="12" x="10.0" y="20.0" color="#000000ff">The bound of $x$ &amp; y:</text></layer>
</page>
<page width="595" height="841"><layer/></page>
<page width="595" height="841"><layer><text x="a" y="">last</text><teximage text=""/></layer></page>
</xournal>
"""


def read(path: Path, data: bytes) -> tuple[list[Document], list[Problem]]:
    path.write_bytes(data)
    problems: list[Problem] = []
    return list(open_source(path, on_problem=problems.append)), problems


def test_a_page_is_a_document(tmp_path: Path) -> None:
    for data in (gzip.compress(NOTEBOOK.encode()), NOTEBOOK.encode()):
        (first, third), problems = read(tmp_path / "Lecture 1.xopp", data)
        assert problems == []
        assert (first.id, first.title.text) == ("Lecture 1.xopp#page-1", "Lecture 1, page 1")
        assert first.fields["body"].to_latex() == "The bound of $x$ & y:\n\n$$\\frac{a}{b} < c$$"
        assert first.metadata["page_number"] == "1"
        assert (third.id, third.fields["body"].text) == ("Lecture 1.xopp#page-3", "last")


def test_what_is_broken_is_reported(tmp_path: Path) -> None:
    (document,), problems = read(tmp_path / "a.xopp", NOTEBOOK[: NOTEBOOK.index("last")].encode())
    assert document.id == "a.xopp#page-1"
    assert [problem.where for problem in problems] == ["a.xopp:10"]
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><xournal><page><text>&b;</text></page></xournal>'
    assert [document.fields["body"].text for document in read(tmp_path / "a.xopp", bomb.encode())[0]] in ([], [""])


@given(st.text(alphabet='<>/pagetx"= &;', max_size=100))
def test_any_text_is_read(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("x") / "a.xopp"
    path.write_bytes(f"<xournal><page>{text}".encode())
    list(XournalReader().read_file(path, "a.xopp", "a", ReaderOptions(), lambda problem: None))
