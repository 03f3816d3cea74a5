"""The registry of methods of training vectors: names, settings, what each needs."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case

from porism.vectors.embeddings import FastText, Positional, Word2Vec, methods
from porism.vectors.embeddings.decontextual import Decontextualised
from porism.vectors.embeddings.methods import METHODS, EmbeddingMethod, TrainingOptions

ROOT = Path(__file__).resolve().parents[3]


def test_methods_have_the_names_of_their_settings() -> None:
    assert {name: method.settings for name, method in METHODS.items()} == {
        "word2vec": Word2Vec, "fasttext": FastText, "positional": Positional, "decontextualised": Decontextualised,
    }
    assert [name for name, method in METHODS.items() if method.needs_model] == ["decontextualised"]


@every_case(("name", "settings", "modules"), [
    ("word2vec", Word2Vec(), ["gensim"]),
    ("fasttext", FastText(), ["gensim"]),
    ("positional", Positional(), []),
    ("positional", Positional(phrases=1), ["gensim"]),
    ("decontextualised", Decontextualised(), ["torch", "transformers"]),
])
def test_what_each_needs(name: str, settings: object, modules: list[str]) -> None:
    assert [need.module for need in METHODS[name].needs(settings)] == modules


@every_case("name", METHODS)
def test_each_is_documented(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs" / "reference" / "recipes.md").read_text(encoding="utf-8")


def test_an_interrupted_training_is_an_interruption(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Report:
        interrupted = True

    monkeypatch.setattr(methods, "train_decontextualised", lambda *arguments, **options: Report())
    method: EmbeddingMethod = METHODS["decontextualised"]
    options = TrainingOptions(model="x")
    with pytest.raises(KeyboardInterrupt):
        method.train(tmp_path, "name", "words", Decontextualised(), options, lambda done, total: None)
