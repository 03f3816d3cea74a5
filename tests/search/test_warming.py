"""The first questions to an index that was just opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import porism
from porism.analysis.analyzer import read_formula
from porism.formula import layout_key
from porism.retrieve.formulas.retriever import FormulaRetriever
from porism.retrieve.lexical import channels
from porism.search.index import Index
from porism.search.warming import warm
from porism.types import Content, Document, Formula


def made(path: Path, bodies: Sequence[Content]) -> Path:
    porism.index_documents([Document(f"d{n}", {"body": body}) for n, body in enumerate(bodies)], path, jobs=1)
    return path


def test_what_the_first_question_prepares_is_there(sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []
    build = channels._build

    def counted(segment, channel, fields):
        built.append(channel)
        return build(segment, channel, fields)

    monkeypatch.setattr(channels, "_build", counted)
    monkeypatch.setattr(channels, "_read", lambda *_: None)
    with porism.open_index(sample_index) as index:
        assert warm(index) == 4
        assert built
        built.clear()
        assert index.search(r"squares $a^2+b^2=c^2$")
        assert built == []


def test_documents_with_formulas_are_asked_for_first_and_only_their_beginnings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Content] = []
    question = Index.question

    def noted(self, content, **settings):
        if isinstance(content, Content):
            asked.append(content)
        return question(self, content, **settings)

    bodies = [
        Content.of("only words"),
        Content.of("word " * 50, Formula("x+1"), Formula("y" * 100), Formula("z"), Formula("w")),
    ]
    path = made(tmp_path / "index", bodies)
    monkeypatch.setattr(Index, "question", noted)
    with porism.open_index(path) as index:
        assert warm(index) == 2
    assert asked == [Content.of("word " * 16, Formula("x+1"), Formula("z")), Content.of("only words")]


def test_an_index_without_documents_is_asked_nothing(tmp_path: Path) -> None:
    with porism.open_index(made(tmp_path / "index", [])) as index:
        assert warm(index) == 0


def test_a_formula_that_is_compared_with_many_is_read_once(sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    inner = FormulaRetriever.read

    def counted(self, formula):
        read.append(formula.source)
        return inner(self, formula)

    asked = Formula(r"\sum_{k=1}^n k^2")
    with porism.open_index(sample_index) as index:
        hits = index.search_formulas(asked.source, 5)
        monkeypatch.setattr(FormulaRetriever, "read", counted)
        keys = [layout_key(read_formula(hit.formula.source, hit.formula.notation)[0]) for hit in hits]
        matches = [index.formulas.ranker.match(asked, key) for key in keys]
    assert read == [asked.source]
    assert [match.score for match in matches] == pytest.approx([hit.score for hit in hits])
