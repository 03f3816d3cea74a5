"""How pipelines are made: of an index, a retriever or a run, and of several stages by fusion."""

from __future__ import annotations

from typing import Any

from porism.errors import ConfigError, OnProblem
from porism.index import Filters
from porism.lab.fusion import Fusion, make_fusion
from porism.lab.pipeline.retrieving import FormulaStage, RunStage, SearchStage
from porism.lab.pipeline.stages import FusedStage, RetrieverStage, Stage
from porism.retrieve import RetrieverSettings, Searcher
from porism.runs.run import Run
from porism.search.searcher import IndexSearcher


def pipeline(
    source: IndexSearcher | Searcher | Run,
    model: RetrieverSettings | str | None = None,
    *,
    name: str | None = None,
    filters: Filters | None = None,
    batch: bool = False,
) -> Stage:
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
    if isinstance(source, Stage):
        return source if name is None else source.named(name)
    if isinstance(source, Run):
        return RunStage(source, name or source.name)
    own = getattr(source, "name", None)
    return RetrieverStage(source, name or (own if isinstance(own, str) else type(source).__name__), batch=batch)


def formula_pipeline(
    index: IndexSearcher,
    model: RetrieverSettings | str | None = None,
    *,
    context: bool = False,
    name: str = "formulas",
    filters: Filters | None = None,
    on_problem: OnProblem | None = None,
    batch: bool = False,
) -> Stage:
    """A stage that searches the formulas of an index by its own or another model: results are visual ids.

    The parameters are those of :meth:`porism.search.searcher.IndexSearcher.run_formulas`.
    """
    if model is not None:
        index = index.with_models(None, model)
    return FormulaStage(index, context, name, filters, on_problem, batch=batch)


def fused(
    *stages: Stage | Searcher | Run,
    method: str | Fusion = "rrf",
    depth: int = 1000,
    name: str | None = None,
    **parameters: Any,
) -> Stage:
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
