"""The interfaces of retrievers: their settings and their methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from porism.explanation import Explanation
from porism.index.snapshot import Masks
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.ranking import UnitResults
from porism.runs.run import Run
from porism.settings import Settings, read_settings, write_settings
from porism.types import Formula, Query


class RetrieverSettings(Settings):
    """The base of frozen dataclasses with all settings of one kind of retriever: a *model*.

    ``tuned_on`` names the topics whose judgments were used to choose the settings; every run of the model records them.
    """

    __slots__ = ()

    tuned_on: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """A JSON- and TOML-ready mapping; :meth:`from_dict` is the inverse."""
        return write_settings(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], base: Self | None = None) -> Self:
        """A model with these settings; others come from ``base``, or are the defaults.

        :raises SettingError: a setting does not exist, or a value is of another type or out of range.
        """
        return read_settings(cls, ({} if base is None else base.to_dict()) | dict(value))


@runtime_checkable
class Searcher(Protocol):
    """Answers queries with a run, whose first ``k`` results must not depend on ``k``.

    If it has a method ``describe() -> dict`` (plain values for JSON), runs of pipelines record its result.
    """

    def search(self, queries: Iterable[Query], k: int = 1000) -> Run:
        """The best ``k`` documents of each query; a query without results has an empty ranking."""


class Retriever(Protocol):
    """Searches the documents of an index by a model; a :class:`Searcher` that can also score and explain.

    Immutable, and safe to share between threads.
    """

    @property
    def model(self) -> RetrieverSettings:
        """Its settings."""

    def search(
        self, queries: Iterable[Query], k: int = 1000, *, allowed: Masks | None = None, name: str = "porism"
    ) -> Run:
        """The best ``k`` documents of each query; the first ``k`` do not depend on ``k``.

        :param allowed: which documents of each segment can be results (:meth:`porism.index.Snapshot.filter`).
        :param name: the name of the run.
        :raises QueryError: ``k`` is below 1, or two queries have the same id.
        """

    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Why a document has its score in a search for ``k`` results: a tree of contributions that adds up to it.

        :raises QueryError: the index has no such document.
        """

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given): 0 if it shares nothing with the query, NaN for
        unknown ids."""

    def describe(self) -> dict[str, Any]:
        """Its ``kind`` and its ``model`` as plain values for JSON."""


@runtime_checkable
class Wrapper(Protocol):
    """A retriever that passes queries on to an ``inner`` one."""

    inner: Retriever


@runtime_checkable
class HasQueryWarnings(Protocol):
    """A retriever that can warn about a query, such as about unread tokens."""

    def notes(self, query: Query) -> list[str]:
        """Warnings about the query, without full stops."""


class FormulaRanker(Protocol):
    """Ranks the distinct formulas of an index by a model. Immutable, and safe to share between threads."""

    @property
    def model(self) -> RetrieverSettings:
        """Its settings."""

    def search(self, formulas: Sequence[Formula], k: int = 10) -> list[UnitResults]:
        """The best ``k`` formulas for each query formula, by segment and ordinal.

        :raises QueryError: ``k`` is below 1.
        """

    def score_formulas(
        self, formula: Formula, segments: NDArray[np.integer], units: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """The scores of formulas, given by segment and ordinal, for a query formula (float64, in the order given).

        They are those of a search; 0 if the model finds nothing in common.
        """

    def match(self, formula: Formula, key: str) -> FormulaMatch:
        """Explains the score of the formula with this key for a query formula.

        :raises QueryError: the index has no such formula.
        """


@runtime_checkable
class HasResultWarnings(Protocol):
    """A ranker of formulas that can warn about its results, such as that some may be missing."""

    def formula_notes(self) -> list[str]:
        """Warnings about the results, without full stops."""


@runtime_checkable
class Aligning(Protocol):
    """A ranker of formulas that can show matches faster than it explains scores."""

    def aligned(self, formula: Formula, key: str) -> FormulaMatch:
        """:meth:`FormulaRanker.match` without score (0) and explanation.

        :raises QueryError: the index has no such formula.
        """
