"""What a fusion is, and how the scores that it gives become a run."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from porism.errors import ConfigError
from porism.lab.fusion.table import Floats, FusionTable
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.settings import Settings, write_settings

Qrels = Mapping[str, Mapping[str, int]]
"""Topic → document → gain."""

MAX_WEIGHT = 1e100
"""So that sums of weights are finite."""

LOWEST_RANK = 10**9
"""The largest value of ``deepest``: ratings are whole numbers of 64 bits, and doubled."""


@dataclass(frozen=True, slots=True)
class Fusion(Settings, ABC):
    """A way of combining ranked lists; a frozen dataclass whose fields are its parameters.

    Candidates for a topic are all documents that a run found for it. A run that lacks a topic says nothing about it.
    """

    name: ClassVar[str]
    """What the method is called in commands and recipes."""

    @abstractmethod
    def scores(self, table: FusionTable) -> Floats:
        """The score of each candidate of the table (float64 [C]), higher is better.

        :raises ConfigError: a parameter does not fit the runs.
        """

    def fuse(self, runs: Sequence[Run] | FusionTable, *, depth: int = 1000, name: str | None = None) -> Run:
        """One run of all: of each topic the best ``depth`` candidates, ties by the rule of runs (later id first).

        :param runs: one or more, or the table of them where several fusions are made.
        :param name: of the new run; that of the method if not given.
        :raises ConfigError: there are no runs, or a parameter does not fit them.
        """
        if depth < 1:
            raise ConfigError(f"the depth is {depth}", hint="It is 1 or more.")
        table = runs if isinstance(runs, FusionTable) else FusionTable(runs)
        scores = self.scores(table) + 0.0  # a -0.0 becomes 0.0, so that equal scores are also written alike
        if not np.isfinite(scores).all():
            raise ConfigError(
                f"the scores of the runs are too large to be fused by {self.name}",
                hint="Choose a normalisation, such as norm=min-max.",
            )
        offsets, chosen = table.ranked(scores, depth)
        doc_ids = [table.doc_ids[at] for at in chosen.tolist()]
        return Run.from_columns(
            table.query_ids, offsets, doc_ids, scores[chosen], name or self.name,
            provenance=self.provenance(table, depth),
        )

    def provenance(self, table: FusionTable, depth: int) -> Provenance:
        """Where the fused run comes from: method, parameters and sources; tuned on what its sources were tuned on."""
        return Provenance.merged([run.provenance for run in table.runs], self.made_by(table, depth))

    def parameters(self) -> dict[str, Any]:
        """Its parameters as plain values."""
        return write_settings(self)

    def made_by(self, table: FusionTable, depth: int) -> dict[str, Any]:
        """Method, parameters and sources as plain values."""
        return {
            "kind": "fusion",
            "method": self.name,
            "parameters": self.parameters(),
            "depth": depth,
            "sources": [run.name for run in table.runs],
        }


@dataclass(frozen=True, slots=True)
class FittedFusion(Fusion):
    """A fusion that has learnt from judgments; its runs are tuned on the topics of these.

    :param settings: the fusion with what it has learnt.
    """

    settings: Fusion

    @abstractmethod
    def evidence(self) -> dict[str, Any]:
        """What it was fitted to, and how, as plain values: its ``training_topics`` and ``validation_topics``, and more.
        """

    def parameters(self) -> dict[str, Any]:
        return write_settings(self.settings)

    def provenance(self, table: FusionTable, depth: int) -> Provenance:
        known, record = Fusion.provenance(self, table, depth), self.evidence()
        topics = (*known.tuned_on, *record["training_topics"], *record["validation_topics"])
        return Provenance(known.made_by, topics, (*known.evidence, record), known.seconds)

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """What it has learnt, as plain values for JSON; :meth:`LearnedFusion.restored` is the inverse.

        :raises ConfigError: it cannot be stored.
        """


@dataclass(frozen=True, slots=True)
class LearnedFusion(Fusion):
    """A fusion that can learn from judgments."""

    @property
    @abstractmethod
    def must_learn(self) -> bool:
        """Whether it can fuse nothing, whatever its parameters are tuned to, before it has learnt."""

    @abstractmethod
    def fit(
        self, runs: Sequence[Run] | FusionTable, qrels: Qrels, topics: Iterable[str] | None = None, *,
        validation_topics: Iterable[str] = (),
    ) -> FittedFusion:
        """The fusion with what judgments of some topics teach it.

        :param topics: those to train on; if not given, all judged ones that are not for validation.
        :raises ConfigError: it has already what it would learn, or the topics do not fit.
        :raises QueryError: the runs found no judged document for the topics.
        :raises MissingExtra: a library that it learns by is not installed.
        """

    @abstractmethod
    def restored(self, learnt: Mapping[str, Any]) -> FittedFusion:
        """The fusion with what :meth:`FittedFusion.to_dict` wrote.

        :raises ConfigError: it is not such a value, or does not fit the fusion.
        """


def check_weights(weights: tuple[float, ...] | None, *, negative: bool = False) -> None:
    """Refuses weights that no fusion can use.

    :raises ConfigError: one is not finite, or negative where that has no meaning; or all are zero.
    """
    if weights is None:
        return
    for number, weight in enumerate(weights, 1):
        if not math.isfinite(weight):
            raise ConfigError(f"weight {number} is {weight}", hint="Weights are finite numbers.")
        if abs(weight) > MAX_WEIGHT:
            raise ConfigError(f"weight {number} is {weight:g}", hint=f"Weights are up to {MAX_WEIGHT:g}.")
        if weight < 0 and not negative:
            raise ConfigError(f"weight {number} is {weight:g}", hint="Weights are 0 or more here: a run cannot have "
                              "less than no vote.")
    if not any(weights):
        raise ConfigError("all weights are zero", hint="Give one run at least a weight.")


def weights_for(weights: tuple[float, ...] | None, table: FusionTable, default: float = 1.0) -> Floats:
    """A weight for each run of the table (float64 [R]).

    :raises ConfigError: there are more or fewer weights than runs.
    """
    if weights is None:
        return np.full(len(table.runs), default)
    if len(weights) != len(table.runs):
        raise ConfigError(
            f"there are {len(weights)} weights for {len(table.runs)} runs",
            hint=f"Give one a run, in this order: {', '.join(run.name for run in table.runs)}.",
        )
    return np.asarray(weights, np.float64)


def check_deepest(deepest: int) -> None:
    """Refuses a rank that cannot be the deepest one.

    :raises ConfigError: it is below 1 or too large.
    """
    if not 1 <= deepest <= LOWEST_RANK:
        raise ConfigError(f"deepest is {deepest}", hint=f"It is a rank from 1 to {LOWEST_RANK:,}.")


def check_at_least(name: str, value: float, least: float) -> None:
    """Refuses a parameter below its least value, or one that is not finite.

    :raises ConfigError: it is.
    """
    if not math.isfinite(value) or value < least:
        raise ConfigError(f"{name} is {value}", hint=f"It is {least:g} or more.")
