"""Published systems can be built from what an index has, and are as the papers describe them."""

from __future__ import annotations

import pytest
from case_tables import every_case

from porism.analysis.configuration import CHANNEL_SETS
from porism.errors import ConfigError
from porism.retrieve.documents.named_models import SEARCH_MODELS
from porism.retrieve.documents.published import SYSTEMS_2021, SYSTEMS_2022, channels_of
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Formula, Query


def test_the_sets_of_channels_are_those_of_the_systems():
    assert set(CHANNEL_SETS["mirmu2021"]) == set(channels_of(SYSTEMS_2021))
    assert set(CHANNEL_SETS["scm2022"]) == set(channels_of(SYSTEMS_2022))
    assert (len(SYSTEMS_2021), len(SYSTEMS_2022)) == (9, 12)
    assert {*SYSTEMS_2021, *SYSTEMS_2022} <= set(SEARCH_MODELS)


def test_the_numbers_are_the_published_ones():
    mg = SYSTEMS_2021["mirmu2021-mg"].channels["whitespace"]
    assert (mg.k1, mg.b, mg.delta, mg.lexical.weighting.shift) == (1.5, 0.75, 1.0, 0.0)
    pz = SYSTEMS_2021["mirmu2021-pz"]
    assert (pz.channels["lucene"].k1, pz.channels["lucene"].b, pz.field_weights["title"]) == (0.9, 0.4, 3.0)
    (scm,) = SYSTEMS_2021["mirmu2021-scm"].channels.values()
    assert (scm.weighting, scm.parameters["slope"], scm.similarity) == ("Lnu.ltb", 0.2, "mirmu2021-scm")
    assert scm.normalised is True
    row = SYSTEMS_2022["scm2022-tangent-l-positional"].channels
    assert [(name, one.weight, one.field_weights["title"]) for name, one in row.items()] == [
        ("bpe:scm-text", 0.7, 2.0), ("tangent-l:delimiters+identifiers", 0.3, 5.0),
    ]
    assert {(one.k1, one.b) for model in SYSTEMS_2022.values() for one in model.channels.values()} == {(1.5, 0.75)}
    assert all(
        one.normalised == ("maintain" if one.similarity else False)
        for model in SYSTEMS_2022.values() for one in model.channels.values()
    )
    assert all(one.query_field_weights == {"title": one.field_weights["title"], "tags": 0.0} for one in row.values())
    assert {name for name, model in SYSTEMS_2022.items() if not any(c.similarity for c in model.channels.values())} == {
        "scm2022-text", "scm2022-joint", "scm2022-latex", "scm2022-tangent-l",
    }


DOCUMENTS = [
    Document(f"a{number}", {
        "title": Content.of("Sum of a ", Formula(series), " series"), "question": Content.of(question),
        "body": Content.of(body, Formula(series), " indeed"), "comments": Content.of("comments nowhere"),
        "tags": Content.of("series"),
    })
    for number, (series, question, body) in enumerate([
        (r"\sum_{n=1}^\infty \frac{1}{n^2}", "Does it converge?", "It converges to "),
        (r"\int_0^1 x\,dx", "An integral of powers", "The area below the line is "),
        (r"\sum_{n=1}^\infty \frac{1}{n}", "The harmonic one", "It diverges slowly, being "),
    ])
]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    from porism.analysis.analyzer import AnalysisConfig

    path = tmp_path_factory.mktemp("systems") / "index"
    index_documents(DOCUMENTS, path, config=AnalysisConfig(CHANNEL_SETS["mirmu2021"], ("tangent-l",)), jobs=1)
    return path


HARD = sorted(name for name in SYSTEMS_2021 if name != "mirmu2021-scm")


@every_case("name", HARD)
def test_each_system_finds_the_answer(index, name):
    with open_index(index, SYSTEMS_2021[name]) as opened:
        query = Query("q", {"title": Content.of("converges to ", Formula(r"\sum_{n=1}^\infty \frac{1}{n^2}"))})
        run = opened.run([query], 3)
        assert run["q"][0][0] == "a0"


def test_only_enriched_systems_see_the_question(index):
    query = Query("q", {"title": Content.of("harmonic")})
    for name in HARD:
        with open_index(index, SYSTEMS_2021[name]) as opened:
            found = [doc_id for doc_id, _ in opened.run([query], 3)["q"]]
        assert found == (["a2"] if name == "mirmu2021-mg" else []), name
        with open_index(index, SYSTEMS_2021[name]) as opened:
            assert opened.run([Query("q", {"title": Content.of("nowhere")})], 3)["q"] == []


def test_a_system_without_its_matrix_says_how_to_build_it(index):
    with pytest.raises(ConfigError, match="there is no such similarity matrix"), open_index(
        index, SYSTEMS_2021["mirmu2021-scm"]
    ) as opened:
        opened.run([Query("q", {"title": Content.of("sum")})], 3)
