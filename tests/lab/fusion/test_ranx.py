"""The common fusions beside ranx, on the same runs. Where the two differ, docs/reference/fusion.md says why.

ranx is in none of the extras that tests need: on its first use it compiles for minutes. So two fusions of made-up runs
are compared, and with PORISM_LONG_TESTS=1 all of them, of real runs too.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import fusion_reference as book
import pytest
from long_forms import LONG

from porism.lab.fusion import fuse
from porism.runs.run import Run

ranx: Any = pytest.importorskip("ranx")


@pytest.fixture(autouse=True)
def _compilation_may_take_its_time(_no_hang: None) -> None:
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)


NORMS = {"min-max": "min-max", "z-score": "zmuv", "rank": "rank", "sum": "sum", "none": None}

BY_RANK = [
    ("rrf", {"k": 60}, "rrf", {"k": 60}),
    ("rrf", {"k": 7}, "rrf", {"k": 7}),
    ("borda", {}, "bordafuse", {}),
    ("borda", {"weights": [0.5, 1.0, 2.0, 0.25]}, "w_bordafuse", {"weights": [0.5, 1.0, 2.0, 0.25]}),
    ("isr", {}, "isr", {}),
    ("log-isr", {"sigma": 0}, "log_isr", {}),
    ("log-isr", {"sigma": 0.01}, "logn_isr", {"sigma": 0.01}),
]

BY_SCORE = [
    *((f"comb{kind}", {"norm": norm}, kind, norm) for kind in ("sum", "mnz") for norm in NORMS),
    *((f"comb{kind}", {"norm": "min-max"}, kind, "min-max") for kind in ("anz", "min", "max", "med")),
    *(("linear", {"norm": norm, "weights": [0.4, 0.3, 0.2, 0.1]}, "wsum", norm) for norm in ("min-max", "z-score")),
]

RUNS = ["random_runs", "real_runs"]

if not LONG:
    del BY_RANK[1:], BY_SCORE[1:], RUNS[1:]


def without_ties(run: Run) -> Run:
    """The same rankings by distinct scores: ranx orders ties in its own way."""
    return Run({query: [(doc, float(-at)) for at, (doc, _) in enumerate(run[query])] for query in run}, run.name)


def in_ranx(runs: list[Run], method: str, norm: str | None, **parameters: Any) -> dict[str, dict[str, float]]:
    theirs = [ranx.Run(run.to_dict(), name=run.name) for run in runs]
    fused: dict[str, dict[str, float]] = ranx.fuse(theirs, norm=norm, method=method, params=parameters).to_dict()
    return fused


@pytest.fixture(scope="module")
def random_runs() -> list[Run]:
    return book.random_runs(11, systems=4, topics=5, pool=60, ties=False, missing=False)


@pytest.fixture(scope="module")
def real_runs(shared_data: Path) -> list[Run]:
    """Four runs of ARQMath 2020, on topics for which each has several results of different scores.

    ranx takes runs of the same topics only, and a list of equal scores is nothing to it by min-max.
    """
    folder = shared_data / "arqmath-runs-2020"
    names = ["DPRL_task1_auto_both_A3", "prim_MIRMU-task1-Ensemble-auto-both-A",
             "prim_MathDowsers-task1-alpha05noReRank-auto-both-A", "prim_Approach0"]
    runs = [Run.read(folder / f"{name}.tsv") for name in names]
    topics = [topic for topic in runs[0] if all(len({score for _, score in run[topic]}) > 1 for run in runs)]
    assert len(topics) > 70
    return [run.only(topics) for run in runs]


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize(("method", "parameters", "theirs", "their_parameters"), BY_RANK, ids=str)
def test_fusions_of_ranks(runs, method, parameters, theirs, their_parameters, request) -> None:
    distinct = [without_ties(run) for run in request.getfixturevalue(runs)]
    expected = in_ranx(distinct, theirs, None, **their_parameters)
    found = fuse(distinct, method, depth=10**6, **parameters).to_dict()
    assert found.keys() == expected.keys()
    for topic in found:
        assert found[topic] == pytest.approx(expected[topic], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize(("method", "parameters", "theirs", "norm"), BY_SCORE, ids=str)
def test_fusions_of_scores(runs, method, parameters, theirs, norm, request) -> None:
    given = request.getfixturevalue(runs)
    if norm == "rank":
        given = [without_ties(run) for run in given]
    weights = {"weights": parameters["weights"]} if theirs == "wsum" else {}
    expected = in_ranx(given, theirs, NORMS[norm], **weights)
    found = fuse(given, method, depth=10**6, **parameters).to_dict()
    assert found.keys() == expected.keys()
    for topic in found:
        assert found[topic] == pytest.approx(expected[topic], rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("weights", [None, [0.5, 1.0, 2.0, 0.25]])
def test_condorcet_where_all_runs_have_all_documents(weights) -> None:
    """Then nobody abstains, and ranx counts as Porism does; runs that nearly agree have no circles of majorities."""
    runs = []
    for system in range(4):
        docs = [f"d{number:02}" for number in range(30)]
        for at in range(system, 29, 4):
            docs[at], docs[at + 1] = docs[at + 1], docs[at]
        runs.append(Run({"T": [(doc, float(-at)) for at, doc in enumerate(docs)]}, f"s{system}"))
    theirs = "w_condorcet" if weights else "condorcet"
    parameters = {"weights": weights} if weights else {}
    expected = in_ranx(runs, theirs, None, **parameters)["T"]
    assert fuse(runs, "condorcet", **parameters).to_dict()["T"] == expected
