"""RBC: documents by the gain that a regression predicts from their ranks; its coefficients are WIBC's weights."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
import orjson
import xxhash

from porism.errors import ConfigError, QueryError
from porism.lab.fusion.base import FittedFusion, LearnedFusion, Qrels, check_deepest
from porism.lab.fusion.estimators import LINEAR, MODELS, Numbers, fit_estimator, linear_part, predict
from porism.lab.fusion.table import Floats, FusionTable
from porism.runs.run import Run
from porism.settings import read_settings, write_settings

Features = Literal["rating", "rank", "reciprocal"]
"""What a run's rank is as a feature: (deepest - rank) / deepest and 0 where the document is missing; the rank itself
and ``deepest`` where missing; 60 / (60 + rank) and 0 where missing. Ranks beyond ``deepest`` count as missing."""


@dataclass(frozen=True, slots=True)
class RBC(LearnedFusion):
    """Regression-based: the score is the gain that a regression predicts from the document's ranks in the runs.

    MIRMU at ARQMath 2021, section 4.4. It is fitted by judgments (:meth:`fit`), or has ``coefficients`` from before.

    :param model: one of :data:`porism.lab.fusion.MODELS`; ``auto`` fits all and keeps the one with the best nDCG' on
        validation topics.
    :param features: see :data:`Features`.
    :param deepest: the rank from which on a document counts as missing.
    :param seed: of models that draw numbers, and of the parts into which ``auto`` divides topics.
    :param documents: those that it is fitted to: the judged ones that a run ``found``, or all ``judged`` ones of the
        topics. In MIRMU's program, what no run found is missing in all of them.
    :param options: parameters of the scikit-learn estimator, if one model is chosen.
    :param coefficients: one a run, of a weighted sum of the features; then nothing needs fitting.
    :param intercept: what is added to that sum.
    """

    name: ClassVar[str] = "rbc"
    model: Literal["auto", "linear", "ridge", "bayesian-ridge", "sgd", "pls", "svr", "knn", "mlp"] = "auto"
    features: Features = "rating"
    deepest: int = 1000
    seed: int = 0
    documents: Literal["found", "judged"] = "found"
    options: Mapping[str, float | int | str | bool] = field(default_factory=dict)
    coefficients: tuple[float, ...] | None = None
    intercept: float = 0.0

    def __post_init__(self) -> None:
        check_deepest(self.deepest)
        if not 0 <= self.seed < 2**32:
            raise ConfigError(f"seed is {self.seed}", hint="It is a whole number from 0 to 4,294,967,295.")
        if self.options and self.model == "auto":
            raise ConfigError("options are of one regression model", hint="Choose it, for instance model=ridge.")
        if not all(map(math.isfinite, (self.intercept, *(self.coefficients or ())))):
            raise ConfigError("a coefficient is not a finite number")

    def scores(self, table: FusionTable) -> Floats:
        if self.coefficients is None:
            raise ConfigError(
                "rbc is not fitted", hint="Fit it by judgments of some topics, or give coefficients and an intercept."
            )
        if len(self.coefficients) != len(table.runs):
            raise ConfigError(
                f"there are {len(self.coefficients)} coefficients for {len(table.runs)} runs",
                hint=f"Give one a run, in this order: {', '.join(run.name for run in table.runs)}.",
            )
        weights = np.asarray(self.coefficients, np.float64)
        absent = self._feature(np.full(1, self.deepest, np.int64))[0]
        above = self._feature(table.ranks) - absent  # what an entry has over a missing document
        begun = self.intercept + float(absent) * math.fsum(weights)
        return begun + table.combined(0, weights[table.systems] * above)

    @property
    def must_learn(self) -> bool:
        return self.coefficients is None

    def restored(self, learnt: Mapping[str, Any]) -> FittedRBC:
        return FittedRBC.from_dict(learnt)

    def fit(
        self, runs: Sequence[Run] | FusionTable, qrels: Qrels, topics: Iterable[str] | None = None, *,
        validation_topics: Iterable[str] = (),
    ) -> FittedRBC:
        """Learns the gains of judged documents (see ``documents`` of the class) of the training ``topics``.

        ``auto`` fits every model to the training topics and keeps the one whose rankings have the best mean nDCG' on
        the validation topics. Without any, it chooses by five-fold cross-validation of the training topics. Gains below
        0 count as 0.

        :param topics: those to train on; if not given, all judged ones that are not for validation.
        :raises ConfigError: topics are named that have no judgments or are for both; a model or option does not exist;
            all gains are the same; or the method has its coefficients already.
        :raises QueryError: the runs found no judged document for the topics.
        :raises MissingExtra: scikit-learn is not installed.
        """
        if self.coefficients is not None:
            raise ConfigError("rbc has coefficients and judgments to learn them from", hint="Give one of the two.")
        table = runs if isinstance(runs, FusionTable) else FusionTable(runs)
        held = judged_topics(qrels, validation_topics)
        given = [topic for topic in qrels if topic not in set(held)] if topics is None else topics
        training = judged_topics(qrels, given)
        if both := sorted(set(training) & set(held)):
            raise ConfigError(f"topic {both[0]} is for training and for validation", hint="Name it for one of the two.")
        validated: dict[str, float] = {}
        chosen: str = self.model
        if self.model == "auto":
            parts = [(training, held)] if held else _parts(training, self.seed)
            validated = {model: self._validated(model, table, qrels, parts) for model in MODELS}
            chosen = max(validated, key=validated.__getitem__)
        elif held:
            validated = {chosen: self._validated(chosen, table, qrels, [(training, held)])}
        settings = replace(self, model=chosen)  # type: ignore[arg-type]  # the names are those of the field's type
        estimator = settings._estimated(table, qrels, training)
        if chosen in LINEAR:
            coefficients, intercept = linear_part(estimator, len(table.runs))
            settings = replace(settings, coefficients=coefficients, intercept=intercept)
        return FittedRBC(
            settings, training, held, validated, _digest(qrels, (*training, *held)), tuple(r.name for r in table.runs),
            estimator,
        )

    def _feature(self, ranks: NDArrayInts) -> Numbers:
        cut = np.minimum(ranks, self.deepest)
        if self.features == "rank":
            return cut.astype(np.float64)
        if self.features == "rating":
            return np.asarray((self.deepest - cut) / self.deepest)
        return np.where(cut < self.deepest, 60.0 / (60.0 + cut), 0.0)

    def _matrix(self, table: FusionTable, rows: NDArrayInts) -> Numbers:
        """The features of some candidates [rows, R]."""
        ranks = np.full((len(rows), len(table.runs)), self.deepest, np.int64)
        sizes = table.starts[rows + 1] - table.starts[rows]
        row = np.repeat(np.arange(len(rows)), sizes)
        within = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        entries = np.repeat(table.starts[rows], sizes) + within
        ranks[row, table.systems[entries]] = table.ranks[entries]
        return self._feature(ranks)

    def _estimated(self, table: FusionTable, qrels: Qrels, topics: Sequence[str]) -> Any:
        rows, gains = _judged(table, qrels, topics)
        if not len(rows):
            raise QueryError("the runs found no judged document for the training topics",
                             hint="Check that topics and document ids are those of the judgments.")
        matrix = self._matrix(table, rows)
        if self.documents == "judged":
            retrieved = {(int(table.topics[row]), table.doc_ids[row]) for row in rows.tolist()}
            numbers = {topic: number for number, topic in enumerate(table.query_ids)}
            lost = [
                max(0.0, float(gain)) for topic in topics for doc, gain in qrels[topic].items()
                if (numbers.get(topic, -1), doc) not in retrieved
            ]
            absent = self._feature(np.full((len(lost), len(table.runs)), self.deepest, np.int64))
            matrix, gains = np.concatenate([matrix, absent]), np.concatenate([gains, lost])
        if (gains == gains[0]).all():
            raise ConfigError(f"all {len(gains)} judged documents of the training topics have the same gain",
                              hint="There is nothing to learn from them; train on more topics.")
        return fit_estimator(self.model, self.options, self.seed, matrix, gains)

    def _validated(
        self, model: str, table: FusionTable, qrels: Qrels, parts: Iterable[tuple[Sequence[str], Sequence[str]]]
    ) -> float:
        """The mean nDCG' on held topics of a model that is fitted to the others."""
        values: list[float] = []
        numbers = {topic: number for number, topic in enumerate(table.query_ids)}
        settings = replace(self, model=model)  # type: ignore[arg-type]
        for training, held in parts:
            estimator = settings._estimated(table, qrels, training)
            for topic in held:
                if topic not in numbers:
                    values.append(0.0)
                    continue
                start, stop = table.offsets[numbers[topic]], table.offsets[numbers[topic] + 1]
                predicted = predict(estimator, settings._matrix(table, np.arange(start, stop)))
                order = table.sorted(int(start), predicted, 1000).tolist()
                values.append(_ndcg([table.doc_ids[at] for at in order], qrels[topic]))
        return math.fsum(values) / len(values) if values else 0.0


@dataclass(frozen=True, slots=True)
class FittedRBC(FittedFusion):
    """A fitted :class:`RBC`: ``settings`` with the model that was chosen, and its coefficients if it is linear.

    :param training_topics: the topics that it was fitted to.
    :param validation_topics: those that chose between models.
    :param validation: model → mean nDCG' on validation topics, of the models that were compared.
    :param judgments: digest of the judgments of these topics.
    :param sources: the names of the runs, in order.
    :param estimator: the scikit-learn estimator; None where it was read from a file, which only linear models can be.
    """

    name: ClassVar[str] = "rbc"
    settings: RBC
    training_topics: tuple[str, ...]
    validation_topics: tuple[str, ...]
    validation: Mapping[str, float]
    judgments: str
    sources: tuple[str, ...]
    estimator: Any = field(default=None, compare=False, repr=False)

    @property
    def weights(self) -> tuple[float, ...]:
        """The coefficients of the runs' ratings, higher is more trusted.

        :raises ConfigError: the model is not linear.
        """
        if self.settings.coefficients is None:
            raise ConfigError(f"the model {self.settings.model} has no coefficients",
                              hint=f"Linear models have: {', '.join(LINEAR)}.")
        sign = -1.0 if self.settings.features == "rank" else 1.0  # a larger rank is worse
        return tuple(sign * value for value in self.settings.coefficients)

    def scores(self, table: FusionTable) -> Floats:
        self.check_runs(table)
        if self.settings.coefficients is not None:
            return self.settings.scores(table)
        return predict(self.estimator, self.settings._matrix(table, np.arange(len(table.doc_ids))))

    def check_runs(self, table: FusionTable) -> None:
        """:raises ConfigError: there are more or fewer runs than it was fitted to, or these in another order."""
        names = [run.name for run in table.runs]
        message = None
        if len(names) != len(self.sources):
            message = f"the regression was fitted to {len(self.sources)} runs and is given {len(names)}"
        elif names != list(self.sources) and sorted(names) == sorted(self.sources):
            message = "the regression was fitted to these runs in another order"
        if message:
            raise ConfigError(message, hint=f"It takes them in this one: {', '.join(self.sources)}.")

    def evidence(self) -> dict[str, Any]:
        return {
            "kind": "regression",
            "settings": write_settings(self.settings),
            "sources": list(self.sources),
            "training_topics": list(self.training_topics),
            "validation_topics": list(self.validation_topics),
            "validation": {"measure": "nDCG'", "models": dict(self.validation)},
            "judgments": self.judgments,
        }

    def to_dict(self) -> dict[str, Any]:
        """The fitted model as plain values for JSON; :meth:`from_dict` is the inverse.

        :raises ConfigError: the model is not linear. Such a model is fitted again: the same settings, judgments and
            topics give the same one.
        """
        self.weights  # noqa: B018  # which only linear models have
        return self.evidence()

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> FittedRBC:
        """The fitted model that :meth:`to_dict` wrote.

        :raises ConfigError: it is not such a value.
        """
        lists = ("sources", "training_topics", "validation_topics")
        sound = (
            isinstance(value, Mapping) and value.get("kind") == "regression"
            and all(isinstance(value.get(part), (list, tuple)) and all(isinstance(s, str) for s in value[part])
                    for part in lists)
            and isinstance(value.get("settings"), Mapping) and isinstance(value.get("judgments"), str)
            and isinstance(value.get("validation"), Mapping)
            and isinstance(value["validation"].get("models"), Mapping)
        )
        if not sound:
            raise ConfigError("this is not a stored regression", hint="Store one with to_dict, or porism fuse --store.")
        settings = read_settings(RBC, value["settings"], at=("settings",))
        if settings.coefficients is None or len(settings.coefficients) != len(value["sources"]):
            raise ConfigError("the stored regression does not have one coefficient a run")
        sources, training, validation = (tuple(value[part]) for part in lists)
        return cls(settings, training, validation, dict(value["validation"]["models"]), value["judgments"], sources)


NDArrayInts = np.ndarray[Any, np.dtype[np.int64]]


def judged_topics(qrels: Qrels, topics: Iterable[str]) -> tuple[str, ...]:
    """The topics, each once.

    :raises ConfigError: one has no judgments, or a single string is given.
    """
    if isinstance(topics, str):
        raise ConfigError(f"topics are {topics!r}", hint="They are a list of topic ids.")
    chosen = tuple(dict.fromkeys(topics))
    for topic in chosen:
        if topic not in qrels:
            raise ConfigError(f"topic {topic} has no judgments", hint="Name topics of the judgments only.")
    return chosen


def _judged(table: FusionTable, qrels: Qrels, topics: Sequence[str]) -> tuple[NDArrayInts, Numbers]:
    """The candidates of some topics that are judged, and their gains, both [rows]."""
    rows: list[int] = []
    gains: list[float] = []
    numbers = {topic: number for number, topic in enumerate(table.query_ids)}
    for topic in topics:
        number = numbers.get(topic)
        if number is None:
            continue
        start, stop = int(table.offsets[number]), int(table.offsets[number + 1])
        judged = qrels[topic]
        for at, doc in enumerate(table.doc_ids[start:stop], start):
            gain = judged.get(doc)
            if gain is not None:
                rows.append(at)
                gains.append(max(0.0, float(gain)))
    return np.asarray(rows, np.int64), np.asarray(gains, np.float64)


def _parts(topics: Sequence[str], seed: int, folds: int = 5) -> list[tuple[list[str], list[str]]]:
    """(Others, held out) for each of up to five parts of the topics; the order of the topics changes nothing."""
    if len(topics) < 2:
        raise ConfigError(f"{len(topics)} training topics are too few to choose a model by",
                          hint="Give more, or validation topics, or choose the model.")
    shuffled = sorted(topics)
    random.Random(seed).shuffle(shuffled)
    held = [shuffled[fold::folds] for fold in range(min(folds, len(shuffled)))]
    return [([topic for topic in shuffled if topic not in set(part)], part) for part in held]


def _ndcg(ranking: Iterable[str], judged: Mapping[str, int]) -> float:
    """nDCG' of a ranking: the unjudged removed, gain / log2(rank + 1), ideal over all judged documents."""
    gains = [max(0, judged[doc]) for doc in ranking if doc in judged]
    ideal = sorted((max(0, gain) for gain in judged.values()), reverse=True)

    def discounted(values: Sequence[int]) -> float:
        return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(values, 1) if gain)

    best = discounted(ideal)
    return discounted(gains) / best if best else 0.0


def _digest(qrels: Qrels, topics: Iterable[str]) -> str:
    lines = [[topic, sorted((doc, int(gain)) for doc, gain in qrels[topic].items())] for topic in sorted(topics)]
    return xxhash.xxh3_128_hexdigest(orjson.dumps(lines))
