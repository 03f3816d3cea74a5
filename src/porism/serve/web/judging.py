"""Judging and comparing models: documents pooled from several of them, and what each has of what was judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from porism.lab.evaluate import evaluate_run
from porism.runs.run import Run
from porism.search.questions import Question
from porism.serve.web import answering, schema
from porism.serve.web.deadlines import Deadline
from porism.serve.web.judgments import Judgments, Topic
from porism.serve.web.parts import parts_of
from porism.serve.web.pieces import PieceMaker
from porism.serve.web.served import View
from porism.serve.web.settings import Limits

MEASURES = ("nDCG'@10", "P'@10")


@dataclass(frozen=True, slots=True)
class Pool:
    """The documents to be judged for a question: of each model the first, in turns, so that none is favoured."""

    topic: Topic
    parts: tuple[schema.QueryPart, ...]
    hits: tuple[schema.Hit, ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """The first results of one model: hits, with the rank that the other model has for each (0 for none)."""

    model: str
    hits: tuple[schema.Hit, ...]
    elsewhere: tuple[int, ...]


def pool(view: View, topic: Topic, models: Sequence[str], depth: int, limits: Limits) -> Pool:
    """What is to be judged: the first ``depth`` documents of each model, and what was judged already.

    :raises QueryError: the question cannot be asked.
    :raises ConfigError: the index lacks what a model needs.
    """
    question = answering.read(view, topic.question, limits)
    rankings = [ranking(view, question, model, depth) for model in models]
    turns = (doc_id for turn in zip_longest(*rankings) for doc_id in turn if doc_id is not None)
    ids = list(dict.fromkeys((*turns, *(one for one in topic.grades if one in view.index))))
    return Pool(topic, tuple(parts_of(view.index, question).parts), _hits(view, question, ids, limits))


def ranking(view: View, question: Question, model: str, depth: int) -> list[str]:
    """The ids of the first documents of a model."""
    key = ("laboratory", model, question.text, depth)
    found: list[str] = view.rankings.get(
        key, lambda: [one for one, _ in view.index.with_models(model).ranked(question, depth)[question.query.id]]
    )
    return found


def side_by_side(view: View, text: str, models: tuple[str, str], depth: int, limits: Limits) -> tuple[Ranked, Ranked]:
    """The first results of two models for a question.

    :raises QueryError: the question cannot be asked.
    :raises ConfigError: there is no such model, or the index lacks what it needs.
    """
    question = answering.read(view, text, limits)
    left, right = (ranking(view, question, model, depth) for model in models)
    return _beside(view, question, models[0], left, right, limits), _beside(
        view, question, models[1], right, left, limits
    )


def scores(
    view: View, judgments: Judgments, models: Sequence[str], limits: Limits
) -> Mapping[str, Mapping[str, list[float]]]:
    """Model → topic → the measures of :data:`MEASURES` for what was judged; topics with a relevant document only."""
    judged = {topic.id: topic for topic in judgments.topics if any(topic.grades.values())}
    qrels = {topic_id: dict(topic.grades) for topic_id, topic in judged.items()}
    found: dict[str, dict[str, list[float]]] = {}
    for model in models:
        run = Run({
            topic_id: [
                (doc_id, 1 / rank) for rank, doc_id in enumerate(
                    ranking(view, answering.read(view, topic.question, limits), model, limits.depth), 1
                )
            ] for topic_id, topic in judged.items()
        }, model)
        own: dict[str, list[float]] = {topic_id: [] for topic_id in judged}
        if qrels:
            for values in evaluate_run(run, qrels, MEASURES).per_topic.values():
                for topic_id in judged:
                    own[topic_id].append(values.get(topic_id, 0.0))
        found[model] = own
    return found


def _beside(
    view: View, question: Question, model: str, own: Sequence[str], other: Sequence[str], limits: Limits
) -> Ranked:
    ranks = {doc_id: rank for rank, doc_id in enumerate(other, 1)}
    return Ranked(model, _hits(view, question, own, limits), tuple(ranks.get(doc_id, 0) for doc_id in own))


def _hits(view: View, question: Question, ids: Sequence[str], limits: Limits) -> tuple[schema.Hit, ...]:
    parts = parts_of(view.index, question)
    pieces = PieceMaker(view, parts, Deadline(limits.alignment_seconds))
    return tuple(
        answering.shown_hit(view, hit, pieces, parts) for hit in view.index.hits([(one, 0.0) for one in ids], question)
    )
