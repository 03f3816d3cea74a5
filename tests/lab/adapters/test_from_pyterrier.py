"""PyTerrier in Porism: transformers as retrievers and rerankers of pipelines, and what they may not do."""

from __future__ import annotations

from typing import Any

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from pyterrier_cases import WORDS, Topics, columns, no_java, pd, pt  # noqa: F401  (no_java is used by pytest)

import porism
from porism.errors import ConfigError, FormatError, QueryError
from porism.lab.adapters import from_pyterrier, queries_to_frame, run_from_frame, run_to_frame, to_pyterrier
from porism.lab.fusion import make_fusion
from porism.lab.pipeline import PipelineStage, RerankStage, RetrieverReranker, fused, pipeline
from porism.retrieve import ChannelSettings, SearchModel
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.types import Content, Query


class Table(pt.Transformer):  # type: ignore[misc]
    """Q → R by a table of results; it keeps the tables that it was given."""

    def __init__(self, results: dict[str, list[Any]]) -> None:
        self.results = pd.DataFrame(results)
        self.given: list[Any] = []

    def transform(self, inp: Any) -> Any:
        pt.validate.query_frame(inp, ["query"])
        self.given.append(inp)
        return inp.merge(self.results, on="qid")

    def __repr__(self) -> str:
        return "Table()"


def queries(*ids: str) -> Topics:
    return [Query(query_id, {"query": Content(f"question {query_id}")}) for query_id in ids]


def stage_of(transformer: Any, **options: Any) -> PipelineStage:
    made = from_pyterrier(transformer, **options)
    assert isinstance(made, PipelineStage)
    return made


def test_a_transformer_is_a_stage() -> None:
    table = Table({"qid": ["1", "1", "2"], "docno": ["a", "b", "c"], "score": [1, 2, 3], "rank": [1, 0, 0]})
    run = stage_of(table, name="elsewhere").search(queries("2", "1", "3"))
    assert run.query_ids == ("2", "1", "3")
    assert run.to_dict() == {"2": {"c": 3.0}, "1": {"b": 2.0, "a": 1.0}, "3": {}}
    assert [frame["qid"].tolist() for frame in table.given if len(frame)] == [["2"], ["1"], ["3"]]
    assert run.provenance is not None
    assert run.provenance.made_by == {"kind": "pyterrier", "transformer": "Table()", "name": "elsewhere"}
    assert set(run.provenance.seconds) == {"1", "2", "3"}


def test_a_batch_is_one_table() -> None:
    table = Table({"qid": ["1"], "docno": ["a"], "score": [1.0]})
    run = stage_of(table, batch=True).search(queries("1", "2"))
    assert [frame["qid"].tolist() for frame in table.given if len(frame)] == [["1", "2"]]
    assert run.provenance is not None
    assert not run.provenance.seconds


@LONG_ONLY
def test_there_and_back_is_the_same_search(index: porism.Index, topics: Topics) -> None:
    assert stage_of(to_pyterrier(index)).search(topics) == index.run(topics)
    by = from_pyterrier(to_pyterrier(RetrieverReranker(index, depth=1000)), depth=30)
    assert not isinstance(by, PipelineStage)
    expected = (pipeline(index, WORDS) >> RetrieverReranker(index, depth=30)).search(topics, 50)
    assert (pipeline(index, WORDS) >> by).search(topics, 50) == expected


def test_a_cutoff_goes_into_the_transformer(index: porism.Index, topics: Topics) -> None:
    asked = []

    class Watched:
        def search(self, queries: Any, k: int = 1000) -> Run:
            asked.append(k)
            return index.run(queries, k)

    transformer = pt.Transformer.identity() >> to_pyterrier(Watched())
    run = (stage_of(transformer, kind="retriever") % 5).search(topics[:2])
    assert asked == [5, 5]
    assert run == index.run(topics[:2], 5)


def test_a_transformer_without_ranks_is_cut_by_its_scores() -> None:
    table = Table({"qid": ["1"] * 3, "docno": ["a", "b", "c"], "score": [1.0, 3.0, 3.0]})
    assert (stage_of(table) % 2).search(queries("1"))["1"] == [("c", 3.0), ("b", 3.0)]


@LONG_ONLY
def test_pipelines_mix_both(index: porism.Index, topics: Topics) -> None:
    words = to_pyterrier(pipeline(index, WORDS))
    stage = stage_of(words, name="words") % 50 >> RetrieverReranker(index, depth=20)
    assert repr(stage) == "words % 50 >> RetrieverReranker(depth=20)"
    assert stage.search(topics) == (pipeline(index, WORDS) % 50 >> RetrieverReranker(index, depth=20)).search(topics)
    both = fused(stage, index, method="rrf", k=10)
    own = fused(pipeline(index, WORDS) % 50 >> RetrieverReranker(index, depth=20), index, method="rrf", k=10)
    assert both.search(topics, 30) == own.search(topics, 30)


def test_the_text_of_a_query_can_be_chosen() -> None:
    table = Table({"qid": ["1"], "docno": ["a"], "score": [1.0]})
    stage_of(table, text=lambda query: query.id * 3).search(queries("1"))
    assert table.given[-1]["query"].tolist() == ["111"]


def test_fields_of_queries_are_columns() -> None:
    table = Table({"qid": ["1"], "docno": ["a"], "score": [1.0]})
    stage_of(table).search([Query("1", {"title": Content("t"), "tags": Content("u")})])
    assert table.given[-1].to_dict("list") == {
        "qid": ["1"], "query": ["t\n\nu"], "query_title": ["t"], "query_tags": ["u"]
    }


def reranker_of(work: Any, **options: Any) -> Any:
    return from_pyterrier(pt.apply.generic(work), kind="reranker", **options)


FIRST = Run({"1": [("a", 9.0), ("b", 8.0), ("c", 7.0), ("d", 6.0)], "2": []}, "first")


def test_a_reranker_is_given_the_first_results() -> None:
    given = []

    def work(frame: Any) -> Any:
        given.append(frame.to_dict("list"))
        return frame.assign(score=frame["rank"])

    run = reranker_of(work, depth=3).rerank(queries("1", "2"), FIRST)
    assert given == [{
        "qid": ["1"] * 3, "query": ["question 1"] * 3, "docno": ["a", "b", "c"], "score": [9.0, 8.0, 7.0],
        "rank": [0, 1, 2],
    }]
    assert [doc for doc, _ in run["1"]] == ["c", "b", "a", "d"]
    assert run.query_ids == ("1", "2")
    assert run["2"] == []


def test_documents_that_a_reranker_leaves_out_come_beneath() -> None:
    run = reranker_of(lambda frame: frame[frame["docno"] != "a"]).rerank(queries("1", "2"), FIRST)
    assert [doc for doc, _ in run["1"]] == ["b", "c", "d", "a"]
    nothing = reranker_of(lambda frame: frame[:0]).rerank(queries("1", "2"), FIRST)
    assert nothing == FIRST


def test_a_reranker_can_be_given_texts(index: porism.Index, topics: Topics) -> None:
    texts: dict[str, str] = {}

    def work(frame: Any) -> Any:
        texts.update(zip(frame["docno"], frame["text"], strict=True))
        return frame

    first = index.run(topics[:1], 3)
    reranker_of(work, documents=index).rerank(topics[:1], first)
    assert set(texts) == set(first.doc_ids)
    for doc_id, text in texts.items():
        assert index.document(doc_id).title.to_latex() in text
    reranker_of(work, documents=lambda doc_id: f"text of {doc_id}").rerank(topics[:1], first)
    assert texts[first.doc_ids[0]] == f"text of {first.doc_ids[0]}"
    with pytest.raises(QueryError, match="no document 'a'"):
        reranker_of(work, documents=index).rerank(queries("1", "2"), FIRST)


def test_a_reranker_in_a_pipeline(index: porism.Index, topics: Topics) -> None:
    backwards = reranker_of(lambda frame: frame.assign(score=-frame["score"]), name="backwards")
    stage = pipeline(index) % 20 >> backwards % 5
    found = stage.search(topics[:3])
    run = index.run(topics[:3], 20)
    for topic in topics[:3]:
        assert [doc for doc, _ in found[topic.id]] == [doc for doc, _ in run[topic.id]][::-1][:5]
    assert found.provenance is not None
    assert set(found.provenance.seconds) == {topic.id for topic in topics[:3]}
    inner = found.provenance.made_by["of"]
    assert inner["reranker"]["kind"] == "pyterrier"
    assert isinstance(pipeline(index).reranked(backwards, batch=True), RerankStage)


@every_case(
    ("work", "said"),
    [
        (lambda frame: frame.drop(columns=["score"]), "no column 'score'"),
        (lambda frame: frame.assign(score=float("nan")), "the score of document 'a' is nan"),
        (lambda frame: frame.assign(docno="z"), "occurs twice"),
        (lambda frame: frame[:1].assign(docno="z"), "document 'z' was not given"),
        (lambda frame: frame.assign(qid="9"), "results of the query '9', which is not among the queries"),
    ],
)
def test_what_a_reranker_may_not_give(work: Any, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        reranker_of(work).rerank(queries("1", "2"), FIRST)


@every_case(
    ("results", "said"),
    [
        ({"docno": ["a"]}, "no column 'score'"),
        ({"docno": ["a"], "score": [float("inf")]}, "the score of document 'a' is inf"),
        ({"docno": [None], "score": [1.0]}, "row 0 has no 'docno'"),
    ],
)
def test_what_a_retriever_may_not_give(results: dict[str, Any], said: str) -> None:
    with pytest.raises((FormatError, QueryError), match=said):
        stage_of(Table({"qid": ["1"], **results})).search(queries("1"))


def test_results_of_other_queries_are_an_error() -> None:
    uniform = pt.Transformer.from_df(run_to_frame(FIRST), uniform=True)
    with pytest.raises(FormatError, match="results of the query '1', which is not among the queries"):
        stage_of(uniform, kind="retriever").search(queries("5"))


def test_kinds_are_inspected(index: porism.Index) -> None:
    words = to_pyterrier(pipeline(index, WORDS))
    assert isinstance(from_pyterrier(words), PipelineStage)
    assert isinstance(from_pyterrier(words >> to_pyterrier(RetrieverReranker(index))), PipelineStage)
    assert not isinstance(from_pyterrier(to_pyterrier(RetrieverReranker(index))), PipelineStage)
    with pytest.raises(ConfigError, match="kind='retriever'"):
        from_pyterrier(pt.Transformer.identity())
    with pytest.raises(ConfigError, match="there is no kind 'indexer'"):
        from_pyterrier(words, kind="indexer")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="a str is not a PyTerrier transformer"):
        from_pyterrier("words")
    with pytest.raises(ConfigError, match="a retriever is given no documents"):
        from_pyterrier(words, documents=index)


def test_a_transformer_that_was_not_adapted_is_told_how(index: porism.Index) -> None:
    words = to_pyterrier(pipeline(index, WORDS))
    with pytest.raises(ConfigError, match="from_pyterrier"):
        pipeline(words)
    with pytest.raises(ConfigError, match="from_pyterrier"):
        pipeline(index).reranked(to_pyterrier(RetrieverReranker(index)))


def test_no_queries_ask_nothing() -> None:
    table = Table({"qid": ["1"], "docno": ["a"], "score": [1.0]})
    stage = stage_of(table, batch=True)
    before = len(table.given)
    assert len(stage.search([])) == 0
    assert len(table.given) == before
    assert len(queries_to_frame([])) == 0


def test_what_was_tuned_stays_so_whatever_pyterrier_makes_of_it(topics: Topics, index: porism.Index) -> None:
    words = pipeline(index, SearchModel({"words": ChannelSettings()}), name="words")
    tuned = words.search(topics, 20).with_provenance(Provenance(tuned_on=("Q.1",), evidence=({"score": 0.5},)))
    plain = to_pyterrier(words)
    given = to_pyterrier(pipeline(tuned))
    for transformer in (
        given, given % 3, 0.5 * given + plain, given >> pt.apply.doc_score(lambda row: 1.0),
        to_pyterrier(make_fusion("rrf"), plain, given),
    ):
        found = from_pyterrier(transformer, kind="retriever").search(topics[:3], 5).provenance
        assert found is not None, repr(transformer)
        assert found.tuned_on == ("Q.1",)
        assert found.evidence == ({"score": 0.5},)
    assert not from_pyterrier(plain).search(topics[:3], 5).provenance.tuned_on
    frame = run_to_frame(tuned)
    read = run_from_frame(frame).provenance
    assert read is not None
    assert read.tuned_on == ("Q.1",)
    assert run_from_frame(run_to_frame(tuned.with_provenance(None))).provenance is None
