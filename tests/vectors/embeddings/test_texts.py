"""The texts of a channel are its terms in order: fields of documents, and occurrences of formulas."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.errors import ConfigError
from porism.index import Snapshot
from porism.index.writer import IndexWriter
from porism.search.sources.indexing import index_documents
from porism.types import PLACEHOLDER, Content, Document, Formula
from porism.vectors.embeddings import TokenTexts, channel_texts
from porism.vectors.embeddings import texts as texts_module

CONFIG = AnalysisConfig(text=("words", "word-pairs"), formulas=("tokens",), stop_words="none", language="none")

F = PLACEHOLDER

DOCUMENTS = [
    Document("a", {
        "title": Content("prime numbers"),
        "body": Content(f"numbers of {F} a {F} kind", (Formula("x+1"), Formula("y"))),
    }),
    Document("b", {"body": Content(F, (Formula("x+1"),))}),
    Document("gone", {"body": Content(f"never seen {F}", (Formula("z"),))}),
    Document("c", {"body": Content("a kind of prime")}),
]


@pytest.fixture
def path(tmp_path):
    index_documents(DOCUMENTS[:2], tmp_path / "index", config=CONFIG, jobs=1)
    index_documents(DOCUMENTS[2:], tmp_path / "index", jobs=1)
    with IndexWriter(tmp_path / "index") as writer:
        writer.delete(["gone"])
        writer.commit()
    return tmp_path / "index"


def texts_of(path, channel, **options):
    with Snapshot.open(path) as snapshot:
        return channel_texts(snapshot, Analyzer(AnalysisConfig.from_dict(snapshot.config)), channel, **options)


def test_text_channels_give_a_text_for_each_field_that_has_terms(path):
    texts = texts_of(path, "words")
    assert list(texts) == [["prime", "numbers"], ["numbers", "of", "a", "kind"], ["a", "kind", "of", "prime"]]
    assert list(texts) == list(texts)
    assert len(texts) == 3
    counted = Counter(term for text in texts for term in text)
    assert dict(zip(texts.terms, texts.counts.tolist(), strict=True)) == counted
    assert next(iter(texts_of(path, "word-pairs"))) == ["prime numbers"]


def test_formula_channels_give_a_text_for_each_occurrence(path):
    assert list(texts_of(path, "tokens")) == [["x", "+", "1"], ["y"], ["x", "+", "1"]]


def test_batches_processes_and_files_change_nothing(path, monkeypatch):
    expected = {channel: list(texts_of(path, channel)) for channel in ("words", "tokens")}
    monkeypatch.setattr(texts_module, "BATCH", 1)
    monkeypatch.setattr(texts_module, "IN_MEMORY", 2)
    monkeypatch.setattr(texts_module, "_BATCH_SIZE", 2)
    for jobs in (1, 2):
        for channel, texts in expected.items():
            found = texts_of(path, channel, jobs=jobs)
            assert list(found) == texts
            assert isinstance(found.tokens, np.memmap)
            assert found.counts.sum() == len(found.tokens)


def test_progress_ends_at_the_total(path):
    seen = []
    texts_of(path, "words", on_progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3, 3)


def test_channels_that_are_missing_or_empty_are_reported(path, tmp_path):
    with pytest.raises(ConfigError, match=r"no channel 'tokenz'. Did you mean tokens"):
        texts_of(path, "tokenz")
    index_documents([Document("d", {"body": Content(F, (Formula("x"),))})], tmp_path / "bare", config=CONFIG, jobs=1)
    with pytest.raises(ConfigError, match="the channel 'words' has no terms"):
        texts_of(tmp_path / "bare", "words")


def test_encoding_keeps_texts_and_leaves_out_empty_ones():
    texts = TokenTexts.of([["b", "a"], [], ["a", "a"]])
    assert list(texts) == [["b", "a"], ["a", "a"]]
    assert texts.terms == ["b", "a"]
    assert texts.counts.tolist() == [1, 3]
    assert len(TokenTexts.of([])) == 0
