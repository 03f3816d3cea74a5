"""Documents have vectors from their terms, and are searched by them: from analysis to results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case

import porism
from porism.errors import ConfigError, IndexCorrupt, IndexVersionError, QueryError
from porism.index import Snapshot
from porism.retrieve.meaning import learning, space
from porism.retrieve.meaning import table as table_module
from porism.retrieve.meaning.collection import field_pairs, sample_terms
from porism.retrieve.meaning.documents import SegmentTerms
from porism.retrieve.meaning.learning import choose_table, learn_meanings, learning_is_due, usual_training
from porism.retrieve.meaning.table import MeaningTable
from porism.retrieve.meaning.terms import ROWS, text_bags
from porism.retrieve.meaning.training import TableTraining, random_table
from porism.retrieve.meaning.vectors import general_table, meaning_vectors, open_table, stored_table
from porism.search.checking import check_index
from porism.search.models.vectors import prepare_vectors
from porism.system.files.artifacts import MODELS
from porism.types import Content, Document, Formula, Query

TRAINING = TableTraining(dimensions=32, cuts=(16,), epochs=4)
SUBJECTS = (("apple pear", "fruit tree"), ("integer prime", "divisor number"), ("group ring", "algebra structure"))


def documents(count: int = 180, first: int = 0) -> list[Document]:
    """Documents of three subjects, whose titles share no word with their texts."""
    made = []
    for number in range(first, first + count):
        title, text = SUBJECTS[number % 3]
        body = Content(f"{text} number{number} \ufffc", (Formula(f"x^{number % 3}+y"),))
        made.append(Document(f"d{number}", {"title": Content(f"{title} name{number}"), "body": body}))
    return made


def made_index(path: Path, texts: Sequence[Document]) -> Path:
    porism.index_documents(texts, path, config=porism.AnalysisConfig(language="english"), jobs=1)
    return path


def random_start() -> MeaningTable:
    return MeaningTable.of(random_table(ROWS, 32), {})


def learnt(path: Path, monkeypatch: pytest.MonkeyPatch) -> MeaningTable:
    """What an index of few documents learns, from a start that knows nothing."""
    monkeypatch.setattr(learning, "MIN_PAIRS", 100)
    return learn_meanings(path, TRAINING, start=random_start())


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = made_index(tmp_path_factory.mktemp("meaning") / "index", documents())
    with pytest.MonkeyPatch.context() as patch:
        assert learnt(path, patch).made_of["use"] == "own"
    return path


def test_a_document_has_the_terms_of_its_views(index: Path) -> None:
    with porism.open_index(index) as opened:
        (segment,) = opened.snapshot.segments
        terms, table = SegmentTerms(segment), random_start()
        number = segment.find("d4")
        analysed = []
        for name in ("title", "body"):
            content = opened.document("d4").fields[name]
            of_view = opened.analyzer.content_terms(content, ("words", "symbols"), "english")
            for formula in content.formulas:
                of_view |= opened.analyzer.formula_terms(formula, ("tokens", "subtrees")).terms
            analysed.append(of_view)
        rows = terms.vectors(np.array([number]), table)
        assert rows.counts.tolist() == [2]
        assert rows.vectors == pytest.approx(table.vectors(text_bags(analysed)), abs=1e-3)
        assert np.linalg.norm(rows.vectors, axis=1) == pytest.approx(1)
        title = terms.bags(np.array([number]), {"title"})
        assert set(terms.names(title.terms)) == {"words: integ", "words: name4", "words: prime"}
        assert len(terms.bags(np.array([number]), set()).terms) == 0


def test_vectors_do_not_depend_on_how_an_index_came_to_be(tmp_path: Path) -> None:
    texts = documents(90)
    one = made_index(tmp_path / "one", texts)
    parts = made_index(tmp_path / "parts", texts[60:])
    made_index(parts, texts[:60])

    def vectors(path: Path) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        with Snapshot.open(path) as snapshot:
            assert len(snapshot.segments) == 1 + (path == parts)
            for segment in snapshot.segments:
                rows = SegmentTerms(segment).vectors(np.arange(segment.doc_count), general_table())
                found |= {
                    name: pair.tobytes()
                    for name, pair in zip(
                        segment.doc_ids(np.arange(segment.doc_count)), rows.vectors.reshape(-1, 256), strict=True
                    )
                }
        return found

    assert vectors(one) == vectors(parts)


def test_pairs_are_a_field_and_the_rest(index: Path) -> None:
    with Snapshot.open(index) as snapshot:
        pairs = field_pairs(snapshot.segments)
        assert len(pairs) == 180  # with two fields the other pair is the same
        assert pairs.left.sizes.tolist() == [3] * 180
        assert max(pairs.left.width, pairs.right.width) == len(pairs.rows)
        assert len(field_pairs(snapshot.segments, most=120)) == 120


def test_pairs_that_repeat_a_title_decide_together(tmp_path: Path) -> None:
    texts = [
        Document(f"{number}-{answer}", {
            "title": Content(f"question{number} number{number}"), "body": Content(f"answer{answer} number{number}")
        }) for number in range(60) for answer in range(3)
    ]
    with Snapshot.open(made_index(tmp_path / "index", texts)) as snapshot:
        pairs = field_pairs(snapshot.segments)
        groups = dict(zip(pairs.left.terms[::2].tolist(), pairs.groups.tolist(), strict=True))
        assert len(set(pairs.groups.tolist())) == len(groups) == 60
        deciding = learning.held_out(pairs)
        assert 0 < deciding.sum() < 60
        assert not set(pairs.groups[deciding].tolist()) & set(pairs.groups[~deciding].tolist())


def test_an_index_learns_only_what_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert stored_table(made_index(tmp_path / "few", documents(5))) is None
    monkeypatch.setattr(learning, "MIN_PAIRS", 300)
    path = made_index(tmp_path / "index", documents(150))
    few = stored_table(path)
    assert (few.made_of["use"], few.made_of["pairs"]) == ("general", 150)  # too few to learn from
    helped = learnt(path, monkeypatch)
    assert helped.made_of["use"] == "own"
    assert helped.made_of["found"] > helped.made_of["found_by_the_general"]
    assert open_table(path).digest == helped.digest
    monkeypatch.setattr(learning, "train_table", lambda *given, **settings: _Trained(random_table(ROWS, 32), ()))
    worse = learn_meanings(path, TRAINING, start=helped)
    assert worse.made_of["use"] == "general"
    assert open_table(path) is general_table()
    with porism.open_index(path, "meaning") as opened:  # the vectors are there, too
        assert len(opened) == 150


class _Trained:
    def __init__(self, vectors: np.ndarray, losses: tuple[float, ...]) -> None:
        self.vectors, self.losses = vectors, losses


def test_an_index_learns_anew_when_it_has_grown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "MIN_PAIRS", 100)
    monkeypatch.setattr(learning, "MAX_EPOCHS", 1)
    path = made_index(tmp_path / "index", documents(120))
    first = stored_table(path).made_of
    assert (first["documents"], first["pairs"]) == (120, 120)
    made_index(path, documents(30, 120))
    assert stored_table(path).made_of == first
    made_index(path, documents(40, 150))
    assert stored_table(path).made_of["documents"] == 190
    assert learning_is_due(path, 190 * 2)
    assert learning_is_due(path, 100)
    assert not learning_is_due(path, 200)


def test_the_table_is_chosen_and_the_choice_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "MIN_PAIRS", 100)
    monkeypatch.setattr(learning, "learn_meanings", lambda *given, **settings: pytest.fail("it learns"))
    texts, path = documents(120), tmp_path / "index"
    config = porism.AnalysisConfig(language="english")
    query = Query("q", {"query": Content("prime")})
    porism.index_documents(texts, path, config=config, jobs=1, meaning="off")
    porism.index_documents(documents(200, 120), path, jobs=1)
    assert not list(path.glob("segments/*/derived/vectors-meaning*"))
    with pytest.raises(ConfigError, match="no vectors of meaning"):
        porism.open_index(path, "meaning")
    with porism.open_index(path) as opened:
        without = opened.run([query], 10)["q"]
        assert "meaning" not in str(opened.retriever.explain(query, "d1"))
    porism.index_documents([], path, jobs=1, meaning="general")
    assert open_table(path) is general_table()
    with porism.open_index(path) as opened:
        assert dict(opened.run([query], 10)["q"]) != dict(without)
        assert "meaning" in str(opened.retriever.explain(query, "d1"))


def test_an_interruption_leaves_what_there_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made_index(tmp_path / "index", documents(120))
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    monkeypatch.setattr(learning, "MIN_PAIRS", 100)

    def interrupted(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_meanings(path, TRAINING, start=random_start(), on_batch=interrupted)
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before
    choose_table(path, "auto")
    monkeypatch.setattr(learning, "train_table", _interrupted)
    report = porism.index_documents([], path, jobs=1)
    assert "no meanings were learnt (interrupted)" in report.notes[0]
    with porism.open_index(path, "meaning") as opened:
        assert len(opened.run([Query("q", {"query": Content("prime")})], 5)["q"]) == 5


def _interrupted(*given: object, **settings: object) -> None:
    raise KeyboardInterrupt


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
        assert "words: prime ~ words: " in str(told)
        with pytest.raises(QueryError, match="no document"):
            opened.retriever.explain(query, "none")
        assert list(opened.run([Query("q", {"query": Content("")})], 5)["q"]) == []
        filtered = opened.retriever.search([query], 5, allowed=[np.arange(180) < 3])["q"]
        assert sorted(name for name, _ in filtered) == ["d0", "d1", "d2"]


def test_documents_that_come_later_get_vectors_from_what_was_learnt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made_index(tmp_path / "index", documents())
    learnt(path, monkeypatch)
    later = [Document("new", {"body": Content("prime divisor")}), Document("empty", {"body": Content("")})]
    porism.index_documents(later, path, jobs=1)
    with porism.open_index(path, "meaning") as opened:
        ranking = dict(opened.run([Query("q", {"query": Content("prime")})], 200)["q"])
        assert ranking["new"] > ranking["d0"]
        assert "empty" not in ranking


def test_learning_again_replaces_table_and_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made_index(tmp_path / "index", documents())
    learnt(path, monkeypatch)
    first = MODELS.path(path, "meaning").read_bytes()
    learnt(path, monkeypatch)
    assert MODELS.path(path, "meaning").read_bytes() == first
    start = MeaningTable.of(random_table(ROWS, 24), {})
    learn_meanings(path, TableTraining(dimensions=24, cuts=(), epochs=4), start=start)
    with Snapshot.open(path) as snapshot:
        (segment,) = snapshot.segments
        assert len(list((segment.folder / "derived").glob("vectors-meaning-*"))) == 1
        assert [vectors.table.dimensions for vectors in meaning_vectors(path)] == [24]


def test_several_indexes_each_have_their_own_table(index: Path, tmp_path: Path) -> None:
    other = made_index(tmp_path / "other", documents(30, 300))
    query = Query("q", {"query": Content("prime")})
    with porism.open_index([index, other], "meaning") as joint, porism.open_index(index, "meaning") as alone:
        both = dict(joint.run([query], 300)["q"])
        for name, score in alone.run([query], 20)["q"]:
            assert both[name] == score
        assert any(name in both for name in ("d301", "d304"))


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
    monkeypatch.setattr(table_module, "NUMBERING", 3)
    with pytest.raises(IndexVersionError, match="another version"):
        MeaningTable.open(MODELS.path(index, "meaning"))


def test_the_general_table_knows_mathematics() -> None:
    """Of three texts, the one that means the same is the nearest, though it shares no word."""
    table = general_table()
    assert (len(table), table.dimensions) == (ROWS, 128)
    assert table.made_of["sources"]["Mathlib"] == "Apache-2.0"

    def near(asked: str, *texts: str) -> int:
        bags = text_bags([{"words": text.split()} for text in (asked, *texts)])
        vectors = table.vectors(bags)
        return int(np.argmax(vectors[1:] @ vectors[0]))

    assert near("invert", "unit", "measur", "graph") == 0
    assert near("abelian", "measur", "commut", "graph") == 1
    assert near("probabl", "group", "topolog", "measur") == 2


def test_vectors_that_are_missing_are_computed_if_they_are_few(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made_index(tmp_path / "index", documents(20))
    query = Query("q", {"query": Content("prime")})

    def scores() -> dict[str, float]:
        with porism.open_index(path) as opened:
            return dict(opened.run([query], 10)["q"])

    stored = scores()
    for file in path.glob("segments/*/derived/vectors-meaning*"):
        file.unlink()
    assert check_index(path).sound
    assert scores() == stored
    monkeypatch.setattr(space, "MAX_COMPUTED", 19)
    without = scores()
    assert without.keys() == stored.keys()
    assert all(without[name] < stored[name] for name in stored)
    with Snapshot.open(path) as snapshot:
        assert prepare_vectors(snapshot.segments) == 20
    assert scores() == stored


@every_case(("pairs", "epochs"), [(0, 12), (538, 12), (7_000, 10), (20_000, 3), (100_000, 3)])
def test_few_pairs_are_seen_more_often(pairs: int, epochs: int) -> None:
    assert usual_training(pairs) == TableTraining(epochs=epochs)
