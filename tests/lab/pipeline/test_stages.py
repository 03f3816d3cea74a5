"""Stages: cutoffs go down to the retriever, runs say what made them, and each query has its own time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from case_tables import every_case
from pipeline_fakes import Clock, Fixed, Given, order, queries

import porism
from porism.errors import ConfigError, FormatError, QueryError
from porism.lab.fusion import fuse, make_fusion
from porism.lab.pipeline import PipelineStage, RetrieverReranker, fused, pipeline, stages
from porism.retrieve import ChannelSettings, SearchModel
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.sample import QUERIES

LETTERS = {"q": {letter: 26.0 - place for place, letter in enumerate("abcdefgh")}}
"""Eight documents, ``a`` first with 26, ``h`` last with 19."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(stages, "perf_counter", clock)
    return clock


def test_a_retriever_is_asked_for_one_query_at_a_time_in_the_order_given() -> None:
    source = Fixed({"2": {"x": 1.0}, "1": {"y": 2.0}})
    run = pipeline(source).search(queries("2", "1", "3"), 5)
    assert source.asked == [(("2",), 5), (("1",), 5), (("3",), 5)]
    assert run.query_ids == ("2", "1", "3")
    assert run.to_dict() == {"2": {"x": 1.0}, "1": {"y": 2.0}, "3": {}}


def test_a_batch_is_asked_at_once_and_no_query_has_a_time() -> None:
    source = Fixed(LETTERS)
    run = pipeline(source, batch=True).search(queries("q", "r"), 2)
    assert source.asked == [(("q", "r"), 2)]
    assert run.provenance is not None
    assert not run.provenance.seconds


@every_case(("cutoff", "k", "asked"), [(3, 1000, 3), (3, 2, 2), (3, 3, 3)])
def test_a_cutoff_is_pushed_down_into_the_retriever(cutoff: int, k: int, asked: int) -> None:
    source = Fixed(LETTERS)
    run = (pipeline(source) % cutoff).search(queries("q"), k)
    assert source.asked == [(("q",), asked)]
    assert order(run, "q") == list("abcdefgh")[:asked]


def test_of_two_cutoffs_the_lower_counts() -> None:
    for stage in (pipeline(Fixed(LETTERS)) % 2 % 5, pipeline(Fixed(LETTERS)) % 5 % 2):
        assert order(stage.search(queries("q")), "q") == ["a", "b"]


@every_case(("k", "depth", "asked"), [(2, 4, 4), (6, 4, 6), (4, 4, 4)])
def test_a_reranker_asks_for_its_depth_or_k_where_that_is_more(k: int, depth: int, asked: int) -> None:
    source = Fixed(LETTERS)
    stage = (pipeline(source) >> Given(dict(zip("abcdefgh", range(8), strict=True)), depth)) % k
    run = stage.search(queries("q"))
    assert source.asked == [(("q",), asked)]
    assert order(run, "q") == list("dcba" if depth == 4 else "")[:k] + list("efgh")[: max(0, k - depth)]


def test_a_cutoff_before_a_reranker_leaves_it_fewer_documents() -> None:
    source, by = Fixed(LETTERS), Given({"a": 1.0, "b": 2.0})
    run = (pipeline(source) % 2 >> by).search(queries("q"))
    assert source.asked == [(("q",), 2)]
    assert by.asked == [("q", ("a", "b"))]
    assert order(run, "q") == ["b", "a"]


def test_percent_binds_tighter_than_the_arrow_and_means_the_same() -> None:
    by = Given(dict(zip("abcdefgh", range(8), strict=True)))
    late = pipeline(Fixed(LETTERS)) >> by % 3
    early = (pipeline(Fixed(LETTERS)) >> by) % 3
    assert late.search(queries("q")) == early.search(queries("q"))
    assert order(late.search(queries("q")), "q") == ["h", "g", "f"]
    assert repr(late) == repr(early) == "(fixed >> Given(depth=100)) % 3"
    assert order((pipeline(Fixed(LETTERS)) >> by % 3 % 2).search(queries("q")), "q") == ["h", "g"]


def test_the_first_results_do_not_depend_on_k() -> None:
    one, other = Fixed(LETTERS), Fixed({"q": {"h": 9.0, "z": 8.0, "a": 1.0}}, "other")
    by = Given({"c": 5.0, "b": 4.0}, depth=3)
    reranked = pipeline(one) >> by
    for stage in (reranked, fused(one, other, k=1), fused(reranked, other) % 6, fused(one, other, depth=3)):
        longest = order(stage.search(queries("q"), 100), "q")
        for k in range(1, 9):
            assert order(stage.search(queries("q"), k), "q") == longest[:k]


def test_a_fusion_fuses_what_its_sources_find() -> None:
    one, other = Fixed(LETTERS, "one"), Fixed({"q": {"h": 9.0, "z": 8.0}, "r": {"y": 1.0}}, "other")
    run = fused(one, other, method="rrf", k=1, depth=5).search(queries("q", "r", "s"), 3)
    assert one.asked == [(("q",), 5), (("r",), 5), (("s",), 5)]
    sources = [Run({name: source.results.get(name, {}).items() for name in "qrs"}).top(5) for source in (one, other)]
    expected = fuse(sources, "rrf", depth=3, k=1)
    assert run.query_ids == ("q", "r", "s")
    assert {name: run[name] for name in run} == {name: expected[name] for name in "qrs"}
    # 1 / (1 + 1) for the first, 1 / (1 + 2) for the second: of equals the later id is first
    assert run["q"] == [("h", 0.5), ("a", 0.5), ("z", pytest.approx(1 / 3))]


@every_case("k", [1, 2, 7])
def test_a_fusion_asks_its_sources_for_its_depth_whatever_k_is(k: int) -> None:
    one, other = Fixed(LETTERS), Fixed({"q": {"h": 9.0, "z": 8.0, "y": 7.0}})
    run = fused(one, other, depth=2).search(queries("q"), k)
    assert one.asked == other.asked == [(("q",), 2)]
    assert order(run, "q") == ["h", "a", "z", "b"][:k]


def test_a_fusion_of_a_pipeline_with_a_run_made_elsewhere() -> None:
    elsewhere = Run({"q": [("z", 3.0), ("a", 2.0)], "unasked": [("b", 1.0)]}, "elsewhere")
    stage = fused(Fixed(LETTERS), elsewhere, method=make_fusion("rrf", {"k": 0}))
    run = stage.search(queries("q"), 2)
    assert run["q"] == [("a", 1 + 1 / 2), ("z", 1.0)]
    assert run.query_ids == ("q",)


def test_a_run_keeps_the_ranks_of_its_file() -> None:
    ranked = Run.from_columns(["q"], [0, 2], ["b", "a"], [2.0, 1.0], ranks=[3, 7])
    assert pipeline(ranked).search(queries("q", "r")).ranks.tolist() == [3, 7]
    # with gaps: 1 / (0 + 3) and 1 / (0 + 7)
    assert fused(ranked, k=0).search(queries("q"))["q"] == [("b", 1 / 3), ("a", 1 / 7)]


def test_each_query_has_its_own_seconds(clock: Clock) -> None:
    run = pipeline(Fixed(LETTERS, clock=clock, seconds=0.5)).search(queries("q", "r"))
    assert run.provenance is not None
    assert dict(run.provenance.seconds) == {"q": 0.5, "r": 0.5}


def test_seconds_of_a_reranker_are_added_and_a_cutoff_takes_none(clock: Clock) -> None:
    by = Given({"a": 1.0}, clock=clock, seconds=2.0)
    run = ((pipeline(Fixed(LETTERS, clock=clock, seconds=0.5)) >> by) % 2).search(queries("q", "r"))
    assert run.provenance is not None
    assert dict(run.provenance.seconds) == {"q": 2.5, "r": 0.5}  # of r nothing was found to be re-ranked


def test_seconds_of_a_fusion_are_those_of_its_sources_and_a_share(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*arguments: object, **options: object) -> Run:
        clock.now += 3.0
        return fuse(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(stages, "fuse", slow)
    one = Fixed(LETTERS, clock=clock, seconds=0.5)
    other = Fixed(LETTERS, clock=clock, seconds=0.25)
    run = fused(one, other).search(queries("q", "r", "s"))
    assert run.provenance is not None
    assert dict(run.provenance.seconds) == {"q": 1.75, "r": 1.75, "s": 1.75}


def test_where_a_source_has_no_times_a_fusion_has_none() -> None:
    run = fused(pipeline(Fixed(LETTERS), batch=True), Fixed(LETTERS)).search(queries("q"))
    assert run.provenance is not None
    assert not run.provenance.seconds


def test_a_run_made_elsewhere_has_the_times_that_it_came_with() -> None:
    known = Run({"q": [("a", 1.0)]}, provenance=Provenance(seconds={"q": 7.0, "r": 8.0}))
    run = pipeline(known).search(queries("q", "s"))
    assert run.provenance is not None
    assert dict(run.provenance.seconds) == {"q": 7.0}


def test_what_a_source_was_tuned_on_stays_with_every_run_of_it() -> None:
    tuned = Run({"q": [("a", 1.0)]}, provenance=Provenance(tuned_on=("t1", "t2"), evidence=({"measure": "nDCG'"},)))
    by = Given({"a": 1.0})
    by.tuned_on = ("t3",)
    run = (fused(pipeline(tuned) >> by, Fixed(LETTERS)) % 3).search(queries("q"))
    assert run.provenance is not None
    assert run.provenance.tuned_on == ("t1", "t2", "t3")
    assert run.provenance.evidence == ({"measure": "nDCG'"},)


def test_a_stage_describes_itself_as_plain_values_and_so_does_its_run() -> None:
    first = pipeline(Fixed(LETTERS), name="first") % 50
    stage = fused(first >> Given({}, depth=20), Fixed(LETTERS, "second"), method="linear", weights=[0.7, 0.3])
    told = stage.describe()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["kind"] == "fusion"
    assert told["sources"] == ["first", "second"]
    assert told["parameters"]["weights"] == [0.7, 0.3]
    assert told["of"][0] == {
        "kind": "rerank", "name": "first", "depth": 20, "reranker": {"kind": "Given"},
        "of": {"kind": "cutoff", "name": "first", "k": 50, "of": {"kind": "Fixed", "name": "first"}},
    }
    run = stage.search(queries("q"))
    assert run.provenance is not None
    assert run.provenance.made_by == told
    assert run.name == "linear"


def test_a_stage_writes_itself_as_it_was_put_together() -> None:
    stage = fused(pipeline(Fixed(LETTERS)) % 50 >> Given({}, depth=20), Fixed(LETTERS, "b"), k=10) % 5
    assert repr(stage).startswith("fused(fixed % 50 >> Given(depth=20), b, method='rrf', k=10")
    assert repr(stage).endswith(") % 5")
    assert repr(pipeline(Fixed(LETTERS)).reranked(Given({}), 7)) == "fixed >> Given(depth=100) (depth 7)"


def test_a_stage_under_another_name() -> None:
    stage = (pipeline(Fixed(LETTERS)) % 2).named("short")
    run = stage.search(queries("q"))
    assert (stage.name, run.name, repr(stage)) == ("short", "short", "short")
    assert run.provenance is not None
    assert run.provenance.made_by == {
        "kind": "cutoff", "name": "short", "k": 2, "of": {"kind": "Fixed", "name": "fixed"}
    }
    assert pipeline(stage) is stage
    assert pipeline(stage, name="again").name == "again"


def test_sources_of_one_name_are_told_apart() -> None:
    stage = fused(Fixed(LETTERS), Fixed(LETTERS), Fixed(LETTERS, "fixed-2"))
    assert stage.describe()["sources"] == ["fixed", "fixed-2", "fixed-2-2"]


class _Foreign:
    def transform(self, frame: object) -> object: ...

    def search(self, query: str) -> object: ...


@every_case(
    ("make", "error", "said"),
    [
        (lambda: pipeline("notes.index"), ConfigError, "a str is not a retriever"),
        (lambda: pipeline(_Foreign()), ConfigError, "porism.lab.adapters.from_pyterrier"),
        (lambda: pipeline(Fixed(LETTERS), model=object()), ConfigError, "a Fixed cannot be searched by a model"),
        (lambda: pipeline(Fixed(LETTERS)) >> "x", ConfigError, "a str is not a reranker"),
        (lambda: pipeline(Fixed(LETTERS)) >> Fixed(LETTERS), ConfigError, "a Fixed is not a reranker"),
        (lambda: pipeline(Fixed(LETTERS)) % 0, QueryError, "a cutoff cannot be 0"),
        (lambda: pipeline(Fixed(LETTERS)) % 2.5, QueryError, "a cutoff cannot be 2.5"),
        (lambda: pipeline(Fixed(LETTERS)).reranked(Given({}), 0), QueryError, "the depth cannot be 0"),
        (lambda: Given({}) % -1, QueryError, "a cutoff cannot be -1"),
        (lambda: fused(), ConfigError, "nothing to fuse"),
        (lambda: fused(Fixed(LETTERS), depth=0), QueryError, "the depth of a fusion cannot be 0"),
        (lambda: fused(Fixed(LETTERS), method="rff"), ConfigError, "Did you mean rrf?"),
        (lambda: fused(Fixed(LETTERS), kk=3), ConfigError, "kk"),
        (lambda: fused(Fixed(LETTERS), method=make_fusion("rrf"), k=3), ConfigError, "has its parameters already"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_pipeline_is_said_before_any_search(make: object, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        make()  # type: ignore[operator]


@every_case(
    ("asked", "k", "said"),
    [
        (queries("q", "q"), 10, "two queries have the id 'q'"),
        (queries("q"), 0, "k cannot be 0"),
        (queries("q"), True, "k cannot be True"),
        (["q"], 10, "'q' is not a query"),
        (queries("q")[0], 10, "a list of queries"),
    ],
)
def test_wrong_questions_are_refused_before_any_search(asked: object, k: int, said: str) -> None:
    source = Fixed(LETTERS)
    stage: PipelineStage
    for stage in (pipeline(source), fused(source, source), pipeline(source) >> Given({})):
        with pytest.raises(QueryError, match=said):
            stage.search(asked, k)  # type: ignore[arg-type]
    assert source.asked == []


def test_no_queries_have_an_empty_run() -> None:
    for stage in (pipeline(Fixed(LETTERS)), fused(Fixed(LETTERS)), pipeline(Fixed(LETTERS)) >> Given({})):
        run = stage.search([])
        assert len(run) == 0
        assert run.scores.tolist() == []


def test_results_of_other_queries_are_an_error() -> None:
    class Wrong(Fixed):
        def search(self, queries: object, k: int = 1000) -> Run:
            return Run({"other": [("a", 1.0)]})

    with pytest.raises(FormatError, match="query 'other', which is not among the queries"):
        pipeline(Wrong({})).search(queries("q"))


def test_a_retriever_that_gives_too_many_results_is_cut() -> None:
    class Generous(Fixed):
        def search(self, queries: object, k: int = 1000) -> Run:
            return Run({"q": LETTERS["q"].items()})

    assert order(pipeline(Generous({})).search(queries("q"), 2), "q") == ["a", "b"]


def test_a_reranker_cannot_bring_documents_of_its_own() -> None:
    class Inventive(Given):
        def rerank(self, queries: object, run: Run, depth: int | None = None) -> Run:
            return Run({"q": [("new", 1.0)]})

    with pytest.raises(FormatError, match="gave document 'new', which it was not given"):
        (pipeline(Fixed(LETTERS)) >> Inventive({})).search(queries("q"))


def test_a_search_of_an_index_is_the_one_that_its_user_knows(sample_index: Path) -> None:
    topics = porism.read_topics(QUERIES)
    words = SearchModel({"words": ChannelSettings()}, tuned_on=("t1",))
    with porism.open_index(sample_index) as index, porism.open_index(sample_index, words) as other:
        run = pipeline(index).search(topics, 50)
        assert run == index.run(topics, 50)
        assert run.provenance is not None
        assert set(run.provenance.seconds) == {topic.id for topic in topics}
        assert run.provenance.made_by["index"]["documents"] == len(index)
        assert run.provenance.tuned_on == index.retriever.model.tuned_on
        searched = pipeline(index, words, name="words").search(topics, 50)
        assert searched == other.run(topics, 50)
        assert searched.provenance is not None
        assert searched.provenance.made_by["model"] == words.to_dict()
        assert searched.provenance.tuned_on == ("t1",)
        reranked = (pipeline(index, words) >> RetrieverReranker(index)).search(topics)
        assert reranked.provenance is not None
        assert reranked.provenance.tuned_on == ("t1", *index.retriever.model.tuned_on)
