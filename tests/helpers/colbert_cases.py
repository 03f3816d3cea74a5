"""Indexes with tokens of a tiny encoder, and what late interaction should find in them, computed without compression
tricks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from dense_cases import document, write_index
from numpy.typing import NDArray
from tiny_models import save_encoder

from porism.index import Snapshot
from porism.index.token_rows import TokenRows, open_tokens
from porism.vectors.colbert.encoding import TOKEN_ENCODING
from porism.vectors.colbert.records import TokenRecord
from porism.vectors.encoding import EncodingReport
from porism.vectors.neural.token_codec import CompressedTokens
from porism.vectors.neural.token_model import TokenModelSettings, make_token_model

SETTINGS = TokenModelSettings(dimensions=8, query_length=24, expansion=6)


def save_token_model(folder: Path, settings: TokenModelSettings = SETTINGS, seed: int = 0) -> Path:
    """A tiny model for late interaction."""
    base = save_encoder(folder.with_name(f"{folder.name}-base"), seed=seed)
    make_token_model(base, settings, device="cpu").save_pretrained(str(folder), create_model_card=False)
    return folder


def token_index(folder: Path, count: int = 60, **more: Any) -> tuple[Path, EncodingReport[Any]]:
    """An index of two segments in a folder, and its tokens by an encoder called ``tiny``."""
    documents = [document(number, 4 + number % 9) for number in range(count)]
    path = write_index(folder / "i.index", documents[: count // 2 + 3], documents[count // 2 + 3 :])
    model = save_token_model(folder / "tiny")
    return path, TOKEN_ENCODING.encode(path, model, device="cpu", **{"centroids": 16, **more})


def restored(store: TokenRecord, rows: TokenRows) -> NDArray[np.float32]:
    """The vectors of all tokens of a segment."""
    return store.codec.decompress(CompressedTokens(rows.heads, rows.residuals.array))


def reference(path: Path, store: TokenRecord, vectors: NDArray[np.float32]) -> dict[str, float]:
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
