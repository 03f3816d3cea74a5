"""Where pipelines begin: a search of an index by a model, a search for its formulas, or a run as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import xxhash

from porism.errors import OnProblem
from porism.index import Filters, Snapshot
from porism.lab.pipeline.protocols import Reranker
from porism.lab.pipeline.rerankers.retriever import RetrieverReranker
from porism.lab.pipeline.stages import RetrieverStage, Stage, joined
from porism.runs.run import Run
from porism.search.models.models import write_model
from porism.search.searcher import IndexSearcher
from porism.types import Query


class SearchStage(RetrieverStage):
    """A search of an index by a model."""

    def __init__(
        self, index: IndexSearcher, name: str = "search", filters: Filters | None = None, *, batch: bool = False
    ) -> None:
        """``index`` is searched by its model."""
        super().__init__(index.retriever, name, batch=batch)
        self.index = index
        self.filters = dict(filters or {})

    def _answers(self, queries: Sequence[Query], k: int) -> Run:
        return self.index.run(queries, k, filters=self.filters or None)

    def describe(self) -> dict[str, Any]:
        return {
            "kind": "search", "name": self.name, "model": write_model(self.index.retriever.model),
            "index": describe_index(self.index.snapshot), **_filtered(self.filters),
        }

    def reranker(self) -> Reranker:
        return RetrieverReranker(self.index)


class FormulaStage(RetrieverStage):
    """Search of the formulas of an index, named by visual ids."""

    def __init__(
        self, index: IndexSearcher, context: bool = False, name: str = "formulas", filters: Filters | None = None,
        on_problem: OnProblem | None = None, *, batch: bool = False,
    ) -> None:
        """``index`` is searched by its formula model."""
        self.index = index
        self.context = context
        self.filters = dict(filters or {})
        self.on_problem = on_problem
        super().__init__(_FormulaRetriever(self), name, batch=batch)

    def describe(self) -> dict[str, Any]:
        return {
            "kind": "formula search", "name": self.name, "model": write_model(self.index.formula_model, formulas=True),
            "context": self.context, "index": describe_index(self.index.snapshot), **_filtered(self.filters),
        }


class _FormulaRetriever:
    """Formula search as a retriever."""

    def __init__(self, stage: FormulaStage) -> None:
        self._stage = stage

    def search(self, queries: Iterable[Query], k: int = 1000) -> Run:
        stage = self._stage
        return stage.index.run_formulas(
            queries, k, context=stage.context, filters=stage.filters or None, on_problem=stage.on_problem
        )


class RunStage(Stage):
    """A run made elsewhere: each query has the results that are there under its id, none if there are none."""

    def __init__(self, run: Run, name: str) -> None:
        self.run = run
        self.name = name

    def _search(self, queries: Sequence[Query], k: int) -> Run:
        known = self.run.provenance.seconds if self.run.provenance else {}
        seconds = {query.id: known[query.id] for query in queries if query.id in known}
        return joined([self.run.only([query.id for query in queries]).top(k)], queries, self, seconds)

    def describe(self) -> dict[str, Any]:
        digest = xxhash.xxh3_64()
        for part in (*self.run.query_ids, *self.run.doc_ids):
            digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
        for numbers in (self.run.offsets, self.run.scores, self.run.ranks):
            digest.update(numbers.tobytes())
        described = {"kind": "run", "name": self.name, "digest": digest.hexdigest()}
        provenance = self.run.provenance
        return described | ({"made_by": dict(provenance.made_by)} if provenance and provenance.made_by else {})


def describe_index(snapshot: Snapshot) -> dict[str, Any]:
    """How many ``documents`` an index has, and the ``digest`` of its files, by which a state of it is known."""
    digest = xxhash.xxh3_64()
    for entry in snapshot.manifest.segments:
        digest.update(f"{entry.digest}:{entry.size}:{entry.tombstones.digest if entry.tombstones else ''};".encode())
    return {"documents": snapshot.doc_count, "digest": digest.hexdigest()}


def _filtered(filters: Filters) -> dict[str, Any]:
    if not filters:
        return {}
    return {"filters": {key: [value] if isinstance(value, str) else list(value) for key, value in filters.items()}}
