"""Whole answers as values, and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from porism.cli import main
from porism.search.answering import IndexAnswers, SearchOptions
from porism.search.index import open_index


def test_an_answer_has_hits_with_reasons_and_hints(sample_index: Path) -> None:
    with open_index(sample_index) as index:
        found = IndexAnswers(index).search("sum of squares $k^2", 3, explain=True)
        plain = IndexAnswers(index).search("sum of squares $k^2", 3)
    assert [hit.id for hit in found.hits] == [hit.id for hit in plain.hits]
    assert len(found.hits) == 3
    assert any("dollar" in hint for hint in found.hints)
    for hit, without in zip(found.hits, plain.hits, strict=True):
        assert hit.explanation is not None
        assert hit.explanation.value == pytest.approx(hit.score)
        assert hit.matches is not None
        assert without.explanation is None
        assert "explanation" not in without.to_dict()
    value = json.loads(json.dumps(found.to_dict()))
    assert [hit["rank"] for hit in value["hits"]] == [1, 2, 3]
    assert value["hits"][0]["explanation"]["value"] == pytest.approx(found.hits[0].score)
    assert value["hints"] == list(found.hints)


def test_what_a_question_demands_is_known(sample_index: Path) -> None:
    with open_index(sample_index) as index:
        assert IndexAnswers(index).search('"no such phrase anywhere"', 3).restricted
        assert not IndexAnswers(index).search("squares", 3).restricted


def test_similar_documents_and_formulas_are_answers_too(sample_index: Path) -> None:
    with open_index(sample_index) as index:
        first = IndexAnswers(index).search("sum of squares", 1).hits[0]
        similar = IndexAnswers(index).answer_similar(first.id, SearchOptions(4, explain=True))
        formulas = IndexAnswers(index).search_formulas(r"$\sum_{k=1}^n k^2$", 2, explain=True)
    assert first.id not in {hit.id for hit in similar.hits}
    assert all(hit.explanation is not None for hit in similar.hits)
    assert formulas.hits[0].match is not None
    assert json.dumps(formulas.to_dict())


def test_the_command_line_prints_the_hits_of_the_answer(sample_index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["search", "sum of squares", "-k", "2", "--json", "--explain", "--index", str(sample_index)])
    with open_index(sample_index) as index:
        expected = IndexAnswers(index).search("sum of squares", 2, explain=True).to_dict()["hits"]
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(expected))
