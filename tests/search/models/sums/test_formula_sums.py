"""Weighted sums of models of formulas: in searches of formulas and of documents, in runs, explanations and tuning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.errors import ConfigError, QueryError
from porism.explanation import Explanation
from porism.index import IndexWriter, Snapshot
from porism.lab.pipeline import formula_pipeline, pipeline
from porism.lab.tuning import model_objective, tune
from porism.retrieve.formulas import equal_formulas
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.formulas.model import FormulaModel
from porism.retrieve.ranking import UnitResults
from porism.search.index import open_index
from porism.search.models.models import artifacts_of, channels_of, model_from, read_model, write_model
from porism.search.models.registry import open_formula_ranker
from porism.search.models.sums.retriever import FormulaSumModel, FormulaSumRanker, Part
from porism.system.files.artifacts import FORMULA_ENCODERS, MODELS
from porism.types import Content, Document, Formula, Query
from porism.vectors.formula_vectors.tangent_cft import TangentCftModel

FORMULAS = ["x+y", "y+x", "x=2", "a", "x^2+y^2=a^2", r"\frac{x}{y}", "y^x", "x+y=2", "2+x", "a^{x+1}"]
ASKED = Formula("x^2+y^2=2")
SUM = {"kind": "formula-sum", "parts": {
    "default": {"weight": 0.75}, "near": {"weight": 0.25, "model": "tokens", "settings": {"kind": "structure"}},
}}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten formulas in five documents and two segments."""
    path, analyzer = tmp_path_factory.mktemp("sums") / "index", Analyzer()
    documents = [
        Document(f"d{number}", {"body": Content.of(*map(Formula, FORMULAS[2 * number : 2 * number + 2]))})
        for number in range(5)
    ]
    with IndexWriter(path, config=analyzer.config.to_dict()) as writer:
        for group in (documents[:2], documents[2:]):
            writer.add(analyzer.analyze(group)[0])
            writer.commit()
    return path


class Fixed:
    """A ranker of the formulas of the second segment, whose scores are given by ordinal; those of score 0 are not
    found."""

    model = TangentCftModel(tuned_on=("B.1",))

    def __init__(self, *scores: float) -> None:
        self.known = np.array(scores)

    def search(self, formulas: Sequence[Formula], k: int = 10) -> list[UnitResults]:
        order = np.argsort(-self.known, kind="stable")
        order = order[self.known[order] > 0][:k].astype(np.int32)
        return [UnitResults(np.ones(len(order), np.int32), order, self.known[order]) for _ in formulas]

    def score_formulas(self, formula: Formula, segments: Any, units: NDArray[np.integer]) -> NDArray[np.float64]:
        assert set(np.asarray(segments).tolist()) <= {1}
        return self.known[units]

    def match(self, formula: Formula, key: str) -> FormulaMatch:
        told = Explanation(1.0, "fixed", [Explanation(1.0, "all of it")])
        return FormulaMatch(formula, Formula("a"), 1.0, (), (), (), 0.0, 0.0, told)


def of_fixed(snapshot: Snapshot, second: float = 10.0, **settings: Any) -> FormulaSumRanker:
    model = FormulaSumModel({"a": Part(3.0), "b": Part(1.0), "off": Part(0.0)}, **settings)
    return FormulaSumRanker(snapshot, model, {"a": Fixed(4.0, 2.0, 0.0, 1.0), "b": Fixed(0.0, second, 30.0, 29.0)})


@every_case(("how", "expected"), [
    ("min-max", [3.0, 1.5 + 1 / 3, 1.0, 0.75 + 29 / 30]),
    ("none", [12.0, 16.0, 30.0, 32.0]),
])
def test_scores_are_the_weighted_sum_of_normalised_ones(index: Path, how: Any, expected: list[float]) -> None:
    with Snapshot.open(index) as snapshot:
        ranker = of_fixed(snapshot, normalisation=how)
        (found,) = ranker.search([ASKED], 10)
        ranked = sorted(range(4), key=lambda unit: -expected[unit])
        assert found.segments.tolist() == [1] * 4
        assert found.units.tolist() == ranked
        np.testing.assert_allclose(found.scores, [expected[unit] for unit in ranked])
        assert ranker.search([ASKED], 2)[0].units.tolist() == ranked[:2]
        assert ranker.search([], 2) == []
        assert ranker.model.tuned_on == ("B.1",)
        with pytest.raises(QueryError, match="0 results"):
            ranker.search([ASKED], 0)


def test_the_first_formulas_of_each_part_are_the_candidates(index: Path) -> None:
    with Snapshot.open(index) as snapshot:
        shallow = of_fixed(snapshot, -10.0, depth=1)  # the first of a and the third of b
        (found,) = shallow.search([ASKED], 1)
        assert (found.units.tolist(), found.scores.tolist()) == ([0], [3.0])
        (deeper,) = shallow.search([ASKED], 4)
        of_unit = dict(zip(deeper.units.tolist(), deeper.scores.tolist(), strict=True))
        assert of_unit[0] == 3.0  # scales are those of the first depth
        assert of_unit[3] == pytest.approx(0.75 + 29 / 30)
        assert of_unit[1] == pytest.approx(1.5 - 10 / 30)
        scores = shallow.score_formulas(ASKED, np.array([1, 1]), np.array([3, 0]))
        assert scores.tolist() == [of_unit[3], of_unit[0]]


def test_explanations_add_up_and_show_each_part(index: Path) -> None:
    with Snapshot.open(index) as snapshot:
        key = snapshot.segments[1].formula_key(3)
        match = of_fixed(snapshot).match(ASKED, key)
        assert match.score == match.explanation.value == pytest.approx(0.75 + 29 / 30)
        a, b = match.explanation.parts
        assert a.label == "a: 3 · (1.0000 - 0.0000) / 4.0000"
        assert [part.label for part in b.parts] == ["fixed", "as one of the candidates"]
        assert [part.value for part in b.parts] == pytest.approx([1 / 30, 28 / 30])
        with pytest.raises(QueryError, match="there is no formula 'none'"):
            of_fixed(snapshot).match(ASKED, "none")


def test_structure_scores_formulas_as_its_search_does(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equal_formulas, "MAX_HOLDERS", 1)
    few = FormulaModel.from_dict({"candidates": 2, "renamed_value": 0.0, "value": 0.0})  # others are not aligned
    models = [few, *(read_model(name, formulas=True) for name in ("default", "tokens"))]
    with Snapshot.open(index) as snapshot:
        scores = []
        for model in models:
            ranker = open_formula_ranker(snapshot, Analyzer(), model)
            (found,) = ranker.search([ASKED], 10)
            assert len(found.scores) > 3
            np.testing.assert_allclose(ranker.score_formulas(ASKED, found.segments, found.units), found.scores)
            scores.append(dict(zip(zip(found.segments.tolist(), found.units.tolist(), strict=True),
                                   found.scores.tolist(), strict=True)))
        assert any(scores[0][place] < scores[1][place] - 0.1 for place in scores[0])


def test_formulas_documents_and_topics_are_searched_by_a_sum(index: Path) -> None:
    model = model_from(SUM, formulas=True)
    assert model_from(write_model(model, formulas=True), formulas=True) == model
    assert set(channels_of(read_model("tokens", formulas=True))) <= set(channels_of(model))
    query = Query("q", {"formula": Content.of(ASKED)})
    with open_index(index, formula_model=model) as opened:
        parts = {name: opened.with_models(formula_model=name).formulas.ranker for name in ("default", "tokens")}
        found = [part.search([ASKED], 200)[0] for part in parts.values()]
        places = [zip(one.segments.tolist(), one.units.tolist(), strict=True) for one in found]
        union = sorted({place for of_part in places for place in of_part})
        segments, units = np.array(union).T
        expected = np.zeros(len(union))
        for weight, part in zip((0.75, 0.25), parts.values(), strict=True):
            scores = part.score_formulas(ASKED, segments, units)
            expected += weight * (scores - scores.min()) / (scores.max() - scores.min())
        keys = [opened.snapshot.segments[segment].formula_key(unit) for segment, unit in union]
        ranked = sorted(zip(expected.tolist(), keys, strict=True), reverse=True)
        hits = opened.search_formulas(ASKED, 4, explain=True)
        assert [hit.key for hit in hits] == [key for _, key in ranked[:4]]
        assert [hit.score for hit in hits] == pytest.approx([score for score, _ in ranked[:4]])
        assert hits[0].formula.source == "x^2+y^2=a^2"
        for hit in hits:
            assert hit.match is not None
            assert hit.match.explanation.value == pytest.approx(hit.score)
            assert [part.label.split(":")[0] for part in hit.match.explanation.parts] == ["default", "near"]
        assert hits[0].match is not None
        assert hits[0].match.pairs
        run = formula_pipeline(opened).search([query], 10)
        assert run["q"][0] == ("d2/body/0", hits[0].score)
        assert pipeline(opened, model).search([query], 1)["q"][0] == ("d2", hits[0].score)


def test_weights_are_tuned(index: Path) -> None:
    query = Query("q", {"formula": Content.of(Formula("x+y=2"))})
    judged = {"q": {"d4/body/0": 1}}  # which tokens rank fifth, and the default sixth
    with open_index(index) as opened:
        objective = model_objective(opened, model_from(SUM, formulas=True), [query], judged, "RR@10", formulas=True)
        tuned = tune(objective, {"parts.near.weight": [0.0, 0.25, 50.0]})
    assert [trial.score for trial in tuned.trials] == pytest.approx([1 / 6, 1 / 6, 1 / 5])
    assert tuned.parameters == {"parts.near.weight": 50.0}


def test_a_sum_of_formulas_has_models_of_formulas(index: Path) -> None:
    vectors = read_model("formula-vectors", formulas=True)
    assert artifacts_of(vectors) == ((FORMULA_ENCODERS, ""), (MODELS, "tangent-cft"))
    with_encoder = FormulaSumModel({"default": Part(), "formula-encoder": Part(0.5)})
    assert [artifact.kind for artifact in artifacts_of(with_encoder)] == [FORMULA_ENCODERS]
    with pytest.raises(ConfigError, match="no encoder of formulas"):
        _ = open_index(index, formula_model=with_encoder).formulas
    with pytest.raises(ConfigError, match="there is no kind of model 'dense'"):
        channels_of(FormulaSumModel({"default": Part(), "dense": Part(settings={"kind": "dense"})}))
    with pytest.raises(ConfigError, match="models of the kind 'sum' find no formulas"):
        model_from({"kind": "sum", "parts": {"default": {}}}, formulas=True)
