"""Pairwise scores as values, their holes, and the run that was compared."""

from __future__ import annotations

import numpy as np
import pytest
from case_tables import every_case
from pairwise_cases import NAN, THREE

from porism.errors import ConfigError, FormatError, Problem, QueryError
from porism.lab.pairwise import PairwiseRun, PairwiseScores, ranked_by
from porism.runs.run import Run


@every_case(("ids", "matrix", "message"), [
    (("a", "b"), np.zeros((3, 3)), r"shape \(3, 3\) for 2 candidates"),
    (("a", "a"), np.zeros((2, 2)), "a candidate occurs twice"),
    (("a", "b"), np.array([[0, 1.2], [0, 0]]), "the score 1.2 of a over b is not a probability"),
    (("a", "b"), np.array([[0, 0], [-0.1, 0]]), "the score -0.1 of b over a"),
])
def test_wrong_scores_are_refused(ids: tuple[str, ...], matrix: np.ndarray, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        PairwiseScores("q", ids, matrix)


def test_a_query_occurs_once() -> None:
    with pytest.raises(FormatError, match="query q: a query occurs twice"):
        PairwiseRun((THREE, THREE))


def test_holes_are_filled_counted_and_reported() -> None:
    matrix = np.full((3, 3), NAN)
    matrix[0, 1], matrix[1, 0], matrix[0, 2] = 0.9, 0.3, 0.25
    holes = PairwiseScores("q", ("a", "b", "c"), matrix)
    assert holes.holes == 3
    with pytest.raises(ConfigError, match="query q: 2 of 6 pairs have no score in either order, such as b and c"):
        holes.without_holes("complement")
    with pytest.raises(ConfigError, match="3 of 6 pairs have no score, such as b and c"):
        holes.without_holes("error")
    with pytest.raises(ConfigError, match="holes cannot be 'zero'"):
        holes.without_holes("zero")  # type: ignore[arg-type]
    reports: list[Problem] = []
    filled = holes.without_holes("half", reports.append)
    assert filled.holes == 0
    assert np.nan_to_num(filled.matrix, nan=-1).tolist() == [[-1, 0.9, 0.25], [0.3, -1, 0.5], [0.75, 0.5, -1]]
    assert [str(report) for report in reports] == [
        "query q: 1 pair got 1 - the score of the other order, 2 pairs that no order has a score of got 1/2"
    ]
    assert THREE.without_holes("error") is THREE


def test_candidates_in_the_order_of_their_run() -> None:
    run = Run({"q": [("b", 9.0), ("x", 8.0), ("c", 7.0), ("a", 6.0)]}, "first")
    ranked = ranked_by(PairwiseRun((THREE,)), run).queries[0]
    assert (ranked.doc_ids, ranked.ranked) == (("b", "c", "a"), True)
    assert ranked.matrix[0, 2] == 0.2  # b over a
    reports: list[Problem] = []
    cut = ranked_by(PairwiseRun((THREE,)), run, depth=3, on_problem=reports.append).queries[0]
    assert cut.doc_ids == ("b", "c")
    assert reports == []
    ranked_by(PairwiseRun((THREE,)), run, depth=50, on_problem=reports.append)
    assert [str(report) for report in reports] == ["query q: 3 documents were compared, fewer than the depth of 50"]
    with pytest.raises(QueryError, match="the depth is 0"):
        ranked_by(PairwiseRun((THREE,)), run, depth=0)


def test_what_the_run_does_not_have() -> None:
    pairs = PairwiseRun((THREE, PairwiseScores("other", ("a",), np.zeros((1, 1)))))
    run = Run({"q": [("b", 9.0), ("a", 6.0)]}, "first")
    with pytest.raises(FormatError, match="query q: 1 document with pairwise scores not in the run first, such as c"):
        ranked_by(pairs, run)
    reports: list[Problem] = []
    kept = ranked_by(pairs, run, unknown="drop", on_problem=reports.append)
    assert [(one.query_id, one.doc_ids) for one in kept.queries] == [("q", ("b", "a"))]
    assert [report.where for report in reports] == ["query q", "query other"]
