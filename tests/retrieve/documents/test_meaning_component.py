"""The component of meaning: documents that mean what the query means gain, and the explanation says which terms met."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case

import porism
from porism.errors import ConfigError
from porism.retrieve import DEFAULT_MODEL, Meaning
from porism.types import Content, Document, Query

TEXTS = {
    "near": "An invertible matrix has an inverse, and its determinant is a unit of the ring.",
    "far": "An invertible graph has a vertex, and its colouring is a partition of the plane.",
    "none": "Continuous functions.",
}
QUESTION = "invertible unit inverse"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("component") / "index"
    documents = [Document(name, {"body": Content(text)}) for name, text in TEXTS.items()]
    porism.index_documents(documents, path, config=porism.AnalysisConfig(language="english"), jobs=1)
    return path


def test_what_means_the_same_gains_more(index: Path) -> None:
    query = Query("q", {"query": Content(QUESTION)})
    with porism.open_index(index) as opened:
        off = opened.with_models(replace(DEFAULT_MODEL, meaning=Meaning(weight=0.0)))
        double = opened.with_models(replace(DEFAULT_MODEL, meaning=Meaning(weight=2.8)))
        with_it, without, doubled = (dict(other.run([query], 5)["q"]) for other in (opened, off, double))
        gains = {name: with_it[name] - without[name] for name in without}
        assert set(gains) == {"near", "far"}  # candidates are what words and formulas find
        assert gains["near"] > gains["far"] > 0
        assert doubled["near"] - without["near"] == pytest.approx(2 * gains["near"])
        terms = opened.retriever.term_weights(query)
        most = sum(weight for of_channel in terms.values() for weight in of_channel.values())
        with opened.with_models("meaning") as alone:
            cosine = dict(alone.run([query], 5)["q"])["near"]
        assert gains["near"] == pytest.approx(1.4 * min(np.sqrt(most), most / 2) * cosine)


def test_the_explanation_names_the_terms_that_met_and_adds_up(index: Path) -> None:
    with porism.open_index(index) as opened:
        hit = opened.search(QUESTION)[0]
        explained = opened.explain(QUESTION, hit.id)
        assert explained.value == pytest.approx(hit.score)
        (part,) = [part for part in explained.parts if part.label.startswith("meaning")]
        assert part.value == pytest.approx(sum(inner.value for inner in part.parts))
        assert part.parts[0].label in ("words: invert ~ words: invert", "words: unit ~ words: unit",
                                       "words: invers ~ words: invers")


@every_case("weight", [-1.0, float("inf"), float("nan")])
def test_a_weight_out_of_its_range_is_refused(weight: float) -> None:
    with pytest.raises(ConfigError, match="meaning cannot have the weight"):
        Meaning(weight=weight)
