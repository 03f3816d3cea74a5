"""Decontextualised embeddings of the channels of an index, interrupted and not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny_models import TEXTS, need_models, save_bert

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.errors import ConfigError
from porism.index import IndexWriter, Snapshot
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Formula
from porism.vectors.embeddings import decontextual_training, open_token_vectors
from porism.vectors.embeddings.decontextual import Decontextualised
from porism.vectors.embeddings.decontextual_texts import ChannelSpans, SpannedText
from porism.vectors.embeddings.decontextual_training import train_decontextualised

SMALL = Decontextualised(stride=8)
CHANNELS = AnalysisConfig(text=("words", "word-pairs"), formulas=("tokens", "prefix"))


@pytest.fixture
def index(tmp_path: Path) -> Path:
    documents = [
        Document("a", {
            "title": Content("Converging series"), "body": Content.of("The sum ", Formula("a+b"), " of Möbius"),
        }),
        Document("b", {"body": Content.of(Formula("a+b"), " and ", Formula("x^2"), ": a prime number's product.")}),
        Document("gone", {"body": Content.of("unwanted ", Formula("z"))}),
        *(Document(str(number), {"body": Content(text)}) for number, text in enumerate(TEXTS)),
    ]
    index_documents(documents, tmp_path / "index", config=CHANNELS, jobs=1)
    with IndexWriter(tmp_path / "index") as writer:
        writer.delete(["gone"])
    return tmp_path / "index"


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_models()
    return save_bert(tmp_path_factory.mktemp("models") / "bert", limit=64)


def spans(index: Path, channel: str) -> list[list[SpannedText]]:
    with Snapshot.open(index) as snapshot:
        found = ChannelSpans(snapshot, Analyzer(AnalysisConfig.from_dict(snapshot.config, index)), channel)
        listed = list(found)
        assert len(listed) == found.total
        return listed


def written(text: SpannedText) -> list[tuple[str, str]]:
    return [(text.text[start:end], term) for start, end, term in zip(text.starts, text.ends, text.terms, strict=True)]


def test_words_have_the_places_where_they_were_written(index: Path) -> None:
    title, body = spans(index, "words")[0]
    assert (title.text, written(title)) == ("Converging series", [("Converging", "converg"), ("series", "seri")])
    assert body.text == "The sum $a+b$ of Möbius"
    assert written(body) == [("sum", "sum"), ("Möbius", "mobius")]
    assert spans(index, "words")[1][0].text == "$a+b$ and $x^2$: a prime number's product."


def test_terms_without_a_place_are_written_one_after_another(index: Path) -> None:
    assert written(spans(index, "word-pairs")[0][0]) == [("converg seri", "converg seri")]
    formulas = [text for found in spans(index, "tokens") for text in found]
    weights = {text.text: text.weight for text in formulas}
    assert (weights["a + b"], sum(weights.values()), len(weights)) == (2, 3, 2)
    assert all(left == right for text in formulas for left, right in written(text))
    assert not any("z" in text.terms for text in formulas)


@pytest.mark.parametrize("channel", ["words", "word-pairs", "tokens", "prefix"])
def test_any_channel_gets_vectors(index: Path, bert: Path, channel: str) -> None:
    steps: list[tuple[int, int]] = []
    report = train_decontextualised(
        index, "d", channel, bert, SMALL, device="cpu", on_progress=lambda *step: steps.append(step)
    )
    found = open_token_vectors(index, "d")
    expected = {term for texts in spans(index, channel) for text in texts for term in text.terms}
    assert set(found.terms) == expected
    assert (report.terms, report.texts, report.interrupted) == (len(expected), steps[-1][1], False)
    assert steps[-1][0] == steps[-1][1]
    assert (found.dimensions, found.info["channel"], found.info["method"]) == (16, channel, "decontextualised")
    assert report.missing == {"words": 1, "word-pairs": 0, "tokens": 1, "prefix": 1}[channel]  # of the deleted document


def test_an_interruption_goes_on_where_it_was(index: Path, bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decontextual_training, "_POOL", {"cpu": 2})
    train_decontextualised(index, "whole", "words", bert, SMALL, device="cpu")

    def stop(done: int, total: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    first = train_decontextualised(index, "parts", "words", bert, SMALL, device="cpu", on_progress=stop)
    assert (first.interrupted, first.texts, first.path.exists()) == (True, 4, False)
    again = train_decontextualised(index, "parts", "words", bert, SMALL, device="cpu")
    assert (again.interrupted, again.resumed, again.texts) == (False, 4, 6)
    whole, parts = open_token_vectors(index, "whole"), open_token_vectors(index, "parts")
    assert parts.terms == whole.terms
    assert np.array_equal(parts.vectors, whole.vectors)
    assert not (index / "embeddings" / "parts.training").exists()


def test_other_settings_and_restart_begin_anew(index: Path, bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decontextual_training, "_POOL", {"cpu": 2})

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    def interrupted() -> None:
        train_decontextualised(index, "d", "words", bert, SMALL, device="cpu", restart=True, on_progress=stop)

    interrupted()
    assert train_decontextualised(index, "d", "words", bert, replace(SMALL, layer=0), device="cpu").resumed == 0
    interrupted()
    assert train_decontextualised(index, "d", "words", bert, SMALL, device="cpu", restart=True).resumed == 0
    interrupted()
    (index / "embeddings" / "d.training").write_bytes(b"torn")
    assert train_decontextualised(index, "d", "words", bert, SMALL, device="cpu").resumed == 0


def test_what_cannot_be_is_told_before_the_model_is_loaded(index: Path, tmp_path: Path) -> None:
    need_models()
    with pytest.raises(ConfigError, match="no channel 'wrods'"):
        train_decontextualised(index, "d", "wrods", tmp_path / "none")
    with pytest.raises(ConfigError, match="cannot be the name"):
        train_decontextualised(index, "../d", "words", tmp_path / "none")


def test_terms_that_are_too_rare_are_reported(index: Path, bert: Path) -> None:
    with pytest.raises(ConfigError, match="no term of the channel 'words' occurs 99 times"):
        train_decontextualised(index, "d", "words", bert, replace(SMALL, min_count=99), device="cpu")
