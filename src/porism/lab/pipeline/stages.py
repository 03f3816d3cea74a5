"""The stages of a pipeline: search, cutoff, re-ranking and fusion. Each is a retriever again, and immutable.

::

    stage = pipeline(index) % 200 >> RetrieverReranker(index, model)
    run = fused(stage, formulas, method="rrf", k=60).search(queries, 100)
    run.provenance.made_by                  # what made it, as data
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from porism.errors import ConfigError, FormatError
from porism.lab.fusion import Fusion, fuse
from porism.lab.fusion.table import joined_runs
from porism.lab.pipeline.protocols import DEPTH, Reranker, check_count, check_queries, describe
from porism.retrieve import Searcher
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.types import Query


class PipelineStage(ABC):
    """A part of a pipeline: a :class:`~porism.retrieve.Searcher` that can be put before a reranker (``>>``) and be cut
    off (``%``)."""

    name: str
    """What its runs are called."""

    def search(self, queries: Iterable[Query], k: int = 1000) -> Run:
        """The best ``k`` documents of each query, with what made the run in its provenance, and the seconds each query
        took where queries were answered one by one.

        :raises QueryError: ``k`` is below 1, or two queries have one id.
        """
        return self._search(check_queries(queries), check_count(k, "k"))

    @abstractmethod
    def _search(self, queries: Sequence[Query], k: int) -> Run:
        """:meth:`search`, of what was checked."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """What the stage does, as plain values for JSON: ``kind``, settings and the stages that it is made of."""

    def reranker(self) -> Reranker | None:
        """One that gives documents the scores that this stage would give them, None where there is no such thing."""
        return None

    def named(self, name: str) -> PipelineStage:
        """The same stage under another name."""
        return NamedStage(self, name)

    def reranked(self, reranker: Reranker, depth: int | None = None, *, batch: bool | None = None) -> PipelineStage:
        """The stage with its first ``depth`` results re-ranked: ``stage >> reranker`` with a depth of one's own.

        :param depth: the reranker's own by default, else 100.
        :param batch: asks the reranker all queries at once; then no query has a time of its own. What the reranker
            wants by default: its attribute ``batch``.
        :raises ConfigError: it is not a reranker.
        :raises QueryError: the depth is below 1.
        """
        return RerankStage(self, reranker, depth, batch=batch)

    def __rshift__(self, reranker: Reranker) -> PipelineStage:
        if isinstance(reranker, CutReranker):
            return self.reranked(reranker.reranker) % reranker.k
        return self.reranked(reranker)

    def __mod__(self, k: int) -> PipelineStage:
        return CutoffStage(self, k)

    def __repr__(self) -> str:
        return self.name


class NamedStage(PipelineStage):
    """A stage under another name."""

    def __init__(self, stage: PipelineStage, name: str) -> None:
        self.stage = stage
        self.name = name

    def _search(self, queries: Sequence[Query], k: int) -> Run:
        return _made(self.stage._search(queries, k).renamed(self.name), self)

    def describe(self) -> dict[str, Any]:
        return self.stage.describe() | {"name": self.name}

    def reranker(self) -> Reranker | None:
        return self.stage.reranker()


class RetrieverStage(PipelineStage):
    """A retriever as a stage. It searches for one query at a time, so that each has its own seconds, or for all at
    once. Then they have the seconds that the retriever measures itself, if it does."""

    def __init__(self, retriever: Searcher, name: str, *, batch: bool = False) -> None:
        """:raises ConfigError: it is not a retriever."""
        foreign = hasattr(retriever, "transform")  # PyTerrier's have a search, too, but another
        if foreign or not isinstance(retriever, Searcher):
            raise ConfigError(
                f"a {type(retriever).__name__} is not a retriever: it has no method search(queries, k)",
                hint="Make it one by porism.lab.adapters.from_pyterrier." if foreign
                else "A pipeline begins with an index, a retriever, a stage or a run.",
            )
        self.retriever = retriever
        self.name = name
        self.batch = batch

    def _search(self, queries: Sequence[Query], k: int) -> Run:
        if self.batch:
            run = self._answers(queries, k)
            return joined([run], queries, self, dict(run.provenance.seconds) if run.provenance else {})
        answers: list[Run] = []
        seconds: dict[str, float] = {}
        for query in queries:
            started = perf_counter()
            answers.append(self._answers([query], k))
            seconds[query.id] = perf_counter() - started
        return joined(answers, queries, self, seconds)

    def _answers(self, queries: Sequence[Query], k: int) -> Run:
        run = self.retriever.search(queries, k)
        query_ids = {query.id for query in queries}
        for query_id in run.query_ids:
            if query_id not in query_ids:
                raise FormatError(
                    f"there are results of the query {query_id!r}, which is not among the queries", where=self.name
                )
        return run.top(k) if (np.diff(run.offsets) > k).any() else run

    def describe(self) -> dict[str, Any]:
        return describe(self.retriever) | {"name": self.name}


class CutoffStage(PipelineStage):
    """The first ``k`` results of a stage; it returns no more."""

    def __init__(self, stage: PipelineStage, k: int) -> None:
        """:raises QueryError: ``k`` is below 1."""
        self.stage = stage
        self.k = check_count(k, "a cutoff")
        self.name = stage.name

    def _search(self, queries: Sequence[Query], k: int) -> Run:
        return _made(self.stage._search(queries, min(k, self.k)), self)

    def describe(self) -> dict[str, Any]:
        return {"kind": "cutoff", "name": self.name, "k": self.k, "of": self.stage.describe()}

    def reranker(self) -> Reranker | None:
        inner = self.stage.reranker()
        return None if inner is None else CutReranker(inner, self.k)

    def __repr__(self) -> str:
        inner = f"({self.stage!r})" if isinstance(self.stage, RerankStage) else repr(self.stage)
        return f"{inner} % {self.k}"


class RerankStage(PipelineStage):
    """A stage with its first results re-ranked; it returns at least as many as are re-ranked."""

    def __init__(
        self, stage: PipelineStage, reranker: Reranker, depth: int | None = None, *, batch: bool | None = None
    ) -> None:
        """See :meth:`PipelineStage.reranked`."""
        if not isinstance(reranker, Reranker):
            hint = "Make it one by porism.lab.adapters.from_pyterrier." if hasattr(reranker, "transform") else None
            raise ConfigError(
                f"a {type(reranker).__name__} is not a reranker: it has no method rerank(queries, run, depth)",
                hint=hint,
            )
        self.stage = stage
        self.by = reranker
        self.depth = check_count(getattr(reranker, "depth", DEPTH) if depth is None else depth, "the depth")
        self.batch = bool(getattr(reranker, "batch", False)) if batch is None else batch
        self.name = stage.name

    def _search(self, queries: Sequence[Query], k: int) -> Run:
        first = self.stage._search(queries, max(k, self.depth))
        if self.batch:
            return joined([self._reranked(queries, first)], queries, self, {}, first).top(k)
        before = first.provenance.seconds if first.provenance else {}
        answers: list[Run] = []
        seconds: dict[str, float] = {}
        for query in queries:
            results = first.only([query.id])
            started = perf_counter()
            answers.append(self._reranked([query], results))
            if query.id in before:
                seconds[query.id] = before[query.id] + perf_counter() - started
        return joined(answers, queries, self, seconds, first).top(k)

    def _reranked(self, queries: Sequence[Query], results: Run) -> Run:
        run = self.by.rerank(queries, results, self.depth)
        for query_id in run.query_ids:
            known = {doc_id for doc_id, _ in results[query_id]}
            for doc_id, _ in run[query_id]:
                if doc_id not in known:
                    raise FormatError(
                        f"the reranker gave document {doc_id!r}, which it was not given",
                        where=f"query {query_id}", hint="What finds documents of its own is a retriever.",
                    )
        return run

    def describe(self) -> dict[str, Any]:
        return {
            "kind": "rerank", "name": self.name, "depth": self.depth, "reranker": describe(self.by),
            "of": self.stage.describe(),
        }

    def __repr__(self) -> str:
        depth = "" if self.depth == getattr(self.by, "depth", DEPTH) else f" (depth {self.depth})"
        return f"{self.stage!r} >> {self.by!r}{depth}"


class FusedStage(PipelineStage):
    """The results of several stages fused into one list."""

    def __init__(
        self, stages: Sequence[PipelineStage], fusion: Fusion, depth: int = 1000, name: str | None = None
    ) -> None:
        """See :func:`~porism.lab.pipeline.fused`."""
        if not stages:
            raise ConfigError("there is nothing to fuse", hint="Give at least one stage.")
        self.stages = tuple(stages)
        self.fusion = fusion
        self.depth = check_count(depth, "the depth of a fusion")
        self.name = name or fusion.name
        self._sources = _distinct([stage.name for stage in stages])

    def _search(self, queries: Sequence[Query], k: int) -> Run:
        runs = [  # always to the same depth: with more of each source, what is first would depend on k
            stage._search(queries, self.depth).renamed(name)
            for stage, name in zip(self.stages, self._sources, strict=True)
        ]
        started = perf_counter()
        run = fuse(runs, self.fusion, depth=k, name=self.name)
        own = (perf_counter() - started) / max(1, len(queries))
        times = [source.provenance.seconds if source.provenance else {} for source in runs]
        seconds = {
            query.id: own + sum(of_source[query.id] for of_source in times)
            for query in queries if all(query.id in of_source for of_source in times)
        }
        return joined([run], queries, self, seconds)

    def describe(self) -> dict[str, Any]:
        return {
            "kind": "fusion", "name": self.name, "method": self.fusion.name,
            "parameters": self.fusion.parameters(), "depth": self.depth, "sources": list(self._sources),
            "of": [stage.describe() for stage in self.stages],
        }

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in self.fusion.parameters().items())
        return f"fused({', '.join(map(repr, self.stages))}, method={self.fusion.name!r}{settings})"


class CutReranker:
    """A reranker of which the first ``k`` results are kept: ``stage >> reranker % k`` is ``(stage >> reranker) % k``.

    ``%`` binds tighter than ``>>``, so that this is what such a line says.
    """

    def __init__(self, reranker: Reranker, k: int) -> None:
        """:raises QueryError: ``k`` is below 1."""
        self.reranker = reranker
        self.k = check_count(k, "a cutoff")
        self.depth = getattr(reranker, "depth", DEPTH)
        self.batch = bool(getattr(reranker, "batch", False))

    def rerank(self, queries: Iterable[Query], run: Run, depth: int = DEPTH) -> Run:
        return self.reranker.rerank(queries, run, depth).top(self.k)

    def describe(self) -> dict[str, Any]:
        """``kind`` cutoff, ``k`` and the reranker."""
        return {"kind": "cutoff", "k": self.k, "of": describe(self.reranker)}

    def __mod__(self, k: int) -> CutReranker:
        return CutReranker(self.reranker, min(self.k, check_count(k, "a cutoff")))

    def __repr__(self) -> str:
        return f"{self.reranker!r} % {self.k}"


def _made(run: Run, stage: PipelineStage, seconds: dict[str, float] | None = None, *sources: Run) -> Run:
    """A run that says what made it; ``seconds`` are its own where none are given."""
    of = [run.provenance, *(source.provenance for source in sources)]
    made = Provenance.merged(of, stage.describe())
    if seconds is None:
        seconds = dict(run.provenance.seconds) if run.provenance else {}
    made = Provenance(made.made_by, made.tuned_on, made.evidence, seconds)
    return run.with_provenance(made)


def joined(
    answers: Sequence[Run], queries: Sequence[Query], stage: PipelineStage, seconds: dict[str, float], *sources: Run
) -> Run:
    """The results of all queries, in their order, from runs of which each has some; made by the stage."""
    run = joined_runs([query.id for query in queries], answers, stage.name)
    return _made(run, stage, seconds, *answers, *sources)


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """The names, later ones of the same name numbered from 2."""
    distinct: list[str] = []
    for name in names:
        number, unique = 1, name
        while unique in distinct:
            number += 1
            unique = f"{name}-{number}"
        distinct.append(unique)
    return tuple(distinct)
