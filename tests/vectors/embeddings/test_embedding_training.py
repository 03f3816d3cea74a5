"""Vectors are trained into the index, go on where they were interrupted, and say what is wrong."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from case_tables import every_case

from porism.analysis.analyzer import AnalysisConfig
from porism.errors import ConfigError, MissingExtra
from porism.search.sources.indexing import index_documents
from porism.types import PLACEHOLDER, Content, Document, Formula
from porism.vectors.embeddings import (
    FastText,
    Positional,
    TokenTexts,
    Word2Vec,
    open_token_vectors,
    train_token_vectors,
)
from porism.vectors.embeddings.corpus import Corpus

SMALL = {"dimensions": 8, "window": 2, "epochs": 3, "min_count": 2, "sample": 0.0}
METHODS = [
    Word2Vec(**SMALL), Word2Vec(**SMALL, skip_gram=True, phrases=1, kept="output"), FastText(**SMALL, min_n=2, max_n=3),
    Positional(**SMALL, positional=4), Positional(**SMALL, positional=4, phrases=2),
]
CONFIG = AnalysisConfig(text=("words",), formulas=("tokens",), language="none", stop_words="none")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    random = np.random.default_rng(5)
    words = np.array("prime number ring field group order basis linear space map".split())
    documents = []
    for n in range(60):
        text = f"prime number {PLACEHOLDER} {' '.join(random.choice(words, 9))}"
        documents.append(Document(f"d{n}", {"body": Content(text, (Formula("x+1"),))}))
    documents.append(Document("rare", {"body": Content("rarely number prime number")}))
    folder = tmp_path_factory.mktemp("embeddings") / "index"
    index_documents(documents, folder, config=CONFIG, jobs=1)
    return folder


def need_gensim(settings):
    if settings.phrases or not isinstance(settings, Positional):
        pytest.importorskip("gensim", reason="training needs gensim: pip install 'porism[embeddings]'")


class Stopped(Exception):
    pass


@pytest.mark.parametrize("settings", METHODS, ids=lambda one: f"{one.method}-{one.phrases}")
def test_interrupted_training_goes_on_to_the_same_vectors(path, settings):
    need_gensim(settings)
    whole = train_token_vectors(path, "whole", "words", settings)
    assert whole.resumed == 0
    assert (whole.texts, whole.tokens) == (61, 60 * 11 + 3)

    def stop(epoch, loss):
        if epoch == 3:  # the third is done, but not kept
            raise Stopped

    with pytest.raises(Stopped):
        train_token_vectors(path, "parts", "words", settings, on_epoch=stop)
    assert (path / "embeddings" / "parts.training").exists()
    assert not (path / "embeddings" / "parts.bin").exists()
    steps = []
    parts = train_token_vectors(
        path, "parts", "words", settings, on_progress=lambda done, total: steps.append((done, total))
    )
    assert parts.resumed == 2
    assert steps[0][0] > 2 * whole.tokens
    assert not (path / "embeddings" / "parts.training").exists()
    expected, found = (open_token_vectors(path, name) for name in ("whole", "parts"))
    assert found.terms == expected.terms
    assert np.array_equal(found.vectors, expected.vectors)
    found.path.unlink()


def test_what_is_stored_says_how_it_was_made(path):
    settings = Positional(**SMALL, positional=4)
    report = train_token_vectors(path, "told", "words", settings)
    vectors = open_token_vectors(path, "told")
    assert vectors.path == report.path
    assert vectors.info["channel"] == "words"
    assert vectors.info["method"] == "positional"
    assert vectors.info["settings"]["positional"] == 4
    assert (vectors.info["texts"], vectors.info["tokens"]) == (61, 663)
    assert vectors.info["loss"] == report.loss > 0
    assert "rarely" not in vectors
    assert len(vectors) == 10


def test_other_settings_or_restart_begin_anew(path):
    def stop(epoch, loss):
        if epoch == 2:
            raise Stopped

    settings = Positional(**SMALL, positional=4)
    with pytest.raises(Stopped):
        train_token_vectors(path, "anew", "words", settings, on_epoch=stop)
    assert train_token_vectors(path, "anew", "words", Positional(**SMALL, positional=3)).resumed == 0
    with pytest.raises(Stopped):
        train_token_vectors(path, "anew", "words", settings, on_epoch=stop)
    assert train_token_vectors(path, "anew", "words", settings, restart=True).resumed == 0
    with pytest.raises(Stopped):
        train_token_vectors(path, "anew", "words", settings, on_epoch=stop)
    state = path / "embeddings" / "anew.training"
    state.write_bytes(state.read_bytes()[:-9])  # damaged: begin anew
    assert train_token_vectors(path, "anew", "words", settings).resumed == 0


def test_fasttext_has_vectors_of_all_terms(path):
    need_gensim(FastText())
    train_token_vectors(path, "sub", "words", FastText(**SMALL))
    vectors = open_token_vectors(path, "sub")
    assert "rarely" in vectors
    assert vectors.vector("rarely").any()
    assert len(vectors) == 11


def test_formula_channels_are_trained_too(path):
    train_token_vectors(path, "formulas", "tokens", Positional(**SMALL, positional=4))
    assert open_token_vectors(path, "formulas").terms == ["+", "1", "x"]


def test_kept_vectors_are_inputs_outputs_or_their_mean(path):
    found = {}
    for kept in ("input", "output", "average"):
        train_token_vectors(path, kept, "words", Positional(**SMALL, positional=4, kept=kept))
        found[kept] = open_token_vectors(path, kept).vectors
    assert found["average"] == pytest.approx((found["input"] + found["output"]) / 2)
    assert not np.array_equal(found["input"], found["output"])


def test_phrases_are_joined_in_half_of_the_readings_and_not_stored(path):
    pytest.importorskip("gensim", reason="phrases need gensim: pip install 'porism[embeddings]'")
    others = [str(n) for n in range(40, 600)]  # without a large vocabulary no pair is remarkable
    texts = TokenTexts.of([*(["prime", "number", str(n)] for n in range(40)), others])
    corpus = Corpus(texts, Word2Vec(min_count=3, phrases=1))
    assert corpus.terms == ["number", "prime", "prime number"]  # 40 + 0 and 40 occurrences, halved
    assert corpus.counts.tolist() == [20, 20, 20]
    read = [text for epoch in range(4) for text in corpus.strings(epoch) if text]
    assert {tuple(text) for text in read} == {("prime", "number"), ("prime number",)}
    assert 40 < sum(len(text) == 1 for text in read) < 120
    assert list(corpus.strings(1)) == list(corpus.strings(1))
    assert list(corpus.strings(1)) != list(corpus.strings(2))


def test_what_cannot_be_trained_is_reported(path, tmp_path):
    for bad in ("a/b", "", "../x"):
        with pytest.raises(ConfigError, match="cannot be the name"):
            train_token_vectors(path, bad, "words", Positional())
    with pytest.raises(ConfigError, match="no channel 'word'"):
        train_token_vectors(path, "x", "word", Positional())
    with pytest.raises(ConfigError, match=r"0 of 11 terms occur at least 9000 times"):
        train_token_vectors(path, "x", "words", Positional(min_count=9000))
    index_documents([Document("d", {"body": Content("one one one")})], tmp_path / "one", config=CONFIG, jobs=1)
    with pytest.raises(ConfigError, match=r"1 of 1 terms .* fewer than two"):
        train_token_vectors(tmp_path / "one", "x", "words", Positional(min_count=1))
    lone = [Document(f"d{n}", {"body": Content(PLACEHOLDER, (Formula("xy"[n % 2]),))}) for n in range(4)]
    index_documents(lone, tmp_path / "lone", config=CONFIG, jobs=1)
    with pytest.raises(ConfigError, match="no text has two terms"):
        train_token_vectors(tmp_path / "lone", "x", "tokens", Positional(min_count=1))


@every_case(
    ("method", "given"),
    [
        (Word2Vec, {"dimensions": 0}), (Word2Vec, {"rate": float("nan")}), (Word2Vec, {"rate": 3.0}),
        (Word2Vec, {"kept": "both"}), (FastText, {"min_n": 4, "max_n": 3}), (Positional, {"positional": 301}),
        (Positional, {"skip_gram": True}), (Positional, {"initial": "zeros"}), (Word2Vec, {"last_rate": 0.1}),
    ],
)
def test_settings_out_of_their_range_are_refused(method, given):
    with pytest.raises(ConfigError, match=next(iter(given)) if "max_n" not in given else "max_n"):
        method(**given)


def test_without_gensim_only_positional_training_works(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim", None)
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(MissingExtra, match=r"pip install 'porism\[embeddings\]'"):
        train_token_vectors(path, "x", "words", Word2Vec(**SMALL))
    assert train_token_vectors(path, "x", "words", Positional(**SMALL, positional=2)).terms == 10
