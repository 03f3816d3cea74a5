"""Retrievers and rerankers made of PyTerrier's transformers. This module needs PyTerrier to be imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from porism.errors import FormatError, QueryError
from porism.lab.adapters.pyterrier.frames import listening, queries_to_frame, query_text, result_columns, run_from_frame
from porism.lab.pipeline import DEPTH, CutReranker, rescored
from porism.lab.pipeline.protocols import check_count, check_queries
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.search.searcher import IndexSearcher
from porism.types import Query


class _OfTransformer:
    """What is made of a transformer, and describes itself by it."""

    def __init__(self, transformer: pt.Transformer, name: str, text: Callable[[Query], str] | None = None) -> None:
        """See :func:`porism.lab.adapters.from_pyterrier`."""
        self.transformer, self.name, self.text = transformer, name, text

    def describe(self) -> dict[str, Any]:
        """``kind`` pyterrier, and how the ``transformer`` writes itself."""
        return {"kind": "pyterrier", "transformer": repr(self.transformer)}

    def __repr__(self) -> str:
        return self.name


class TransformerRetriever(_OfTransformer):
    """A transformer of queries to results (Q → R) as a retriever; a cutoff goes into it where it takes one."""

    def __init__(self, transformer: pt.Transformer, name: str, text: Callable[[Query], str] | None = None) -> None:
        super().__init__(transformer, name, text)
        self._cut: dict[int, pt.Transformer] = {}

    def search(self, queries: Iterable[Query], k: int = 1000) -> Run:
        """The best ``k`` documents of each query, by score and tie rule.

        :raises FormatError: what the transformer gives lacks a column, has a score that is not a finite number or a
            document twice; or there are results of a query that is not among the queries.
        """
        checked = check_queries(queries)
        check_count(k, "k")
        run = _answers(self._cut_to(k), _frame(checked, self.text), {query.id for query in checked}, self.name)
        return Run({query.id: run[query.id] for query in checked}, self.name, provenance=run.provenance).top(k)

    def _cut_to(self, k: int) -> pt.Transformer:
        """The transformer with a cutoff at ``k`` put into it, if PyTerrier's compilation can do that."""
        if k not in self._cut:
            cut = (self.transformer % k).compile()
            last = cut[-1] if isinstance(cut, pt.Compose) else cut
            self._cut[k] = self.transformer if isinstance(last, pt.RankCutoff) else cut
        return self._cut[k]


class TransformerReranker(_OfTransformer):
    """A transformer of results (R → R) as a reranker.

    It is given the first results with ``qid``, ``query``, ``docno``, ``score``, ``rank`` (from 0), and ``text`` where
    documents are. Those that it leaves out come beneath those that it gives.
    """

    def __init__(
        self, transformer: pt.Transformer, name: str, text: Callable[[Query], str] | None = None,
        documents: IndexSearcher | Callable[[str], str] | None = None, depth: int = DEPTH,
    ) -> None:
        super().__init__(transformer, name, text)
        self.documents = documents
        self.depth = check_count(depth, "the depth")

    def rerank(self, queries: Iterable[Query], run: Run, depth: int | None = None) -> Run:
        """The run with the first ``depth`` results of each query by their new scores.

        :raises QueryError: the run has a query that is not among ``queries``.
        :raises FormatError: as :meth:`TransformerRetriever.search`, or there is a document that was not given.
        """
        depth = check_count(self.depth if depth is None else depth, "the depth")
        by_id = {query.id: query for query in check_queries(queries)}
        if missing := [query_id for query_id in run.query_ids if query_id not in by_id]:
            raise QueryError(
                f"the run has results of the query {missing[0]!r}, which is not among those given", where=run.name
            )
        first = run.top(depth)
        rows = np.repeat(np.arange(len(first)), np.diff(first.offsets))
        frame = _frame([by_id[query_id] for query_id in first.query_ids], self.text).iloc[rows].reset_index(drop=True)
        frame = frame.assign(**result_columns(first))
        if self.documents is not None:
            texts = {doc_id: self._text_of(doc_id) for doc_id in dict.fromkeys(first.doc_ids)}
            frame["text"] = pd.Series([texts[doc_id] for doc_id in first.doc_ids], dtype=str)
        answers = _answers(self.transformer, frame, set(first.query_ids), self.name)
        scores: dict[str, list[float]] = {}
        for query_id in first.query_ids:
            new = dict(answers[query_id])
            scores[query_id] = [new.pop(doc_id, np.nan) for doc_id, _ in first[query_id]]
            if new:
                raise FormatError(
                    f"document {next(iter(new))!r} was not given to the transformer",
                    where=f"{self.name}, query {query_id}", hint="What finds documents of its own is a retriever.",
                )
        made_by = {"kind": "rerank", "depth": depth, "reranker": self.describe(), "of": run.name}
        return rescored(run, scores).with_provenance(Provenance.merged([run.provenance, answers.provenance], made_by))

    def _text_of(self, doc_id: str) -> str:
        if not isinstance(self.documents, IndexSearcher):
            assert self.documents is not None
            return self.documents(doc_id)
        document = self.documents.document(doc_id)
        return "\n\n".join(query_text(content) for content in document.fields.values() if content)

    def __mod__(self, k: int) -> CutReranker:
        return CutReranker(self, k)


def _frame(queries: list[Query], text: Callable[[Query], str] | None) -> pd.DataFrame:
    frame = queries_to_frame(queries)
    if text is not None:
        frame["query"] = pd.Series([text(query) for query in queries], dtype=str)
    return frame


def _answers(transformer: pt.Transformer, frame: pd.DataFrame, query_ids: set[str], name: str) -> Run:
    """The results that a transformer gives for a table, checked; they come from all that Porism adds within it."""
    if not len(frame):
        return Run({}, name)
    with listening() as heard:
        run = run_from_frame(transformer.transform(frame), name)
    if heard:
        run = run.with_provenance(Provenance.merged([run.provenance, *heard], {"kind": "pyterrier", "name": name}))
    for query_id in run.query_ids:
        if query_id not in query_ids:
            raise FormatError(
                f"there are results of the query {query_id!r}, which is not among the queries", where=name
            )
    return run
