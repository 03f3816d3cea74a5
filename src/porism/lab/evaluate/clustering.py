"""Runs grouped by how alike they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from porism.errors import ConfigError, QueryError
from porism.extras import need


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
        return tuple(
            tuple(np.flatnonzero(self.labels == label).tolist()) for label in range(self.chosen)
        )

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
