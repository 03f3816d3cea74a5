"""Transformers made of Porism's retrievers, rerankers and fusions. This module needs PyTerrier to be imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from porism.errors import QueryError
from porism.lab.adapters.pyterrier.frames import (
    ids,
    noted,
    queries_from_frame,
    query_columns,
    result_columns,
    run_from_frame,
)
from porism.lab.fusion import Fusion
from porism.lab.pipeline import DEPTH, PipelineStage, Reranker
from porism.lab.pipeline.protocols import check_count
from porism.runs.run import Run
from porism.types import Query

_RESULT = ("docno", "score", "rank")


def _schematic(label: str, **more: str) -> dict[str, Any]:
    """How PyTerrier draws a transformer; without an address of its documentation it would ask the network for one."""
    return {"label": label, "help_url": None, **more}


class PorismRetriever(pt.Transformer):  # type: ignore[misc, unused-ignore]
    """Answers queries (Q → R); gives results its own scores (R → R) where the stage can score any document."""

    schematic = _schematic("Porism")

    def __init__(self, stage: PipelineStage, k: int = 1000, fields: Sequence[str] = ()) -> None:
        """``k`` results are searched for; ``fields`` of the query are in columns ``query_<field>``, and in ``query`` if
        none are named."""
        self.stage = stage
        self.k = check_count(k, "k")
        self.fields = tuple(fields)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The columns given, but for ``docno``, ``score`` and ``rank``, which are those of the results; for results
        given, all their columns."""
        by = self.stage.reranker()
        with pt.validate.any(inp, context=self) as valid:
            valid.query_frame(query_columns(self.fields), mode="search")
            if by is not None:
                valid.result_frame(query_columns(self.fields), mode="score")
        if "docno" in inp.columns and by is not None:
            return _reranked(inp, by, None, self.fields)
        queries = queries_from_frame(inp, self.fields)
        return _results(inp, queries, self.stage.search(queries, self.k))

    def fuse_rank_cutoff(self, k: int) -> PorismRetriever:
        """This with the first ``k`` results: PyTerrier asks for it where a cutoff (``%``) follows."""
        return PorismRetriever(self.stage % k, self.k, self.fields)

    def subtransformers(self) -> dict[str, pt.Transformer]:
        """None; PyTerrier would take an empty tuple among the parameters for some."""
        return {}

    def __repr__(self) -> str:
        return f"porism({self.stage!r})" if self.k == 1000 else f"porism({self.stage!r}, k={self.k})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PorismRetriever)
            and (self.stage, self.k, self.fields) == (other.stage, other.k, other.fields)
        )

    def __hash__(self) -> int:
        return hash((PorismRetriever, self.stage, self.k, self.fields))


class PorismReranker(pt.Transformer):  # type: ignore[misc, unused-ignore]
    """Orders results anew (R → R); every column stays, but for ``score`` and ``rank``."""

    schematic = _schematic("Porism rerank")

    def __init__(self, reranker: Reranker, depth: int | None = None, fields: Sequence[str] = ()) -> None:
        """``depth``: of so many results of a query, the reranker's own by default; ``fields`` as of a retriever."""
        self.reranker = reranker
        self.depth = check_count(getattr(reranker, "depth", DEPTH) if depth is None else depth, "the depth")
        self.fields = tuple(fields)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The rows given, best first, with new scores and ranks; without ``score`` all of them are re-ranked."""
        pt.validate.result_frame(inp, extra_columns=query_columns(self.fields), context=self)
        return _reranked(inp, self.reranker, self.depth if "score" in inp.columns else None, self.fields)

    def subtransformers(self) -> dict[str, pt.Transformer]:
        """None; PyTerrier would take an empty tuple among the parameters for some."""
        return {}

    def __repr__(self) -> str:
        return f"porism({self.reranker!r})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PorismReranker) and self.reranker is other.reranker
            and (self.depth, self.fields) == (other.depth, other.fields)
        )

    def __hash__(self) -> int:
        return hash((PorismReranker, id(self.reranker), self.depth, self.fields))


class PorismFusion(pt.Transformer):  # type: ignore[misc, unused-ignore]
    """Fuses the results of transformers into one list; it takes what they take."""

    schematic = _schematic("Porism fusion", inner_pipelines_mode="linked")

    def __init__(self, fusion: Fusion, transformers: Sequence[pt.Transformer], k: int = 1000) -> None:
        """``k`` results a query."""
        self.fusion = fusion
        self.transformers = list(transformers)
        self.k = check_count(k, "k")

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The columns of the queries, those that all results share, ``docno``, ``score`` and ``rank``."""
        pt.validate.columns(inp, includes=["qid"], context=self)
        frames = [transformer.transform(inp.copy()) for transformer in self.transformers]
        for frame, transformer in zip(frames, self.transformers, strict=True):
            pt.validate.result_frame(frame, extra_columns=["score"], context=transformer)
        query_ids = list(dict.fromkeys(ids(inp, "qid")))
        runs = [run_from_frame(frame, repr(of), query_ids) for frame, of in zip(frames, self.transformers, strict=True)]
        fused = self.fusion.fuse(runs, depth=self.k)
        shared = [name for name in frames[0].columns if all(name in frame.columns for frame in frames)]
        shared = [name for name in shared if name not in ("score", "rank")]
        rows = pd.concat([frame[shared] for frame in frames], ignore_index=True)
        return _placed(rows, fused, query_ids)

    def transform_inputs(self) -> list[list[str]]:
        """The columns that all of its transformers take, for PyTerrier's inspection."""
        taken = [pt.inspect.transformer_inputs(transformer) or [[]] for transformer in self.transformers]
        together = list(dict.fromkeys(column for configurations in taken for column in configurations[0]))
        candidates = [*(columns for configurations in taken for columns in configurations), together]
        inputs: list[list[str]] = []
        for columns in candidates:
            fit = (pt.inspect.transformer_outputs(of, columns, strict=False) is not None for of in self.transformers)
            if columns not in inputs and all(fit):
                inputs.append(columns)
        return inputs

    def fuse_rank_cutoff(self, k: int) -> PorismFusion:
        """This with the first ``k`` results."""
        return self if k >= self.k else PorismFusion(self.fusion, self.transformers, k)

    def __repr__(self) -> str:
        return f"porism({self.fusion!r}, {', '.join(map(repr, self.transformers))})"


def _results(frame: pd.DataFrame, queries: Sequence[Query], run: Run) -> pd.DataFrame:
    """The results of a run, each with the row of its query; the run has the queries in the order of the rows."""
    given = frame.drop(columns=[name for name in _RESULT if name in frame.columns])
    results = given.iloc[np.repeat(np.arange(len(queries)), np.diff(run.offsets))].reset_index(drop=True)
    return noted(results.assign(**result_columns(run)), run)


def _reranked(frame: pd.DataFrame, by: Reranker, depth: int | None, fields: Sequence[str]) -> pd.DataFrame:
    """The rows of results, best first by a reranker; all of them are re-ranked where no ``depth`` is given."""
    columns = query_columns(fields)
    distinct = frame[["qid", *columns]].drop_duplicates()
    if (twice := distinct["qid"].duplicated()).any():
        raise QueryError(f"the results of query {distinct['qid'][twice].iloc[0]!r} have more than one query text")
    queries = queries_from_frame(distinct, fields)
    given = frame.assign(score=0.0) if "score" not in frame.columns or depth is None else frame
    run = run_from_frame(given, "results")
    deepest = int(np.diff(run.offsets).max(initial=0))
    reranked = by.rerank(queries, run, max(1, deepest if depth is None else depth))
    return _placed(frame, reranked, [query.id for query in queries])


def _placed(rows: pd.DataFrame, run: Run, query_ids: Sequence[str]) -> pd.DataFrame:
    """For each result of a run, by query, the first of the rows that is of its query and document, newly scored."""
    at: dict[tuple[str, str], int] = {}
    for number, key in enumerate(zip(ids(rows, "qid"), ids(rows, "docno"), strict=True)):
        at.setdefault(key, number)
    placed = [
        (at[query_id, doc_id], score, position)
        for query_id in query_ids for position, (doc_id, score) in enumerate(run[query_id])
    ]
    results = rows.iloc[[place for place, _, _ in placed]].reset_index(drop=True)
    for name in ("qid", "docno"):
        results[name] = pd.Series(ids(results, name), dtype=str)
    results["score"] = np.array([score for _, score, _ in placed], np.float64)
    results["rank"] = np.array([position for _, _, position in placed], np.int64)
    return noted(results, run)
