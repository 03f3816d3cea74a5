"""Search by every weighting gives the scores of its formula, whatever the segments and whatever was deleted."""

from __future__ import annotations

import random

import pytest
from case_tables import every_case
from lexical_cases import Doc, write
from weighting_cases import Counted, random_texts

from porism.retrieve.lexical.channels import Zone
from porism.retrieve.lexical.explanations import explain_terms
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.weightings import WEIGHTINGS, weighting_named
from porism.retrieve.weightings.base import LexicalChannel
from porism.retrieve.weightings.names import SMART

SCHEMES = ["Lnu.ltb", "ltc.ltc", "nfb.bpu", "dpn.npn", "anc.ntc", "bxu.lfc"]
ALL = [*(name for name in WEIGHTINGS if name != SMART), *SCHEMES]


def docs_of(texts: list[list[str]]) -> list[Doc]:
    return [Doc(f"d{number:03}", {"body": text}) for number, text in enumerate(texts)]


def asked(seed: int, texts: list[list[str]]) -> list[dict[str, float]]:
    chance = random.Random(seed)
    words = sorted({word for text in texts for word in text})
    return [
        {word: float(chance.randrange(1, 4)) for word in [*chance.sample(words, chance.randrange(1, 6)), "none"]}
        for _ in range(10)
    ]


@pytest.fixture(scope="module")
def collections(tmp_path_factory):
    """One segment of the documents; several with others between them, deleted and replaced ones among these."""
    texts = [*random_texts(7, 120), []]
    docs, folder = docs_of(texts), tmp_path_factory.mktemp("weightings")
    others = [Doc(f"x{number}", {"body": text}) for number, text in enumerate(random_texts(8, 30, 25))]
    old = [Doc(doc.id, {"body": ["gone", "gone", "w0"]}) for doc in docs[40:60]]
    whole = write(folder / "whole", docs)
    parts = write(
        folder / "parts", [*docs[90:], *others[:10], *old], [*others[10:], *docs[:50]], docs[50:90],
        deleted=[doc.id for doc in others],
    )
    return texts, whole, parts


@every_case("name", ALL)
def test_scores_are_those_of_the_formula_in_any_segmentation(name, collections):
    texts, whole, parts = collections
    weighting = weighting_named(name)
    channels = {"words": LexicalChannel(1.0, weighting)}
    queries = asked(1, texts)
    terms = [{"words": query} for query in queries]
    found = LexicalRetriever(whole.segments, channels).search_terms(terms, 1000)
    again = LexicalRetriever(parts.segments, channels).search_terms(terms, 1000)
    counted = Counted(texts)
    for query, one, other in zip(queries, found, again, strict=True):
        assert one.ids == other.ids
        assert one.scores.tolist() == other.scores.tolist()
        expected = {
            f"d{number:03}": value for number, value in enumerate(counted.scores(weighting, query)) if value is not None
        }
        assert dict(zip(one.ids, one.scores.tolist(), strict=True)) == pytest.approx(expected, abs=1e-12)
        assert one.scores.tolist() == sorted(one.scores.tolist(), reverse=True)


@every_case("name", ALL)
def test_the_best_few_are_those_of_all(name, collections):
    texts, whole, parts = collections
    channels = {"words": LexicalChannel(1.0, weighting_named(name))}
    for snapshot in (whole, parts):
        retriever = LexicalRetriever(snapshot.segments, channels)
        for query in asked(2, texts):
            everything = retriever.search_terms([{"words": query}], 1000)[0]
            best = retriever.search_terms([{"words": query}], 5)[0]
            assert best.ids == everything.ids[:5]
            assert best.scores.tolist() == everything.scores.tolist()[:5]


@every_case("name", ALL)
@every_case("texts", [[["x"]], [["x", "x", "y"], ["x"]], [["x"]] * 3, [[], []]], ids=str)
def test_the_smallest_collections_can_be_searched(tmp_path, name, texts):
    snapshot = write(tmp_path / "index", docs_of(texts))
    weighting = weighting_named(name)
    retriever = LexicalRetriever(snapshot.segments, {"words": LexicalChannel(1.0, weighting)})
    found = retriever.search_terms([{"words": {"x": 1.0, "z": 2.0}}], 10)[0]
    expected = [value for value in Counted(texts).scores(weighting, {"x": 1.0, "z": 2.0}) if value is not None]
    assert found.scores.tolist() == pytest.approx(sorted(expected, reverse=True), abs=1e-12)


@every_case("name", ALL)
def test_explanations_add_up_to_the_score(name, collections):
    texts, _, parts = collections
    retriever = LexicalRetriever(parts.segments, {"words": LexicalChannel(0.5, weighting_named(name))})
    for query in asked(3, texts)[:3]:
        found = retriever.search_terms([{"words": query}], 3)[0]
        assert len(found.ids) == 3
        for doc_id, value in zip(found.ids, found.scores.tolist(), strict=True):
            assert explain_terms(retriever, {"words": query}, doc_id).value == pytest.approx(value, abs=1e-12)


@every_case("name", ALL)
def test_scores_with_field_weights_and_zones_do_not_depend_on_segments(name, fielded):
    whole, parts = fielded
    channels = {"words": LexicalChannel(1.0, weighting_named(name))}
    fields, zones = {"title": 2.7, "body": 0.3}, {"title": Zone(0.7, {"title": 1.0})}
    queries = [{"words": {"w0": 1.0, "wo1": 2.0, "w5": 0.4, "word13": 1.0}}]
    one, other = (
        LexicalRetriever(snapshot.segments, channels, fields, zones).search_terms(queries, 1000)[0]
        for snapshot in (whole, parts)
    )
    assert len(one.ids) > 20
    assert one.ids == other.ids
    assert one.scores.tolist() == other.scores.tolist()


@pytest.fixture(scope="module")
def fielded(tmp_path_factory):
    """Documents with two fields: in one segment, and in three."""
    titles, bodies = random_texts(11, 90), random_texts(12, 90)
    docs = [
        Doc(f"d{number}", {"title": title[:4], "body": body})
        for number, (title, body) in enumerate(zip(titles, bodies, strict=True))
    ]
    folder = tmp_path_factory.mktemp("fielded")
    return write(folder / "whole", docs), write(folder / "parts", docs[60:], docs[:25], docs[25:60])
