"""Tangent-L's model is BM25+ over words and features with two weights and nothing else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from case_tables import every_case

from porism.analysis.analyzer import Analyzer
from porism.analysis.configuration import AnalysisConfig
from porism.errors import ConfigError
from porism.formula import extract, operator_tree, parse
from porism.index import Snapshot
from porism.retrieve import DocumentRetriever, LexicalRetriever
from porism.retrieve.documents.named_models import tangent_l_model
from porism.retrieve.weightings.base import BM25Plus, LexicalChannel
from porism.search.sources.updating import index_sources
from porism.types import Content, Formula, Query


def test_it_is_the_weighted_sum_of_two_bm25_plus(sample_index):
    formula, text = Formula("x^2+y^2=x^2"), "sum of squares of squares"
    with Snapshot.open(sample_index) as snapshot:
        analyzer = Analyzer(AnalysisConfig.named(["default", "tangent-l"]))
        model = tangent_l_model(0.3, field_weights={"title": 2.0})
        found = DocumentRetriever(snapshot, analyzer, model).search([Query("q", {"q": Content.of(text, formula)})], 20)
        layout = parse(formula)
        terms = {
            "words": Counter(analyzer.content_terms(Content(text))["words"]),
            "tangent-l": Counter(extract("tangent-l", layout, operator_tree(layout))),
        }
        plain = LexicalRetriever(
            snapshot.segments,
            {"words": LexicalChannel(0.7, BM25Plus()), "tangent-l": LexicalChannel(0.3, BM25Plus())}, {"title": 2.0},
        ).search_terms([terms], 20)[0]
        assert [doc for doc, _ in found["q"]] == plain.ids
        assert [score for _, score in found["q"]] == pytest.approx(plain.scores.tolist())


@every_case("weight", [-0.1, 1.1, float("nan")])
def test_a_weight_that_is_no_share_is_refused(weight):
    with pytest.raises(ConfigError, match="from 0 to 1"):
        tangent_l_model(weight)


def test_an_index_without_its_features_says_how_to_make_one(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\nThe sum $x^2$.\n", encoding="utf-8")
    index_sources([tmp_path / "notes.md"], tmp_path / "index", jobs=1)
    with Snapshot.open(tmp_path / "index") as snapshot, pytest.raises(ConfigError, match="lacks tangent-l") as caught:
        DocumentRetriever(snapshot, Analyzer(), tangent_l_model())
    assert "--channels default,tangent-l" in str(caught.value)
