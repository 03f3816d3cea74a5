"""Indexes with terms of a tiny sparse encoder, for tests of its channel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from dense_cases import document, write_index
from numpy.typing import NDArray
from tiny_models import save_splade

from porism.index import Snapshot
from porism.index.documents import stored_document
from porism.vectors.encoding import EncodingReport
from porism.vectors.neural.sparse_encoder import SparseEncoder
from porism.vectors.splade.encoding import SPARSE_ENCODING

STEP = 0.01


def sparse_index(folder: Path, count: int = 60, static: bool = False, **more: Any) -> tuple[Path, EncodingReport[Any]]:
    """An index of two segments in a folder, and a sparse encoder of it called ``tiny``."""
    documents = [document(number) for number in range(count)]
    path = write_index(folder / "i.index", documents[: count // 2 + 3], documents[count // 2 + 3 :])
    model = save_splade(folder / "tiny", static=static)
    return path, SPARSE_ENCODING.encode(path, model, device="cpu", **more)


def documents_of(path: Path) -> dict[str, str]:
    """The text of each live document of an index."""
    found = {}
    with Snapshot.open(path) as snapshot:
        for segment in snapshot.segments:
            for number in np.flatnonzero(segment.live).tolist():
                found[segment.doc_id(number)] = stored_document(segment, number).fields["body"].text
    return found


def by_numpy(path: Path, model: Path, asked: str) -> tuple[dict[str, float], float]:
    """The inner product of a question with each document, by the library itself, and how far scores of stored weights
    can be from it."""
    from sentence_transformers import SparseEncoder as Library

    library = Library(str(model), device="cpu")
    texts = documents_of(path)
    ids = [doc_id for doc_id, text in texts.items() if text]
    rows = library.encode_document([texts[doc_id] for doc_id in ids], convert_to_sparse_tensor=False).numpy()
    query: NDArray[np.float32] = library.encode_query([asked], convert_to_sparse_tensor=False).numpy()[0]
    products = rows.astype(np.float64) @ query.astype(np.float64)
    return dict(zip(ids, products.tolist(), strict=True)), STEP / 2 * float(query.sum()) + 1e-6


def vocabulary(model: Path) -> list[str]:
    """The terms of a model."""
    return SparseEncoder.load(model, device="cpu").terms
