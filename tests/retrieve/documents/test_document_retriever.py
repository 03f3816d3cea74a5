"""Hybrid search: how queries are weighed, and what a search over channels finds."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from case_tables import every_case

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.errors import ConfigError, QueryError
from porism.index import IndexWriter, Snapshot
from porism.retrieve import DEFAULT_MODEL, ChannelSettings, DocumentRetriever, SearchModel
from porism.retrieve.documents.named_models import SEARCH_MODELS
from porism.retrieve.documents.published import SYSTEMS_2021, SYSTEMS_2022
from porism.retrieve.feedback.settings import Feedback
from porism.runs.run import Run
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Formula, Query

CONFIG = AnalysisConfig(formulas=("tokens", "subtrees"))
MODEL = SearchModel(
    {"words": ChannelSettings(1.0, 1.2), "tokens": ChannelSettings(0.5, 1.2), "subtrees": ChannelSettings()},
    {"title": 2.0}, {"title": 3.0},
)
DOCUMENTS = [
    Document("pythagoras", {"title": Content("Right triangles"), "body": Content.of("Sides: ", Formula("a^2+b^2=c^2"))},
             {"tags": ("geometry", "triangles")}),
    Document("fermat", {"title": Content("Primes"), "body": Content.of("Sums of squares ", Formula("p=x^2+y^2"))},
             {"tags": ("number-theory",)}),
    Document("euler", {"title": Content("Euler"), "body": Content.of("Identity ", Formula("e^{i\\pi}+1=0"))}, {}),
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of three documents."""
    folder = tmp_path_factory.mktemp("hybrid") / "index"
    index_documents(DOCUMENTS, folder, config=CONFIG, model=MODEL, jobs=1)
    return folder


@pytest.fixture
def retriever(path: Path) -> DocumentRetriever:
    """The model over the index."""
    return DocumentRetriever(Snapshot.open(path), Analyzer(CONFIG), MODEL)


def asked(*parts: str | Formula, name: str = "query") -> Query:
    """A query of one field."""
    return Query("q", {name: Content.of(*parts)})


def test_letters_numbers_and_names_of_formulas_are_words_as_far_as_documents_write_them(tmp_path: Path) -> None:
    documents = [
        Document("plain", {"body": Content("The bound of foo with 903 and n.")}),
        Document("other", {"body": Content("The bound of foo.")}),
        Document("marked", {"body": Content.of("The bound is ", Formula("n+m"), ".")}),
    ]
    model = SearchModel({"words": ChannelSettings(), "tokens": ChannelSettings()}, formula_words=2.0, words_power=1.0)
    index_documents(documents, tmp_path / "index", config=CONFIG, model=model, jobs=1)
    words = DocumentRetriever(Snapshot.open(tmp_path / "index"), Analyzer(CONFIG), model)
    query = asked(Formula(r"\operatorname{foo}(n) \ge 903 + m + n"))
    assert words.query_terms(query)["words"] == {
        "foo": 2.0, "903": 2.0, "n": 0.5,  # half of those with n have it in a formula; none has the word m
    }
    assert words.search([query], 3)["q"][0][0] == "plain"
    with pytest.raises(ConfigError, match="formula_words cannot be -1"):
        SearchModel({"words": ChannelSettings()}, formula_words=-1)


def test_words_are_summed_by_field_weights(retriever) -> None:
    query = Query("q", {"title": Content("squares"), "question": Content("square of a triangle")})
    assert retriever.query_terms(query)["words"] == {"squar": 4.0, "triangl": 1.0}


def test_formulas_count_by_what_they_say(retriever) -> None:
    """q = (w · (mass + 5)^−½)^½ with the mass the sum of idf over the formula's terms, worked by hand."""
    documents = 3
    df = {"e": 1, "^": 3, "{": 3, "i": 1, "π": 1, "}": 3}
    idf = {term: math.log1p((documents - n + 0.5) / (n + 0.5)) for term, n in df.items()}
    found = retriever.query_terms(asked(Formula("e^{i\\pi}")))["tokens"]
    assert set(found) == set(df)
    assert found["π"] == pytest.approx((sum(idf.values()) + 5) ** -0.25)


def test_trivial_formulas_weigh_more_a_symbol_but_less_in_all(retriever) -> None:
    small = retriever.term_weights(asked(Formula("p")))
    large = retriever.term_weights(asked(Formula("a^2+b^2=c^2")))
    assert sum(small["tokens"].values()) < sum(large["tokens"].values())


@pytest.mark.parametrize(("parts", "best"), [
    ((Formula("u^2+v^2=w^2"),), "pythagoras"),
    (("sums of squares ", Formula("q=a^2+b^2")), "fermat"),
    ((Formula("1+e^{i\\pi}=0"),), "euler"),
    (("triangle",), "pythagoras"),
])
def test_the_best_answer_is_first(retriever, parts, best) -> None:
    assert retriever.search([asked(*parts)], 3)["q"][0][0] == best


def test_explanations_add_up_to_the_score(retriever) -> None:
    query = asked("squares in triangles ", Formula("x^2+y^2"))
    run = retriever.search([query], 3)
    assert len(run["q"]) == 3
    for doc_id, score in run["q"]:
        explanation = retriever.explain(query, doc_id)
        assert explanation.value == score
        assert math.isclose(sum(part.value for part in explanation.parts), score)
        for channel in explanation.parts:
            assert math.isclose(sum(part.value for part in channel.parts), channel.value)


def test_what_shares_no_term_is_no_result(retriever) -> None:
    assert retriever.search([asked("zebra")], 10)["q"] == []
    assert [doc for doc, _ in retriever.search([asked("primes")], 10)["q"]] == ["fermat"]


def test_filters(retriever) -> None:
    query = asked(Formula("x^2+y^2=z^2"))
    allowed = retriever.snapshot.filter({"tags": "number-theory"})
    assert [doc for doc, _ in retriever.search([query], 9, allowed=allowed)["q"]] == ["fermat"]
    both = retriever.search([query], 9, allowed=retriever.snapshot.filter({"tags": ("number-theory", "geometry")}))["q"]
    assert {doc for doc, _ in both} == {"fermat", "pythagoras"}
    assert retriever.search([query], 9, allowed=retriever.snapshot.filter({"tags": "poetry"}))["q"] == []
    with pytest.raises(QueryError, match="no document has the metadata 'colour'"):
        retriever.search([query], 9, allowed=retriever.snapshot.filter({"colour": "red"}))


def test_queries_need_different_ids(retriever) -> None:
    with pytest.raises(QueryError, match="same id"):
        retriever.search([asked("a"), asked("b")])


def test_other_settings_need_no_new_index(path) -> None:
    snapshot, analyzer = Snapshot.open(path), Analyzer(CONFIG)
    words = DocumentRetriever(snapshot, analyzer, SearchModel({"words": ChannelSettings(2.0, 0.9, 0.4)}))
    assert words.search([asked(Formula("x^2"))], 3)["q"] == []
    doubled = words.search([asked("triangles")], 3)["q"][0][1]
    single = DocumentRetriever(
        snapshot, analyzer, SearchModel({"words": ChannelSettings(1.0, 0.9, 0.4)})
    ).search([asked("triangles")], 3)["q"][0][1]
    assert doubled == pytest.approx(2 * single)


@every_case("make", [
    lambda: SearchModel({}),
    lambda: SearchModel({"words": ChannelSettings(0.0)}),
    lambda: SearchModel({"words": ChannelSettings()}, {"title": -1.0}),
    lambda: SearchModel({"words": ChannelSettings()}, formulas_power=0.0),
    lambda: ChannelSettings(b=1.5),
    lambda: ChannelSettings(k1=-1.0),
])
def test_settings_out_of_range_are_refused(make) -> None:
    with pytest.raises(ConfigError):
        make()


def test_an_index_without_the_models_channels_is_refused(path) -> None:
    with pytest.raises(ConfigError, match="none of the channels mias"):
        DocumentRetriever(Snapshot.open(path), Analyzer(CONFIG), SearchModel({"mias": ChannelSettings()}))


def test_a_model_that_needs_all_its_channels_is_not_searched_without_one(path) -> None:
    snapshot, analyzer = Snapshot.open(path), Analyzer(CONFIG)
    channels = {"words": ChannelSettings(), "bpe:mine": ChannelSettings(), "mias": ChannelSettings()}
    strict = SearchModel(channels, needs_all_channels=True)
    with pytest.raises(ConfigError, match="lacks bpe:mine, mias, without which") as caught:
        DocumentRetriever(snapshot, analyzer, strict)
    assert "porism index SOURCES --index NEW --channels default,mias --tokenizer mine=FILE" in str(caught.value.hint)
    with pytest.raises(ConfigError, match="lacks mias, without which") as caught:  # none of the channels at all
        DocumentRetriever(snapshot, analyzer, SearchModel({"mias": ChannelSettings()}, needs_all_channels=True))
    assert "--channels default,mias" in str(caught.value.hint)
    words = DocumentRetriever(snapshot, analyzer, SearchModel({"words": ChannelSettings()}, needs_all_channels=True))
    lenient = DocumentRetriever(snapshot, analyzer, SearchModel(channels))
    assert lenient.search([asked("triangles")], 3) == words.search([asked("triangles")], 3)


def test_published_systems_need_all_their_channels() -> None:
    assert all(model.needs_all_channels for model in (*SYSTEMS_2021.values(), *SYSTEMS_2022.values()))
    assert not SEARCH_MODELS["default"].needs_all_channels


def test_asking_often_changes_no_answer(path, retriever) -> None:
    """After some queries small vocabularies are held in memory; what they do not have is still not found."""
    query = asked("squares zebra triangles ", Formula("x^2+\\zeta_9"))
    first = retriever.search([query], 3)
    for number in range(100):
        retriever.search([asked(f"unknown{number} primes ", Formula(f"x_{{{number}}}"))], 3)
    assert retriever.search([query], 3) == first
    assert retriever.search([asked("another zebra")], 3)["q"] == []
    assert DocumentRetriever(Snapshot.open(path), Analyzer(CONFIG), MODEL).search([query], 3) == first


def test_an_empty_index_has_no_results(tmp_path) -> None:
    index_documents([], tmp_path / "index", config=CONFIG, jobs=1)
    retriever = DocumentRetriever(Snapshot.open(tmp_path / "index"), Analyzer(CONFIG), MODEL)
    assert retriever.search([asked("word", Formula("x"))], 5)["q"] == []


LEARNING = SearchModel(
    {"words": ChannelSettings(), "tokens": ChannelSettings(0.5)}, feedback=Feedback(0.5, 1, 5),
)
"""Learns from the first document only, so that what it learns can be told by hand."""


def test_documents_that_share_what_feedback_adds_are_found_too(path) -> None:
    retriever = DocumentRetriever(Snapshot.open(path), Analyzer(CONFIG), LEARNING)
    plain = DocumentRetriever(Snapshot.open(path), Analyzer(CONFIG), SearchModel(LEARNING.channels))
    query = asked("triangle ", Formula("p"))
    assert {doc for doc, _ in plain.search([query], 9)["q"]} == {"pythagoras", "fermat"}
    found = retriever.search([query], 9)["q"]
    assert found[0][0] == "pythagoras"
    assert {doc for doc, _ in found} == {"pythagoras", "fermat", "euler"}  # all formulas have a power
    assert retriever.search([asked("zebra")], 9)["q"] == []


def test_explanations_show_what_feedback_gave(path) -> None:
    retriever = DocumentRetriever(Snapshot.open(path), Analyzer(CONFIG), LEARNING)
    query = asked("squares of triangles", Formula("c^2"))
    for doc_id, score in retriever.search([query], 9)["q"]:
        explanation = retriever.explain(query, doc_id)
        assert explanation.value == score
        assert math.isclose(sum(part.value for part in explanation.parts), score)
    labels = [leaf.label for part in retriever.explain(query, "pythagoras").parts for leaf in part.parts]
    assert any("'right': in the query (0 + feedback" in label for label in labels)
    assert any("'triangl': in the query (1 + feedback" in label for label in labels)


def forum(size: int) -> list[Document]:
    """Answers by chance, of threads with links."""
    chance = random.Random(5)
    words = [f"word{number}" for number in range(30)]

    def text() -> Content:
        return Content.of(" ".join(chance.choices(words, k=8)), " ", Formula("".join(chance.choices("abxy+=^", k=4))))

    return [
        Document(
            f"d{number}", {"title": text(), "body": text()},
            {"question_id": str(number // 3), "linked": tuple(str(chance.randrange(size // 3)) for _ in range(3))},
        )
        for number in range(size)
    ]


def test_the_default_model_ranks_alike_in_any_segmentation_and_after_deletions(tmp_path) -> None:
    documents = forum(90)
    kept = [document for number, document in enumerate(documents) if number % 4]
    index_documents(kept, tmp_path / "whole", jobs=1)
    for part in (documents[50:], documents[:1], documents[1:50]):
        index_documents(part, tmp_path / "parts", jobs=1)
    with IndexWriter(tmp_path / "parts") as writer:
        writer.delete([document.id for document in documents[::4]])
    queries = [Query(str(number), dict(document.fields)) for number, document in enumerate(forum(90)[:12])]
    retrievers = [
        DocumentRetriever(Snapshot.open(tmp_path / name), Analyzer(AnalysisConfig()), DEFAULT_MODEL)
        for name in ("whole", "parts")
    ]
    runs: list[Run] = [retriever.search(queries, 20) for retriever in retrievers]
    assert len(Snapshot.open(tmp_path / "parts").segments) > 1
    assert runs[0] == runs[1]
    for query in queries[:3]:
        for doc_id, score in runs[0][query.id]:
            for retriever in retrievers:
                explanation = retriever.explain(query, doc_id, k=20)
                assert explanation.value == score
                assert math.isclose(sum(part.value for part in explanation.parts), score)


def test_more_results_begin_with_the_fewer(tmp_path) -> None:
    index_documents(forum(60), tmp_path / "index", jobs=1)
    retriever = DocumentRetriever(Snapshot.open(tmp_path / "index"), Analyzer(AnalysisConfig()), DEFAULT_MODEL)
    query = asked("word1 word2 ", Formula("a+b=x"))
    most = retriever.search([query], 5000)["q"]
    assert 3 < len(most) <= 60
    for k in (1, 3, 10):
        assert retriever.search([query], k)["q"] == most[:k]
    with pytest.raises(QueryError, match="0 results"):
        retriever.search([query], 0)


def test_explanations_are_of_the_search_with_these_filters(tmp_path) -> None:
    index_documents(forum(60), tmp_path / "index", jobs=1)
    some = {"linked": ("3", "7", "11")}
    with open_index(tmp_path / "index") as index:
        hits = index.search("word1 word2 $a+b$", 5, filters=some)
        assert hits
        for hit in hits:
            assert index.explain("word1 word2 $a+b$", hit.id, filters=some).value == hit.score
