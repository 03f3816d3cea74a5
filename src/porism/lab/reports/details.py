"""The parts of a report beyond its tables: groups of topics, curves, diversity, times, fused ranks, tuning."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from porism.errors import ConfigError
from porism.lab.evaluate import Breakdown, Qrels, QueryFeatures, RunComparison, breakdown, groups_by, query_features
from porism.lab.evaluate.breakdown import Groups, value_groups
from porism.lab.evaluate.depths import judged_per_mille, precision_recall, rank_positions
from porism.lab.evaluate.diversity import Documents, cluster_runs, rank_biased_overlap, spearman
from porism.lab.evaluate.evaluation import aggregate, ranked_documents, shared_topics
from porism.lab.evaluate.judgments import whole_gains
from porism.lab.evaluate.measures import Measure
from porism.lab.evaluate.scoring import Rankings
from porism.lab.evaluate.tables import some
from porism.lab.evaluate.times import time_statistics
from porism.lab.reports.report import COLUMNS, DEPTHS, Diversity, RankPositions, TuningCurve
from porism.lab.reports.words import signed
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.types import Query

PERSISTENCE = 0.9
"""*p* of rank-biased overlap: the first ten ranks have most of the weight."""

SHOWN_RANKS = 10
"""How many documents of a fused run are looked up in its sources."""


def told_details(
    runs: Sequence[Run], qrels: Qrels, comparison: RunComparison, *, depth: int | None, queries: Iterable[Query],
    information: Mapping[str, Mapping[str, str]] | None, columns: Sequence[str] | None, seed: int = 0,
) -> dict[str, Any]:
    """Those fields of a :class:`~porism.lab.reports.report.Report` that tables show too; see ``make_report``.

    :raises ConfigError: there is no such column, or nothing is known of the topics scored.
    """
    scored = set(comparison.topics)
    judged = {topic: gains for topic, gains in qrels.items() if topic in scored}
    asked = {query.id: query for query in queries if query.id in scored}
    features = {topic: query_features(query) for topic, query in asked.items()}
    notes: list[str] = []
    unknown = len(comparison.topics) - len(features)
    if features and unknown:
        notes.append(f"{unknown} of the topics have no query here: they are in no group by query")
    timed = [run for run in runs if run.provenance and scored & set(run.provenance.seconds)]
    seconds = {
        run.name: {topic: time for topic, time in run.provenance.seconds.items() if topic in scored}
        for run in timed if run.provenance
    }
    return {
        "features": features,
        "queries": asked,
        "breakdowns": _breakdowns(comparison, features, information, columns, seed),
        "judged": {run.name: judged_per_mille(run, judged, depth) for run in runs},
        "seconds": seconds,
        "times": {
            name: time_statistics(Run({}, name, provenance=Provenance(seconds=times)))
            for name, times in seconds.items()
        },
        "notes": tuple(notes),
    }


def drawn_details(
    runs: Sequence[Run], qrels: Qrels, comparison: RunComparison, *, depth: int | None, fused: str | None,
    topic: str | None, called: Mapping[str, str], documents: Documents = "pool",
) -> dict[str, Any]:
    """Those fields of a report that only plots show.

    :param called: the name of a run before the comparison → its name there.
    :raises ConfigError: there is no run beside the one that is said to be fused.
    """
    scored = set(comparison.topics)
    judged = {topic: gains for topic, gains in qrels.items() if topic in scored}
    measure = comparison.evaluations[0].measures[0]
    depths: tuple[int, ...] = ()
    at_depths: dict[str, tuple[float, ...]] = {}
    if measure.at is None:  # a measure with a cutoff of its own says the same at every depth beyond it
        depths = tuple(at for at in DEPTHS if depth is None or at <= depth)
        if depth is not None and depth not in depths:
            depths = (*depths, depth)
        gains = {topic: whole_gains(topic, by_document) for topic, by_document in judged.items()}
        at_depths = {run.name: _at_depths(run, gains, measure, depths) for run in runs}
    return {
        "depths": depths,
        "at_depths": at_depths,
        "precision_recall": {run.name: precision_recall(run, judged, judged_only=True, depth=depth) for run in runs},
        "diversity": _diversity(runs, comparison.topics, depth, documents),
        "rank_positions": _rank_positions(runs, comparison, fused, topic, called),
    }


def _at_depths(
    run: Run, gains: Mapping[str, dict[str, int]], measure: Measure, depths: Sequence[int]
) -> tuple[float, ...]:
    """What :func:`porism.lab.evaluate.evaluate_run` gives at each depth, reading the rankings once.

    Depths between which nothing that the measure sees is cut off have one value.
    """
    rankings = ranked_documents(run, shared_topics(run, gains), max(depths))
    ranks = {
        topic: [
            rank for rank, document in enumerate(ranking) if not measure.judged_only or document in gains[topic]
        ]
        for topic, ranking in rankings.items()
    }
    values: list[float] = []
    before: dict[str, int] = {}
    for depth in depths:
        seen = {topic: bisect_left(places, depth) for topic, places in ranks.items()}
        if seen != before:
            cut = {topic: [rankings[topic][rank] for rank in ranks[topic][:count]] for topic, count in seen.items()}
            by_topic = Rankings(cut, gains).values((measure,), tuple(gains))[measure]
            values.append(float(aggregate(measure, by_topic)))
            before = seen
        else:
            values.append(values[-1])
    return tuple(values)


def _breakdowns(
    comparison: RunComparison, features: Mapping[str, QueryFeatures],
    information: Mapping[str, Mapping[str, str]] | None, columns: Sequence[str] | None, seed: int,
) -> tuple[Breakdown, ...]:
    """By each column of the topic information that there is, then by length and share of mathematics."""
    groups: list[tuple[str, Groups]] = []
    information = information or {}
    known = {name for row in information.values() for name in row}
    if information and not set(information) & set(comparison.topics):
        raise ConfigError(
            "the topic information has none of the topics scored",
            hint=f"It has {some(list(information))}; scored were {some(comparison.topics)}.",
        )
    chosen = columns if columns is not None else [column for column in COLUMNS if column in known]
    groups += [(column, groups_by(information, column)) for column in chosen]
    if features:
        lengths = {topic: feature.length for topic, feature in features.items()}
        shares = {topic: 100 * feature.math_share for topic, feature in features.items()}
        groups += [
            ("length", value_groups(lengths, 4, "tokens")), ("share of mathematics", value_groups(shares, 4, "%")),
        ]
    return tuple(
        breakdown(
            comparison.evaluations, members, by=by, baseline=comparison.baseline, level=comparison.level, seed=seed
        )
        for by, members in groups
    )


def _diversity(runs: Sequence[Run], topics: Sequence[str], depth: int | None, documents: Documents) -> Diversity | None:
    if len(runs) < 2:
        return None
    rho = spearman(runs, topics, documents=documents, depth=depth)
    overlap = rank_biased_overlap(runs, PERSISTENCE, topics, depth=depth)
    return Diversity(rho, overlap, PERSISTENCE, cluster_runs(rho) if len(runs) > 2 else None)


def _rank_positions(
    runs: Sequence[Run], comparison: RunComparison, fused: str | None, topic: str | None, called: Mapping[str, str]
) -> tuple[RankPositions, ...]:
    by_name = {run.name: run for run in runs}
    chosen = [fused] if fused is not None else [
        run.name for run in runs if _is_fusion(run) and len(_sources(run, by_name, called)) > 1
    ]
    by_fusion: list[RankPositions] = []
    for name in chosen:
        sources = _sources(by_name[name], by_name, called) or [other for other in by_name if other != name]
        if not sources:
            raise ConfigError(f"there is no run beside {name} that it could be a fusion of")
        shown, why = (topic, "") if topic is not None else _telling_topic(by_name[name], sources, comparison)
        if shown is None or shown not in by_name[name]:
            continue
        positions = rank_positions(by_name[name], [by_name[source] for source in sources], shown, SHOWN_RANKS)
        if len(positions):
            by_fusion.append(RankPositions(name, tuple(sources), shown, positions, why))
    return tuple(by_fusion)


def _is_fusion(run: Run) -> bool:
    return run.provenance is not None and run.provenance.made_by.get("kind") == "fusion"


def _sources(run: Run, by_name: Mapping[str, Run], called: Mapping[str, str]) -> list[str]:
    """Those of the compared runs that the run says it was fused of."""
    named = run.provenance.made_by.get("sources", ()) if run.provenance else ()
    if not isinstance(named, (list, tuple)):
        return []
    known = [called.get(source, source) for source in named if isinstance(source, str)]
    return [source for source in known if source in by_name and source != run.name]


def _telling_topic(run: Run, sources: Sequence[str], comparison: RunComparison) -> tuple[str | None, str]:
    """The topic on which a fusion gains most on the best of its sources, by the first measure, and how it was found."""
    measure = comparison.measures[0]
    mine = comparison[run.name].per_topic[measure]
    gains: dict[str, float] = {}
    for topic, value in mine.items():
        others = [comparison[source].per_topic[measure].get(topic) for source in sources]
        known = [other for other in others if other is not None]
        if known and topic in run:
            gains[topic] = value - max(known)
    if not gains:
        return None, ""
    best = max(gains, key=gains.__getitem__)
    return best, (
        f"Of all topics it is the one on which {run.name} gains most {measure} on the best of these sources "
        f"({signed(gains[best])}), so it is not a typical one."
    )


def tuning_curves(records: Iterable[Mapping[str, Any]], run_name: str = "") -> list[TuningCurve]:
    """The trials in records of tuning, as provenance has them (:meth:`porism.lab.tuning.Tuned.evidence`).

    The value of a cross-validation's trial is the mean of its training scores. Trials that failed, and records of
    another kind, are left out.
    """
    curves: list[TuningCurve] = []
    for record in records:
        objective = record.get("objective")
        measure = str(objective.get("measure", "score")) if isinstance(objective, Mapping) else "score"
        trials: list[tuple[Mapping[str, Any], float]] = []
        for trial in record.get("trials") or ():
            if not isinstance(trial, Mapping) or not isinstance(trial.get("parameters"), Mapping):
                continue
            given = trial.get("scores", [trial.get("score")])
            scores = [score for score in given if isinstance(score, (int, float))]
            if scores:
                trials.append((trial["parameters"], sum(scores) / len(scores)))
        chosen = record.get("parameters")
        if trials:
            curves.append(TuningCurve(run_name, measure, tuple(trials), chosen if isinstance(chosen, Mapping) else {}))
    return curves
