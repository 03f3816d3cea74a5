"""How alike runs are: by hand, beside SciPy, and by the definitions, word for word."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.errors import ConfigError, MissingExtra, QueryError
from porism.lab.evaluate import cluster_runs, rank_biased_overlap, spearman
from porism.runs.run import Run

Ranked = Callable[..., Run]

lists = st.lists(st.sampled_from("abcdefgh"), min_size=1, unique=True).map("".join)


def run_of(**rankings: str) -> Run:
    return Run({topic: [(doc, -float(place)) for place, doc in enumerate(docs)] for topic, docs in rankings.items()})


def rho_by_definition(one: str, other: str, documents: set[str]) -> float:
    """Pearson's r of mean ranks, absent documents tied behind the last."""
    if one == other:
        return 1.0

    def ranks(ranking: str) -> list[float]:
        kept = [doc for doc in ranking if doc in documents]
        behind = (len(kept) + 1 + len(documents)) / 2
        return [kept.index(doc) + 1 if doc in kept else behind for doc in sorted(documents)]

    if not documents:
        return 0.0
    x, y = np.array(ranks(one)), np.array(ranks(other))
    x, y = x - x.mean(), y - y.mean()
    scale = np.sqrt((x @ x) * (y @ y))
    return float(x @ y / scale) if scale > 0 else 0.0


def test_spearman_by_hand() -> None:
    # Of abc and acb one pair is exchanged: 1 − 6 · (0 + 1 + 1) / (3 · 8).
    assert spearman([run_of(t="abc"), run_of(t="acb")])[0, 1] == pytest.approx(1 - 12 / 24)
    assert spearman([run_of(t="abc"), run_of(t="cba")])[0, 1] == pytest.approx(-1)
    # ab and cd have the ranks 1 2 3.5 3.5 and 3.5 3.5 1 2.
    assert spearman([run_of(t="ab"), run_of(t="cd")])[0, 1] == pytest.approx(-4 / 4.5)
    # With e and f in the pool the ranks are 1 2 4.5 4.5 4.5 4.5 and 4.5 4.5 1 2 4.5 4.5.
    pool = [run_of(t="ab"), run_of(t="cd"), run_of(t="ef")]
    expected = (2 * (-2.5 - 1.5) * 1 + 2 * 1) / (2.5**2 + 1.5**2 + 4)
    assert spearman(pool)[0, 1] == pytest.approx(expected)
    assert spearman(pool, documents="either")[0, 1] == pytest.approx(-4 / 4.5)
    assert spearman([run_of(t="axb"), run_of(t="yab")], documents="both")[0, 1] == 1.0


@given(st.lists(lists, min_size=2, max_size=5))
def test_spearman_is_pearson_of_ranks(rankings: list[str]) -> None:
    runs = [run_of(t=ranking) for ranking in rankings]
    pool = set("".join(rankings))
    found = {kind: spearman(runs, documents=kind) for kind in ("pool", "either", "both")}  # type: ignore[arg-type]
    for one, other in combinations(range(len(rankings)), 2):
        mine, theirs = rankings[one], rankings[other]
        for kind, documents in (("pool", pool), ("either", set(mine) | set(theirs)), ("both", set(mine) & set(theirs))):
            value = found[kind][one, other]
            assert value == pytest.approx(rho_by_definition(mine, theirs, documents)), (kind, mine, theirs)
            assert value == found[kind][other, one]
            assert -1 <= value <= 1


@settings(deadline=None)
@given(st.permutations("abcdefg"), st.permutations("abcdefg"))
def test_spearman_of_permutations_is_that_of_scipy(one: list[str], other: list[str]) -> None:
    stats = pytest.importorskip("scipy.stats")
    expected = stats.spearmanr([one.index(doc) for doc in "abcdefg"], [other.index(doc) for doc in "abcdefg"]).statistic
    for kind in ("pool", "either", "both"):
        found = spearman([run_of(t="".join(one)), run_of(t="".join(other))], documents=kind)  # type: ignore[arg-type]
        assert found[0, 1] == pytest.approx(expected)


def test_lists_that_share_nothing_are_opposites_only_without_a_pool() -> None:
    long = [[f"{name}{number}" for number in range(1000)] for name in "abcdef"]
    runs = [Run({"t": [(doc, -float(place)) for place, doc in enumerate(docs)]}) for docs in long]
    assert spearman(runs, documents="either")[0, 1] == pytest.approx(-6 / 7, abs=0.001)
    assert abs(spearman(runs)[0, 1]) < 0.2


def test_topics_are_averaged() -> None:
    one, two = run_of(s="abc", t="abc", u="ab"), run_of(s="abc", t="cba", v="ab")
    # 1 for s, −1 for t, and 0 for u and v, which one of them does not answer.
    for matrix in (spearman([one, two]), spearman([one, two], documents="both")):
        assert matrix[0, 1] == 0.0
    assert spearman([one, two], ["s"])[0, 1] == 1.0
    assert spearman([one, two], ["s", "u"])[0, 1] == 0.5
    third = run_of(w="xy")  # w is not a topic of the first two
    assert spearman([one, two, third])[0, 1] == spearman([one, two])[0, 1]
    assert spearman([one, third])[0, 1] == 0.0


def test_odd_runs() -> None:
    single = run_of(t="a")
    for measure in (spearman, rank_biased_overlap):
        assert np.array_equal(measure([single]), [[1.0]])
        assert np.array_equal(measure([single, single]), np.ones((2, 2)))
        assert np.array_equal(measure([single, Run({})]), np.eye(2))
        assert np.array_equal(measure([Run({}), Run({"t": []})]), np.eye(2))
        with pytest.raises(QueryError, match="there is no run"):
            measure([])
        with pytest.raises(ConfigError, match="the depth is 0"):
            measure([single], depth=0)
        cut = measure([run_of(t="abx"), run_of(t="aby")], depth=2)
        assert cut[0, 1] == pytest.approx(1.0)
    with pytest.raises(ConfigError, match="'pool', 'either' or 'both'"):
        spearman([single], documents="all")  # type: ignore[arg-type]
    for p in (0, 1, 90):
        with pytest.raises(ConfigError, match=f"p is {p}"):
            rank_biased_overlap([single], p)


def rbo_by_definition(one: str, other: str, p: float) -> float:
    """Equation 32 of Webber, Moffat and Zobel (2010), sum by sum."""
    short, long = sorted((one, other), key=len)
    s, l = len(short), len(long)  # noqa: E741  # the paper's names

    def x(depth: int) -> int:
        return len(set(short[:depth]) & set(long[:depth]))

    total = sum(x(d) / d * p**d for d in range(1, l + 1))
    total += sum(x(s) * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * total + ((x(l) - x(s)) / l + x(s) / s) * p**l


@given(lists, lists, st.sampled_from([0.5, 0.9, 0.98]))
def test_overlap_is_equation_32(one: str, other: str, p: float) -> None:
    found = rank_biased_overlap([run_of(t=one), run_of(t=other)], p)
    assert found[0, 1] == pytest.approx(rbo_by_definition(one, other, p))
    assert found[0, 1] == found[1, 0]
    assert 0 <= found[0, 1] <= 1


@given(lists, lists, st.sampled_from([0.5, 0.8]))
def test_overlap_is_the_infinite_sum_when_agreement_goes_on(one: str, other: str, p: float) -> None:
    # What extrapolation means: beyond the lists of one length their agreement stays as it is, so the sum that defines
    # the overlap, (1 − p) Σ p^(d − 1) · agreement at d, can be summed up to any depth.
    length = min(len(one), len(other))
    one, other = one[:length], other[:length]
    agreements = [len(set(one[:d]) & set(other[:d])) / d for d in range(1, length + 1)]
    agreements += [agreements[-1]] * 400
    expected = (1 - p) * sum(p**place * agreement for place, agreement in enumerate(agreements))
    assert rank_biased_overlap([run_of(t=one), run_of(t=other)], p)[0, 1] == pytest.approx(expected)


def test_overlap_by_hand() -> None:
    # ab and ba at p = 0.5: nothing shared at depth 1, all at 2 and for ever: 1/2 · (0 + 1/2 + 1/4 + …) = 1/2.
    assert rank_biased_overlap([run_of(t="ab"), run_of(t="ba")], 0.5)[0, 1] == pytest.approx(0.5)
    assert rank_biased_overlap([run_of(t="ab"), run_of(t="cd")])[0, 1] == 0.0


# Two pairs of runs near each other and one run far from all.
SIMILARITY = np.array([
    [1.0, 0.9, 0.2, 0.2, 0.0],
    [0.9, 1.0, 0.2, 0.2, 0.0],
    [0.2, 0.2, 1.0, 0.8, 0.0],
    [0.2, 0.2, 0.8, 1.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 1.0],
])


def test_a_clustering_by_hand() -> None:
    pytest.importorskip("scipy")
    found = cluster_runs(SIMILARITY)
    assert found.linkage[:, 2] == pytest.approx([0.1, 0.2, 0.8, 1.0])  # average linkage
    assert found.linkage[:, 3].tolist() == [2, 2, 4, 5]
    assert found.labels.tolist() == [0, 0, 1, 1, 2]
    assert found.clusters == ((0, 1), (2, 3), (4,))
    assert sorted(found.order) == [0, 1, 2, 3, 4]
    # Three clusters: (0.8 − 0.1) / 0.8 twice, (0.8 − 0.2) / 0.8 twice, and 0 for the run alone.
    assert found.silhouettes[3] == pytest.approx((2 * 0.7 / 0.8 + 2 * 0.6 / 0.8) / 5)
    # Two: each of the four has its pair and two others (mean (0.1 + 1.6) / 3 or 1.8 / 3), and 1 to the fifth.
    assert found.silhouettes[2] == pytest.approx((2 * (1 - 1.7 / 3) + 2 * (1 - 0.6)) / 5)
    assert found.silhouettes[4] == pytest.approx(2 * 0.7 / 0.8 / 5)
    assert found.chosen == 3
    assert found.to_dict(list("vwxyz"))["clusters"] == [["v", "w"], ["x", "y"], ["z"]]


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 9))
def test_silhouettes_are_those_of_scikit_learn(seed: int, count: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    points = np.random.default_rng(seed).random((count, 2))
    distance = np.sqrt(((points[:, None] - points) ** 2).sum(axis=-1))
    found = cluster_runs(1 - distance)
    assert list(found.silhouettes) == list(range(2, count))
    for number, value in found.silhouettes.items():
        labels = hierarchy.fcluster(found.linkage, number, "maxclust")
        assert value == pytest.approx(metrics.silhouette_score(distance, labels, metric="precomputed"))
    assert found.chosen == max(found.silhouettes, key=found.silhouettes.__getitem__)
    assert len(found.clusters) == found.chosen


def test_clusterings_of_few_or_equal_runs() -> None:
    one = cluster_runs([[1.0]])
    assert (one.chosen, one.clusters, one.order) == (1, ((0,),), (0,))
    pytest.importorskip("scipy")
    assert cluster_runs([[1.0, 0.4], [0.4, 1.0]]).clusters == ((0,), (1,))
    assert cluster_runs([[1.0, 1.0], [1.0, 1.0]]).clusters == ((0, 1),)
    assert cluster_runs(np.ones((4, 4))).clusters == ((0, 1, 2, 3),)
    assert cluster_runs(np.eye(3)).chosen == 2  # all as far from each other: the fewest


def test_matrices_that_are_no_similarity() -> None:
    with pytest.raises(QueryError, match="no run to cluster"):
        cluster_runs(np.empty((0, 0)))
    with pytest.raises(ConfigError, match=r"shape \(2, 3\)"):
        cluster_runs(np.ones((2, 3)))
    for wrong in ([[1, np.nan], [np.nan, 1]], [[1, 0.2], [0.3, 1]], [[1, 7], [7, 1]]):
        with pytest.raises(ConfigError, match="symmetric matrix of finite numbers"):
            cluster_runs(wrong)


def test_clustering_says_which_extra_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "scipy.cluster.hierarchy", None)
    with pytest.raises(MissingExtra, match=r"pip install 'porism\[lab\]'"):
        cluster_runs(np.eye(2))
