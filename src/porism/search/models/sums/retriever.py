"""Search by a weighted sum of the scores that several retrievers give to the candidates of all."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.explanation import Explanation
from porism.index import Masks, Snapshot
from porism.retrieve.base import HasQueryWarnings, Retriever
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.search.models.sums.model import Normalisation, SumModel
from porism.types import Query

KIND = "sum"


class Scale(NamedTuple):
    """How the scores of a part become comparable: ``(score - low) / spread``."""

    low: float
    spread: float

    def apply(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores normalised."""
        return (scores - self.low) / self.spread


def scale_of(scores: NDArray[np.float64], how: Normalisation) -> Scale:
    """The scale of a part whose candidates have these scores (float64); one that they do not differ on changes nothing
    but, with ``min-max`` and ``z-score``, their common value to 0."""
    if not len(scores) or how == "none":
        return Scale(0.0, 1.0)
    if how == "max":
        highest = float(scores.max())
        return Scale(0.0, highest if highest > 0 else 1.0)
    low, spread = (
        (float(scores.min()), float(scores.max() - scores.min())) if how == "min-max"
        else (float(scores.mean()), float(scores.std()))
    )
    return Scale(low, spread if spread > 0 else 1.0)


def explain_part(model: SumModel, name: str, told: Explanation, score: float, scale: Scale) -> Explanation:
    """What a part adds to a sum: why it gives a score by itself (``told``), its ``score`` as one of the candidates, and
    how that is normalised and weighted."""
    weight = model.parts[name].weight
    factor = weight / scale.spread
    inner = [told.scaled(factor)]
    if score != told.value:
        inner.append(Explanation(factor * (score - told.value), "as one of the candidates"))
    if scale.low:
        inner.append(Explanation(-factor * scale.low, f"{model.normalisation}: less {scale.low:.4f}"))
    label = f"{name}: {weight:g} · ({score:.4f} - {scale.low:.4f}) / {scale.spread:.4f}"
    return Explanation(sum(one.value for one in inner), label, inner)


class _Pool(NamedTuple):
    """The candidates of a query, the score of each by each part (float64), and the scales of the parts."""

    ids: list[str]
    scores: dict[str, NDArray[np.float64]]
    scales: dict[str, Scale]


class SumRetriever:
    """Ranks documents by a weighted sum of models. Immutable, and safe to share between threads."""

    def __init__(self, snapshot: Snapshot, model: SumModel, parts: Mapping[str, Retriever]) -> None:
        """``parts`` open the models of the same names; those of weight 0 need not be there."""
        self.snapshot = snapshot
        self._model = model
        self.parts = {name: parts[name] for name, part in model.parts.items() if part.weight > 0}
        self._tuned_on = tuple(dict.fromkeys((
            *model.tuned_on, *(topic for part in self.parts.values() for topic in part.model.tuned_on),
        )))

    @property
    def model(self) -> SumModel:
        """Its settings."""
        return self._model

    def describe(self) -> dict[str, Any]:
        """``kind`` search and the ``model``, with what describes its parts."""
        described = {name: part.describe() for name, part in self.parts.items()}
        return {"kind": "search", "model": {"kind": KIND, **self.model.to_dict(), "opened": described}}

    def search(
        self, queries: Iterable[Query], k: int = 1000, *, allowed: Masks | None = None, name: str = "porism"
    ) -> Run:
        """The best ``k`` documents of each query, of the candidates; ties by descending id.

        Where ``k`` is above the model's depth, so many documents of each part are candidates; scales are always those
        of the first ``depth``.

        :raises QueryError: ``k`` is below 1, or two queries have one id.
        """
        wanted = list(queries)
        if k < 1:
            raise QueryError(f"{k} results cannot be found", hint="Ask for at least 1.")
        started = time.perf_counter()
        runs = self._runs(wanted, k, allowed)
        share = (time.perf_counter() - started) / max(1, len(wanted))
        results: dict[str, Iterable[tuple[str, float]]] = {}
        seconds: dict[str, float] = {}
        for query in wanted:
            started = time.perf_counter()
            pool = self._pool(query, runs)
            totals = self._totals(pool.scores, pool.scales)
            ranked = sorted(zip(pool.ids, totals.tolist(), strict=True), key=lambda one: one[0], reverse=True)
            results[query.id] = sorted(ranked, key=lambda one: -one[1])[:k]
            seconds[query.id] = share + time.perf_counter() - started
        return Run(results, name, provenance=Provenance(self.describe(), self._tuned_on, seconds=seconds))

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given) in a search of the whole index, NaN for an id that
        the index does not have."""
        pool = self._pool(query, self._runs([query], 1, None))
        scores = {name: part.score_documents(query, doc_ids) for name, part in self.parts.items()}
        return self._totals(scores, pool.scales)

    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Why a document has its score: what each part adds, and why the part gives its own score.

        :raises QueryError: the index has no such document.
        """
        pool = self._pool(query, self._runs([query], k, allowed))
        parts = []
        for name, part in self.parts.items():
            told = part.explain(query, doc_id, k=k, allowed=allowed)
            score = float(part.score_documents(query, [doc_id])[0])
            if doc_id in pool.ids:
                score = float(pool.scores[name][pool.ids.index(doc_id)])
            parts.append(explain_part(self.model, name, told, score, pool.scales[name]))
        return Explanation(sum(one.value for one in parts), f"document {doc_id}: a sum of models", parts)

    def notes(self, query: Query) -> list[str]:
        """What parts have to say to whoever asked."""
        warning = [part for part in self.parts.values() if isinstance(part, HasQueryWarnings)]
        return [note for part in warning for note in part.notes(query)]

    def _runs(self, queries: Sequence[Query], k: int, allowed: Masks | None) -> dict[str, Run]:
        depth = max(k, self.model.depth)
        return {name: part.search(queries, depth, allowed=allowed) for name, part in self.parts.items()}

    def _pool(self, query: Query, runs: Mapping[str, Run]) -> _Pool:
        found = [[doc_id for doc_id, _ in run[query.id]] for run in runs.values()]
        first = dict.fromkeys(doc_id for ids in found for doc_id in ids[: self.model.depth])
        ids = list(dict.fromkeys([*first, *(doc_id for of_part in found for doc_id in of_part)]))
        scores = {name: part.score_documents(query, ids) for name, part in self.parts.items()}
        scales = {
            name: scale_of(of_part[: len(first)], self.model.normalisation) for name, of_part in scores.items()
        }
        return _Pool(ids, scores, scales)

    def _totals(
        self, scores: Mapping[str, NDArray[np.float64]], scales: Mapping[str, Scale]
    ) -> NDArray[np.float64]:
        weighted = [self.model.parts[name].weight * scales[name].apply(scores[name]) for name in self.parts]
        total: NDArray[np.float64] = np.sum(weighted, axis=0)
        return total
