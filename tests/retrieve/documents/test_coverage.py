"""Documents gain by the share of their words that a long query has."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from case_tables import every_case

from porism import Index, index_documents
from porism.corpus import split_math
from porism.errors import ConfigError
from porism.retrieve import ChannelSettings, Coverage, SearchModel
from porism.types import Document

MODEL = SearchModel(
    {"words": ChannelSettings(2.0, 0.0, 0.0)}, coverage=Coverage(0.5, 3), field_weights={"title": 3.0},
)
"""With ``k1`` 0 a word counts 2 · idf wherever it occurs."""

DOCUMENTS = [
    Document("all", {"body": split_math("groups rings")}),
    Document("half", {"body": split_math("groups rings sheaves stacks")}),
    Document("titled", {"title": split_math("groups"), "body": split_math("rings stacks")}),
    Document("other", {"body": split_math("lattices")}),
]
QUERY = "groups groups rings fields"


@pytest.fixture
def index(tmp_path: Path) -> Index:
    index_documents(DOCUMENTS, tmp_path / "index", jobs=1)
    return Index(tmp_path / "index", MODEL)


def idf(df: int) -> float:
    return math.log(1 + (4 - df + 0.5) / (df + 0.5))


def test_the_gain_is_the_share_of_the_document(index: Index) -> None:
    words = 2 * (2 * idf(3) + idf(3))  # groups twice, rings once; fields is in no document
    shares = {"all": 1.0, "half": 2 / 4, "titled": (3 + 1) / (3 + 1 + 1)}
    found = {hit.id: hit.score for hit in index.search(QUERY, 10)}
    assert found == pytest.approx({name: words + 0.5 * words * share for name, share in shares.items()})
    assert list(found) == ["all", "titled", "half"]


def test_a_query_of_few_words_gains_nothing(index: Index) -> None:
    found = {hit.id: hit.score for hit in index.search("groups rings groups", 10)}
    assert found == pytest.approx(dict.fromkeys(["all", "half", "titled"], 2 * (2 * idf(3) + idf(3))))


def test_the_words_asked_for_are_a_setting(index: Index) -> None:
    narrow = index.with_models(replace(MODEL, coverage=Coverage(0.5, 2)))
    off = index.with_models(replace(MODEL, coverage=Coverage(0.0, 1)))
    assert [hit.id for hit in narrow.search("groups rings", 1)] == ["all"]
    assert len({hit.score for hit in off.search(QUERY, 10)}) == 1


def test_the_explanation_adds_up_and_tells_the_share(index: Index) -> None:
    hit = next(hit for hit in index.search(QUERY, 10) if hit.id == "titled")
    explained = index.explain(QUERY, "titled")
    assert explained.value == pytest.approx(hit.score)
    (part,) = [part for part in explained.parts if part.label.startswith("coverage")]
    assert "0.8000 of the document's words" in part.label
    assert sum(part.value for part in explained.parts) == pytest.approx(hit.score)


def test_segments_and_deletions_change_no_score(index: Index, tmp_path: Path) -> None:
    path = tmp_path / "parts"
    for document in DOCUMENTS:
        index_documents([Document(document.id, {"body": split_math("something else")})], path, jobs=1)
        index_documents([document], path, jobs=1)
    with Index(path, MODEL) as parts:
        assert [(hit.id, hit.score) for hit in parts.search(QUERY, 10)] == [
            (hit.id, hit.score) for hit in index.search(QUERY, 10)
        ]


@every_case(("weight", "words"), [(-1.0, 5), (float("nan"), 5), (0.3, 0)])
def test_numbers_out_of_range_are_refused(weight: float, words: int) -> None:
    with pytest.raises(ConfigError, match="coverage cannot have"):
        Coverage(weight, words)
