"""The requests about formulas that a shard answers, one type for each step of a search."""

from __future__ import annotations

import base64
import binascii
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.formulas.parts import FoundPart
from porism.search.answers import FormulaDocument
from porism.search.formula_occurrences import Naming, Place
from porism.serve.shards.requests import DOCUMENT_REQUESTS, A, CommitRequest, Request
from porism.serve.shards.values import ChannelLengths, ShardStatistics, WholeStatistics
from porism.types import Formula

DIGESTS_BATCH_SIZE = 250_000
"""Digests of one answer: 4 MB."""


MAX_FORMULA_DEPTH = 10_000
"""So many formulas are looked at, at most, where filters or names leave few of them."""


MARKS_BATCH_SIZE = 4_000_000
"""Marks of one request: half a megabyte."""


@dataclass(frozen=True)
class FormulaDigests:
    """Digests of the distinct formulas of a shard, those from a place on: 16 bytes each as base64, of ``count``."""

    generation: int
    count: int
    digests: str

    def array(self) -> NDArray[np.uint64]:
        """The digests (uint64, n × 2).

        :raises QueryError: they are not valid.
        """
        raw = bytes_of(self.digests)
        if len(raw) % 16:
            raise QueryError("the digests are not valid")
        return np.frombuffer(raw, "<u8").reshape(-1, 2).astype(np.uint64)

    @staticmethod
    def text(digests: NDArray[np.uint64]) -> str:
        """Digests (uint64, n × 2) as text."""
        return base64.b64encode(np.ascontiguousarray(digests, "<u8").tobytes()).decode("ascii")


@dataclass(frozen=True)
class FormulaCollection:
    """What a shard has of formulas that count there: the lengths of each channel; ``complete`` says that all marks have
    come. ``names`` is what runs call formulas by: ``visual ids``, ``ids``, or ``places``."""

    generation: int
    complete: bool
    model: dict[str, Any] = field(default_factory=dict)
    channels: tuple[ChannelLengths, ...] = ()
    names: Naming = "places"


@dataclass(frozen=True)
class ShardFormulas:
    """What a shard finds for each query formula."""

    generation: int
    found: tuple[FoundPart, ...]


@dataclass(frozen=True)
class FormulaOccurrences:
    """Of formulas, in their order: in how many documents of a shard each occurs, the best value of these, and what a
    run calls it there."""

    generation: int
    documents: tuple[int, ...]
    best: tuple[float, ...]
    names: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        if min(self.documents, default=0) < 0 or len(self.names) not in (0, len(self.documents)):
            raise ValueError("counts are numbers ≥ 0, and there are names for each formula or for none")


@dataclass(frozen=True)
class FormulaToShow:
    """A formula that was found: the number of the query formula that it answers, and whether it was aligned."""

    key: str
    formula: int = 0
    aligned: bool = True


@dataclass(frozen=True)
class ShardFormulaHit:
    """A formula in a shard: how many documents have it, its places, the first documents, and how it matches where it
    counts there."""

    documents: int
    places: tuple[Place, ...]
    shown: tuple[FormulaDocument, ...]
    match: FormulaMatch | None = None


@dataclass(frozen=True)
class ShardFormulaHits:
    """What a shard knows of formulas, in their order."""

    generation: int
    hits: tuple[ShardFormulaHit, ...]


def bytes_of(text: str) -> bytes:
    """The bytes of a text in base64.

    :raises QueryError: it is not valid.
    """
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise QueryError(f"these are not bytes in base64 ({error})") from error


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
    columns = "formulas", ("found",)
    statistics: WholeStatistics
    depth: int


@dataclass(frozen=True)
class FormulaOccurrencesRequest(FormulaRequest[FormulaOccurrences]):
    """Where formulas occur: in documents that ``filters`` allow, of which ``values`` have some by id; with ``names``,
    what a run calls them."""

    step, answer, summary = "formula_occurrences", FormulaOccurrences, "Documents and names of formulas"
    columns = "keys", ("documents", "best")
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
    columns = "asked", ("hits",)
    statistics: WholeStatistics
    asked: tuple[FormulaToShow, ...]
    filters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    explain: bool = False


REQUESTS: tuple[type[Request[Any]], ...] = (
    *DOCUMENT_REQUESTS, FormulaDigestsRequest, FormulaCollectionRequest, FormulaStatisticsRequest, FormulasRequest,
    FormulaOccurrencesRequest, FormulaHitsRequest,
)
"""All that a shard answers."""
