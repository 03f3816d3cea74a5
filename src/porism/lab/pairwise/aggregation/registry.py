"""All aggregations by their names, and runs made by them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from porism.errors import ConfigError, OnProblem
from porism.lab.pairwise.aggregation.base import Aggregation
from porism.lab.pairwise.aggregation.repeatable import REPEATABLE
from porism.lab.pairwise.aggregation.truncation import LoopTruncation
from porism.lab.pairwise.scores import Floats, Holes, PairwiseRun, PairwiseScores
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.settings import read_named

AGGREGATIONS: Mapping[str, type[Aggregation]] = {**REPEATABLE, LoopTruncation.name: LoopTruncation}
"""Method name → its class."""

DEFAULT = "sym-sum"
"""The aggregation where none is named: that of duoT5."""


def make_aggregation(method: str, parameters: Mapping[str, Any] | None = None) -> Aggregation:
    """The aggregation of this name, with parameters as plain values.

    :raises ConfigError: there is no such method; as :class:`SettingError`, it has no such parameter, or not with such a
        value.
    """
    return read_named(AGGREGATIONS, method, parameters, "aggregation")


def aggregated_scores(
    pairs: PairwiseScores, aggregation: Aggregation, *, holes: Holes = "complement",
    on_problem: OnProblem | None = None,
) -> Floats:
    """The score of each candidate (float64 [k]); holes are filled first, unless the aggregation takes them.

    :raises ConfigError: there are holes that may not be filled, or the aggregation needs an order that is not known.
    """
    complete = pairs if aggregation.takes_holes else pairs.without_holes(holes, on_problem)
    return aggregation.scores(complete) + 0.0  # a -0.0 becomes 0.0, so that equal scores are also written alike


def aggregate(
    pairs: PairwiseRun, method: str | Aggregation = DEFAULT, *, name: str | None = None, holes: Holes = "complement",
    on_problem: OnProblem | None = None, **parameters: Any,
) -> Run:
    """A run of pairwise scores: ``aggregate(pairs, "loop-truncation", cuts=[100, 50])``.

    :param method: a name of :data:`AGGREGATIONS`, with its parameters; or an aggregation that has them.
    :param name: of the run; that of the method if not given.
    :raises ConfigError: the method or a parameter does not exist or fit, or holes may not be filled.
    """
    if isinstance(method, Aggregation):
        if parameters:
            raise ConfigError(f"{next(iter(parameters))!r} is given beside an aggregation that has its parameters")
        aggregation = method
    else:
        aggregation = make_aggregation(method, parameters)
    results = {
        one.query_id: zip(
            one.doc_ids, aggregated_scores(one, aggregation, holes=holes, on_problem=on_problem).tolist(), strict=True
        )
        for one in pairs.queries
    }
    return Run(results, name or aggregation.name, provenance=Provenance(made_by(pairs, aggregation, holes)))


def made_by(pairs: PairwiseRun, aggregation: Aggregation, holes: Holes) -> dict[str, Any]:
    """How a run of pairwise scores is made, as plain values."""
    return {
        "kind": "aggregation of pairwise scores", **aggregation.described(), "holes": holes, "of": dict(pairs.made_by),
        "candidates": int(np.max([len(query) for query in pairs.queries], initial=0)),
    }
