"""What tests of expansions share: a small T5, documents, and a generator that is not a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from porism.lab.doc2query import ExpansionSettings
from porism.types import Content, Document, Formula


@pytest.fixture(scope="session")
def t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a T5 with random weights."""
    from tiny_models import need_models, save_t5

    need_models()
    return save_t5(tmp_path_factory.mktemp("models") / "t5")


@dataclass
class Canned:
    """Writes ``about WORD`` for the first word of a text, and remembers its batches; fails on texts with ``bad``."""

    model: str = "canned"
    settings: ExpansionSettings = field(default_factory=lambda: ExpansionSettings(queries=2))
    batches: list[list[str]] = field(default_factory=list)
    stop_after: int = -1

    def generate(self, texts: Sequence[str]) -> list[list[str]]:
        if len(self.batches) == self.stop_after:
            raise KeyboardInterrupt
        self.batches.append(list(texts))
        if any("bad" in text for text in texts):
            raise RuntimeError("cannot be read\nand more lines")
        return [[f"about {text.split()[0]}", f"of batch {texts[0].split()[0]}"] for text in texts]

    def order(self, texts: Sequence[str]) -> list[int]:
        return sorted(range(len(texts)), key=lambda at: -len(texts[at]))


@pytest.fixture
def canned() -> Callable[..., Canned]:
    """Makes a generator that needs no model."""
    return Canned


@pytest.fixture
def documents() -> list[Document]:
    """Five documents, each longer than the one before."""
    return [
        Document(f"d{number}", {
            "title": Content(f"word{number}"),
            "body": Content.of("text " * number, Formula(f"x^{number}")),
        }, {"kind": "note"})
        for number in range(1, 6)
    ]
