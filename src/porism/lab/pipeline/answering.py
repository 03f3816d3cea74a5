"""Answers whose first results were re-ranked, with what each stage gave them and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from porism.explanation import Explanation
from porism.index import Filters
from porism.lab.pipeline.protocols import Reranker, check_count
from porism.lab.pipeline.rerankers.explaining import Reranked, depth_of, rerank_explained
from porism.search.answering import Answer
from porism.search.answers import Hit, StageScore
from porism.search.index import Index
from porism.search.snippets import FormulaStyle

SEARCH = "search"
"""What the first stage is called."""


def answer_reranked(
    index: Index, question: str, rerankers: Sequence[Reranker], k: int = 10, *, filters: Filters | None = None,
    formulas: FormulaStyle = "unicode", relevant: Iterable[str] = (), not_relevant: Iterable[str] = (),
    explain: bool = False,
) -> Answer[Hit]:
    """The answer to a question as :func:`porism.search.answering.answer` gives it, with its first results re-ranked by
    one reranker after another, each to its own ``depth``.

    Each hit has its rank and score in every stage. With ``explain`` it also has why: ``explanation`` is that of the
    last stage, and ``stages`` have those of all.

    :raises QueryError: as :meth:`porism.Index.search`.
    :raises ConfigError: as :meth:`porism.Index.search`, or a model cannot score.
    """
    read = index.question(question, guess_formulas=True)
    judged = {"relevant": tuple(relevant), "not_relevant": tuple(not_relevant)}
    fetched = max(check_count(k, "k"), *map(depth_of, rerankers), 1)
    run = index.ranked(read, fetched, filters=filters, **judged)

    def explained_search(doc_id: str) -> Explanation:
        return index.explain(read, doc_id, k=fetched, filters=filters, **judged)

    done: list[Reranked] = []
    for reranker in rerankers:
        done.append(rerank_explained(reranker, read.query, done[-1].run if done else run))
    runs = [run, *(stage.run for stage in done)]
    found = runs[-1].top(k)[read.query.id]
    names = [SEARCH, *(stage.name for stage in done)]
    reasons: list[Callable[[str], Explanation]] = [explained_search, *(stage.explain for stage in done)]
    places = [{doc_id: at for at, doc_id in enumerate(one.doc_ids)} for one in runs]
    hits: list[Hit] = []
    for hit in index.hits(found, read, formulas):
        stages = tuple(
            StageScore(name, at[hit.id] + 1, float(one.scores[at[hit.id]]), reason(hit.id) if explain else None)
            for name, one, at, reason in zip(names, runs, places, reasons, strict=True)
        )
        hits.append(replace(
            hit, stages=stages, explanation=stages[-1].explanation,
            matches=tuple(index.matches(read, hit.id)) if explain else None,
        ))
    restricted = bool(read.conditions or read.filters)
    return Answer(tuple(hits), tuple(index.hints(read, filters)), restricted)
