"""Porism in PyTerrier: the same results, in its tables, operators and experiments, without Java."""

from __future__ import annotations

from typing import Any

import ir_measures
import numpy as np
import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from pyterrier_cases import WORDS, Topics, columns, no_java, pd, pt  # noqa: F401  (no_java is used by pytest)

import porism
from porism.errors import ConfigError, QueryError
from porism.lab.adapters import (
    qrels_to_frame,
    queries_to_frame,
    run_from_frame,
    run_to_frame,
    to_pyterrier,
)
from porism.lab.fusion import fuse, make_fusion
from porism.lab.pipeline import RetrieverReranker, formula_pipeline, fused, pipeline
from porism.runs.run import Run
from porism.types import Content, Formula, Query


@pytest.fixture(scope="module")
def frame(topics: Topics) -> Any:
    return queries_to_frame(topics)


@pytest.fixture(scope="module")
def hybrid(index: porism.Index) -> Any:
    return to_pyterrier(index)


@pytest.fixture(scope="module")
def words(index: porism.Index) -> Any:
    return to_pyterrier(pipeline(index, WORDS, name="words"))


def test_a_search_gives_the_same_results(index: porism.Index, topics: Topics, frame: Any, hybrid: Any) -> None:
    found = hybrid(frame)
    run = index.run(topics, 1000)
    assert list(found.columns) == ["qid", "query", "docno", "score", "rank"]
    assert columns(found) == {"qid": "O", "query": "O", "docno": "O", "score": "f", "rank": "i"}
    assert found["docno"].tolist() == list(run.doc_ids)
    assert found["score"].tolist() == run.scores.tolist()
    assert found["qid"].tolist() == run_to_frame(run)["qid"].tolist()
    assert found["rank"].tolist() == run_to_frame(run)["rank"].tolist()
    assert found["rank"].dtype == np.int64
    assert found["score"].dtype == np.float64
    texts = dict(zip(frame["qid"], frame["query"], strict=True))
    assert found["query"].tolist() == [texts[query_id] for query_id in found["qid"]]


@LONG_ONLY
def test_formula_search_is_a_transformer(index: porism.Index, topics: Topics, frame: Any) -> None:
    found = to_pyterrier(formula_pipeline(index), k=7)(frame)
    run = index.run_formulas(topics, 7)
    assert run_from_frame(found) == Run({query_id: run[query_id] for query_id in run if run[query_id]})


def test_one_query_can_be_searched(index: porism.Index, hybrid: Any) -> None:
    found = hybrid.search(r"sum of $\sum_{i=1}^n i^2$")
    expected = index.search(r"sum of $\sum_{i=1}^n i^2$", 5)
    assert found["docno"].tolist()[:5] == [hit.id for hit in expected]
    assert set(found["qid"]) == {"1"}
    assert (hybrid % 2).search("group")["rank"].tolist() == [0, 1]


def test_records_work_as_tables_do(hybrid: Any) -> None:
    rows = hybrid([{"qid": "1", "query": "group"}])
    assert [row["docno"] for row in rows] == hybrid.search("group")["docno"].tolist()


def test_other_columns_of_queries_stay_and_ids_are_strings(hybrid: Any) -> None:
    given = pd.DataFrame({"qid": [7, 8], "query": ["ring", "group"], "category": ["A", "B"], "query_0": ["x", "y"]})
    found = hybrid(given)
    assert list(found.columns) == ["qid", "query", "category", "query_0", "docno", "score", "rank"]
    assert set(zip(found["qid"], found["query"], found["category"], strict=True)) == {
        ("7", "ring", "A"), ("8", "group", "B")
    }
    assert given["qid"].tolist() == [7, 8]


def test_an_empty_query_has_no_results(hybrid: Any) -> None:
    found = hybrid(pd.DataFrame({"qid": ["1", "2", "3"], "query": ["", "group", "zzzzqqq"]}))
    assert set(found["qid"]) == {"2"}


@every_case("names", [["qid", "query"], ["query", "extra", "qid"]])
def test_empty_tables_have_the_right_columns_and_types(names: list[str], hybrid: Any, index: porism.Index) -> None:
    found = hybrid(pd.DataFrame({name: pd.Series([], dtype=str) for name in names}))
    assert list(found.columns) == [*names, "docno", "score", "rank"]
    assert found["score"].dtype == np.float64
    assert found["rank"].dtype == np.int64
    by = to_pyterrier(RetrieverReranker(index))
    again = by(found)
    assert list(again.columns) == list(found.columns)
    assert (again["score"].dtype, again["rank"].dtype) == (np.float64, np.int64)
    both = to_pyterrier(make_fusion("rrf"), hybrid, hybrid)(pd.DataFrame(columns=names))
    assert set(both.columns) == set(found.columns)
    assert len(both) == 0


def test_a_cutoff_is_pushed_down(index: porism.Index, frame: Any, hybrid: Any) -> None:
    asked = []

    class Watched:
        name = "watched"

        def search(self, queries: Any, k: int = 1000) -> Run:
            asked.append(k)
            return index.run(queries, k)

    watched = to_pyterrier(Watched())
    compiled = (watched % 5).compile()
    assert not isinstance(compiled, pt.Compose)
    assert compiled(frame[:1]).equals((hybrid % 5)(frame[:1]))
    assert asked == [5]
    assert (watched % 9 % 5 % 7).compile()(frame[:1])["rank"].max() == 4
    assert len((to_pyterrier(pipeline(index) % 3) % 50).compile()(frame[:1])) == 3
    again = (to_pyterrier(make_fusion("rrf"), hybrid, watched) % 4).compile()
    assert again(frame[:1])["rank"].tolist() == [0, 1, 2, 3]


@LONG_ONLY
def test_a_reranker_orders_results_anew(index: porism.Index, topics: Topics, frame: Any, words: Any) -> None:
    stage = pipeline(index, WORDS) % 50 >> RetrieverReranker(index, depth=20)
    found = (words % 50 >> to_pyterrier(RetrieverReranker(index, depth=20)))(frame)
    expected = stage.search(topics)
    assert run_from_frame(found) == Run({query_id: expected[query_id] for query_id in expected if expected[query_id]})
    assert found["docno"].tolist() == list(expected.doc_ids)
    shallow = (words % 50 >> to_pyterrier(RetrieverReranker(index), depth=20))(frame)
    assert shallow.equals(found)


def test_a_reranker_keeps_columns_of_documents(index: porism.Index, words: Any) -> None:
    first = words.search("group ring")
    first["text"] = [f"text of {doc_id}" for doc_id in first["docno"]]
    found = to_pyterrier(RetrieverReranker(index))(first)
    assert list(found.columns) == list(first.columns)
    assert found["text"].tolist() == [f"text of {doc_id}" for doc_id in found["docno"]]
    assert found["score"].is_monotonic_decreasing
    assert found["rank"].tolist() == list(range(len(first)))


def test_sets_of_documents_are_ranked_whole(index: porism.Index, topics: Topics, frame: Any, words: Any) -> None:
    """``|`` drops scores and ranks: then every document is re-ranked."""
    by = RetrieverReranker(index, depth=1)
    found = ((words % 5 | words % 9) >> to_pyterrier(by))(frame)
    expected = (pipeline(index, WORDS) % 9).reranked(by, 9).search(topics)
    assert run_from_frame(found).to_dict() == {name: dict(expected[name]) for name in expected if expected[name]}


@LONG_ONLY
def test_operators_work(index: porism.Index, topics: Topics, frame: Any, hybrid: Any, words: Any) -> None:
    one, other = index.run(topics), pipeline(index, WORDS).search(topics)
    total = (2 * hybrid + words)(frame)
    sums = {(row.qid, row.docno): row.score for row in total.itertuples()}
    expected = {
        (query_id, doc): 2 * dict(one[query_id]).get(doc, 0.0) + dict(other[query_id]).get(doc, 0.0)
        for query_id in one for doc in {*dict(one[query_id]), *dict(other[query_id])}
    }
    assert sums == pytest.approx(expected)
    joined = (words ^ hybrid)(frame[:3])
    assert set(joined["docno"]) == set(words(frame[:3])["docno"]) | set(hybrid(frame[:3])["docno"])
    assert len((words & hybrid)(frame)) == sum(
        len({*dict(one[query_id])} & {*dict(other[query_id])}) for query_id in one
    )


@LONG_ONLY
def test_a_search_gives_features_of_candidates(index: porism.Index, topics: Topics, frame: Any, hybrid: Any) -> None:
    found = (hybrid % 5 >> (hybrid ** to_pyterrier(RetrieverReranker(index, WORDS))))(frame)
    run = index.run(topics, 5)
    other = RetrieverReranker(index, WORDS)
    for topic in topics[:10]:
        rows = found[found["qid"] == topic.id]
        docs = [doc for doc, _ in run[topic.id]]
        expected = np.stack([
            RetrieverReranker(index).scores(topic, docs), other.scores(topic, docs)
        ], axis=1) if docs else np.zeros((0, 2))
        assert rows["docno"].tolist() == docs
        assert np.stack(rows["features"].tolist()) == pytest.approx(expected)


@LONG_ONLY
def test_a_cutoff_holds_for_results_given_too(frame: Any, hybrid: Any) -> None:
    plain = (hybrid % 8 >> hybrid) % 3
    assert plain.compile()(frame).equals(plain(frame))


@LONG_ONLY
@every_case(
    ("method", "parameters"), [("rrf", {"k": 10}), ("borda", {}), ("combmnz", {}), ("linear", {"weights": [0.7, 0.3]})]
)
def test_a_fusion_is_that_of_the_runs(
    index: porism.Index, topics: Topics, frame: Any, hybrid: Any, words: Any, method: str, parameters: dict[str, Any]
) -> None:
    found = to_pyterrier(make_fusion(method, parameters), hybrid % 100, words % 100)(frame)
    expected = fuse([index.run(topics, 100), pipeline(index, WORDS).search(topics, 100)], method, **parameters)
    assert found["docno"].tolist() == [doc for topic in topics for doc, _ in expected[topic.id]]
    assert found["score"].tolist() == [score for topic in topics for _, score in expected[topic.id]]
    assert list(found.columns) == ["qid", "query", "docno", "score", "rank"]
    stage = fused(index, pipeline(index, WORDS), method=method, depth=100, **parameters)
    assert to_pyterrier(stage)(frame).equals(found)
    stage = fused(pipeline(index) % 100, pipeline(index, WORDS) % 100, method=method, **parameters)
    assert to_pyterrier(stage)(frame).equals(found)


def test_a_fusion_takes_what_is_no_transformer_yet(index: porism.Index, frame: Any, hybrid: Any, words: Any) -> None:
    one = to_pyterrier(make_fusion("rrf"), index, pipeline(index, WORDS))
    assert one(frame[:5]).equals(to_pyterrier(make_fusion("rrf"), hybrid, words)(frame[:5]))


def test_a_fusion_keeps_what_all_its_results_say_of_documents(frame: Any, words: Any) -> None:
    def told(name: str) -> Any:
        return pt.apply.generic(lambda found: found.assign(text=found["docno"] + "!", **{name: 1}))

    found = to_pyterrier(make_fusion("rrf"), words >> told("one"), words >> told("two"))(frame[:3])
    assert list(found.columns) == ["qid", "query", "docno", "text", "score", "rank"]
    assert found["text"].tolist() == [f"{doc_id}!" for doc_id in found["docno"]]


@LONG_ONLY
def test_an_experiment_measures_what_evaluation_does(
    index: porism.Index, topics: Topics, qrels: dict[str, dict[str, int]], frame: Any, hybrid: Any, words: Any
) -> None:
    measures = ["nDCG@10", "AP(rel=2)", "P(rel=2)@5", "RR"]
    by = RetrieverReranker(index)
    systems = [hybrid, words, words >> to_pyterrier(by), to_pyterrier(make_fusion("rrf"), hybrid, words)]
    table = pt.Experiment(
        systems, frame, qrels_to_frame(qrels), [ir_measures.parse_measure(name) for name in measures],
        names=["h", "w", "r", "f"], batch_size=9,
    ).set_index("name")
    own = [
        index.run(topics), pipeline(index, WORDS).search(topics), (pipeline(index, WORDS) >> by).search(topics),
        fused(index, pipeline(index, WORDS)).search(topics),
    ]
    for name, run in zip(table.index, own, strict=True):
        evaluation = porism.evaluate_run(run, qrels, measures)
        assert [table.loc[name, measure] for measure in measures] == pytest.approx([
            evaluation[measure] for measure in measures
        ])


def test_inspection_knows_the_columns(index: porism.Index, hybrid: Any, words: Any) -> None:
    by = to_pyterrier(RetrieverReranker(index))
    both = to_pyterrier(make_fusion("rrf"), hybrid, words)
    elsewhere = to_pyterrier(Run({"1": [("a", 1.0)]}))
    assert pt.inspect.transformer_inputs(hybrid) == [["qid", "query"], ["qid", "docno", "query"]]
    assert pt.inspect.transformer_inputs(elsewhere) == [["qid", "query"]]
    assert pt.inspect.transformer_inputs(by) == [["qid", "docno", "query"]]
    assert pt.inspect.transformer_inputs(both) == [["qid", "query"], ["qid", "docno", "query"]]
    result = ["qid", "query", "docno", "score", "rank"]
    for transformer in (hybrid, both, hybrid >> by, hybrid % 3):
        assert pt.inspect.transformer_outputs(transformer, ["qid", "query"]) == result
    assert pt.inspect.subtransformers(both) == {"transformers": [hybrid, words]}
    assert pt.inspect.subtransformers(hybrid) == pt.inspect.subtransformers(by) == {}
    assert pt.inspect.transformer_apply_attributes(hybrid, k=3).k == 3
    for transformer in (hybrid, by, both, hybrid >> by):
        assert "Porism" in pt.schematic.draw(transformer)


def test_fields_make_the_query(index: porism.Index) -> None:
    query = Query("A.1", {"title": Content("ring"), "question": Content.of("prime ideal ", Formula("x^2"))})
    frame = queries_to_frame([query])
    found = to_pyterrier(index, fields=["title", "question"])(frame)
    assert run_from_frame(found) == index.run([query])
    assert index.run([query]) != run_from_frame(to_pyterrier(index)(frame))
    again = to_pyterrier(RetrieverReranker(index), fields=["title", "question"])(found)
    assert again["score"].tolist()[:100] == found["score"].tolist()[:100]


def test_equal_transformers_are_told_so(index: porism.Index) -> None:
    stage = pipeline(index)
    assert to_pyterrier(stage) == to_pyterrier(stage)
    assert hash(to_pyterrier(stage)) == hash(to_pyterrier(stage))
    assert to_pyterrier(stage) != to_pyterrier(stage, k=5)
    by = RetrieverReranker(index)
    assert to_pyterrier(by) == to_pyterrier(by)
    assert to_pyterrier(by) != to_pyterrier(by, depth=5)


def test_missing_columns_are_named(hybrid: Any, index: porism.Index) -> None:
    with pytest.raises(pt.validate.InputValidationError, match="missing_columns=\\['query'\\]"):
        hybrid(pd.DataFrame({"qid": ["1"]}))
    with pytest.raises(pt.validate.InputValidationError, match="missing_columns=\\['docno'\\]"):
        to_pyterrier(RetrieverReranker(index))(pd.DataFrame({"qid": ["1"], "query": ["x"]}))
    with pytest.raises(pt.validate.InputValidationError, match="query_title"):
        to_pyterrier(index, fields=["title"])(pd.DataFrame({"qid": ["1"], "query": ["x"]}))
    results = pd.DataFrame({"qid": ["1"], "query": ["x"], "docno": ["a"]})
    with pytest.raises(pt.validate.InputValidationError, match="extra_columns=\\['docno'\\]"):
        to_pyterrier(Run({"1": [("a", 1.0)]}))(results)


@every_case(
    ("rows", "said"),
    [
        ({"qid": ["1", "1"], "query": ["x", "y"]}, "two queries have the id '1'"),
        ({"qid": ["1", None], "query": ["x", "y"]}, "row 1 has no 'qid'"),
        ({"qid": [1.0, float("nan")], "query": ["x", "y"]}, "row 1 has no 'qid'"),
        ({"qid": ["1", ""], "query": ["x", "y"]}, "row 1 has no 'qid'"),
        ({"qid": ["1"], "query": [None]}, "is not a text"),
        ({"qid": ["1", "1"], "query": ["x", "y"], "docno": ["a", "b"]}, "query '1' have more than one query text"),
    ],
)
def test_tables_that_are_no_queries_are_refused(rows: dict[str, Any], said: str, hybrid: Any) -> None:
    with pytest.raises(QueryError, match=said):
        hybrid(pd.DataFrame(rows))


def test_what_cannot_become_a_transformer(index: porism.Index, hybrid: Any) -> None:
    assert to_pyterrier(hybrid) is hybrid
    with pytest.raises(ConfigError, match="a str cannot become a transformer"):
        to_pyterrier("index")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="has nothing to fuse"):
        to_pyterrier(make_fusion("rrf"))
    with pytest.raises(ConfigError, match="a RetrieverReranker has no sources"):
        to_pyterrier(RetrieverReranker(index), hybrid)
    with pytest.raises(QueryError, match="k cannot be 0"):
        to_pyterrier(index, k=0)
