"""Soft models beside BM25 over the same channel, beside gensim's soft cosine, and beside a product of matrices.

::

    porism index … --index DIR
    porism similarities NAME --channel CHANNEL … --index DIR
    python -m benchmarks peers soft --index DIR --channel CHANNEL --similarity NAME --topics TOPICS…

*Exact*: for every query the scores of all documents are computed by SciPy as the product q · S · D in float64 (divided
by the norms for the soft cosine) and compared with those of the search: the largest relative deviation, and whether the
first ``--k`` are the same. gensim's ``SoftCosineSimilarity`` gets the same matrix and the same weighted documents. Its
scores are compared where it is asked for two queries at once: to a single one it gives others, since it then takes the
norm of a document from the terms near the query alone.

*ms* are medians and 95% points over the topics, from weighted terms to ``--k`` results, one thread; the contenders
take turns in one process, and of each topic the fastest of ``--rounds`` counts. gensim is asked for the
first ``--gensim`` topics, one at a time.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import RESULTS
from benchmarks.common.bench import print_table, versions
from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.corpus import read_topics
from porism.index import Snapshot
from porism.index.engine.factors import FactorChannel
from porism.retrieve.documents.model import SearchModel
from porism.retrieve.documents.retriever import DocumentRetriever
from porism.retrieve.lexical.settings import ChannelSettings

Terms = dict[str, dict[str, float]]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--channel", default="words")
    parser.add_argument("--similarity", required=True)
    parser.add_argument("--topics", type=Path, nargs="+", required=True)
    parser.add_argument("--weighting", default="", help="as ChannelSettings.weighting has it; BM25 if not given")
    parser.add_argument("--k", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gensim", type=int, default=10)
    return parser.parse_args()


def retriever(snapshot: Snapshot, channel: str, settings: ChannelSettings) -> DocumentRetriever:
    model = SearchModel(
        {channel: settings}, field_weights={"title": 3.0, "comments": 0.0}, formulas_power=1.0, mass_exponent=0.0
    )
    return DocumentRetriever(snapshot, Analyzer(AnalysisConfig.from_dict(snapshot.config)), model)


class Space:
    """The documents and the matrix as SciPy has them: the terms of the channel are the columns."""

    def __init__(self, found: DocumentRetriever, channel: str) -> None:
        lexical = found.lexical
        if len(lexical.segments) != 1:
            raise SystemExit("this benchmark reads indexes of one segment: porism merge")
        (rows,) = lexical.forward(channel)
        self.segment, self.lexical, self.channel = lexical.segments[0], lexical, channel
        self.terms = list(self.segment.dictionary(channel))
        weights = lexical.terms.vocabulary(channel).find(self.terms).weights
        shape = (self.segment.doc_count, len(self.terms))
        self.documents = sparse.csr_matrix(
            (rows.factors * weights[rows.rows.terms], rows.rows.terms, rows.rows.indptr), shape
        )
        self.number = {term: number for number, term in enumerate(self.terms)}

    def similarities(self) -> sparse.csr_matrix:
        """S over the terms of the channel; those that the matrix lacks are similar to themselves only."""
        soft = self.lexical.terms.soft(self.channel)
        matrix, numbers = soft.matrix, soft.numbers[0]
        rows = np.repeat(np.arange(len(matrix)), np.diff(matrix.indptr))
        kept = (numbers[rows] >= 0) & (numbers[matrix.columns] >= 0)
        found = sparse.coo_matrix(
            (matrix.values[kept].astype(np.float64), (numbers[rows[kept]], numbers[matrix.columns[kept]])),
            (len(self.terms), len(self.terms)),
        ).tocsr()
        alone = np.ones(len(self.terms))
        alone[numbers[numbers >= 0]] = 0.0
        return (found + sparse.diags(alone)).tocsr()

    def query(self, terms: Mapping[str, float]) -> np.ndarray:
        counted = self.lexical.terms.query_weights(self.channel, terms)
        vector = np.zeros(len(self.terms))
        for term, weight in counted.items():
            if term in self.number:
                vector[self.number[term]] = weight
        return vector


def check(space: Space, found: DocumentRetriever, queries: list[Terms], k: int, normalised: bool) -> dict[str, Any]:
    """How far the scores of the search are from the product of matrices."""
    similar = space.similarities()
    norms = np.ones(space.segment.doc_count)
    if normalised:
        norms = np.sqrt(np.asarray((space.documents @ similar).multiply(space.documents).sum(axis=1)).reshape(-1))
    worst, same, order = 0.0, 0, space.segment.id_order
    for terms in queries:
        vector = space.query(terms.get(space.channel, {}))
        own = float(np.sqrt(vector @ (similar @ vector))) if normalised else 1.0
        scores = np.divide(space.documents @ (similar.T @ vector), norms * own, where=norms * own > 0, out=norms * 0)
        units = found.lexical.search_units([terms], k)[0]
        expected = scores[units.units]
        worst = max(worst, float(np.max(np.abs(units.scores - expected) / expected, initial=0.0)))
        rank = np.lexsort((-order, -np.round(scores, 9)))[:k]
        rank = rank[scores[rank] > 0]
        rounded = np.lexsort((-order[units.units], -np.round(units.scores, 9)))
        same += np.array_equal(units.units[rounded], rank)
    return {"deviation": worst, "same": f"{same} of {len(queries)}"}


def timed(
    searches: Mapping[str, Callable[[int], Any]], counts: Mapping[str, int], rounds: int
) -> dict[str, np.ndarray]:
    """The fastest time of each topic (ms), the contenders in turn."""
    best = {name: np.full(counts[name], np.inf) for name in searches}
    for _ in range(rounds):
        for topic in range(max(counts.values())):
            for name, search in searches.items():
                if topic < counts[name]:
                    started = time.perf_counter()
                    search(topic)
                    best[name][topic] = min(best[name][topic], 1e3 * (time.perf_counter() - started))
    return best


def gensim_search(space: Space, queries: list[Terms]) -> tuple[Callable[[int], np.ndarray], np.ndarray, float]:
    """gensim's soft cosine over the same weighted documents and matrix.

    What answers one query, the answers to all asked together, and the seconds that it took to make.
    """
    from gensim.similarities import SoftCosineSimilarity, SparseTermSimilarityMatrix

    documents = space.documents.copy()
    documents.sort_indices()  # gensim's norms are wrong for others
    bounds = pairwise(documents.indptr.tolist())
    corpus = [
        list(zip(documents.indices[low:high].tolist(), documents.data[low:high].tolist(), strict=True))
        for low, high in bounds
    ]
    started = time.perf_counter()
    matrix = SparseTermSimilarityMatrix(space.similarities().tocsc())
    similarity = SoftCosineSimilarity(corpus, matrix)
    seconds = time.perf_counter() - started
    bags = []
    for terms in queries:
        vector = space.query(terms.get(space.channel, {}))
        bags.append([(int(number), float(vector[number])) for number in np.flatnonzero(vector)])
    return lambda topic: similarity[bags[topic]], np.asarray(similarity[bags]), seconds


def main() -> None:
    options = arguments()
    snapshot = Snapshot.open(options.index)
    hard = ChannelSettings(1.0, 1.2, 0.75, weighting=options.weighting)
    soft = replace(hard, similarity=options.similarity)
    settings = {"hard": hard, "soft": soft, "soft cosine": replace(soft, normalised=True)}
    found = {name: retriever(snapshot, options.channel, one) for name, one in settings.items()}
    topics = [query for path in options.topics for query in read_topics(path)]
    queries: list[Terms] = [dict(found["hard"].query_terms(query)) for query in topics]
    space = Space(found["soft"], options.channel)
    exact = {name: check(space, found[name], queries, options.k, name == "soft cosine") for name in list(settings)[1:]}

    def searching(name: str) -> Callable[[int], Any]:
        return lambda topic: found[name].lexical.search_units([queries[topic]], options.k)

    searches: dict[str, Callable[[int], Any]] = {name: searching(name) for name in settings}
    counts = dict.fromkeys(searches, len(queries))
    asked = min(options.gensim, len(queries))
    if asked:
        gensim, answers, seconds = gensim_search(space, queries[: max(2, asked)])
        deviation = 0.0
        for topic in range(asked):
            units = found["soft cosine"].lexical.search_units([queries[topic]], options.k)[0]
            deviation = max(deviation, float(np.max(np.abs(answers[topic][units.units] - units.scores), initial=0.0)))
        exact["gensim"] = {"deviation": deviation, "same": f"made in {seconds:.1f} s"}
        searches["gensim"], counts["gensim"] = gensim, asked
    times = timed(searches, counts, options.rounds)
    terms = {name: median(len(one.lexical.read(query)[1].weights) for query in queries) for name, one in found.items()}
    base = float(np.median(times["hard"]))
    rows = [
        (
            name, f"{np.median(ms):.3f}", f"{np.quantile(ms, 0.95):.3f}", f"{np.median(ms) / base:.1f}",
            f"{terms.get(name, 0):.0f}" if name in terms else "",
            f"{exact[name]['deviation']:.1e}" if name in exact else "", exact.get(name, {}).get("same", ""),
        )
        for name, ms in times.items()
    ]
    (rows_of,) = [one for one in found["soft"].lexical.scored(options.channel) if isinstance(one, FactorChannel)]
    sizes = f"{snapshot.doc_count:,} documents, {len(rows_of.factors):,} postings"
    print(f"{len(queries)} topics, k = {options.k}, {sizes}")
    print_table([("model", "ms", "p95", "times hard", "terms", "deviation", "same first k"), *rows])
    result = RESULTS / "soft.json"
    result.parent.mkdir(parents=True, exist_ok=True)
    result.write_text(json.dumps({
        "channel": options.channel, "similarity": options.similarity, "exact": exact, "versions": versions(),
        "ms": {
            name: {"median": float(np.median(ms)), "p95": float(np.quantile(ms, 0.95))} for name, ms in times.items()
        },
    }, indent=2))


if __name__ == "__main__":
    main()
