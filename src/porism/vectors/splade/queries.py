"""From a query to weighted terms of a sparse encoder: by its table, or by the model, loaded once a process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from porism.analysis.model_text import document_text
from porism.system.concurrency.locks import Lock
from porism.types import Document, Query
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.sparse_encoder import SparseEncoder, load_sparse_encoder
from porism.vectors.neural.sparse_queries import QueryWeights, TableQueries
from porism.vectors.splade.stores import SparseStore

_KEPT_ENCODERS = 4
_KEPT_QUERIES = 4_096


class _ModelQueries:
    """Weighs queries by a model; loads it when it is first used. Safe to share between threads."""

    def __init__(self, files: EncoderFiles, precision: Precision) -> None:
        self._files, self._precision = files, precision
        self._lock = Lock()
        self._encoder: SparseEncoder | None = None

    def encode_queries(self, texts: list[str]) -> list[QueryWeights]:
        """The weighted terms of queries."""
        with self._lock:
            if self._encoder is None:
                self._encoder = load_sparse_encoder(self._files, precision=self._precision)
            return self._encoder.encode_queries(texts)


_loaded: OrderedDict[tuple[str, str, str], _ModelQueries] = OrderedDict()
_loaded_lock = Lock()


def _model_queries(files: EncoderFiles, precision: Precision) -> _ModelQueries:
    """The model of some files; the same for the same files, settings and precision."""
    key = (files.digest, repr(files.settings), precision)
    with _loaded_lock:
        if key not in _loaded:
            _loaded[key] = _ModelQueries(files, precision)
            while len(_loaded) > _KEPT_ENCODERS:
                _loaded.popitem(last=False)
        _loaded.move_to_end(key)
        return _loaded[key]


class EncodedQueries:
    """Reads queries for one channel; the last ones are kept. Safe to share between threads."""

    def __init__(self, index_path: Path, store: SparseStore, ignored_fields: Collection[str] = ()) -> None:
        """``ignored_fields`` of a query are not read.

        :raises ConfigError: the model that weighs queries is not there, or is another than before.
        """
        self._store, self._ignored = store, frozenset(ignored_fields)
        self._text = replace(store.settings.text, fields=())
        self._weigher: TableQueries | _ModelQueries = (
            TableQueries(store.table) if store.table is not None
            else _model_queries(store.files(index_path), store.precision)
        )
        self._known: OrderedDict[str, tuple[dict[str, float], int]] = OrderedDict()
        self._lock = Lock()

    def terms(self, query: Query) -> dict[str, float]:
        """Term → weight in the query.

        :raises ConfigError: the encoder cannot be loaded.
        :raises MissingExtra: a library is not installed.
        """
        return dict(self._read(query)[0])

    def beyond(self, query: Query) -> int:
        """How many tokens of the query are beyond what the encoder reads."""
        return self._read(query)[1]

    def _read(self, query: Query) -> tuple[dict[str, float], int]:
        fields = {name: content for name, content in query.fields.items() if name not in self._ignored}
        text = document_text(Document(query.id, fields), self._text)
        with self._lock:
            found = self._known.get(text)
        if found is None:
            weighed = self._weigher.encode_queries([text])[0]
            names = self._store.dictionary.select(self._store.numbers[weighed.terms]).strings()
            found = (dict(zip(names, weighed.weights.tolist(), strict=True)), weighed.beyond)
            with self._lock:
                self._known[text] = found
                while len(self._known) > _KEPT_QUERIES:
                    self._known.popitem(last=False)
        return found
