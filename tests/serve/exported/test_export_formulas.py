"""Formulas in an engine: the results of the index, whatever it has exported before and since."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from export_cases import change
from long_forms import LONG_ONLY
from memory_backend import MemoryBackend

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.errors import ConfigError, EngineError
from porism.index import Snapshot
from porism.index.engine.units import formula_units
from porism.retrieve import FormulaRanker
from porism.retrieve.formulas.model import FORMULA_MODELS, FormulaModel
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.weightings.base import BM25, LexicalChannel
from porism.search.models import open_formula_ranker, read_model
from porism.serve.exported import state, terms
from porism.serve.exported.exporting import export_index
from porism.serve.exported.kind import MILVUS_FORMULAS, ExportedFormulas, MilvusFormulaModel
from porism.serve.exported.lexical import DOCUMENTS, FORMULAS
from porism.serve.exported.state import open_export
from porism.serve.exported.terms import FormulaKeys
from porism.serve.exported.texts import TEXTS
from porism.serve.exported.views import views_of
from porism.types import Content, Document, Formula

MODELS = ["default", "tokens", "paths", "subtrees", "values", "alignment", "tangent-l"]

SOURCES = [
    "x^2+y^2", r"a \in P", "x^2+y^2=z^2", r"p \mid ab", "pV=nRT", "p^2", r"\mathbb{Z}", "I^2", "(a+b)^2",
    "a^2+2ab+b^2", r"\sum_{k=1}^n k^2", r"\sum_{i=0}^m i^2", r"\frac{n(n+1)(2n+1)}{6}", "1+1/x", r"\frac{x+1}{x}", "x",
    r"\int_0^1 x^2 dx", "y^2+x^2", "a+b", "z^2=x^2+y^2",
]

ASKED = [Formula(source) for source in (
    "x^2+y^2", r"\sum_{k=1}^n k^2", "a^2+2ab+b^2", "p^2", "x", r"\qvar{f}^2", r"\frac{x+1}{x}", r"\aleph", "",
)]


def holding(doc_id: str, *sources: str) -> Document:
    parts = [part for source in sources for part in ("and ", Formula(source), " ")]
    return Document(doc_id, {"body": Content.of(*parts)}, {"topic": doc_id[0]})


changed = partial(change, config=AnalysisConfig.named(["default", "tangent-l"]))
"""Changes an index with the channels of all models."""


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Formulas in two segments, some in both."""
    documents = [holding(f"a{number}", *SOURCES[number : number + 4]) for number in range(0, 20, 2)]
    changed(tmp_path / "index", documents[:6], documents[5:])
    return tmp_path / "index"


def ranker(backend: MemoryBackend, snapshot: Snapshot, named: str) -> ExportedFormulas:
    analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config, snapshot.path))
    model = read_model(named, formulas=True)
    assert isinstance(model, FormulaModel)
    return ExportedFormulas(open_export(backend, snapshot), snapshot, analyzer, model, MilvusFormulaModel(named))


def listed(ranked: FormulaRanker, snapshot: Snapshot, formulas: list[Formula], k: int) -> list[list[tuple[Any, ...]]]:
    """Keys and scores."""
    return [
        [(snapshot.segments[segment].formula_key(unit), score) for segment, unit, score in zip(
            found.segments.tolist(), found.units.tolist(), found.scores.tolist(), strict=True
        )]
        for found in ranked.search(formulas, k)
    ]


def assert_equal(backend: MemoryBackend, path: Path, named: str) -> None:
    """The results of all formulas are those of the index, and explained alike."""
    with Snapshot.open(path) as snapshot:
        analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config, snapshot.path))
        here = open_formula_ranker(snapshot, analyzer, read_model(named, formulas=True))
        there = ranker(backend, snapshot, named)
        for k in (1, 3, 100):
            own = listed(here, snapshot, ASKED, k)
            assert listed(there, snapshot, ASKED, k) == own
        assert sum(map(len, own)) > 10
        for formula, found in zip(ASKED[:2], own, strict=False):
            key = found[-1][0]
            assert there.match(formula, key) == here.match(formula, key)
            assert there.aligned(formula, key) == here.aligned(formula, key)
            where = here.search([formula], 5)[0]
            assert there.score_formulas(formula, where.segments, where.units).tolist() == where.scores.tolist()


def test_formulas_are_ranked_as_by_the_index(index: Path) -> None:
    backend = MemoryBackend()
    report = export_index(index, backend, formula_models=MODELS)
    assert report.formula_models == tuple(MODELS)
    assert report.models == ()
    with Snapshot.open(index) as snapshot:
        distinct = sum(int(units.live.sum()) for units in formula_units(snapshot.segments))
        assert distinct < sum(segment.formula_count for segment in snapshot.segments)
        assert report.tables[FORMULAS] == (distinct, distinct, 0)
        assert DOCUMENTS not in backend.rows
    for named in MODELS:
        assert_equal(backend, index, named)
    assert backend.searches


def test_every_named_model_of_terms_and_structure_is_among_those_compared() -> None:
    assert {*MODELS, "layout", "tangent-s"} == set(FORMULA_MODELS)


def test_all_candidates_are_those_of_the_engine(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = MemoryBackend()
    export_index(index, backend, formula_models=["default"])

    def refused(*arguments: object) -> None:
        raise AssertionError("the index was searched")

    monkeypatch.setattr(LexicalRetriever, "_search", refused)
    with Snapshot.open(index) as snapshot:
        (found,) = ranker(backend, snapshot, "default").search([Formula("(a+b)^2")], 3)
        assert snapshot.segments[found.segments[1]].formula_key(int(found.units[1])).startswith("V!a [a N!2 ] O!+ N!2")
    assert len(backend.searches) > 2  # by terms, by equal values, and by the subexpression


@LONG_ONLY
def test_an_engine_that_gives_few_at_a_time_is_asked_again(index: Path) -> None:
    backend = MemoryBackend(most=3)
    export_index(index, backend, formula_models=["default", "paths"])
    assert_equal(backend, index, "default")
    assert_equal(backend, index, "paths")
    assert max(limit for _, limit, _ in backend.searches) == 3


@LONG_ONLY
def test_only_formulas_that_are_new_are_sent(index: Path) -> None:
    backend = MemoryBackend()
    rows = export_index(index, backend, formula_models=["default"]).tables[FORMULAS].rows
    assert export_index(index, backend).tables[FORMULAS] == (rows, 0, 0)
    changed(index, [holding("b1", "x^2+y^2", "u^3+v^3")])  # one of them is known
    assert export_index(index, backend).tables[FORMULAS] == (rows + 1, 1, 0)
    assert_equal(backend, index, "default")
    changed(index, [holding("b1", "x^2+y^2", "w^5")])
    report = export_index(index, backend)
    assert report.tables[FORMULAS] == (rows + 1, 1, 1)
    assert report.drift > 0
    assert_equal(backend, index, "default")
    scans = backend.scans
    changed(index, delete=("a0",))  # of what it holds, a2 holds half, and b1 one
    gone = export_index(index, backend).tables[FORMULAS]
    assert (gone.sent, gone.removed) == (0, 1)
    assert backend.scans == scans
    assert_equal(backend, index, "default")
    changed(index, merge=True)
    assert export_index(index, backend).tables[FORMULAS] == (gone.rows, 0, 0)
    assert_equal(backend, index, "default")
    changed(index, [holding("a0", *SOURCES[:4])], delete=("a16", "a18"), merge=True)
    report = export_index(index, backend)
    assert (report.tables[FORMULAS].sent, report.tables[FORMULAS].removed) == (1, 2)
    assert_equal(backend, index, "default")
    assert export_index(index, backend, refresh=True).drift == 0
    assert_equal(backend, index, "default")


def test_a_formula_stays_while_any_segment_holds_it(index: Path) -> None:
    backend = MemoryBackend()
    rows = export_index(index, backend, formula_models=["tokens"]).tables[FORMULAS].rows
    changed(index, [holding("b1", *SOURCES[:2])])
    assert export_index(index, backend).tables[FORMULAS] == (rows, 0, 0)
    changed(index, delete=("a0",))
    assert export_index(index, backend).tables[FORMULAS] == (rows, 0, 0)
    assert_equal(backend, index, "tokens")


def test_long_keys_and_strangers(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "_MAX_LENGTH", 20)
    backend = MemoryBackend()
    rows = export_index(index, backend, formula_models=["default"]).tables[FORMULAS].rows
    written = [key for key in backend.rows[FORMULAS] if key.startswith("#")]
    assert 5 < len(written) < rows
    assert max(map(len, backend.rows[FORMULAS])) <= 33
    assert_equal(backend, index, "default")
    backend.rows[FORMULAS]["#stranger"] = backend.rows[FORMULAS]["V!x"]
    assert export_index(index, backend).tables[FORMULAS] == (rows, 0, 1)
    changed(index, delete=("a0",))
    assert export_index(index, backend).tables[FORMULAS].removed == 2
    assert_equal(backend, index, "default")
    with Snapshot.open(index) as snapshot:
        keys = FormulaKeys(formula_units(snapshot.segments))
        assert keys.write("") != ""


def test_documents_and_formulas_are_exported_side_by_side(index: Path) -> None:
    backend = MemoryBackend()
    report = export_index(index, backend, ["default"], formula_models=["default"])
    assert report.tables.keys() == {DOCUMENTS, FORMULAS, TEXTS}
    assert_equal(backend, index, "default")
    report = export_index(index, backend, ["words"], refresh=True)
    assert (report.models, report.formula_models) == (("words",), ())
    assert FORMULAS not in backend.rows


def test_a_channel_of_formulas_is_another_view_than_that_of_documents(index: Path) -> None:
    channels = {"tokens": LexicalChannel(1.0, BM25())}
    with Snapshot.open(index) as snapshot:
        keys = [
            view.key for units in (snapshot.segments, formula_units(snapshot.segments))
            for view in views_of(LexicalRetriever(units, channels))
        ]
    assert len(set(keys)) == 2


def test_what_is_missing_is_said(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = MemoryBackend()
    export_index(index, backend)
    with Snapshot.open(index) as snapshot, pytest.raises(EngineError, match="formulas were not exported") as error:
        ranker(backend, snapshot, "default")
    assert "porism export milvus --formula-model MODEL" in str(error.value)
    export_index(index, backend, formula_models=["tokens"])
    with Snapshot.open(index) as snapshot:
        assert ranker(backend, snapshot, "tokens").formula_notes() == []
        with pytest.raises(EngineError, match="the channel 'approach0' was not exported") as error:
            ranker(backend, snapshot, "default")
        assert "--formula-model MODEL" in str(error.value)
    changed(index, [holding("b1", "x^2+y^2")])
    with Snapshot.open(index) as snapshot:
        (note,) = ranker(backend, snapshot, "tokens").formula_notes()
        assert "commit 2 of the index was exported, and it is at 3" in note
    with pytest.raises(ConfigError, match="a TangentCftModel is of no kind that engines search") as refused:
        export_index(index, backend, formula_models=["tangent-cft"])
    assert "such as default" in str(refused.value)


def test_settings_name_the_model_of_formulas() -> None:
    kind = MILVUS_FORMULAS
    assert kind.finds == "formulas"
    assert kind.channels(MilvusFormulaModel("paths")) == ("approach0",)
    assert read_model("milvus", formulas=True) == MilvusFormulaModel()
    assert state.EXPORT
    assert np.isfinite(MilvusFormulaModel().timeout)
    with pytest.raises(ConfigError, match="names an engine already"):
        kind.make(None, None, MilvusFormulaModel("milvus"))  # type: ignore[arg-type]
