"""Indexes of near vectors by faiss, kept with each segment: graphs (HNSW), and inverted lists with product
quantisation (IVF-PQ).

They are built when vectors are, never by a search. What they find is compared exactly with the stored vectors, so only
which vectors are found is approximate, never a score.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.extras import need
from porism.index import Segment
from porism.index.vector_rows import VectorRows
from porism.index.vectors import open_vectors
from porism.settings import write_settings
from porism.vectors.dense.model import DenseModel, Hnsw, IvfPq, Search
from porism.vectors.dense.records import EncoderRecord
from porism.vectors.neural.loading import EXTRA

_PURPOSE = "approximate search of vectors"
_BATCH_SIZE = 65_536
_TRAINED_ON = 64
"""Vectors for each list that the lists are drawn from: more take longer, and find no more."""
_MIN_SAMPLE = 65_536
"""Vectors that quantisation is trained on, where there are so many: faiss uses no more."""
_SEED = 1


def derived_name(record: EncoderRecord, search: Search) -> str:
    """The name of the derived data of one of the indexes of near vectors."""
    return f"near-{search}-{record.spec.name}"


def build_approximate(segment: Segment, record: EncoderRecord) -> None:
    """Builds for a segment what the record says, where it is not there yet.

    :raises MissingExtra: faiss is not installed.
    :raises StorageError: the folder cannot be written.
    """
    for search in ("hnsw", "ivfpq"):
        settings = record.approximate.of(search)
        if settings is None:
            continue
        info = write_settings(settings)
        stored = segment.open_derived(derived_name(record, search))
        if stored is not None and stored.info["info"] == info:
            continue
        rows = open_vectors(segment, record.spec, segment.doc_count)
        if len(rows.vectors) < max(1, record.approximate.least):
            continue
        faiss: Any = need("faiss", EXTRA, _PURPOSE)
        built = make_index(faiss, rows, settings)
        segment.write_derived(derived_name(record, search), {"faiss": faiss.serialize_index(built)}, info)


def make_index(faiss: Any, rows: VectorRows, settings: Hnsw | IvfPq) -> Any:
    """An index of faiss over rows; ``faiss`` is the module.

    :raises ConfigError: the vectors cannot be quantised so.
    """
    return _hnsw(faiss, rows, settings) if isinstance(settings, Hnsw) else _ivfpq(faiss, rows, settings)


def near_rows(
    faiss: Any, index: Any, model: DenseModel, query: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None
) -> NDArray[np.int64]:
    """The rows (int64) of an index of faiss among which the ``k`` nearest to a query probably are, of those allowed
    (bool, one a row; all if None)."""
    count = max(model.breadth, k * model.rescored)
    more: dict[str, Any] = {}
    if allowed is not None:
        bits = np.packbits(allowed, bitorder="little")
        more["sel"] = faiss.IDSelectorBitmap(len(allowed), faiss.swig_ptr(bits))
    if model.search == "hnsw":
        parameters = faiss.SearchParametersHNSW(efSearch=count, **more)
    else:
        parameters = faiss.SearchParametersIVF(nprobe=model.probes, **more)
    rows = index.search(query[None, :], min(count, index.ntotal), params=parameters)[1][0]
    return cast("NDArray[np.int64]", rows[rows >= 0])


def _hnsw(faiss: Any, rows: VectorRows, settings: Hnsw) -> Any:
    index = faiss.IndexHNSWFlat(rows.dimensions, settings.links, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = settings.build
    _add(index, rows)
    return index


def _ivfpq(faiss: Any, rows: VectorRows, settings: IvfPq) -> Any:
    count = len(rows.vectors)
    if rows.dimensions % settings.bytes:
        raise ConfigError(
            f"vectors of {rows.dimensions} numbers cannot be stored in {settings.bytes} bytes each",
            hint=f"Choose a divisor of {rows.dimensions}.",
        )
    lists = settings.lists or max(1, int(4 * np.sqrt(count)))
    lists = min(lists, max(1, count // 39))  # faiss wants 39 vectors for each list that it trains
    bits = 8 if count >= 39 * 256 else max(1, int(np.log2(max(2, count // 39))))
    coarse = faiss.IndexFlatIP(rows.dimensions)
    index = faiss.IndexIVFPQ(coarse, rows.dimensions, lists, settings.bytes, bits, faiss.METRIC_INNER_PRODUCT)
    coarse.this.disown()
    index.own_fields = True
    chosen = np.random.default_rng(_SEED).permutation(count)[: max(_TRAINED_ON * lists, _MIN_SAMPLE)]
    index.cp.seed = index.pq.cp.seed = _SEED
    index.train(rows.take(np.sort(chosen)))
    _add(index, rows)
    return index


def _add(index: Any, rows: VectorRows) -> None:
    for start in range(0, len(rows.vectors), _BATCH_SIZE):
        index.add(np.ascontiguousarray(rows.decode(start, start + _BATCH_SIZE)))


class ApproximateIndex:
    """An index of near vectors that was built for a segment."""

    def __init__(self, segment: Segment, record: EncoderRecord, model: DenseModel) -> None:
        """Opens it.

        :raises ConfigError: it was not built.
        :raises MissingExtra: faiss is not installed.
        """
        stored = segment.read_derived(derived_name(record, model.search))
        if stored is None:
            raise ConfigError(
                f"no index of near vectors ({model.search}) was built for the encoder {record.name!r}",
                where=str(segment.folder),
                hint=f"Build it: porism encode {record.model} --name {record.name} --ann {model.search} "
                f"--index {segment.folder.parents[1]}",
            )
        self._faiss: Any = need("faiss", EXTRA, _PURPOSE)
        self._index = self._faiss.deserialize_index(np.array(stored[0]["faiss"]))
        self._model = model

    def search(self, query: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """The rows (int64) among which the ``k`` nearest to a query probably are, of those allowed (bool, one a row;
        all if None)."""
        return near_rows(self._faiss, self._index, self._model, query, k, allowed)

