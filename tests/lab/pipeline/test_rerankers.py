"""Re-ranking: new scores first, the rest beneath as it stood, always numbers that sort so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st
from pipeline_fakes import Fixed, Given, order, queries

import porism
from porism.errors import ConfigError, FormatError, QueryError
from porism.lab.pipeline import RetrieverReranker, formula_pipeline, pipeline, rescored
from porism.lab.pipeline.rerankers.scoring import interpolated
from porism.retrieve import ChannelSettings, SearchModel
from porism.retrieve.formulas.model import FORMULA_MODELS
from porism.runs.run import Run, rank
from porism.sample import QUERIES
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document

WORDS = SearchModel({"words": ChannelSettings()})


def test_others_continue_beneath_on_the_scale_of_the_new_scores() -> None:
    run = Run({"q": [("a", 5.0), ("b", 4.0), ("c", 3.0), ("d", 2.5)]})
    got = rescored(run, {"q": [1.0, 9.0]})
    # a and b lay 1 apart and now lie 8 apart: c was 1 below b, so it is 8 below 1, and d 4 more
    assert order(got, "q") == ["b", "a", "c", "d"]
    assert got.scores == pytest.approx([9.0, 1.0, -7.0, -11.0])


def test_documents_without_a_score_come_beneath_in_their_order() -> None:
    run = Run({"q": [("a", 5.0), ("b", 4.0), ("c", 3.0), ("d", 2.0)]})
    got = rescored(run, {"q": [np.nan, 2.0, 3.0]})
    assert order(got, "q") == ["c", "b", "a", "d"]


def test_new_scores_that_are_equal_rank_by_the_tie_rule() -> None:
    run = Run({"q": [("a", 5.0), ("c", 4.0), ("b", 3.0)]})
    assert rescored(run, {"q": [1.0, 1.0, 1.0]})["q"] == [("c", 1.0), ("b", 1.0), ("a", 1.0)]


def test_others_stay_below_where_old_scores_are_tied() -> None:
    run = Run({"q": [(name, 1.0) for name in "abcdef"]})
    got = rescored(run, {"q": [0.0, 0.0]})
    assert order(got, "q") == ["f", "e", "d", "c", "b", "a"]
    assert len(set(got.scores[1:].tolist())) == 5


def test_scores_stay_apart_in_32_bits() -> None:
    run = Run({"q": [(f"d{number:03}", 1.0) for number in range(300)]})
    got = rescored(run, {"q": [12345.678]})
    assert (np.diff(got.scores.astype(np.float32)) < 0).all()


def test_numbers_too_large_to_continue_become_positions() -> None:
    largest = 1.7e308
    run = Run({"q": [("a", 3.0), ("b", 2.0), ("c", -largest)]})
    assert rescored(run, {"q": [-largest, largest]})["q"] == [("b", 3.0), ("a", 2.0), ("c", 1.0)]


def test_a_query_without_new_scores_stays_as_it_is() -> None:
    run = Run({"q": [("a", 5.0), ("b", 4.0)], "r": [("c", 1.0)], "s": []})
    got = rescored(run, {"q": [np.nan, np.nan], "r": [7.0]})
    assert got.to_dict() == {"q": {"a": 5.0, "b": 4.0}, "r": {"c": 7.0}, "s": {}}


@every_case(
    ("scores", "said"), [([1.0, np.inf], "document 'b' is not finite"), ([1.0, 2.0, 3.0], r"shape \(3,\) for 2")]
)
def test_scores_that_cannot_be_are_refused(scores: list[float], said: str) -> None:
    with pytest.raises(FormatError, match=said):
        rescored(Run({"q": [("a", 5.0), ("b", 4.0)]}), {"q": scores})


FLOATS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 1.0, 1e-300, 1e308])


@given(
    st.dictionaries(st.text("abcdef", min_size=1, max_size=3), FLOATS, min_size=1, max_size=12),
    st.lists(FLOATS | st.just(float("nan")), max_size=12),
)
def test_every_ranking_is_one_that_its_scores_give(old: dict[str, float], new: list[float]) -> None:
    run = Run({"q": old.items()})
    before = order(run, "q")
    got = rescored(run, {"q": new[: len(before)]})
    scored = {doc: score for doc, score in zip(before, new, strict=False) if score == score}
    if not scored:
        assert got == run
        return
    first = [doc for doc, _ in rank(scored.items())]
    assert order(got, "q") == first + [doc for doc in before if doc not in scored]
    assert np.isfinite(got.scores).all()
    assert Run({"q": got["q"]}) == got


def test_only_the_first_documents_are_scored() -> None:
    by = Given({"a": 1.0, "b": 2.0, "c": 9.0}, depth=2)
    run = Run({"q": [("a", 5.0), ("b", 4.0), ("c", 3.0)]}, "first")
    got = by.rerank(queries("q"), run)
    assert by.asked == [("q", ("a", "b"))]
    assert order(got, "q") == ["b", "a", "c"]
    assert got.name == "first"
    assert order(by.rerank(queries("q"), run, 3), "q") == ["c", "b", "a"]
    assert got.provenance is not None
    assert got.provenance.made_by == {
        "kind": "rerank", "depth": 2, "reranker": {"kind": "Given"}, "of": {"kind": "run", "name": "first"}
    }


def test_the_first_stage_counts_by_its_share() -> None:
    new, old = np.array([1.0, 3.0, np.nan]), np.array([5.0, 1.0, 7.0])
    # both as standard scores: -1, 1 and 1, -1; the document without a new score has none
    assert interpolated(new, old, 0.25)[:2] == pytest.approx([-0.5, 0.5])
    assert np.isnan(interpolated(new, old, 0.25)[2])
    assert interpolated(new, old, 0.0) is new
    assert interpolated(np.array([2.0, 2.0]), old[:2], 0.5) == pytest.approx([0.5, -0.5])
    assert np.isnan(interpolated(np.array([np.nan]), old[:1], 0.5)[0])
    by = Given({"a": 1.0, "b": 2.0, "c": 9.0}, depth=2)
    run = Run({"q": [("a", 5.0), ("b", 4.0), ("c", 3.0)]}, "first")
    by.first_stage = 0.75
    got = by.rerank(queries("q"), run)
    assert order(got, "q") == ["a", "b", "c"]
    assert got.scores[:2] == pytest.approx([0.5, -0.5])
    assert got.provenance is not None
    assert got.provenance.made_by["first_stage"] == 0.75


def test_a_query_of_the_run_that_is_not_given_is_an_error() -> None:
    with pytest.raises(QueryError, match="results of the query 'q', which is not among those given"):
        Given({}).rerank(queries("r"), Run({"q": [("a", 1.0)]}))


@pytest.fixture
def grown(tmp_path: Path) -> Path:
    """An index of two segments, of whose documents one was replaced and so is deleted in the first."""
    path = tmp_path / "index"
    texts = ["a ring of integers", "the ring is local", "prime ideals of the ring", "measure of a set"]
    for half in (texts[:2], texts[2:]):
        index_documents(
            [Document(f"d{texts.index(text)}", {"body": Content(text)}) for text in half], path, jobs=1
        )
    index_documents([Document("d0", {"body": Content("rings and a prime of the ring")})], path, jobs=1)
    return path


def test_scores_are_those_of_the_search_bit_by_bit(sample_index: Path) -> None:
    topics = porism.read_topics(QUERIES)
    with porism.open_index(sample_index) as index:
        run = index.run(topics, 1000)
        shuffled = rescored(run, {query: np.arange(len(run[query])) for query in run})
        again = RetrieverReranker(index).rerank(topics, shuffled, 1000)
        assert again == run
        assert again.scores.tolist() == run.scores.tolist()


def test_scores_are_those_of_the_search_over_segments(grown: Path) -> None:
    with porism.open_index(grown) as index:
        assert len(index.snapshot.segments) > 1
        query = porism.Query("q", {"query": Content("prime ring")})
        run = index.run([query])
        assert len(run["q"]) == 4 - 1
        other = Run({"q": [("d3", 9.0), ("absent", 8.0), *((doc, 1.0) for doc, _ in run["q"])]})
        got = RetrieverReranker(index).rerank([query], other)
        assert got["q"][:3] == run["q"]
        name, score = got["q"][3]  # it shares no term, and means something a little like it
        assert (name, 0 < score < got["q"][2][1] / 4) == ("d3", True)
        assert got["q"][4][0] == "absent"


def test_a_reranker_can_have_another_model_than_its_index(sample_index: Path) -> None:
    topics = porism.read_topics(QUERIES)
    with porism.open_index(sample_index) as index:
        words = pipeline(index, WORDS).search(topics, 30)
        got = (pipeline(index) % 300 >> RetrieverReranker(index, WORDS, depth=300)).search(topics)
        for topic in topics:
            found = dict(got[topic.id])
            assert {doc: found[doc] for doc, _ in words[topic.id] if doc in found} == {
                doc: score for doc, score in words[topic.id] if doc in found
            }
        with pytest.raises(ConfigError, match="has its model already"):
            RetrieverReranker(index.retriever, WORDS)


def test_formula_search_is_a_stage(sample_index: Path) -> None:
    topics = porism.read_topics(QUERIES)
    with porism.open_index(sample_index) as index:
        run = formula_pipeline(index).search(topics, 20)
        assert run == index.run_formulas(topics, 20)
        assert run.name == "formulas"
        paths = formula_pipeline(index, FORMULA_MODELS["paths"], context=True).search(topics, 20)
        assert paths.provenance is not None
        assert paths.provenance.made_by["context"] is True
        with porism.open_index(sample_index, formula_model=FORMULA_MODELS["paths"]) as other:
            assert paths == other.run_formulas(topics, 20, context=True)


def test_filters_hold_in_a_pipeline(sample_index: Path) -> None:
    topics = porism.read_topics(QUERIES)[:5]
    with porism.open_index(sample_index) as index:
        filters = {"type": "theorem"}
        stage = pipeline(index, filters=filters)
        assert stage.search(topics) == index.run(topics, filters=filters)
        assert stage.describe()["filters"] == {"type": ["theorem"]}


def test_a_stage_of_a_fixed_retriever_scores_nothing_else() -> None:
    assert pipeline(Fixed({})).reranker() is None
