"""An index learns meanings of its own documents, and is searched by them: from analysis to results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import porism
from porism.errors import ConfigError, IndexCorrupt, IndexVersionError, QueryError
from porism.index import Snapshot
from porism.retrieve.meaning import table as table_module
from porism.retrieve.meaning.bags import add_up
from porism.retrieve.meaning.collection import MIN_PAIRS, field_pairs, sample_terms
from porism.retrieve.meaning.documents import SegmentTerms
from porism.retrieve.meaning.table import MeaningTable
from porism.retrieve.meaning.terms import ROWS, text_bags
from porism.retrieve.meaning.training import TableTraining, random_table
from porism.retrieve.meaning.vectors import MeaningVectors, document_vectors, train_meaning, usual_training
from porism.sample import ENTRIES
from porism.system.files.artifacts import MODELS
from porism.types import Content, Document, Formula, Query

TRAINING = TableTraining(dimensions=32, cuts=(16,), epochs=4)
SUBJECTS = (("apple pear", "fruit tree"), ("integer prime", "divisor number"), ("group ring", "algebra structure"))


def documents(count: int = 180) -> list[Document]:
    """Documents of three subjects, whose titles share no word with their texts."""
    made = []
    for number in range(count):
        title, text = SUBJECTS[number % 3]
        body = Content(f"{text} number{number} \ufffc", (Formula(f"x^{number % 3}+y"),))
        made.append(Document(f"d{number}", {"title": Content(title), "body": body}))
    return made


def made_index(path: Path, texts: Sequence[Document]) -> Path:
    porism.index_documents(texts, path, config=porism.AnalysisConfig(language="english"), jobs=1)
    return path


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = made_index(tmp_path_factory.mktemp("meaning") / "index", documents())
    train_meaning(path, TRAINING)
    return path


def test_a_document_has_the_terms_of_its_text(index: Path) -> None:
    with porism.open_index(index) as opened:
        (segment,) = opened.snapshot.segments
        terms, table = SegmentTerms(segment), random_table(ROWS, 8)
        number = segment.find("d4")
        bags = terms.bags(np.array([number]))
        found = add_up(bags, add_up(terms.rows(np.arange(bags.width)), table))
        document = opened.document("d4")
        analysed = {"words": [], "symbols": [], "tokens": [], "subtrees": []}
        for content in document.fields.values():
            for name, of_field in opened.analyzer.content_terms(content, ("words", "symbols"), "english").items():
                analysed[name] += of_field
            for formula in content.formulas:
                for name, of_formula in opened.analyzer.formula_terms(formula, ("tokens", "subtrees")).terms.items():
                    analysed[name] += of_formula
        assert found == pytest.approx(add_up(text_bags([analysed]), table), abs=1e-5)
        title = terms.bags(np.array([number]), {"title"})
        assert len(title.terms) == 2
        assert len(terms.bags(np.array([number]), set()).terms) == 0


def test_pairs_are_a_field_and_the_rest(index: Path) -> None:
    with Snapshot.open(index) as snapshot:
        pairs = field_pairs(snapshot.segments)
        assert len(pairs.left) == 180  # with two fields the other pair is the same
        assert pairs.left.sizes.tolist() == [2] * 180
        assert max(pairs.left.width, pairs.right.width) == len(pairs.rows)
        assert len(field_pairs(snapshot.segments, most=120).left) == 120


def test_what_is_too_little_to_learn_from_is_said(tmp_path: Path) -> None:
    few = made_index(tmp_path / "few", documents(MIN_PAIRS - 1))
    with pytest.raises(ConfigError, match="nothing to learn meanings from"):
        train_meaning(few, TRAINING)
    with pytest.raises(ConfigError, match="no meanings were learnt"):
        porism.open_index(few, "meaning")
    train_meaning(few, TRAINING, start=MeaningTable.of(random_table(ROWS, 32), {}))
    with porism.open_index(few, "meaning") as opened:
        assert len(opened.run([Query("q", {"query": Content("fruit")})], 5)["q"]) == 5


def test_bags_are_cut_by_chance() -> None:
    bags = text_bags([{"tokens": [str(number) for number in range(50)]}, {"tokens": ["x"]}, {}])
    cut = sample_terms(bags, np.random.default_rng(1), 10)
    assert cut.sizes.tolist() == [10, 1, 0]
    assert set(cut.terms[:10].tolist()) < set(bags.terms[:50].tolist())
    assert len(set(cut.terms[:10].tolist())) == 10


def test_a_question_finds_documents_that_mean_the_same(index: Path) -> None:
    with porism.open_index(index, "meaning") as opened:
        query = Query("q", {"query": Content("prime")})
        ranking = opened.run([query], 180)["q"]
        scores = dict(ranking)
        assert {int(name[1:]) % 3 for name, _ in list(ranking)[:50]} == {1}
        assert opened.retriever.score_documents(query, ["d1", "none"])[0] == scores["d1"]
        assert np.isnan(opened.retriever.score_documents(query, ["d1", "none"])[1])
        told = opened.retriever.explain(query, "d1")
        assert told.value == scores["d1"]
        assert sum(part.value for part in told.parts) == pytest.approx(told.value, abs=1e-5)
        with pytest.raises(QueryError, match="no document"):
            opened.retriever.explain(query, "none")
        assert list(opened.run([Query("q", {"query": Content("")})], 5)["q"]) == []
        filtered = opened.retriever.search([query], 5, allowed=[np.arange(180) < 3])["q"]
        assert sorted(name for name, _ in filtered) == ["d0", "d1", "d2"]


def test_documents_that_come_later_get_vectors_from_what_was_learnt(tmp_path: Path) -> None:
    path = made_index(tmp_path / "index", documents())
    train_meaning(path, TRAINING)
    later = [Document("new", {"body": Content("prime divisor")}), Document("empty", {"body": Content("")})]
    porism.index_documents(later, path, jobs=1)
    with porism.open_index(path, "meaning") as opened:
        ranking = dict(opened.run([Query("q", {"query": Content("prime")})], 200)["q"])
        assert ranking["new"] > ranking["d0"]
        assert "empty" not in ranking


def test_training_again_replaces_table_and_vectors(tmp_path: Path) -> None:
    path = made_index(tmp_path / "index", documents())
    first = train_meaning(path, TRAINING).read_bytes()
    assert train_meaning(path, TRAINING).read_bytes() == first
    train_meaning(path, TableTraining(dimensions=24, cuts=(), epochs=1))
    with Snapshot.open(path) as snapshot:
        (segment,) = snapshot.segments
        assert len(list((segment.folder / "derived").glob("vectors-meaning-*"))) == 1
        assert MeaningVectors(path).table.dimensions == 24
        vectors = document_vectors(SegmentTerms(segment), np.arange(9), MeaningVectors(path).table)
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_a_table_keeps_its_vectors_to_rounding_and_can_be_cut(tmp_path: Path) -> None:
    vectors = random_table(500, 32)
    vectors[7] = 0
    MeaningTable.of(vectors, {"pairs": 3}).write(tmp_path / "table.bin")
    table = MeaningTable.open(tmp_path / "table.bin")
    assert table.made_of == {"pairs": 3}
    assert np.abs(table.decode() - vectors).max() < 0.01
    assert not table.decode()[7].any()
    assert np.array_equal(MeaningTable.open(tmp_path / "table.bin", 16).decode(), table.decode()[:, :16])
    assert (tmp_path / "table.bin").stat().st_size < 500 * (32 + 4) + 1_500


def test_tables_of_another_version_and_damaged_ones_are_refused(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = MODELS.path(index, "meaning").read_bytes()
    damaged = bytearray(stored)
    damaged[5_000] ^= 1
    (tmp_path / "damaged.bin").write_bytes(damaged)
    with pytest.raises(IndexCorrupt):
        MeaningTable.open(tmp_path / "damaged.bin")
    monkeypatch.setattr(table_module, "NUMBERING", 2)
    with pytest.raises(IndexVersionError, match="another version"):
        MeaningTable.open(MODELS.path(index, "meaning"))


def test_the_sample_is_searched_by_meaning(tmp_path: Path) -> None:
    porism.index_sources([ENTRIES], tmp_path / "index")
    train_meaning(tmp_path / "index", TableTraining(dimensions=64, cuts=()))
    with porism.open_index(tmp_path / "index", "meaning") as opened:
        query = Query("q", {"query": Content("slope of a tangent \ufffc", (Formula("f'(x)"),))})
        assert len(opened.run([query], 10)["q"]) == 10


@pytest.mark.parametrize(("pairs", "epochs"), [(0, 12), (538, 12), (7_000, 10), (20_000, 3), (100_000, 3)])
def test_few_pairs_are_seen_more_often(pairs: int, epochs: int) -> None:
    assert usual_training(pairs) == TableTraining(epochs=epochs)
