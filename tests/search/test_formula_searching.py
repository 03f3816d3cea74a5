"""Searching formulas in Python, on the sample and on small collections."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from case_tables import every_case
from long_forms import LONG

import porism
from porism.errors import ConfigError, QueryError
from porism.explanation import Explanation
from porism.formula import layout_key, parse
from porism.search.index import Index, open_index
from porism.search.models.models import read_model
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Formula, Query

SUM = r"\sum_{i=1}^m i^2"


@pytest.fixture(scope="module")
def index(sample_index: Path) -> Iterator[Index]:
    with open_index(sample_index) as opened:
        yield opened


def adds_up(explanation: Explanation) -> bool:
    """Whether each node of an explanation is the sum of its parts."""
    return all(adds_up(part) for part in explanation.parts) and (
        not explanation.parts or explanation.value == pytest.approx(sum(part.value for part in explanation.parts))
    )


def test_the_formula_itself_is_found_first_with_its_places(index: Index) -> None:
    fields = index.document("basel-problem").fields.values()
    formula = next(formula for content in fields for formula in content.formulas if len(formula.source) > 12)
    hits = index.search_formulas(f"${formula.source}$", 5)
    assert [hit.rank for hit in hits] == [1, 2, 3, 4, 5]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len({hit.key for hit in hits}) == 5
    assert hits[0].key == layout_key(parse(formula))
    assert "basel-problem" in {place.doc_id for place in hits[0].places}
    assert hits[0].documents == len({place.doc_id for place in hits[0].places})
    place = hits[0].places[0]
    stored = index.document(place.doc_id).fields[place.field].formulas[place.number]
    assert layout_key(parse(stored)) == hits[0].key


def test_all_ways_to_ask_are_the_same(index: Index) -> None:
    mathml = porism.to_mathml(porism.parse_latex(SUM))
    content = Content.of(Formula(SUM))
    ways = [SUM, f"${SUM}$", mathml, Formula(SUM), content, Query("q", {"formula": content})]
    results = [[(hit.key, hit.score) for hit in index.search_formulas(way, 20)] for way in ways]
    assert len(results[0]) == 20
    assert all(result == results[0] for result in results)


def test_any_k_is_honoured(index: Index) -> None:
    one, many = index.search_formulas(SUM, 1), index.search_formulas(SUM, 100_000)
    assert len(one) == 1 < len(many)
    assert one[0].key == many[0].key
    assert len({hit.key for hit in many}) == len(many)
    with pytest.raises(QueryError, match="k is 0"):
        index.search_formulas(SUM, 0)


def test_explanations_add_up_to_the_scores(index: Index) -> None:
    for hit in index.search_formulas(SUM, 10, explain=True):
        assert hit.match is not None
        assert hit.match.score == pytest.approx(hit.score)
        assert hit.match.explanation.value == pytest.approx(hit.score)
        assert adds_up(hit.match.explanation)
        assert layout_key(parse(hit.match.found)) == hit.key
    assert all(hit.match is None for hit in index.search_formulas(SUM, 3))


def test_several_formulas_ask_for_any_of_them(index: Index) -> None:
    other = r"e^{i\theta}=\cos\theta+i\sin\theta"
    alone = {hit.key: hit.score for query in (SUM, other) for hit in index.search_formulas(query, 100_000)}
    for query in (SUM, other):
        for hit in index.search_formulas(query, 100_000):
            alone[hit.key] = max(alone[hit.key], hit.score)
    both = index.search_formulas(f"${SUM}$ ${other}$", 20, explain=True)
    assert [hit.score for hit in both] == pytest.approx(sorted(alone.values(), reverse=True)[:20])
    assert all(hit.score == pytest.approx(alone[hit.key]) for hit in both)
    assert {hit.match.query.source for hit in both if hit.match is not None} == {SUM, other}


def test_filters_keep_formulas_of_the_documents_they_name(index: Index) -> None:
    everywhere = index.search_formulas("x^2+y^2", 500)
    hits = index.search_formulas("x^2+y^2", 500, filters={"tags": "number-theory"})
    assert 0 < len(hits) < len(everywhere)
    for hit in hits:
        assert all("number-theory" in index.document(place.doc_id).metadata["tags"] for place in hit.places)
    assert index.search_formulas("x^2", 5, filters={"tags": "no such tag"}) == []
    with pytest.raises(QueryError, match="no document has the metadata"):
        index.search_formulas("x^2", 5, filters={"colour": "red"})


def test_json_has_the_stated_keys(index: Index) -> None:
    (hit,) = index.search_formulas(SUM, 1, explain=True)
    value = json.loads(orjson.dumps(hit.to_dict()))
    assert set(value) == {"rank", "score", "key", "latex", "text", "mathml", "documents", "places", "match"}
    assert set(value["match"]) == {"score", "query", "found", "substitution", "values", "explanation"}
    found = value["match"]["found"]
    assert found["text"] == "".join(piece["text"] for piece in found["pieces"])
    assert [piece["text"] for piece in found["pieces"] if piece.get("match")]
    assert set(value["places"][0]) == {"doc_id", "field", "number"}
    assert "match" not in index.search_formulas(SUM, 1)[0].to_dict()


def test_formulas_are_explained_by_key_or_document(index: Index) -> None:
    hit = index.search_formulas(SUM, 1)[0]
    by_key = index.explain_formula(SUM, hit.key)
    assert by_key.score == pytest.approx(hit.score)
    by_document = index.explain_formula(SUM, hit.places[0].doc_id)
    assert by_document.score == pytest.approx(hit.score)
    with pytest.raises(QueryError, match="no formula or document 'nowhere'"):
        index.explain_formula(SUM, "nowhere")
    with pytest.raises(QueryError, match="no visual id"):
        index.explain_formula(SUM, hit.key, "visual_id")


def of(source: str, formula_id: str | None = None, visual_id: str | None = None) -> Formula:
    return Formula(source, "latex", formula_id, visual_id)


@pytest.fixture
def visual(tmp_path: Path) -> Iterator[Index]:
    """A collection in which ``x^2+1`` has two visual ids, and ``x^2+3`` none."""
    documents = [
        Document("1", {"title": Content.of("square and one ", of("x^2+1", "f1", "10"))}),
        Document("2", {"body": Content.of("and again ", of("x^{2}+1", "f2", "11"), of("y^2+1", "f3", "12"))}),
        Document("3", {"body": Content.of("rings and fields ", of("x^2+3", "f4"), of("z^2+1", "f5", "13"))}),
        Document("11", {"body": Content.of("elsewhere ", of("a+b+c+d", "f6", "14"))}),
    ]
    index_documents(documents, tmp_path / "index", jobs=1)
    with open_index(tmp_path / "index") as opened:
        yield opened


def topic(formula: str, **fields: str) -> Query:
    """A formula topic with other fields as its context."""
    context = {name: Content(text) for name, text in fields.items()}
    return Query("B.1", {"formula": Content.of(Formula(formula)), **context})


def test_runs_name_visual_ids_each_with_its_best_score(visual: Index) -> None:
    ranking = visual.run_formulas([topic("x^2+1")])["B.1"]
    scores = dict(ranking)
    assert scores["10"] == scores["11"] == ranking[0][1]
    assert {"12", "13"} <= set(scores) <= {"10", "11", "12", "13", "14"}  # the formula without a visual id is left out
    assert len(visual.run_formulas([topic("x^2+1")], k=2)["B.1"]) == 2
    (best, *_) = visual.search_formulas("x^2+1", 1)
    assert best.score == ranking[0][1]


def test_a_run_asks_on_until_it_has_k_names(tmp_path: Path) -> None:
    documents = [
        Document(str(number), {"body": Content.of(of(f"x^2+{number}", None, None if number < 40 else f"v{number}"))})
        for number in range(60)
    ]
    index_documents(documents, tmp_path / "index", jobs=1)
    with open_index(tmp_path / "index") as index:
        assert len(index.run_formulas([topic("x^2+1")], k=15)["B.1"]) == 15
        assert len(index.run_formulas([topic("x^2+1")], k=1000)["B.1"]) == 20


def test_collections_without_visual_ids(tmp_path: Path) -> None:
    index_documents([Document("d", {"body": Content.of(of("x^2+1"), of("y"))})], tmp_path / "index", jobs=1)
    with open_index(tmp_path / "index") as index:
        assert index.run_formulas([topic("x^2+1")])["B.1"][0][0] == "d/body/0"
    index_documents([Document("e", {"body": Content.of(of("x^2+1", "f9"))})], tmp_path / "other", jobs=1)
    with open_index(tmp_path / "other") as index:
        assert index.run_formulas([topic("x^2+1")])["B.1"][0][0] == "f9"


def test_context_moves_formulas_of_fitting_documents_up_and_finds_no_others(visual: Index) -> None:
    asked = topic("w^2+1", title="rings and fields")
    without, with_context = visual.run_formulas([asked])["B.1"], visual.run_formulas([asked], context=True)["B.1"]
    assert dict(without)["12"] == dict(without)["13"]
    assert dict(with_context)["13"] > dict(with_context)["12"] == dict(without)["12"]
    assert set(dict(with_context)) == set(dict(without))
    hits = visual.search_formulas("$w^2+1$ in rings and fields", explain=True)
    top = next(hit for hit in hits if hit.formula.source == "z^2+1")
    assert top.match is not None
    assert top.match.score == top.match.explanation.value == pytest.approx(top.score)
    assert adds_up(top.match.explanation)


def test_topics_without_a_formula_have_no_results_and_say_so(visual: Index) -> None:
    problems: list[porism.Problem] = []
    unknown = Content.of(Formula(r"\foo x"))
    topics = [Query("B.1", {"query": Content("words alone")}), Query("B.2", {"formula": unknown})]
    run = visual.run_formulas(topics, on_problem=problems.append)
    assert run["B.1"] == []
    assert [problem.where for problem in problems] == ["topic B.1", "topic B.2"]
    with pytest.raises(QueryError, match="the same id"):
        visual.run_formulas([topics[0], topics[0]])


def test_visual_ids_and_documents_of_one_name_are_told_apart(visual: Index) -> None:
    assert visual.explain_formula("x^2+1", "11").found.source in ("x^2+1", "x^{2}+1")
    assert visual.explain_formula("x^2+1", "11", "document").found.source == "a+b+c+d"
    with pytest.raises(QueryError, match="no document '10'"):
        visual.explain_formula("x^2+1", "10", "document")


@every_case("source", [
    "x^{" * (10_000 if LONG else 2_000), r"\frac{1}{" * (5_000 if LONG else 2_000), "x+" * (50_000 if LONG else 11_000),
    "?x", "(" * 3_000, "+".join("abcdefgh" * 300), r"\left\{",
    "&&&", "\ud800", "x_1" * (5_000 if LONG else 1_000),
])
def test_odd_formulas_are_answered(index: Index, source: str) -> None:
    hits = index.search_formulas(Formula(source), 5, explain=True)
    assert len(hits) <= 5
    for hit in hits:
        orjson.dumps(hit.to_dict())


def test_an_index_without_formulas_answers_with_nothing(tmp_path: Path) -> None:
    index_documents([Document("d", {"body": Content("words")})], tmp_path / "index", jobs=1)
    with open_index(tmp_path / "index") as index:
        assert index.search_formulas("x^2") == []
        assert index.run_formulas([topic("x")])["B.1"] == []


def test_models_by_name_and_from_files(tmp_path: Path) -> None:
    from porism.retrieve.formulas.model import FORMULA_MODELS

    for name, model in FORMULA_MODELS.items():
        assert read_model(name, formulas=True) == model
    (tmp_path / "empty.toml").write_text("\ufeff# defaults\n", encoding="utf-8")
    read_model(str(tmp_path / "empty.toml"), formulas=True)


@every_case(("text", "message"), [
    ("weight = = 1", r"m\.toml: is not valid TOML: .*line 1"),
    ("no_such_parameter = 1\n", r"m\.toml: .*no_such_parameter"),
])
def test_broken_model_files_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "m.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_model(str(path), formulas=True)


def test_models_that_do_not_exist_are_named(tmp_path: Path) -> None:
    from porism.retrieve.formulas.model import FORMULA_MODELS

    name = next(iter(FORMULA_MODELS))
    with pytest.raises(ConfigError, match=rf"no formula model '{name}x'\. Did you mean {name}\?"):
        read_model(f"{name}x", formulas=True)
    with pytest.raises(ConfigError, match=r"no formula model 'zzz'\. Choose from"):
        read_model("zzz", formulas=True)
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read \(No such file"):
        read_model(str(tmp_path / "none.toml"), formulas=True)
    (tmp_path / "latin.toml").write_bytes(b"# \xe9\n")
    with pytest.raises(ConfigError, match="byte 3 is not UTF-8"):
        read_model(str(tmp_path / "latin.toml"), formulas=True)
