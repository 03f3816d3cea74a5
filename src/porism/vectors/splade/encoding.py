"""Weighing the terms of the documents of an index by a sparse encoder, and remembering it, so that later commits encode
new ones."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porism.index import Segment, locked_snapshot
from porism.index.vectors import forget_parts, open_vectors
from porism.system.concurrency.clusters import connected
from porism.system.files.artifacts import SPARSE
from porism.vectors.encoding import chosen_files, encoder_name, lasting_name
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.sparse_encoder import load_sparse_encoder
from porism.vectors.splade.channels import remove_postings
from porism.vectors.splade.provider import DocumentTerms
from porism.vectors.splade.stores import SPARSE_STORES, SparseStore, read_store, write_store
from porism.vectors.spreading import encode_documents


@dataclass(frozen=True, slots=True)
class TermsReport:
    """What was encoded: the ``store``, how many ``documents`` the index has and how many weighted ``terms`` these, how
    many documents were ``encoded`` now, the seconds, and whether it was interrupted."""

    store: SparseStore
    documents: int
    terms: int
    encoded: int
    seconds: float
    interrupted: bool


def encode_terms(
    index_path: str | os.PathLike[str],
    model: str | os.PathLike[str],
    *,
    name: str = "",
    settings: EncoderSettings | Mapping[str, Any] | None = None,
    precision: Precision = "auto",
    device: str = "auto",
    cluster: str | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    on_note: Callable[[str], None] = lambda note: None,
) -> TermsReport:
    """Weighs the terms of the documents of an index that have none of a model yet, and remembers the model.

    :param model: a folder, or a name (:func:`porism.vectors.neural.encoder_files.find_encoder`).
    :param name: what the encoder is called in the index; that of the model if empty.
    :param settings: how the model reads text, or what is to differ from what its folder says.
    :param cluster: where documents are encoded, as :func:`porism.system.concurrency.clusters.connected` takes it; here
    if
        None.
    :param on_progress: receives of how many documents terms are there, of how many.
    :param on_note: receives sentences, such as on a batch that was halved.

    An interruption (Ctrl-C) keeps what was encoded and is noted in the report, not raised; the same call goes on.

    :raises ConfigError: there is no such model, it is no sparse encoder, or parts of it do not fit together.
    :raises IndexNotFound: there is no index. :raises IndexLocked: another process writes to it.
    :raises ClusterError: the workers of the cluster cannot do the work.
    :raises MissingExtra: a library is not installed. :raises StorageError: the folder cannot be written.
    """
    started = time.monotonic()
    index = Path(index_path)
    files = chosen_files(model, index, settings, kind="SparseEncoder")
    encoder = load_sparse_encoder(files, device=device, precision=precision, on_note=on_note)
    path = SPARSE.prepare(index, SPARSE.check_name(name or encoder_name(model)))
    with connected(cluster) as workers, locked_snapshot(index) as snapshot:
        before = read_store(path) if path.exists() else None
        store = write_store(
            path, model=lasting_name(model, index), digest=encoder.files.digest, settings=encoder.settings,
            precision=precision, terms=encoder.terms, table=encoder.table,
        )
        if before is not None and before.spec != store.spec:
            _remove(snapshot.segments, before, index)
        terms = DocumentTerms(index, store, encoder=encoder, device=device)
        encoded, interrupted = encode_documents(snapshot, terms, on_progress, workers)
        count = 0 if interrupted else _count(snapshot.segments, store)
        return TermsReport(store, snapshot.doc_count, count, encoded, time.monotonic() - started, interrupted)


def forget_terms(index_path: str | os.PathLike[str], name: str) -> None:
    """Forgets a sparse encoder of an index, and removes its weighted terms and their postings.

    :raises ConfigError: the index has none of this name.
    :raises IndexLocked: another process writes to it.
    """
    index = Path(index_path)
    SPARSE_STORES.forget(index, name, lambda segments, store: _remove(segments, store, index))


def _remove(segments: Sequence[Segment], store: SparseStore, index: Path) -> None:
    """Removes what an encoder that the index does not have any more has left, unless another one has the same."""
    remove_postings(segments, store, index)
    if store.spec.name not in SPARSE_STORES.remove_others(index, segments):
        forget_parts(index, store.spec)


def _count(segments: Sequence[Segment], store: SparseStore) -> int:
    """The weighted terms of all documents."""
    return sum(len(open_vectors(segment, store.spec, segment.doc_count).vectors) for segment in segments)
