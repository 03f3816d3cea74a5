"""Each fusion by hand on a small case, and by the book on many."""

from __future__ import annotations

import math
from itertools import pairwise

import fusion_reference as book
import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.errors import ConfigError
from porism.lab.fusion import FUSIONS, FusionTable, Linear, fuse, make_fusion
from porism.runs.run import Run, rank

A = Run({"T": [("x", 9.0), ("y", 8.0), ("z", 5.0)]}, "a")
B = Run({"T": [("y", 0.5), ("w", 0.25)]}, "b")
C = Run({"T": [("y", -1.0), ("x", -2.0), ("w", -3.0), ("v", -5.0)]}, "c")


def fused(method: str, *runs: Run, **parameters) -> dict[str, float]:
    return dict(fuse(runs or (A, B, C), method, **parameters)["T"])


def test_reciprocal_rank_fusion() -> None:
    assert fused("rrf") == pytest.approx({
        "y": 1 / 62 + 1 / 61 + 1 / 61, "x": 1 / 61 + 1 / 62, "w": 1 / 62 + 1 / 63, "z": 1 / 63, "v": 1 / 64,
    })
    assert fused("rrf", k=0, weights=[1, 0, 2])["y"] == pytest.approx(1 / 2 + 2)


def test_borda_count() -> None:
    # Five candidates. A leaves two: they share 2 + 1 points; B leaves three: 3 + 2 + 1; C leaves one: 1.
    assert fused("borda") == {
        "y": 4 + 5 + 5, "x": 5 + 2 + 4, "w": 1.5 + 4 + 3, "z": 3 + 2 + 1, "v": 1.5 + 2 + 2,
    }
    assert fused("borda", weights=[2, 1, 0])["x"] == 2 * 5 + 2


def test_borda_points_by_the_length_of_the_whole_run() -> None:
    runs = [Run({"T": [("a", 3.0), ("b", 2.0), ("c", 1.0)], "U": [("a", 1.0)]}, "one"),
            Run({"T": [("c", 2.0), ("d", 1.0)]}, "two"), Run({"U": [("a", 1.0)]}, "silent")]
    points = dict(fuse(runs, "borda", points="run")["T"])
    assert points == pytest.approx({"a": 4 / 4, "b": 3 / 4, "c": 2 / 4 + 2 / 2, "d": 1 / 2})
    weighted = dict(fuse(runs, "borda", points="run", weights=[3, 1, 9])["T"])
    assert weighted == pytest.approx({"a": 3.0, "b": 3 * 3 / 4, "c": 3 * 2 / 4 + 1.0, "d": 0.5})


def test_borda_count_where_ranks_have_gaps() -> None:
    gaps = Run.from_columns(["T"], [0, 2], ["x", "y"], [2.0, 1.0], "gaps", ranks=[1, 4])
    short = Run({"T": [("z", 1.0)]}, "short")
    # As many points as the largest rank, 4. The first run has none left; the second leaves 3 + 2 + 1 to three.
    assert fused("borda", gaps, short) == {"x": 4 + 2, "y": 1 + 2, "z": 0.5 + 4}


def test_combinations_by_min_max() -> None:
    # a: x 1, y 3/4, z 0; b: y 1, w 0; c: y 1, x 3/4, w 1/2, v 0.
    assert fused("combsum") == {"y": 2.75, "x": 1.75, "w": 0.5, "z": 0.0, "v": 0.0}
    assert fused("combmnz") == {"y": 3 * 2.75, "x": 2 * 1.75, "w": 2 * 0.5, "z": 0.0, "v": 0.0}
    assert fused("combanz") == pytest.approx({"y": 2.75 / 3, "x": 0.875, "w": 0.25, "z": 0.0, "v": 0.0})
    assert fused("combmin") == {"y": 0.75, "x": 0.75, "w": 0.0, "z": 0.0, "v": 0.0}
    assert fused("combmax") == {"y": 1.0, "x": 1.0, "w": 0.5, "z": 0.0, "v": 0.0}
    assert fused("combmed") == {"y": 1.0, "x": 0.875, "w": 0.25, "z": 0.0, "v": 0.0}


def test_normalisations() -> None:
    assert fused("combsum", B, norm="none") == {"y": 0.5, "w": 0.25}
    assert fused("combsum", C, norm="rank") == {"y": 1.0, "x": 0.75, "w": 0.5, "v": 0.25}
    assert fused("combsum", C, norm="sum") == pytest.approx({"y": 4 / 9, "x": 3 / 9, "w": 2 / 9, "v": 0.0})
    deviation = math.sqrt((1.75**2 + 0.75**2 + 0.25**2 + 2.25**2) / 4)  # the mean is -2.75
    assert fused("combsum", C, norm="z-score") == pytest.approx(
        {"y": 1.75 / deviation, "x": 0.75 / deviation, "w": -0.25 / deviation, "v": -2.25 / deviation}
    )


@every_case(("norm", "each"), [("min-max", 1.0), ("z-score", 0.0), ("sum", 0.5), ("none", 7.0)])
def test_equal_scores_are_normalised(norm: str, each: float) -> None:
    equal = Run({"T": [("p", 7.0), ("q", 7.0)]}, "equal")
    assert fused("combsum", equal, norm=norm) == {"p": each, "q": each}


def test_normalisation_of_the_largest_and_smallest_numbers() -> None:
    large = Run({"T": [("p", 1.7e308), ("q", -1.7e308), ("r", 0.0)]}, "large")
    assert fused("combsum", large) == pytest.approx({"p": 1.0, "r": 0.5, "q": 0.0})
    assert fused("combsum", large, norm="z-score") == pytest.approx({"p": 1.5**0.5, "r": 0.0, "q": -(1.5**0.5)})
    small = Run({"T": [("p", 4e-300), ("q", 2e-300), ("r", 0.0)]}, "small")
    assert fused("combsum", small, norm="z-score") == pytest.approx({"p": 1.5**0.5, "q": 0.0, "r": -(1.5**0.5)})
    with pytest.raises(ConfigError, match="too large to be fused by combsum"):
        fused("combsum", large, large, norm="none")


def test_linear_interpolation_has_zero_for_missing_documents() -> None:
    assert fused("linear", weights=[0.5, 0.3, 0.2]) == pytest.approx({
        "y": 0.5 * 0.75 + 0.3 + 0.2, "x": 0.5 + 0.2 * 0.75, "w": 0.2 * 0.5, "z": 0.0, "v": 0.0,
    })
    assert fused("linear")["y"] == pytest.approx(2.75 / 3)
    assert fused("linear", A, B, weights=[-1, 1])["x"] == -1.0


def test_inverse_square_rank() -> None:
    assert fused("isr") == pytest.approx({
        "y": 3 * (1 / 4 + 1 + 1), "x": 2 * (1 + 1 / 4), "w": 2 * (1 / 4 + 1 / 9), "z": 1 / 9, "v": 1 / 16,
    })
    assert fused("log-isr") == pytest.approx({
        "y": math.log(3.01) * 2.25, "x": math.log(2.01) * 1.25, "w": math.log(2.01) * (1 / 4 + 1 / 9),
        "z": math.log(1.01) / 9, "v": math.log(1.01) / 16,
    })
    assert fused("log-isr", sigma=0)["z"] == 0.0


def test_condorcet() -> None:
    # y beats x (b and c against a) and all else; x beats w (a and c); w beats z (b and c against a) and v (b and c);
    # z and v: a against c, which is even; by Borda z has 6 points and v 5.5.
    assert list(fused("condorcet")) == ["y", "x", "w", "z", "v"]
    assert fused("condorcet") == {"y": 5.0, "x": 4.0, "w": 3.0, "z": 2.0, "v": 1.0}
    assert list(fused("condorcet", weights=[3, 1, 1]))[:3] == ["x", "y", "z"]


def test_a_circle_of_majorities_is_sorted_the_same_in_any_order_of_runs() -> None:
    runs = [Run({"T": [(doc, -i) for i, doc in enumerate(docs)]}, docs) for docs in ("pqr", "qrp", "rpq")]
    orders = {tuple(fused("condorcet", *(runs[at] for at in turn))) for turn in ((0, 1, 2), (2, 0, 1), (1, 2, 0))}
    # All have six points, so it begins with r, q, p; q goes above r, and p above q, which a majority has below it.
    assert orders == {("p", "q", "r")}


BOOK = [
    ("rrf", {}, book.rrf),
    ("rrf", {"k": 5, "weights": [0.5, 2.0, 1.0, -1.0]}, book.rrf),
    ("borda", {}, book.borda),
    ("borda", {"weights": [0.5, 2.0, 1.0, 0.0]}, book.borda),
    ("isr", {}, book.isr),
    ("log-isr", {}, book.log_isr),
    *(("linear", {"norm": norm, "weights": [0.4, 0.3, 0.2, 0.1]}, book.linear)
      for norm in ("min-max", "z-score", "rank", "sum", "none")),
    *((method, {"norm": norm}, lambda lists, method=method, **given: book.comb(lists, method, **given))
      for method in book.COMBINED for norm in ("min-max", "z-score", "rank", "sum", "none")),
]


def _short(value: object) -> str:
    """Names of cases that are the same in every process: a function has its name, not its address."""
    return str(getattr(value, "__name__", value))[:40]


@every_case(("method", "parameters", "reference"), BOOK, ids=_short)
@every_case("gaps", [False, True])
def test_methods_are_those_of_the_book(method, parameters, reference, gaps) -> None:
    for seed in range(12):
        runs = book.random_runs(seed, gaps=gaps, ties=seed % 2 == 0)
        result = fuse(runs, method, **parameters)
        assert set(result) == {topic for run in runs for topic in run}
        for topic in result:
            expected = reference(book.lists_of(runs, topic), **parameters)
            assert dict(result[topic]) == pytest.approx(expected, abs=1e-12), (seed, topic)


@every_case("weights", [None, (0.7, 0.2, 0.4, 0.0)])
@every_case("gaps", [False, True])
def test_no_neighbours_in_a_condorcet_order_are_against_the_majority(weights, gaps) -> None:
    for seed in range(30):
        runs = book.random_runs(seed, gaps=gaps)
        result = fuse(runs, "condorcet", weights=weights)
        for topic in result:
            lists = book.lists_of(runs, topic)
            docs = [doc for doc, _ in result[topic]]
            assert sorted(docs) == book.candidates(lists)
            points = book.borda(lists, weights)
            for above, below in pairwise(docs):
                margin = book.majority_margin(lists, above, below, weights)
                assert margin > -1e-9
                if abs(margin) < 1e-9 and points[above] != pytest.approx(points[below]):
                    assert points[above] > points[below]


def test_a_condorcet_order_of_agreeing_majorities_is_that_order() -> None:
    """Where runs are swaps of neighbours of one order, a majority has each pair as that order has it."""
    rng = np.random.default_rng(5)
    truth = [f"d{number:02}" for number in range(40)]
    runs = []
    for number in range(5):
        docs = list(truth)
        for at in range(number % 2, 38, 5):
            if rng.random() < 0.3:
                docs[at], docs[at + 1] = docs[at + 1], docs[at]
        runs.append(Run({"T": [(doc, -float(i)) for i, doc in enumerate(docs)]}, f"s{number}"))
    lists = book.lists_of(runs, "T")
    assert all(book.majority_margin(lists, a, b) > 0 for i, a in enumerate(truth) for b in truth[i + 1 :])
    assert list(fused("condorcet", *runs)) == truth


LEARNED = {"wibc": {"weights": [0.4, 0.3, 0.2, 0.1]}, "rbc": {"coefficients": [0.5, 0.25, 0.75, -0.5]}}
WEIGHTED = {"rrf", "borda", "linear", "condorcet", "wibc"}


SEEDS, METHODS = st.integers(0, 10**6), st.sampled_from(sorted(FUSIONS))


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, method=METHODS, gaps=st.booleans(), depth=st.integers(1, 15))
def test_every_fusion_is_a_run_by_the_tie_rule(seed, method, gaps, depth) -> None:
    """Scores are finite and sorted, ties by id; a smaller depth is the head of a larger one."""
    runs = book.random_runs(seed, gaps=gaps)
    whole = fuse(runs, method, **LEARNED.get(method, {}))
    for topic in whole:
        assert whole[topic] == rank(whole[topic])
        assert len(whole[topic]) == len(book.candidates(book.lists_of(runs, topic)))
    assert np.isfinite(whole.scores).all()
    assert fuse(runs, method, depth=depth, **LEARNED.get(method, {})) == whole.top(depth)


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, method=METHODS, data=st.data())
def test_the_order_of_runs_and_topics_changes_nothing(seed, method, data) -> None:
    """Not a bit of a score, as long as weights go with their runs."""
    runs = book.random_runs(seed)
    turn = data.draw(st.permutations(range(len(runs))))
    given_parameters = LEARNED.get(method, {})
    if method in WEIGHTED and method != "wibc":
        given_parameters = {"weights": [0.3, 0.1, 0.7, 0.2]}
    turned = {name: [values[at] for at in turn] for name, values in given_parameters.items()}
    mixed = [Run({topic: runs[at][topic] for topic in reversed(list(runs[at]))}, runs[at].name) for at in turn]
    one, other = fuse(runs, method, **given_parameters), fuse(mixed, method, **turned)
    assert set(one) == set(other)
    assert one == other


@every_case("method", sorted(FUSIONS))
def test_one_run_keeps_its_order(method: str) -> None:
    run = Run({"T": [("a", 5.0), ("b", 3.0), ("c", 1.0)], "empty": []}, "one")
    parameters = {"wibc": {"weights": [2.0]}, "rbc": {"coefficients": [1.0]}}.get(method, {})
    result = fuse([run], method, **parameters)
    assert [doc for doc, _ in result["T"]] == ["a", "b", "c"]
    assert result["empty"] == []
    assert "empty" in result


@every_case("method", sorted(FUSIONS))
def test_runs_without_any_results(method: str) -> None:
    parameters = {"wibc": {"weights": [1.0, 1.0]}, "rbc": {"coefficients": [1.0, 1.0]}}.get(method, {})
    result = fuse([Run({"T": []}, "a"), Run({}, "b")], method, **parameters)
    assert list(result) == ["T"]
    assert result["T"] == []
    assert len(fuse([Run({}, "a"), Run({}, "b")], method, **parameters)) == 0


def test_ties_are_broken_by_id_also_where_the_depth_cuts() -> None:
    runs = [Run({"T": [(f"d{number}", 1.0)]}, str(number)) for number in range(6)]
    assert [doc for doc, _ in fuse(runs, "rrf", depth=3)["T"]] == ["d5", "d4", "d3"]


def test_a_table_serves_several_fusions() -> None:
    runs = book.random_runs(3)
    table = FusionTable(runs)
    for method in ("rrf", "condorcet", "combmnz", "ibc"):
        assert fuse(table, method) == fuse(runs, method)
    assert Linear(weights=(1.0, 0.0, 0.0, 0.0)).fuse(table) == make_fusion(
        "linear", {"weights": [1, 0, 0, 0]}
    ).fuse(runs)
