"""Searches of an index that give runs: what pipelines, recipes and tuning need of it.

An :class:`~porism.search.index.Index` adds what a person reads: titles, snippets, hints and explanations.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from porism.errors import OnProblem, QueryError
from porism.index import Filters, Snapshot
from porism.index.documents import StoredDocuments
from porism.index.joint import Paths, open_snapshot
from porism.index.languages import snapshot_analyzer
from porism.retrieve import DEFAULT_MODEL, Retriever, RetrieverSettings
from porism.retrieve.formulas.model import DEFAULT_FORMULA_MODEL
from porism.runs.run import Run
from porism.search.formula_queries import readable_topic
from porism.search.models import open_formula_ranker, open_retriever, read_model
from porism.system.concurrency.caching import cached_property
from porism.types import Document, Query

if TYPE_CHECKING:
    from porism.search.formulas import FormulaSearcher

class IndexSearcher:
    """A consistent view of an index on disk, searched by a model for documents and by one for formulas.

    Several indexes are searched as one index that has all their documents (:class:`~porism.index.JointSnapshot`). Later
    commits change nothing.
    """

    def __init__(
        self, path: Paths | Snapshot, model: RetrieverSettings | str = DEFAULT_MODEL,
        formula_model: RetrieverSettings | str | None = None,
    ) -> None:
        """Opens the index, or several, to be searched by models of any kind, given by name or as settings. A snapshot
        that is open is shared.

        :raises ConfigError: there is no such model, or the index lacks what it needs; or several indexes make terms in
            different ways, or have different files that the model needs.
        :raises IndexNotFound: there is none at ``path``.
        :raises IndexCorrupt: its files are damaged.
        :raises IndexVersionError: it was written by a version with another format.
        """
        self.snapshot = open_snapshot(path)
        self.analyzer = snapshot_analyzer(self.snapshot)
        self.retriever: Retriever = open_retriever(self.snapshot, self.analyzer, _model(model))
        self.formula_model = _model(DEFAULT_FORMULA_MODEL if formula_model is None else formula_model, formulas=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self.snapshot.doc_count

    def __contains__(self, doc_id: object) -> bool:
        return isinstance(doc_id, str) and self.snapshot.find(doc_id) is not None

    @property
    def folder(self) -> str:
        """Where the index is, and what belongs to it."""
        return os.fspath(self.snapshot.path)

    def close(self) -> None:
        """Releases the index's files."""
        self.snapshot.close()

    def with_models(
        self, model: RetrieverSettings | str | None = None, formula_model: RetrieverSettings | str | None = None
    ) -> Self:
        """The same view of the index, searched by other models; its files are shared, and closed with either.

        :raises ConfigError: there is no such model, or the index lacks what it needs.
        """
        other = type(self).__new__(type(self))
        other.snapshot, other.analyzer = self.snapshot, self.analyzer
        other.retriever = (
            self.retriever if model is None else open_retriever(self.snapshot, self.analyzer, _model(model))
        )
        other.formula_model = self.formula_model if formula_model is None else _model(formula_model, formulas=True)
        return other

    def document(self, doc_id: str) -> Document:
        """A document by its id.

        :raises QueryError: the index has no such document.
        """
        return self.documents.get([doc_id])[0]

    @property
    def documents(self) -> StoredDocuments:
        """All documents of the index: by id, and one after another."""
        return StoredDocuments(self.snapshot)

    def run(
        self, queries: Iterable[Query], k: int = 1000, *, filters: Filters | None = None, name: str = "porism"
    ) -> Run:
        """The results of many queries, for evaluation and fusion; an empty query has no results."""
        allowed = self.snapshot.filter(filters) if filters else None
        return self.retriever.search(queries, k, allowed=allowed, name=name)

    @cached_property
    def formulas(self) -> FormulaSearcher:
        """Search in which the unit is a formula; made when it is first used."""
        from porism.search.formulas import FormulaSearcher

        ranker = open_formula_ranker(self.snapshot, self.analyzer, self.formula_model)
        return FormulaSearcher(self.snapshot, ranker, self.retriever)

    def run_formulas(
        self, queries: Iterable[Query], k: int = 1000, *, context: bool = False, filters: Filters | None = None,
        name: str = "porism", on_problem: OnProblem | None = None,
    ) -> Run:
        """The results of formula topics, named by visual ids, for evaluation and fusion.

        A formula gives its score to all its visual ids, and a visual id has that of its best formula; formulas without
        one are left out. A collection that has no visual ids at all is named by the ids of its formulas, and one
        without these by ``document/field/number``. A topic without a formula has no results.

        :param context: whether the other fields of a topic count (``title``, ``question``), see
            :class:`~porism.search.formulas.FormulaSearcher`.
        :param on_problem: receives topics with unparsed parts.
        :raises QueryError: ``k`` is below 1, two queries have one id, or a filter names an unknown key.
        """
        topics = list(queries)
        if len({query.id for query in topics}) < len(topics):
            raise QueryError("two queries have the same id")
        allowed = self.snapshot.filter(filters) if filters else None
        readable = [(query.id, readable_topic(query, on_problem)) for query in topics]
        return self.formulas.run(readable, k, allowed=allowed, context=context, name=name)

    def formula_names(self) -> set[str]:
        """What :meth:`run_formulas` can call formulas of this index: all visual ids, where it has any."""
        from porism.search.formula_occurrences import FormulaPlaces

        return FormulaPlaces(self.snapshot).every_name()


def _model(model: RetrieverSettings | str, formulas: bool = False) -> RetrieverSettings:
    """A model, or the one of this name."""
    return read_model(model, formulas) if isinstance(model, str) else model
