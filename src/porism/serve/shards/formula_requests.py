"""The requests about formulas that a shard answers, one type for each step of a search."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.search.formula_occurrences import Naming
from porism.serve.shards.formula_values import (
    FormulaCollection,
    FormulaDigests,
    FormulaOccurrences,
    FormulaToShow,
    ShardFormulaHits,
    ShardFormulas,
    bytes_of,
)
from porism.serve.shards.requests import A, CommitRequest
from porism.serve.shards.values import ShardStatistics, WholeStatistics
from porism.types import Formula


class FormulaRequest(CommitRequest[A]):
    """A request about formulas."""

    of_formulas = True


@dataclass(frozen=True)
class CountingRequest(FormulaRequest[A]):
    """A request about the formulas that count in the shard, by the name of all their marks."""

    counting: str


@dataclass(frozen=True)
class QueryFormulasRequest(CountingRequest[A]):
    """A request about query formulas."""

    formulas: tuple[Formula, ...]


@dataclass(frozen=True)
class FormulaDigestsRequest(FormulaRequest[FormulaDigests]):
    """The digests of the formulas of the shard, from the ``first`` one on."""

    step, answer, summary = "formula_digests", FormulaDigests, "Digests of the formulas of a shard"
    first: int = 0


@dataclass(frozen=True)
class FormulaCollectionRequest(CountingRequest[FormulaCollection]):
    """Says which formulas count in the shard: a bit each, from the ``first`` one on, as base64. All marks together are
    called ``counting``, the SHA-256 of their bits."""

    step, answer, summary = "formula_collection", FormulaCollection, "Say which formulas count in a shard"
    first: int
    marks: str

    def bits(self) -> NDArray[np.bool_]:
        """The marks, with up to seven bits behind them.

        :raises QueryError: they are not valid.
        """
        return np.unpackbits(np.frombuffer(bytes_of(self.marks), np.uint8)).astype(np.bool_)


@dataclass(frozen=True)
class FormulaStatisticsRequest(QueryFormulasRequest[ShardStatistics]):
    """How often the terms of formulas occur among those that count in the shard."""

    step, answer, summary = "formula_statistics", ShardStatistics, "Count the terms of formulas"


@dataclass(frozen=True)
class FormulasRequest(QueryFormulasRequest[ShardFormulas]):
    """What the shard finds for formulas, by the statistics of the whole collection."""

    step, answer, summary = "formulas", ShardFormulas, "Search formulas by given statistics"
    statistics: WholeStatistics
    depth: int


@dataclass(frozen=True)
class FormulaOccurrencesRequest(FormulaRequest[FormulaOccurrences]):
    """Where formulas occur: in documents that ``filters`` allow, of which ``values`` have some by id; with ``names``,
    what a run calls them."""

    step, answer, summary = "formula_occurrences", FormulaOccurrences, "Documents and names of formulas"
    keys: tuple[str, ...]
    filters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    names: Naming | None = None

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, self.values.values())):
            raise QueryError("values of documents are finite numbers", where="values")


@dataclass(frozen=True)
class FormulaHitsRequest(QueryFormulasRequest[ShardFormulaHits]):
    """What is shown of formulas."""

    step, answer, summary = "formula_hits", ShardFormulaHits, "Show formulas of a shard"
    statistics: WholeStatistics
    asked: tuple[FormulaToShow, ...]
    filters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    explain: bool = False
