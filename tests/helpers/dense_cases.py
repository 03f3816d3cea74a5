"""Indexes with vectors of a tiny encoder, for tests of dense retrieval."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tiny_models import TEXTS, save_encoder

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.index import IndexWriter, Snapshot
from porism.types import Content, Document, Query
from porism.vectors.dense.encoding import DENSE_ENCODING
from porism.vectors.encoding import EncodingReport

WORDS = [
    word if word.strip(".,").isalpha() else re.sub(r"[^a-z0-9]", "", word) or "sum"
    for word in " ".join(TEXTS).replace("$", "").split()
]
"""Words in which no formula is recognised."""


def document(number: int, length: int = 8) -> Document:
    """A document of words of the tiny encoder, another for each number; one in eleven is empty."""
    text = " ".join(WORDS[(number * 7 + place * (number % 5 + 1)) % len(WORDS)] for place in range(length))
    body = Content("" if number % 11 == 10 else text)
    return Document(f"d{number:03}", {"body": body}, {"half": str(number % 2), "tenth": str(number % 10)})


def write_index(path: Path, *groups: list[Document], before_publish: Any = None) -> Path:
    """An index with a segment for each group of documents."""
    analyzer = Analyzer(AnalysisConfig.named(["words"]))
    with IndexWriter(path, config=analyzer.config.to_dict()) as writer:
        for group in groups:
            writer.add(analyzer.analyze(group)[0])
            writer.commit(before_publish=before_publish)
    return path


def encoded_index(folder: Path, count: int = 60, length: int = 8, **more: Any) -> tuple[Path, EncodingReport[Any]]:
    """An index of two segments in a folder, and an encoder of it called ``tiny``."""
    documents = [document(number, length) for number in range(count)]
    path = write_index(folder / "i.index", documents[: count // 2 + 3], documents[count // 2 + 3 :])
    model = save_encoder(folder / "tiny")
    return path, DENSE_ENCODING.encode(path, model, device="cpu", **more)


def query(text: str, name: str = "q") -> Query:
    """An ad-hoc query."""
    return Query(name, {"query": Content(text)})


def open_snapshot(path: Path) -> Snapshot:
    """The index."""
    return Snapshot.open(path)
