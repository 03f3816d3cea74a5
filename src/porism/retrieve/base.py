"""What every kind of retriever has in common: its settings, and what it answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from porism.explanation import Explanation
from porism.index.filters import Masks
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.ranking import UnitResults
from porism.runs.run import Run
from porism.settings import Settings, read_settings, write_settings
from porism.types import Formula, Query


class RetrieverSettings(Settings):
    """The base of frozen dataclasses that hold all settings of one kind of retriever: a *model*.

    ``tuned_on`` names the topics on whose judgments the numbers were chosen; every run of the model carries them.
    """

    __slots__ = ()

    tuned_on: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """A JSON- and TOML-ready mapping; :meth:`from_dict` is the inverse."""
        return write_settings(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], base: Self | None = None) -> Self:
        """A model of the settings given; the others are those of ``base``, by default the usual ones.

        :raises SettingError: a setting does not exist, or a value is of another type or out of range.
        """
        return read_settings(cls, ({} if base is None else base.to_dict()) | dict(value))


@runtime_checkable
class Searcher(Protocol):
    """Whatever answers queries with a run. Where it has a method ``describe() -> dict`` (plain values for JSON), runs
    of pipelines record what made them.

    The first ``k`` results must not depend on ``k``.
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
        :param name: what the run is called.
        :raises QueryError: ``k`` is below 1, or two queries have one id.
        """

    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Why a document has its score in a search for ``k`` results: a tree of contributions that adds up to it.

        :raises QueryError: the index has no such document.
        """

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given), 0 where it shares nothing with the query, NaN for
        an id that the index does not have."""

    def describe(self) -> dict[str, Any]:
        """What it is, as plain values for JSON: its ``kind`` and its ``model``."""


@runtime_checkable
class Wrapper(Protocol):
    """A retriever that passes queries on to an ``inner`` one."""

    inner: Retriever


@runtime_checkable
class HasQueryWarnings(Protocol):
    """A retriever that has something to say of a query, such as how much of it was not read."""

    def notes(self, query: Query) -> list[str]:
        """What whoever asked should know, without a full stop."""


class FormulaRanker(Protocol):
    """Ranks the distinct formulas of an index by a model. Immutable, and safe to share between threads."""

    @property
    def model(self) -> RetrieverSettings:
        """Its settings."""

    def search(self, formulas: Sequence[Formula], k: int = 10) -> list[UnitResults]:
        """The best ``k`` formulas for each query formula, by segment and ordinal there.

        :raises QueryError: ``k`` is below 1.
        """

    def score_formulas(
        self, formula: Formula, segments: NDArray[np.integer], units: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """The score that formulas of the index, by segment and ordinal there, have in a search for a query formula
        (float64, in the order given); 0 where the model finds nothing in common."""

    def match(self, formula: Formula, key: str) -> FormulaMatch:
        """Why a formula of the index, given by its key, has its score for a query formula.

        :raises QueryError: the index has no such formula.
        """


@runtime_checkable
class HasResultWarnings(Protocol):
    """A ranker of formulas that has something to say of its results, such as that some can be missing."""

    def formula_notes(self) -> list[str]:
        """What whoever asked should know, without a full stop."""


@runtime_checkable
class Aligning(Protocol):
    """A ranker of formulas that shows what matches in less time than it takes to say why a formula has its score."""

    def aligned(self, formula: Formula, key: str) -> FormulaMatch:
        """:meth:`FormulaRanker.match` without the score, which is 0, and its explanation.

        :raises QueryError: the index has no such formula.
        """
