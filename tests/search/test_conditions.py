"""Phrases and fields that documents must have."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case

import porism
from porism.retrieve import ChannelSettings
from porism.search.index import Index
from porism.types import Content, Document, Formula

BODIES = {
    "phrase": "On a set, Uniform Convergence is stronger.",
    "apart": "convergence that is uniform; uniform and pointwise convergence",
    "inflected": "uniformly convergent series have uniform_convergence tests",
    "broken": "uniform\n convergence again",
    "formula": Content.of("closed under ", Formula(r"\sigma"), " maps; uniform ", Formula("x"), " convergence"),
    "other": Content.of("closed under ", Formula(r"\tau"), " maps and ", Formula(r"\sigma")),
    "accents": "the Möbius function",
}


@pytest.fixture(scope="module", params=[("words", 1), ("words", 3), ("joint:tokens", 1)])
def index(tmp_path_factory, request):
    """Documents in one or several segments, in an index with and without the channel of words."""
    channel, commits = request.param
    path = tmp_path_factory.mktemp("conditions") / "index"
    documents = [
        Document(name, {"title": Content(f"On {name}"), "body": body if isinstance(body, Content) else Content(body)})
        for name, body in BODIES.items()
    ]
    config = porism.AnalysisConfig.named([channel, "tokens"])
    for number in range(commits):
        porism.index_documents(documents[number::commits], path, config=config)
    model = porism.SearchModel({channel: ChannelSettings(1.0), "tokens": ChannelSettings(1.0)})
    with porism.open_index(path, model) as opened:
        yield opened


def found(index: Index, question: str) -> set[str]:
    """The ids that a question finds."""
    return {hit.id for hit in index.search(question, 100)}


@every_case(("question", "expected"), [
    ('"uniform convergence"', {"phrase", "broken", "inflected"}),
    ('"Uniform  CONVERGENCE"', {"phrase", "broken", "inflected"}),
    ('"convergence uniform"', set()), ('"uniformly convergent"', {"inflected"}), ('"niform convergence"', set()),
    ('"mobius function"', {"accents"}), ('"Möbius"', {"accents"}),
    (r'"closed under $\sigma$"', {"formula"}), (r'"closed under $\tau$ maps"', {"other"}),
    (r'"$\sigma$ maps"', {"formula"}), (r'"closed under maps"', set()), ('"uniform $x$ convergence"', {"formula"}),
    ("title:accents möbius", {"accents"}), ("title:uniform", set()),
    ("body:series", {"inflected"}), ('body:"that is" convergence', {"apart"}),
    (r"body:$\tau$", {"other"}), (r"title:$\tau$", set()),
    ('"uniform convergence" title:phrase', {"phrase"}), ('"zebra"', set()),
])
def test_documents_that_meet_the_conditions_are_found(index: Index, question: str, expected: set[str]) -> None:
    assert found(index, question) == expected


def test_conditions_and_filters_hold_together_and_explanations_add_up(sample_index: Path) -> None:
    with porism.open_index(sample_index) as sample:
        question = sample.question('"uniform convergence" series')
        hits = sample.search(question, 5)
        assert hits
        assert [hit.id for hit in sample.search(question, 5, filters={"type": "example"})] == [
            hit.id for hit in sample.search(question, 100) if hit.metadata["type"] == "example"
        ][:5]
        assert {hit.metadata["type"] for hit in sample.search("type:example series", 100)} == {"example"}
        for hit in hits:
            assert sample.explain(question, hit.id, k=5).value == pytest.approx(hit.score, rel=1e-12)


def test_deleted_documents_do_not_come_back(tmp_path: Path) -> None:
    documents = [Document(name, {"body": Content("uniform convergence")}) for name in "ab"]
    porism.index_documents(documents, tmp_path / "index")
    with porism.IndexWriter(tmp_path / "index") as writer:
        writer.delete(["a"])
        writer.commit()
    with porism.open_index(tmp_path / "index") as opened:
        assert found(opened, '"uniform convergence"') == {"b"}
