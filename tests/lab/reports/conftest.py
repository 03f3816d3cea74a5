"""A report on four runs whose names break whatever does not escape them."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from porism.lab.reports import Report, make_report
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.types import Content, Formula, Query

TOPICS = ("t1", "t2", "t3", "t4", "t5", "t6")
ODD = r"<b>&$_%$ \x{}^~#"
QRELS = {topic: {"a": 3, "b": 2, "c": 1, "d": 0} for topic in TOPICS}

if find_spec("matplotlib") is None:  # it comes with porism[lab]
    collect_ignore_glob = ["test_*.py"]


def ranking(docs: str) -> list[tuple[str, float]]:
    return [(doc, -float(place)) for place, doc in enumerate(docs)]


@pytest.fixture(scope="session")
def runs() -> list[Run]:
    """The odd name has the ideal ranking; ``_fused`` was tuned on two topics; ``plain`` answers all but one."""
    fused = Provenance(
        {"kind": "fusion", "method": "rrf", "parameters": {"k": 60}, "sources": [ODD, "plain"]},
        tuned_on=("t1", "t2"),
        evidence=({
            "kind": "tuning", "parameters": {"k": 60}, "score": 0.6, "topics": ["t1", "t2"],
            "objective": {"measure": "nDCG'"},
            "trials": [
                {"parameters": {"k": k}, "score": score, "defined": 2}
                for k, score in ((1, 0.4), (10, 0.5), (60, 0.6), (100, 0.55), (200, None))
            ],
        },),
    )
    return [
        Run({topic: ranking("abcd") for topic in TOPICS}, ODD),
        Run({topic: ranking("bacd") for topic in TOPICS[1:]}, "plain"),
        Run({topic: ranking("bca" if topic < "t4" else "dcba") for topic in TOPICS}, "_fused", provenance=fused),
        Run(
            {topic: ranking("cdx") for topic in TOPICS}, "slow",
            provenance=Provenance(seconds={topic: 0.01 * (place + 1) for place, topic in enumerate(TOPICS)}),
        ),
    ]


@pytest.fixture(scope="session")
def queries() -> list[Query]:
    """Of growing length, the first without a formula."""
    return [
        Query(topic, {"title": Content.of("word " * (place + 1), *([Formula("x+y")] if place else []))})
        for place, topic in enumerate(TOPICS)
    ]


@pytest.fixture(scope="session")
def report(runs: list[Run], queries: list[Query]) -> Report:
    """With everything that a report can have."""
    information = {topic: {"category": "A<b" if topic < "t4" else "Proof"} for topic in TOPICS}
    return make_report(
        runs, QRELS, ["nDCG'", "P'@2", "num_rel_ret"], queries=queries, information=information,
        title="A <i>title</i>", judgments="qrels_&.txt",
    )
