"""How alike runs are: rank correlation and overlap of their result lists, averaged over topics; and their clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from porism.errors import ConfigError, QueryError
from porism.extras import need
from porism.lab.evaluate.evaluation import check_missing
from porism.runs.run import Run


@dataclass(frozen=True, slots=True)
class TopicLists:
    """The rankings of one topic, one a run: document numbers from 0 below ``documents``, best first (int64)."""

    topic: str
    lists: tuple[NDArray[np.int64], ...]
    documents: int


def aligned_topics(
    runs: Sequence[Run], topics: Iterable[str] | None = None, depth: int | None = None
) -> Iterator[TopicLists]:
    """The lists of each topic, to ``depth`` results; by default of the topics that some run has, in the runs' order."""
    places = [{topic: number for number, topic in enumerate(run.query_ids)} for run in runs]
    bounds = [run.offsets.tolist() for run in runs]
    empty: NDArray[np.int64] = np.empty(0, np.int64)
    for topic in dict.fromkeys(topic for run in runs for topic in run.query_ids) if topics is None else topics:
        numbers: dict[str, int] = {}
        lists: list[NDArray[np.int64]] = []
        for run, place, offsets in zip(runs, places, bounds, strict=True):
            number = place.get(topic)
            if number is None:
                lists.append(empty)
                continue
            start, stop = offsets[number], offsets[number + 1]
            if depth is not None:
                stop = min(stop, start + depth)
            lists.append(np.array([numbers.setdefault(doc, len(numbers)) for doc in run.doc_ids[start:stop]], np.int64))
        yield TopicLists(topic, tuple(lists), len(numbers))


Documents = Literal["pool", "either", "both"]
"""Which documents are correlated: those of all runs, those of either of the two lists, or those that both have."""

Matrix = NDArray[np.float64]


def spearman(
    runs: Sequence[Run], topics: Iterable[str] | None = None, *, documents: Documents = "pool",
    depth: int | None = None,
) -> Matrix:
    """Spearman's ρ of the result lists of each pair of runs, averaged over topics: [runs, runs], 1 on the diagonal.

    Result lists are not permutations of each other, so it must be said what becomes of a document that a list lacks. It
    is tied with all others that the list lacks, behind its last one, at the mean of the ranks left over, as ties are in
    Spearman's ρ. The documents are those of the ``pool``: that any of the runs found for the topic. With ``"either"``
    they are those of the two lists alone, which does not depend on what else is compared. But it makes lists that have
    little in common opposites (−0.86 where they are of one length and share nothing) and lists of unlike lengths more
    alike. With ``"both"`` they are those that both lists have, be they two.

    ``topics`` are by default those that a run has. A topic that neither run answers does not count for the pair. One
    that only one of them answers counts as 0, and so does one without two documents to correlate, unless the lists are
    equal.

    :raises QueryError: there is no run.
    :raises ConfigError: an option has a wrong value.
    """
    ways: Mapping[str, Callable[[TopicLists], Matrix]] = {
        "pool": lambda lists: _rho(lists, in_pool=True), "either": lambda lists: _rho(lists, in_pool=False),
        "both": _rho_of_both,
    }
    if documents not in ways:
        raise ConfigError(f"documents is {documents!r}", hint="It is 'pool', 'either' or 'both'.")
    return _averaged(runs, topics, depth, ways[documents])


def rank_biased_overlap(
    runs: Sequence[Run], p: float = 0.9, topics: Iterable[str] | None = None, *, depth: int | None = None
) -> Matrix:
    """Extrapolated rank-biased overlap of each pair of runs, averaged over topics: [runs, runs], 1 on the diagonal.

    ``p`` is how likely a reader goes on from one rank to the next: the first 1 / (1 − p) results have most of the
    weight. Lists of different lengths are extrapolated by equation 32 of Webber, Moffat and Zobel (2010). Topics count
    as in :func:`spearman`.

    :raises QueryError: there is no run.
    :raises ConfigError: ``p`` is not between 0 and 1, or the depth is below 1.
    """
    if not 0 < p < 1:
        raise ConfigError(f"p is {p}", hint="It is between 0 and 1, e.g. 0.9.")
    return _averaged(runs, topics, depth, lambda lists: _overlap(lists, p))


def _averaged(
    runs: Sequence[Run], topics: Iterable[str] | None, depth: int | None, similarity: Callable[[TopicLists], Matrix]
) -> Matrix:
    """The mean of a similarity over the topics that at least one run of a pair answers."""
    if not runs:
        raise QueryError("there is no run to compare")
    check_missing("zero", depth)
    total = np.zeros((len(runs), len(runs)))
    counted = np.zeros((len(runs), len(runs)))
    for lists in aligned_topics(runs, topics, depth):
        answered = np.array([len(ranking) > 0 for ranking in lists.lists])
        counted += answered[:, None] | answered
        both = answered[:, None] & answered
        total += np.where(both, similarity(lists), 0.0)
    mean = total / np.maximum(counted, 1)
    np.fill_diagonal(mean, 1.0)
    return mean


def _rho(lists: TopicLists, in_pool: bool) -> Matrix:
    """Pearson's r of ranks, from sums over the documents that two lists share and sums over each list alone."""
    lengths = np.array([len(ranking) for ranking in lists.lists], np.float64)
    ranks = _positions(lists)
    present = (ranks > 0).astype(np.float64)
    shared = present @ present.T
    products = ranks @ ranks.T
    mine = ranks @ present.T  # sums of the row's ranks over the documents that both have

    n, m = lengths[:, None], lengths[None, :]
    union = n + m - shared
    count = np.full_like(union, float(lists.documents)) if in_pool else union
    mean = (count + 1) / 2
    absent, absent_other = (n + 1 + count) / 2 - mean, (m + 1 + count) / 2 - mean
    covariance = products - mean * (mine + mine.T) + shared * mean**2
    covariance += absent_other * (n * (n + 1) / 2 - mine - (n - shared) * mean)
    covariance += absent * (m * (m + 1) / 2 - mine.T - (m - shared) * mean)
    covariance += (count - union) * absent * absent_other
    variance = n * (n + 1) * (2 * n + 1) / 6 - mean * n * (n + 1) + n * mean**2 + (count - n) * absent**2
    variance_other = variance.T  # the counts are symmetric
    scale = np.sqrt(np.maximum(variance, 0) * np.maximum(variance_other, 0))
    rho = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0)
    same = (shared == n) & (shared == m) & (products == n * (n + 1) * (2 * n + 1) / 6)
    return np.where(same, 1.0, np.clip(rho, -1.0, 1.0))


def _rho_of_both(lists: TopicLists) -> Matrix:
    rho = np.eye(len(lists.lists))
    place = np.empty(lists.documents, np.int64)
    positions = _positions(lists)
    for first, ranking in enumerate(lists.lists):
        for other in range(first + 1, len(lists.lists)):
            shared = ranking[positions[other][ranking] > 0]  # in the order of the first list
            count = len(shared)
            if count < 2:
                rho[first, other] = rho[other, first] = float(np.array_equal(ranking, lists.lists[other]))
                continue
            place[shared[np.argsort(positions[other][shared])]] = np.arange(count)
            apart = np.arange(count) - place[shared]
            rho[first, other] = rho[other, first] = 1 - 6 * float((apart**2).sum()) / (count * (count**2 - 1))
    return rho


def _overlap(lists: TopicLists, p: float) -> Matrix:
    overlap = np.eye(len(lists.lists))
    positions = _positions(lists).astype(np.int64)
    longest = max(map(len, lists.lists))
    depths = np.arange(1, longest + 1)
    weights = p**depths / depths
    for first, ranking in enumerate(lists.lists):
        for other in range(first + 1, len(lists.lists)):
            short, long = sorted((len(ranking), len(lists.lists[other])))
            if not short:
                continue
            elsewhere = positions[other][ranking]
            seen_by = np.maximum(elsewhere, np.arange(1, len(ranking) + 1))[elsewhere > 0]
            common = np.cumsum(np.bincount(seen_by, minlength=long + 1))[1:].astype(np.float64)
            at_short, at_long = common[short - 1], common[long - 1]
            total = weights[:long] @ common
            total += weights[short:long] @ (depths[short:long] - short) * at_short / short
            value = (1 - p) / p * total + ((at_long - at_short) / long + at_short / short) * p**long
            overlap[first, other] = overlap[other, first] = min(1.0, value)
    return overlap


def _positions(lists: TopicLists) -> Matrix:
    """The rank of each document in each list, from 1, and 0 where the list lacks it: [runs, documents]."""
    positions = np.zeros((len(lists.lists), lists.documents))
    for row, ranking in zip(positions, lists.lists, strict=True):
        row[ranking] = np.arange(1, len(ranking) + 1)
    return positions


@dataclass(frozen=True, slots=True)
class Clustering:
    """A hierarchical clustering of R runs, cut into the number of clusters with the highest mean silhouette.

    :param linkage: the merges as SciPy writes them, float64 [R − 1, 4]: two clusters (runs 0 … R − 1, then merges),
        their distance 1 − ρ, the runs in them.
    :param labels: the cluster of each run, int64 [R], from 0 in the order of their first runs.
    :param silhouettes: number of clusters → mean silhouette, for 2 … R − 1 clusters.
    :param chosen: how many clusters there are.
    :param order: the runs in the order of the dendrogram's leaves, for a heat map.
    """

    linkage: NDArray[np.float64]
    labels: NDArray[np.int64]
    silhouettes: Mapping[int, float]
    chosen: int
    order: tuple[int, ...]

    @property
    def clusters(self) -> tuple[tuple[int, ...], ...]:
        """The runs of each cluster, by their places."""
        return tuple(tuple(np.flatnonzero(self.labels == label).tolist()) for label in range(self.chosen))

    def to_dict(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Plain values for JSON; runs by their ``names``, or else by their places."""
        return {
            "clusters": [[names[run] if names else run for run in cluster] for cluster in self.clusters],
            "silhouettes": {str(count): value for count, value in self.silhouettes.items()},
            "linkage": self.linkage.tolist(),
        }


def cluster_runs(similarity: ArrayLike) -> Clustering:
    """Clusters runs by their similarity [runs, runs]: average linkage over the distances 1 − similarity.

    The number of clusters is that of 2 … R − 1 with the highest mean silhouette (Rousseeuw 1987), the smallest of
    equals. Section 2.4 of the Masaryk group's paper at ARQMath 2021 does the same. A run alone in its cluster has a
    silhouette of 0. One or two runs are clusters of their own, and runs between which there is no distance are one
    cluster.

    :raises QueryError: there is no run.
    :raises ConfigError: the matrix is not square and symmetric, or holds other than finite numbers up to 1.
    :raises MissingExtra: SciPy is not installed.
    """
    values = np.asarray(similarity, np.float64)
    if values.size == 0:
        raise QueryError("there is no run to cluster")
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ConfigError(f"a similarity of the shape {values.shape}", hint="It is square, a row and a column a run.")
    if not np.isfinite(values).all() or (values > 1 + 1e-9).any() or not np.allclose(values, values.T, atol=1e-9):
        raise ConfigError("the similarity is not a symmetric matrix of finite numbers up to 1")
    distance = np.maximum(1 - (values + values.T) / 2, 0)
    np.fill_diagonal(distance, 0)
    count = len(distance)
    if count == 1:
        return Clustering(np.empty((0, 4)), np.zeros(1, np.int64), {}, 1, (0,))
    hierarchy: Any = need("scipy.cluster.hierarchy", "lab", "the clustering of runs")
    condensed = distance[np.triu_indices(count, 1)]
    linkage = np.asarray(hierarchy.linkage(condensed, "average", optimal_ordering=True), np.float64)
    order = tuple(int(leaf) for leaf in hierarchy.leaves_list(linkage))
    cuts = {number: _numbered(hierarchy.cut_tree(linkage, n_clusters=number).ravel()) for number in range(1, count + 1)}
    silhouettes = {number: _mean_silhouette(distance, cuts[number]) for number in range(2, count)}
    if not condensed.any():
        chosen = 1
    elif silhouettes:
        # Rounding must not decide between equals.
        chosen = max(silhouettes, key=lambda number: (round(silhouettes[number], 12), -number))
    else:
        chosen = count
    return Clustering(linkage, cuts[chosen], silhouettes, chosen, order)


def _numbered(labels: NDArray[Any]) -> NDArray[np.int64]:
    """Labels from 0 in the order in which they first appear."""
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels.tolist()], np.int64)


def _mean_silhouette(distance: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """The mean of (b − a) / max(a, b): a to the others of the own cluster, b to the nearest other cluster, on average.

    Takes at least two clusters.
    """
    member = np.equal.outer(labels, np.arange(labels.max() + 1)).astype(np.float64)  # [runs, clusters]
    sizes = member.sum(axis=0)
    sums = distance @ member
    runs = np.arange(len(labels))
    own = sizes[labels]
    inside = sums[runs, labels] / np.maximum(own - 1, 1)
    means = sums / sizes
    means[runs, labels] = np.inf
    outside = means.min(axis=1)
    larger = np.maximum(inside, outside)
    silhouettes = np.divide(outside - inside, larger, out=np.zeros_like(larger), where=(larger > 0) & (own > 1))
    return float(silhouettes.mean())
