"""Embeddings rank formulas by the exact cosine; what training writes is what gensim has learnt."""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from cft_cases import random_model
from long_forms import LONG, LONG_ONLY

from porism.analysis.analyzer import Analyzer
from porism.errors import ConfigError, IndexCorrupt, MissingExtra, QueryError
from porism.index import IndexWriter, Snapshot
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.search.checking import check_index
from porism.search.models.vectors import prepare_vectors
from porism.system.files.artifacts import MODELS
from porism.types import Content, Document, Formula
from porism.vectors.embeddings.subwords import (
    WordVectors,
    character,
    ngrams,
    store_word_vectors,
    write_word_vectors,
)
from porism.vectors.formula_vectors.tangent_cft import (
    MODEL,
    TRAINING,
    TangentCftRanker,
    TangentCftVectors,
    _words,
    train_tangent_cft,
)

SMALL = replace(TRAINING, dimensions=12, window=4, epochs=2, negative=3)


@pytest.fixture
def gensim():
    return pytest.importorskip("gensim", reason="training needs gensim: pip install 'porism[embeddings]'")


def document(name: str, *formulas: str) -> Document:
    return Document(name, {"body": Content.of(*(Formula(source) for source in formulas))})


def write(path: Path, *groups: list[Document], deleted: tuple[str, ...] = ()) -> Snapshot:
    analyzer = Analyzer()
    with IndexWriter(path, config=analyzer.config.to_dict()) as writer:
        for group in groups:
            writer.add(analyzer.analyze(group)[0])
            writer.commit()
        writer.delete(deleted)
    return Snapshot.open(path)


def random_formulas(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return ["".join(chance.choices(["x", "y", "a", "2", "+", "=", "^1", "1", "z"], k=chance.randrange(1, 6)))
            for _ in range(count)]


def by_the_book(snapshot: Snapshot, model: TangentCftVectors, query: Formula) -> list[tuple[str, float]]:
    """Keys of live formulas and exact cosines, best first, ties by descending key."""
    asked = model.embed([query])[0].astype(np.float64)
    found: dict[str, float] = {}
    for segment in snapshot.segments:
        where = segment.occurrences
        for doc in np.flatnonzero(segment.live).tolist():
            for at in range(where.indptr[doc], where.indptr[doc + 1]):
                formula = int(where.formula[at])
                vector = model.embed([Formula(segment.formula_source(formula))])[0].astype(np.float64)
                found[segment.formula_key(formula)] = float((vector * asked).sum())
    ranked = sorted(found.items(), key=lambda one: one[0], reverse=True)
    return [one for one in sorted(ranked, key=lambda one: -one[1]) if one[1] > 0]


def ranked(snapshot: Snapshot, results) -> list[tuple[str, float]]:
    return [
        (snapshot.segments[segment].formula_key(formula), score)
        for segment, formula, score in zip(*(column.tolist() for column in results), strict=True)
    ]


@pytest.fixture(scope="module")
def spread(tmp_path_factory):
    """The same documents in one segment and in three, some of them deleted: each with queries and what these find."""
    tmp_path, formulas = tmp_path_factory.mktemp("spread"), random_formulas(1, 240)
    docs = [document(f"d{number}", *formulas[3 * number : 3 * number + 3]) for number in range(80)]
    gone = tuple(f"d{number}" for number in range(0, 80, 7))
    whole = write(tmp_path / "whole", docs, deleted=gone)
    parts = write(tmp_path / "parts", docs[50:], docs[:3], docs[3:50], deleted=gone)
    asked = [Formula("x+y=2"), Formula("y^1"), Formula(formulas[5]), Formula("aa+z")]
    models = [(snapshot, random_model(snapshot.path)) for snapshot in (whole, parts)]
    return [(snapshot, asked, [by_the_book(snapshot, model, query) for query in asked]) for snapshot, model in models]


@every_case("k", [1, 7, 1000])
def test_the_best_are_those_of_all_cosines_however_formulas_are_spread(spread, k):
    for snapshot, asked, expected in spread:
        for every, results in zip(expected, TangentCftRanker(snapshot).search(asked, k), strict=True):
            assert ranked(snapshot, results) == every[:k]


def test_a_formula_is_nearest_to_itself_and_the_same_as_its_spellings(tmp_path):
    snapshot = write(tmp_path / "index", [document("d", "x+y", r"{ x } + \, y", "y+x=2", "a^1")])
    random_model(snapshot.path)
    results = TangentCftRanker(snapshot).search([Formula("x + y")], 10)[0]
    assert results.scores[0] == pytest.approx(1)
    assert snapshot.segments[0].formula_source(int(results.units[0])) == "x+y"
    assert len(results.units) <= 3


def test_a_formula_that_came_as_mathml_is_read_as_such(tmp_path):
    written = Formula("<math><mi>x</mi><mo>+</mo><mi>y</mi></math>", "mathml")
    snapshot = write(tmp_path / "index", [Document("d", {"body": Content.of(written, Formula("1 < a"))})])
    random_model(snapshot.path)
    asked = [Formula("x+y"), Formula("1<a")]
    scores = [one.scores[0] for one in TangentCftRanker(snapshot).search(asked, 1)]
    assert scores == pytest.approx([1, 1])


def test_a_gigantic_query_is_answered(tmp_path, assert_linear):
    snapshot = write(tmp_path / "index", [document("d", "x+y")])
    random_model(snapshot.path)
    retriever = TangentCftRanker(snapshot)
    assert len(retriever.search([Formula("x+" * (100_000 if LONG else 12_000))], 5)[0].scores) == 1
    assert_linear(lambda size: retriever.search([Formula("x+y=" * size)], 5), 100, 800 if LONG else 400)


def test_formulas_that_say_nothing_to_the_model_are_no_results(tmp_path):
    snapshot = write(tmp_path / "index", [document("d", r"\frac{\Theta}{\Phi}", "x+y", "")])
    random_model(snapshot.path)
    retriever = TangentCftRanker(snapshot)
    nothing, something = retriever.search([Formula(""), Formula("x+y")], 10)
    assert len(nothing.scores) == 0
    assert snapshot.segments[0].formula_source(int(something.units[0])) == "x+y"
    assert "" not in [snapshot.segments[0].formula_source(one) for one in something.units.tolist()]
    with pytest.raises(QueryError, match="at least 1"):
        retriever.search([Formula("x")], 0)


def test_an_index_without_formulas_finds_nothing(tmp_path):
    snapshot = write(tmp_path / "index")
    random_model(snapshot.path)
    assert [len(one.scores) for one in TangentCftRanker(snapshot).search([Formula("x")], 5)] == [0]


def counted(monkeypatch) -> list[int]:
    """How many formulas are read for their vectors, call by call."""
    counts: list[int] = []

    def words(segment, formulas):
        counts.append(len(formulas))
        return _words(segment, formulas)

    monkeypatch.setattr("porism.vectors.formula_vectors.tangent_cft._words", words)
    return counts


def test_commits_and_merges_compute_the_vectors_of_new_formulas_only(tmp_path, monkeypatch):
    path = tmp_path / "index"
    snapshot = write(path, [document("one", "x+y", "x=2", "a")], [document("two", "y=1")])
    model = random_model(path)
    first = ranked(snapshot, TangentCftRanker(snapshot).search([Formula("y+x")], 10)[0])
    counts = counted(monkeypatch)
    with IndexWriter(path) as writer:
        writer.add(Analyzer().analyze([document("three", "y+x", "x+y")])[0])
        writer.commit(before_publish=prepare_vectors)
        assert counts == [1]
        writer.delete(["two"])
        writer.merge()
        writer.commit(before_publish=prepare_vectors)
    assert counts == [1]
    merged = Snapshot.open(path)
    assert len(merged.segments) == 1
    found = ranked(merged, TangentCftRanker(merged).search([Formula("y+x")], 10)[0])
    assert counts == [1]
    assert {key for key, _ in first} - {key for key, _ in found} <= {snapshot.segments[1].formula_key(0)}
    assert found == by_the_book(merged, model, Formula("y+x"))[:10]


def test_a_search_computes_no_vectors_and_check_makes_those_that_are_missing_or_broken(tmp_path):
    snapshot = write(tmp_path / "index", [document("d", "x+y", "y=2")])
    random_model(snapshot.path)
    expected = ranked(snapshot, TangentCftRanker(snapshot).search([Formula("x")], 5)[0])
    (stored,) = (snapshot.path / "segments").rglob("vectors-tangent*.bin")
    assert check_index(snapshot.path, repair=True).sound  # makes the postings, which nothing has stored yet
    for damage in ("removed", "cut"):
        if damage == "removed":
            stored.unlink()
        else:
            stored.write_bytes(stored.read_bytes()[:99])
        with pytest.raises(ConfigError, match=r"vectors of 2 formulas.*are missing.*porism check --repair --index"):
            TangentCftRanker(snapshot).search([Formula("x")], 5)
        assert not stored.exists() or damage == "cut"
        report = check_index(snapshot.path, repair=True)
        assert report.sound
        assert [one.file for one in report.repaired] == [stored.relative_to(snapshot.path).as_posix()]
        assert ranked(snapshot, TangentCftRanker(snapshot).search([Formula("x")], 5)[0]) == expected


def test_vectors_of_another_model_are_not_taken_over(tmp_path):
    snapshot = write(tmp_path / "index", [document("d", "x+y", "y=2")])
    random_model(snapshot.path)
    expected = ranked(snapshot, TangentCftRanker(snapshot).search([Formula("x")], 5)[0])
    random_model(snapshot.path, seed=5)
    assert ranked(snapshot, TangentCftRanker(snapshot).search([Formula("x")], 5)[0]) != expected


def test_what_is_missing_or_damaged_is_said(tmp_path, monkeypatch):
    snapshot = write(tmp_path / "index", [document("d", "x+y")])
    with pytest.raises(ConfigError, match=r"porism train tangent-cft --index"):
        TangentCftRanker(snapshot)
    MODELS.prepare(snapshot.path, MODEL).write_bytes(b"no model")
    with pytest.raises(IndexCorrupt, match="Train again: porism train"):
        TangentCftRanker(snapshot)
    monkeypatch.setitem(sys.modules, "gensim", None)
    with pytest.raises(MissingExtra, match=r"pip install 'porism\[embeddings\]'"):
        train_tangent_cft(snapshot.path)
    for wrong in ({"dimensions": 0}, {"min_n": 4, "max_n": 3}, {"workers": 0}, {"seed": -1}):
        with pytest.raises(ConfigError, match="cannot be"):
            replace(TRAINING, **wrong)


TEXTS = [["V x + n", "+ V y n", "V y 0! n"], ["V x + n", "+ N 2 n", "N 2 0! n"], [], ["V y + n", "+ N 2 n"]] * 20


def trained(path: Path, **settings: int) -> WordVectors:
    chosen = replace(TRAINING, dimensions=8, window=2, epochs=2, negative=2, **settings)
    with ContainerWriter(path, "embeddings", atomic=True) as writer:
        write_word_vectors(writer, "words", TEXTS, chosen)
        writer.finish({"ngrams": {"min": chosen.min_n, "max": chosen.max_n}})
    return WordVectors(Container(path, "embeddings"), "words")


def gensim_vectors(min_n: int, max_n: int, buckets: int):
    from gensim.models import FastText

    tokens = sorted({token for text in TEXTS for word in text for token in word.split(" ")})

    def coded(word: str) -> str:
        return "".join(character(tokens.index(token)) for token in word.split(" "))

    texts = [[coded(word) for word in text] for text in TEXTS if text]
    counts = Counter(word for text in texts for word in text)
    model = FastText(vector_size=8, window=2, negative=2, min_n=min_n, max_n=max_n, seed=1, workers=1, sg=1,
                     min_count=1, bucket=buckets, sample=1e-3, sorted_vocab=0)
    model.build_vocab_from_freq(dict(sorted(counts.items(), key=lambda one: (-one[1], one[0]))))
    for start, end in ((0.025, 0.01255), (0.01255, 0.0001)):
        model.train(texts, total_examples=len(texts), epochs=1, start_alpha=start, end_alpha=end)
    return model.wv, coded


def test_vectors_are_those_that_gensim_learns(tmp_path, gensim):
    vectors = trained(tmp_path / "model", min_n=1, max_n=1)
    tokens = {token for text in TEXTS for word in text for token in word.split(" ")}
    theirs, coded = gensim_vectors(1, 1, len(tokens) + 1)
    for word in ("V x + n", "+ V y n", "N 2 0! n"):
        assert vectors.means([[word]])[0] == pytest.approx(theirs[coded(word)], abs=1e-3)
    assert vectors.means([["V y n"]])[0] == pytest.approx(theirs[coded("V y n")], abs=1e-3)  # of its n-grams
    both = vectors.means([["V x + n", "V y n"], [], ["V x + n"]])
    assert both[0] == pytest.approx((both[2] + vectors.means([["V y n"]])[0]) / 2)
    assert not both[1].any()
    assert not vectors.means([["unknown token"]]).any()


def test_an_unseen_word_is_the_mean_of_its_n_grams_unknown_ones_being_0(tmp_path):
    tokens = ["+", "V", "x"]
    plus, kind, name = (character(number) for number in range(3))
    with ContainerWriter(tmp_path / "model", "embeddings", atomic=True) as writer:
        grams = {kind: np.array([4.0, 0.0]), name: np.array([0.0, 8.0])}
        store_word_vectors(writer, "words", tokens, {plus: np.array([1.0, 1.0])}, grams, 2)
        writer.finish({"ngrams": {"min": 1, "max": 1}})
    vectors = WordVectors(Container(tmp_path / "model", "embeddings"), "words")
    assert vectors.means([["V x"], ["V y"], ["V x z z"], ["+"], ["z"]]).tolist() == [
        [2, 4], [2, 0], [1, 2], [1, 1], [0, 0],
    ]
    assert vectors.means([["V x", "+", "z"]]).tolist() == [[1.5, 2.5]]


def test_n_grams_are_those_of_fasttext(gensim):
    from gensim.models.fasttext_inner import compute_ngrams_bytes

    for word in ("x", "ab", "Ā뀀z", "abcdef"):
        for least, most in ((1, 1), (1, 3), (3, 6), (2, 9)):
            theirs = [gram.decode() for gram in compute_ngrams_bytes(word, least, most)]
            assert sorted(ngrams(word, least, most)) == sorted(theirs)


@LONG_ONLY
def test_one_worker_and_one_seed_give_one_model(tmp_path, gensim, sample_index):
    digests = []
    for number, seed in enumerate((1, 1, 2)):
        path = tmp_path / str(number)
        shutil.copytree(sample_index, path)
        steps: list[tuple[int, int]] = []
        settings = replace(TRAINING, dimensions=6, window=3, epochs=2, negative=2, seed=seed)
        train_tangent_cft(path, settings, on_progress=lambda done, total, steps=steps: steps.append((done, total)))
        assert steps[-1][0] == steps[-1][1]
        digests.append(TangentCftVectors(path).digest)
    assert digests[0] == digests[1] != digests[2]


def test_a_trained_model_finds_formulas_of_like_structure(tmp_path, gensim, sample_index):
    path = tmp_path / "index"
    shutil.copytree(sample_index, path)
    train_tangent_cft(path, SMALL)
    snapshot = Snapshot.open(path)
    retriever = TangentCftRanker(snapshot)
    segment = snapshot.segments[0]
    for formula in range(0, segment.formula_count, 40):
        results = retriever.search([Formula(segment.formula_source(formula))], 5)[0]
        assert results.scores[0] == pytest.approx(1, abs=1e-6)
        assert results.scores.tolist() == sorted(results.scores.tolist(), reverse=True)
    renamed = retriever.search([Formula(r"\sum_{q=1}^{q_0} q^2")], 1)[0]  # with words that were not there
    assert len(renamed.scores) == 1


@LONG_ONLY
def test_training_again_leaves_nothing_of_the_model_before(tmp_path, gensim, sample_index):
    path = tmp_path / "index"
    shutil.copytree(sample_index, path)
    MODELS.prepare(path, MODEL).with_name("tangent-cft.bin.1-ab.tmp").write_bytes(b"of a training that was killed")
    os.utime(MODELS.path(path, MODEL).with_name("tangent-cft.bin.1-ab.tmp"), (0, 0))
    for seed in (1, 2):
        train_tangent_cft(path, replace(TRAINING, dimensions=4, window=1, epochs=1, negative=1, seed=seed))
        with Snapshot.open(path) as snapshot:
            TangentCftRanker(snapshot).search([Formula("x")], 1)
        assert len(list(path.rglob("vectors-tangent*.bin"))) == 1
    assert [file.name for file in (path / MODELS.folder).iterdir()] == ["tangent-cft.bin"]


def test_nothing_to_train_on(tmp_path, gensim):
    snapshot = write(tmp_path / "index", [Document("d", {"body": Content.of("words alone")})])
    with pytest.raises(ConfigError, match="nothing to train on"):
        train_tangent_cft(snapshot.path)
    assert MODELS.names(snapshot.path) == []
