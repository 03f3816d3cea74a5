"""Formulas are ranked by the vectors of an encoder: exactly, incrementally, and with a reason."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from formula_encoder_cases import SMALL, random_model

from porism.analysis.analyzer import Analyzer
from porism.errors import ConfigError, IndexLocked
from porism.index import IndexWriter, Snapshot
from porism.lab.pipeline import pipeline
from porism.search.artifacts import list_artifacts
from porism.search.checking import check_index
from porism.search.index import open_index
from porism.search.models.vectors import prepare_vectors
from porism.types import Content, Document, Formula, Query
from porism.vectors.formula_encoder.encoding import FORMULA_ENCODING, read_tree
from porism.vectors.formula_encoder.ranker import FormulaEncoderModel, FormulaEncoderRanker
from porism.vectors.neural.formula_encoder import FormulaEncoder

pytest.importorskip("safetensors", reason="models need safetensors: pip install 'porism[neural]'")

FORMULAS = ["x+y", "y+x", "x=2", "a", "x^2+y^2=a^2", r"\frac{x}{y}", "y^x", "x+y=2", "2+x", "a^{x+1}"]


def document(name: str, *formulas: str) -> Document:
    return Document(name, {"body": Content.of(*(Formula(source) for source in formulas))})


def write(path: Path, *groups: list[Document]) -> Path:
    analyzer = Analyzer()
    with IndexWriter(path, config=analyzer.config.to_dict()) as writer:
        for group in groups:
            writer.add(analyzer.analyze(group)[0])
            writer.commit()
    return path


@pytest.fixture
def index(tmp_path: Path) -> Path:
    docs = [document(f"d{number}", *FORMULAS[2 * number : 2 * number + 2]) for number in range(5)]
    path = write(tmp_path / "index", docs[:2], docs[2:])
    random_model(path)
    report = FORMULA_ENCODING.encode(path, "fe")
    assert (report.encoded, report.interrupted, report.record.dimensions) == (report.count, False, 8)
    return path


def ranked(path: Path, query: str, k: int = 5, **settings) -> list[tuple[str, float]]:
    with Snapshot.open(path) as snapshot:
        found = FormulaEncoderRanker(snapshot, FormulaEncoderModel(**settings)).search([Formula(query)], k)[0]
        return [
            (snapshot.segments[segment].formula_key(unit), score)
            for segment, unit, score in zip(*(column.tolist() for column in found), strict=True)
        ]


def test_the_best_are_those_of_all_cosines(index: Path) -> None:
    with Snapshot.open(index) as snapshot:
        encoder = FormulaEncoderRanker(snapshot).vectors.encoder
        asked = encoder.encode([read_tree(Formula("y+2"))])[0].astype(np.float64)
        by_hand = {}
        for segment in snapshot.segments:
            for formula in range(segment.formula_count):
                vector = encoder.encode([read_tree(Formula(segment.formula_source(formula)))])[0]
                by_hand[segment.formula_key(formula)] = float(vector.astype(np.float64) @ asked)
    found = ranked(index, "y+2", 100)
    assert {key for key, _ in found} == {key for key, cosine in by_hand.items() if cosine > 0}
    assert [score for _, score in found] == pytest.approx([by_hand[key] for key, _ in found], abs=1e-5)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert ranked(index, "y+2", 3) == found[:3]
    least = found[2][1]
    assert ranked(index, "y+2", 100, least=least) == found[:2]


def test_formulas_are_scored_by_segment_and_ordinal(index: Path) -> None:
    with Snapshot.open(index) as snapshot:
        ranker = FormulaEncoderRanker(snapshot)
        (found,) = ranker.search([Formula("y+2")], 100)
        assert set(found.segments.tolist()) == {0, 1}
        some = np.array([4, 0, 2])
        segments, units = found.segments[some], found.units[some]
        assert ranker.score_formulas(Formula("y+2"), segments, units) == pytest.approx(found.scores[some])
        above = FormulaEncoderRanker(snapshot, FormulaEncoderModel(least=float(found.scores[2])))
        assert above.score_formulas(Formula("y+2"), segments, units) == pytest.approx([0, found.scores[0], 0])


def test_commits_and_merges_encode_new_formulas_only(index: Path, monkeypatch) -> None:
    encoded: list[int] = []
    encode = FormulaEncoder.encode

    def counted(self, roots):
        encoded.append(len(roots))
        return encode(self, roots)

    before = dict(ranked(index, "x+y", 100))
    monkeypatch.setattr(FormulaEncoder, "encode", counted)
    with IndexWriter(index) as writer:
        writer.add(Analyzer().analyze([document("new", "x+y", "x^y+a")])[0])
        writer.commit(before_publish=prepare_vectors)
        assert encoded == [1]
        writer.delete(["d0"])
        writer.merge()
        writer.commit(before_publish=prepare_vectors)
    assert encoded == [1]
    after = dict(ranked(index, "x+y", 100))
    assert {key: score for key, score in after.items() if key in before}.items() <= before.items()
    assert set(after) - set(before)


def test_it_is_a_model_by_name_and_explains_itself(index: Path) -> None:
    with open_index(index, "formula-encoder", "formula-encoder") as opened:
        hits = opened.search_formulas("x^2+y^2=a^2", 3, explain=True)
        assert hits[0].score == pytest.approx(1)
        told = hits[1].match.explanation
        assert told.value == pytest.approx(sum(part.value for part in told.parts))
        labels = [part.label for part in hits[0].match.explanation.parts]
        assert len(labels) == 9
        assert labels[-1] == "the other 3 nodes of the query"
        assert any(", operand " in label and label.endswith(" of sup") for label in labels)
        query = Query("q", {"query": Content.of(Formula("x^2+y^2=a^2"))})
        run = pipeline(opened, "formula-encoder").search([query], 3)
        assert run["q"][0][0] == "d2"
        assert opened.run([query], 3)["q"] == run["q"]


def test_an_encoder_is_listed_checked_and_forgotten(index: Path) -> None:
    (artifact,) = [one for one in list_artifacts(index) if one.kind == "formula-encoders"]
    assert (artifact.name, artifact.outdated) == ("fe", "")
    (vectors, *others) = sorted((index / "segments").rglob("vectors-formula-encoder-*.bin"))
    with Snapshot.open(index) as snapshot:
        lacking = next(one.formula_count for one in snapshot.segments if one.folder == vectors.parents[1])
    vectors.unlink()
    (artifact,) = [one for one in list_artifacts(index) if one.kind == "formula-encoders"]
    assert artifact.outdated == f"{lacking} formulas are not encoded yet: porism encode fe"
    with pytest.raises(ConfigError, match="porism check --repair"):
        ranked(index, "x")
    assert check_index(index, repair=True).sound
    assert ranked(index, "x")
    FORMULA_ENCODING.forget(index, "fe")
    assert others
    assert not list((index / "segments").rglob("vectors-formula-encoder-*.bin"))
    with pytest.raises(ConfigError, match="porism train formula-encoder NAME --index"):
        ranked(index, "x")
    with pytest.raises(ConfigError, match="no encoder of formulas 'fe'"):
        FORMULA_ENCODING.forget(index, "fe")


def test_only_one_process_writes_vectors(index: Path) -> None:
    with IndexWriter(index):
        for write_to in (FORMULA_ENCODING.forget, FORMULA_ENCODING.encode):
            with pytest.raises(IndexLocked):
                write_to(index, "fe")
    assert ranked(index, "x")
    FORMULA_ENCODING.forget(index, "fe")


def test_an_interrupted_encoding_keeps_what_it_has(index: Path) -> None:
    FORMULA_ENCODING.forget(index, "fe")

    with Snapshot.open(index) as snapshot:
        first, second = (segment.formula_count for segment in snapshot.segments)

    def interrupt(done: int, total: int) -> None:
        if done == first:
            raise KeyboardInterrupt

    stopped = FORMULA_ENCODING.encode(index, "fe", on_progress=interrupt)
    assert (stopped.count, stopped.encoded, stopped.interrupted) == (first + second, 0, True)
    counts: list[tuple[int, int]] = []
    rest = FORMULA_ENCODING.encode(index, "fe", on_progress=lambda done, total: counts.append((done, total)))
    assert (rest.count, rest.encoded, rest.interrupted) == (first + second, second, False)
    assert counts[-1] == (first + second, first + second)


def test_one_of_several_encoders_is_named(index: Path) -> None:
    random_model(index, "other", seed=3)
    FORMULA_ENCODING.encode(index, "other")
    with pytest.raises(ConfigError, match="Choose one"):
        ranked(index, "x")
    assert ranked(index, "x+y=1", encoder="fe") != ranked(index, "x+y=1", encoder="other")
    with pytest.raises(ConfigError, match="It has: fe, other"):
        ranked(index, "x", encoder="third")


def test_vectors_of_another_model_are_not_searched(index: Path) -> None:
    random_model(index, network=replace(SMALL, dimensions=16), seed=4)
    with pytest.raises(ConfigError, match=r"another than the one whose vectors the index has \(16 dimensions here, 8"):
        ranked(index, "x")
    (artifact,) = [one for one in list_artifacts(index) if one.kind == "formula-encoders"]
    assert "another than the one" in artifact.outdated
    FORMULA_ENCODING.encode(index, "fe")
    assert ranked(index, "x")
    shutil.rmtree(index / "models" / "fe")
    with pytest.raises(ConfigError, match="is not there any more"):
        ranked(index, "x")
    with pytest.raises(ConfigError, match="there is no encoder of formulas 'fe'"):
        FORMULA_ENCODING.encode(index, "fe")


@every_case("least", [-0.1, 1.0])
def test_a_least_cosine_out_of_its_range(least: float) -> None:
    with pytest.raises(ConfigError, match="the least cosine cannot be"):
        FormulaEncoderModel(least=least)
