"""How pipelines are made: of an index, a retriever or a run, and of several stages by fusion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import xxhash

from porism.errors import ConfigError, OnProblem
from porism.index import Filters, Snapshot
from porism.lab.fusion import Fusion, make_fusion
from porism.lab.pipeline.protocols import Reranker
from porism.lab.pipeline.rerankers.retriever import RetrieverReranker
from porism.lab.pipeline.stages import FusedStage, PipelineStage, RetrieverStage, joined
from porism.retrieve import RetrieverSettings, Searcher
from porism.runs.run import Run
from porism.search.models.models import write_model
from porism.search.searcher import IndexSearcher
from porism.types import Query


def pipeline(
    source: IndexSearcher | Searcher | Run, model: RetrieverSettings | str | None = None, *, name: str | None = None,
    filters: Filters | None = None, batch: bool = False,
) -> PipelineStage:
    """A stage that searches: an index by its own or another model, any retriever, or a run made elsewhere.

    Models of any kind are given as settings or by name. A stage stays as it is. A run gives each query its results by
    the query's id.

    :param name: what its runs are called: ``search`` for an index, else the name of the run or the type.
    :param filters: of an index only the documents with this metadata, see :meth:`porism.Index.search`.
    :param batch: all queries are searched at once; then they have the times that the retriever measures itself, if any.
    :raises ConfigError: it is not a retriever, or a model or filters are given for what is not an index.
    """
    if isinstance(source, IndexSearcher):
        index = source if model is None else source.with_models(model)
        return SearchStage(index, name or "search", filters, batch=batch)
    if model is not None or filters:
        raise ConfigError(
            f"a {type(source).__name__} cannot be searched by a model or with filters", hint="An index can."
        )
    if isinstance(source, PipelineStage):
        return source if name is None else source.named(name)
    if isinstance(source, Run):
        return RunStage(source, name or source.name)
    own = getattr(source, "name", None)
    return RetrieverStage(source, name or (own if isinstance(own, str) else type(source).__name__), batch=batch)


def formula_pipeline(
    index: IndexSearcher, model: RetrieverSettings | str | None = None, *, context: bool = False,
    name: str = "formulas", filters: Filters | None = None, on_problem: OnProblem | None = None, batch: bool = False,
) -> PipelineStage:
    """A stage that searches the formulas of an index by its own or another model: results are visual ids.

    The parameters are those of :meth:`porism.search.searcher.IndexSearcher.run_formulas`.
    """
    if model is not None:
        index = index.with_models(None, model)
    return FormulaStage(index, context, name, filters, on_problem, batch=batch)


def fused(
    *stages: PipelineStage | Searcher | Run, method: str | Fusion = "rrf", depth: int = 1000, name: str | None = None,
    **parameters: Any,
) -> PipelineStage:
    """A stage that fuses the results of others; retrievers and runs become stages
    (:func:`porism.lab.pipeline.pipeline`).

    :param method: a name from :data:`porism.lab.fusion.FUSIONS` with its ``parameters``, or a fusion as it is.
    :param depth: so many results of each stage are fused, whatever ``k`` of the search is.
    :raises ConfigError: there is no such method, a parameter does not exist or fit, or there is nothing to fuse.
    """
    if isinstance(method, str):
        method = make_fusion(method, parameters)
    elif parameters:
        raise ConfigError(
            f"the fusion {method!r} has its parameters already, and {', '.join(parameters)} cannot be set",
            hint="Name the method to set them here.",
        )
    return FusedStage([pipeline(stage) for stage in stages], method, depth, name)


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


class RunStage(PipelineStage):
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
