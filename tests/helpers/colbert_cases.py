"""Indexes with tokens of a tiny encoder, and what late interaction should find in them, computed without compression
tricks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tiny_models import TEXTS, save_encoder

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.index import IndexWriter, Snapshot
from porism.index.token_rows import TokenRows, open_tokens
from porism.neural.token_codec import CompressedTokens
from porism.neural.token_model import TokenModelSettings, make_token_model
from porism.retrieve.colbert.encoding import TokenReport, encode_tokens
from porism.retrieve.colbert.stores import TokenStore
from porism.types import Content, Document, Query

WORDS = " ".join(TEXTS).replace("$", "").split()
SETTINGS = TokenModelSettings(dimensions=8, query_length=24, expansion=6)


def save_token_model(folder: Path, settings: TokenModelSettings = SETTINGS, seed: int = 0) -> Path:
    """A tiny model for late interaction."""
    base = save_encoder(folder.with_name(f"{folder.name}-base"), seed=seed)
    make_token_model(base, settings, device="cpu").save_pretrained(str(folder), create_model_card=False)
    return folder


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


def token_index(folder: Path, count: int = 60, **more: Any) -> tuple[Path, TokenReport]:
    """An index of two segments in a folder, and its tokens by an encoder called ``tiny``."""
    documents = [document(number, 4 + number % 9) for number in range(count)]
    path = write_index(folder / "i.index", documents[: count // 2 + 3], documents[count // 2 + 3 :])
    model = save_token_model(folder / "tiny")
    return path, encode_tokens(path, model, device="cpu", **{"centroids": 16, **more})


def query(text: str, name: str = "q") -> Query:
    """An ad-hoc query."""
    return Query(name, {"query": Content(text)})


def restored(store: TokenStore, rows: TokenRows) -> NDArray[np.float32]:
    """The vectors of all tokens of a segment."""
    return store.codec.decompress(CompressedTokens(rows.heads, rows.residuals.array))


def reference(path: Path, store: TokenStore, vectors: NDArray[np.float32]) -> dict[str, float]:
    """The MaxSim of each live document with the tokens of a query, as NumPy has it."""
    found: dict[str, float] = {}
    with Snapshot.open(path) as snapshot:
        for segment in snapshot.segments:
            rows = open_tokens(segment, store.spec, "")
            tokens = restored(store, rows).astype(np.float64)
            for number in np.flatnonzero(segment.live).tolist():
                own = tokens[rows.offsets[number] : rows.offsets[number + 1]]
                if len(own):
                    found[segment.doc_id(number)] = float((own @ vectors.T.astype(np.float64)).max(axis=0).sum())
    return found
