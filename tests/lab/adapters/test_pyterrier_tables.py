"""Queries, runs and judgments as the tables of PyTerrier, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from pyterrier_cases import Topics, columns, no_java, pd  # noqa: F401  (no_java is used by pytest)

import porism
from porism.errors import FormatError
from porism.lab.adapters import (
    qrels_to_frame,
    queries_from_frame,
    queries_to_frame,
    run_from_frame,
    run_to_frame,
    to_pyterrier,
)
from porism.runs.run import Run
from porism.types import Content, Formula, Query


def test_queries_read_back_as_they_were() -> None:
    content = Content.of(
        "costs $5, or ", Formula(r"\frac{a}{b}"), " or $6? And \n\n", Formula(r"x \text{ if $y$ is}", display=True)
    )
    queries = [Query("1", {"query": content}), Query("2", {"query": Content("")})]
    assert queries_from_frame(queries_to_frame(queries)) == queries


@every_case("source", ["2019^{2018}\\", "a} + {b", "x_{", r"\$5", r"a \\", r"\text{$n$}"])
@every_case("display", [False, True])
def test_broken_formulas_do_not_break_the_text_around_them(source: str, display: bool) -> None:
    query = Query("1", {"query": Content.of("Is ", Formula(source, display=display), " or ", Formula("y"), " larger?")})
    read = queries_from_frame(queries_to_frame([query]))[0].fields["query"]
    assert read.text == query.fields["query"].text
    assert [formula.source.rstrip() for formula in read.formulas] == [source, "y"]


@pytest.mark.needs_shared_data
def test_official_topics_read_back(shared_data: Path) -> None:
    paths = sorted((shared_data / "arqmath-topics" / "2020").glob("Topics_Task*.xml"))
    assert len(paths) == 2
    for path in paths:
        topics = porism.read_topics(path)
        fields = list(dict.fromkeys(name for topic in topics for name in topic.fields))
        for topic, read in zip(topics, queries_from_frame(queries_to_frame(topics), fields), strict=True):
            for name, content in topic.fields.items():
                assert read.fields[name].text == content.text
                assert [formula.source.strip() for formula in read.fields[name].formulas] == [
                    formula.source.strip() for formula in content.formulas
                ]


def test_a_formula_in_mathml_becomes_latex() -> None:
    query = Query("1", {"query": Content.of(Formula("<math><msup><mi>x</mi><mn>2</mn></msup></math>", "mathml"))})
    assert queries_to_frame([query])["query"].tolist() == ["$x^{2}$"]


def test_fields_of_a_query_have_columns_of_their_own() -> None:
    query = Query("A.1", {"title": Content.of("Find ", Formula("n")), "question": Content("How?")})
    other = Query("A.2", {"title": Content("Only this")})
    frame = queries_to_frame([query, other])
    assert frame.to_dict("list") == {
        "qid": ["A.1", "A.2"], "query": ["Find $n$\n\nHow?", "Only this"],
        "query_title": ["Find $n$", "Only this"], "query_question": ["How?", ""],
    }
    read = queries_from_frame(frame, ["title", "question"])
    assert read == [query, Query("A.2", {"title": Content("Only this"), "question": Content("")})]


def test_runs_and_judgments_read_back(index: porism.Index, topics: Topics) -> None:
    run = index.run(topics, 20)
    frame = run_to_frame(run)
    assert columns(frame) == {"qid": "O", "docno": "O", "score": "f", "rank": "i"}
    assert run_from_frame(frame.sample(frac=1, random_state=1)) == Run({
        query_id: run[query_id] for query_id in run if run[query_id]
    })
    assert frame["rank"].tolist()[:20] == list(range(20))
    assert qrels_to_frame({"q": {"a": 2, "b": 0}, "r": {}}).to_dict("list") == {
        "qid": ["q", "q"], "docno": ["a", "b"], "label": [2, 0]
    }
    assert len(run_from_frame(run_to_frame(Run({})))) == 0
    assert columns(qrels_to_frame({}))["label"] == "i"


def test_ties_have_the_ranks_of_the_one_rule() -> None:
    tied = to_pyterrier(Run({"1": [("a", 1.0), ("c", 1.0), ("b", 1.0), ("d", 2.0)]}))
    found = tied(pd.DataFrame({"qid": ["1"], "query": ["x"]}))
    assert found["docno"].tolist() == ["d", "c", "b", "a"]
    assert found["rank"].tolist() == [0, 1, 2, 3]


@every_case(
    ("rows", "said"),
    [
        ({"docno": ["a", "a"], "score": [1.0, 2.0]}, "occurs twice"),
        ({"docno": ["a", "b"], "score": [1.0, float("nan")]}, "the score of document 'b' is nan"),
        ({"docno": ["a", "b"], "score": ["1.0", "high"]}, "the scores are not numbers"),
        ({"docno": ["a", "b"]}, "no column 'score'"),
    ],
)
def test_tables_that_are_no_run_are_refused(rows: dict[str, Any], said: str) -> None:
    with pytest.raises(FormatError, match=said):
        run_from_frame(pd.DataFrame({"qid": ["1", "1"], **rows}))
