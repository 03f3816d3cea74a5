"""More like this: a document as the query."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from case_tables import every_case

from porism.analysis.analyzer import AnalysisConfig
from porism.errors import ConfigError, QueryError
from porism.retrieve import ChannelSettings, SearchModel, Zone
from porism.retrieve.documents.links import Links
from porism.retrieve.documents.more_like_this import MoreLikeThis, MoreLikeThisSettings
from porism.retrieve.documents.weighted_formulas import Matches
from porism.search.index import Index, open_index
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Formula

CONFIG = AnalysisConfig(formulas=("tokens", "subtrees"))
MODEL = SearchModel(
    {"words": ChannelSettings(1.0, 1.2), "tokens": ChannelSettings(0.5, 1.2), "subtrees": ChannelSettings()},
    {"title": 3.0, "notes": 0.0}, {"title": 7.0}, formulas_power=0.5,
)


def document(name: str, title: str, *body: str | Formula, notes: str = "", tag: str = "x") -> Document:
    return Document(
        name, {"title": Content(title), "body": Content.of(*body), "notes": Content(notes)}, {"tags": (tag,)}
    )


DOCUMENTS = [
    document("a", "Prime numbers", "sum over primes ", Formula(r"\sum_p 1/p"), notes="walrus", tag="t"),
    document("b", "Prime ideals", "rings and primes", tag="t"),
    document("c", "Series", "harmonic sum ", Formula(r"\sum_n 1/n"), notes="walrus"),
    document("d", "Topology", "open covers"),
    document("e", "Walrus", "arctic"),
    document("f", "", ""),
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("like") / "index"
    index_documents(DOCUMENTS, folder, config=CONFIG, model=MODEL, jobs=1)
    return folder


@pytest.fixture
def index(path: Path) -> Index:
    return open_index(path, MODEL)


def ids(index: Index, doc_id: str, **options: object) -> list[str]:
    return [hit.id for hit in index.more_like(doc_id, **options)]  # type: ignore[arg-type]


def test_terms_are_weighed_as_those_of_the_document(index) -> None:
    """prime stands in the title, which weighs 3 in documents and 7 in queries, and once in the body."""
    alike = MoreLikeThis(index.retriever, index.analyzer, MoreLikeThisSettings(min_df=1))
    words = alike.terms(alike.query(index.document("a")))["words"]
    assert words["prime"] == 4.0
    assert words["number"] == 3.0
    assert "walru" not in words  # the field counts nothing in documents
    assert set(alike.terms(alike.query(index.document("a")))) == {"words", "tokens", "subtrees"}


def test_terms_that_no_other_document_has_are_left_out(index) -> None:
    alike = MoreLikeThis(index.retriever, index.analyzer)
    assert set(alike.terms(alike.query(index.document("a")))["words"]) == {"prime", "sum"}


def test_the_most_telling_terms_by_weight_and_idf(index) -> None:
    """4 · idf(2 of 5) of prime is more than 1 · idf(2 of 5) of sum; of a share 0.3 of 5 documents no term is left."""
    alike = MoreLikeThis(index.retriever, index.analyzer, MoreLikeThisSettings(terms=1))
    assert alike.terms(alike.query(index.document("a")))["words"] == {"prime": 4.0}
    rare = MoreLikeThis(index.retriever, index.analyzer, MoreLikeThisSettings(max_df=0.3))
    assert "words" not in rare.terms(rare.query(index.document("a")))


def test_finds_by_words_and_by_formulas_and_not_the_document_itself(index) -> None:
    assert set(ids(index, "a")) == {"b", "c"}
    assert ids(index, "c") == ["a"]
    assert ids(index, "a", k=1) == ids(index, "a")[:1]
    assert ids(index, "a", likeness=MoreLikeThisSettings(fields=("title",))) == ["b"]
    words = index.with_models(SearchModel({"words": ChannelSettings()}))
    formulas = index.with_models(SearchModel({"subtrees": ChannelSettings()}))
    assert set(ids(words, "a")) == {"b", "c", "e"}  # here notes count as other fields do
    assert ids(formulas, "a") == ["c"]


def test_filters(index) -> None:
    assert ids(index, "a", filters={"tags": "t"}) == ["b"]
    assert ids(index, "a", filters={"tags": "nothing"}) == []
    with pytest.raises(QueryError, match="no document has the metadata 'colour'"):
        index.more_like("a", filters={"colour": "red"})


@pytest.mark.parametrize("model", [
    MODEL,
    SearchModel({"words": ChannelSettings(), "subtrees": ChannelSettings()}, {"title": 2.0},
                zones={"title": Zone(0.5, {"title": 1.0})}, matches=Matches(0.5), links=Links(0.3)),
    SearchModel({"words": ChannelSettings(weighting="ltc.ltc"), "tokens": ChannelSettings(weighting="pl2")}),
    SearchModel({"words": ChannelSettings(field_weights={"*": 0.0, "title": 1.0})}),
])
def test_explanations_add_up_to_the_scores(index, model) -> None:
    asked = index.with_models(model)
    hits = asked.more_like("a", 10)
    assert hits
    for hit in hits:
        explanation = asked.explain_likeness("a", hit.id)
        assert explanation.value == hit.score
        assert math.isclose(sum(part.value for part in explanation.parts), hit.score)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_field_weights_of_a_channel_hold_for_the_document(index) -> None:
    asked = index.with_models(SearchModel({"words": ChannelSettings(field_weights={"*": 0.0, "title": 2.0})}))
    alike = MoreLikeThis(asked.retriever, asked.analyzer)
    assert alike.terms(alike.query(asked.document("a")))["words"] == {"prime": 2.0}


def test_hits_show_what_they_share(index) -> None:
    (hit,) = index.more_like("b", 1)
    assert hit.id == "a"
    assert hit.rank == 1
    assert "[Prime]" in hit.title.marked("[", "]")


def test_does_not_depend_on_segments(tmp_path, index) -> None:
    index_documents(DOCUMENTS[3:], tmp_path / "index", config=CONFIG, model=MODEL, jobs=1)
    index_documents(DOCUMENTS[:3], tmp_path / "index", config=CONFIG, model=MODEL, jobs=1)
    with open_index(tmp_path / "index", MODEL) as parts:
        assert len(parts.snapshot.segments) == 2
        for doc_id in "abc":
            assert [(hit.id, hit.score) for hit in parts.more_like(doc_id)] == [
                (hit.id, hit.score) for hit in index.more_like(doc_id)
            ]


def test_what_has_nothing_in_common_finds_nothing(index) -> None:
    assert index.more_like("d") == []


def test_errors_say_what_is_missing(index) -> None:
    with pytest.raises(QueryError, match="there is no document 'nowhere' in the index"):
        index.more_like("nowhere")
    with pytest.raises(QueryError, match="there is no document 'nowhere'"):
        index.explain_likeness("a", "nowhere")
    with pytest.raises(QueryError, match="the document 'f' has nothing in the fields that count") as error:
        index.more_like("f")
    assert error.value.hint == "It is empty."
    with pytest.raises(QueryError, match="the document 'd' has nothing in the fields that count") as error:
        index.more_like("d", likeness=MoreLikeThisSettings(fields=("abstract",)))
    assert error.value.hint == "It has title, body."
    with pytest.raises(QueryError, match="the document 'd' has no words and no formulas in the channels"):
        index.with_models(SearchModel({"subtrees": ChannelSettings()})).more_like("d")
    with pytest.raises(QueryError, match="0 results"):
        index.more_like("a", 0)


@every_case("make", [
    lambda: MoreLikeThisSettings(0), lambda: MoreLikeThisSettings(min_df=0),
    lambda: MoreLikeThisSettings(max_df=0.0), lambda: MoreLikeThisSettings(max_df=1.1),
])
def test_settings_out_of_range_are_refused(make) -> None:
    with pytest.raises(ConfigError):
        make()


def test_searches_learn_from_judged_documents(index) -> None:
    plain = {hit.id: hit.score for hit in index.search("sum")}
    assert set(plain) == {"a", "c"}
    learnt = {hit.id: hit.score for hit in index.search("sum", relevant=["a"])}
    assert set(learnt) == {"a", "b", "c"}  # b has primes too
    assert learnt["a"] > plain["a"]
    less = {hit.id: hit.score for hit in index.search("sum", not_relevant=["c"])}
    assert less["c"] < plain["c"]
    explanation = index.explain("sum", "b", relevant=["a"])
    assert explanation.value == learnt["b"]
    with pytest.raises(QueryError, match="there is no document 'nowhere'"):
        index.search("sum", relevant=["nowhere"])
    with pytest.raises(QueryError, match="judged documents are given as 'abc'"):
        index.search("sum", relevant="abc")
