"""Search by a weighted sum of the scores that several models give to the candidates of all: documents, or formulas."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, NamedTuple, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError
from porism.explanation import Explanation
from porism.index import Masks, Snapshot
from porism.index.engine.units import formula_units
from porism.retrieve.base import FormulaRanker, HasQueryWarnings, Retriever, RetrieverSettings
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.ranking import UnitIds, UnitResults, best_units, check_depth, distinct_queries, unit_numbers
from porism.runs.provenance import Provenance
from porism.runs.run import Run, rank
from porism.settings import SettingError, Settings
from porism.types import Formula, Query

Normalisation = Literal["min-max", "z-score", "max", "none"]
"""How the scores of a part are made comparable, query by query: the lowest becomes 0 and the highest 1; the mean
becomes 0 and the standard deviation 1; the highest becomes 1; or as they are."""


@dataclass(frozen=True, slots=True)
class Part(Settings):
    """One of the models that are summed: its ``weight``, the name of the ``model`` (that of the part itself if empty),
    and ``settings`` that differ from it, ``kind`` among them.

    :raises ConfigError: the weight is not a number from 0.
    """

    weight: float = 1.0
    model: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise ConfigError(f"a weight cannot be {self.weight}", hint="Use a number from 0.")


@dataclass(frozen=True, slots=True)
class SumModel(RetrieverSettings):
    """A weighted sum of models, end to end: the candidates are the first ``depth`` documents of each part, and every
    part scores all of them. Its scores are normalised over these candidates, query by query.

    So Zhong et al., *Evaluating Token-Level and Passage-Level Dense Retrieval Models for Math Information Retrieval*
    (Findings of EMNLP 2022), combine structure search with dense retrieval, by min-max.

    :raises ConfigError: there is no part with a weight, or a setting is out of its range.
    """

    parts: Mapping[str, Part] = field(default_factory=dict)
    normalisation: Normalisation = "min-max"
    depth: int = 200
    tuned_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "tuned_on", tuple(self.tuned_on))
        if not any(part.weight > 0 for part in self.parts.values()):
            raise SettingError("a sum needs a part with a weight", path=("parts",), hint="Add [parts.default].")
        if self.normalisation not in get_args(Normalisation):
            raise ConfigError(
                f"scores cannot be normalised by {self.normalisation!r}",
                hint=f"Choose from {', '.join(get_args(Normalisation))}.",
            )
        if self.depth < 1:
            raise ConfigError(f"the depth cannot be {self.depth}", hint="Use a whole number from 1.")


@dataclass(frozen=True, slots=True)
class FormulaSumModel(SumModel):
    """A weighted sum of models of formulas, as :class:`SumModel` of models of documents: the candidates are the first
    ``depth`` formulas that each part finds for a formula of the query.

    :raises ConfigError: there is no part with a weight, or a setting is out of its range.
    """


KIND, FORMULA_KIND = "sum", "formula-sum"

P = TypeVar("P", bound=Retriever | FormulaRanker)
M = TypeVar("M", bound=SumModel)


class ScoreScale(NamedTuple):
    """How the scores of a part become comparable: ``(score - low) / spread``."""

    low: float
    spread: float

    def apply(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores normalised."""
        return (scores - self.low) / self.spread


def scale_of(scores: NDArray[np.float64], how: Normalisation) -> ScoreScale:
    """The scale of a part whose candidates have these scores (float64); one that they do not differ on changes nothing
    but, with ``min-max`` and ``z-score``, their common value to 0."""
    if not len(scores) or how == "none":
        return ScoreScale(0.0, 1.0)
    if how == "max":
        highest = float(scores.max())
        return ScoreScale(0.0, highest if highest > 0 else 1.0)
    low, spread = (
        (float(scores.min()), float(scores.max() - scores.min())) if how == "min-max"
        else (float(scores.mean()), float(scores.std()))
    )
    return ScoreScale(low, spread if spread > 0 else 1.0)


def explain_part(model: SumModel, name: str, told: Explanation, score: float, scale: ScoreScale) -> Explanation:
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
    return Explanation(sum(part.value for part in inner), label, inner)


class _CandidateScores(NamedTuple):
    """The score of each candidate of a query by each part (float64), and the scales of the parts."""

    scores: dict[str, NDArray[np.float64]]
    scales: dict[str, ScoreScale]


class _PartSum(Generic[M, P]):
    """The parts of a sum that count, and the sum of their scores. Immutable, and safe to share between threads."""

    def __init__(self, snapshot: Snapshot, model: M, parts: Mapping[str, P]) -> None:
        """``parts`` open the models of the same names; those of weight 0 need not be there."""
        self.snapshot = snapshot
        self.parts = {name: parts[name] for name, part in model.parts.items() if part.weight > 0}
        tuned_on = (*model.tuned_on, *(topic for part in self.parts.values() for topic in part.model.tuned_on))
        self._tuned_on = tuple(dict.fromkeys(tuned_on))
        self._model = model

    @property
    def model(self) -> M:
        """Its settings."""
        return self._model

    def _scaled(self, scores: dict[str, NDArray[np.float64]], first: int) -> _CandidateScores:
        """Scores of candidates, of which the ``first`` ones make the scales."""
        normalisation = self.model.normalisation
        return _CandidateScores(scores, {name: scale_of(own[:first], normalisation) for name, own in scores.items()})

    def _totals(
        self, scores: Mapping[str, NDArray[np.float64]], scales: Mapping[str, ScoreScale]
    ) -> NDArray[np.float64]:
        weighted = [self.model.parts[name].weight * scales[name].apply(scores[name]) for name in self.parts]
        total: NDArray[np.float64] = np.sum(weighted, axis=0)
        return total


class SumRetriever(_PartSum[SumModel, Retriever]):
    """Ranks documents by a weighted sum of models."""

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
        """
        wanted = distinct_queries(queries, k)
        started = time.perf_counter()
        runs = self._runs(wanted, k, allowed)
        share = (time.perf_counter() - started) / max(1, len(wanted))
        results: dict[str, Iterable[tuple[str, float]]] = {}
        seconds: dict[str, float] = {}
        for query in wanted:
            started = time.perf_counter()
            ids, scored = self._candidates(query, runs)
            results[query.id] = rank(zip(ids, self._totals(*scored).tolist(), strict=True))[:k]
            seconds[query.id] = share + time.perf_counter() - started
        return Run(results, name, provenance=Provenance(self.describe(), self._tuned_on, seconds=seconds))

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given) in a search of the whole index, NaN for an id that
        the index does not have."""
        _, scored = self._candidates(query, self._runs([query], 1, None))
        scores = {name: part.score_documents(query, doc_ids) for name, part in self.parts.items()}
        return self._totals(scores, scored.scales)

    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Why a document has its score: what each part adds, and why the part gives its own score."""
        ids, scored = self._candidates(query, self._runs([query], k, allowed))
        explanations = []
        for name, part in self.parts.items():
            told = part.explain(query, doc_id, k=k, allowed=allowed)
            score = float(part.score_documents(query, [doc_id])[0])
            if doc_id in ids:
                score = float(scored.scores[name][ids.index(doc_id)])
            explanations.append(explain_part(self.model, name, told, score, scored.scales[name]))
        total = sum(part.value for part in explanations)
        return Explanation(total, f"document {doc_id}: a sum of models", explanations)

    def notes(self, query: Query) -> list[str]:
        """What parts have to say to whoever asked."""
        warning = [part for part in self.parts.values() if isinstance(part, HasQueryWarnings)]
        return [note for part in warning for note in part.notes(query)]

    def _runs(self, queries: Sequence[Query], k: int, allowed: Masks | None) -> dict[str, Run]:
        depth = max(k, self.model.depth)
        return {name: part.search(queries, depth, allowed=allowed) for name, part in self.parts.items()}

    def _candidates(self, query: Query, runs: Mapping[str, Run]) -> tuple[list[str], _CandidateScores]:
        """The ids of the candidates, those first that make the scales, and their scores."""
        ids_of_parts = [[doc_id for doc_id, _ in run[query.id]] for run in runs.values()]
        first = dict.fromkeys(doc_id for ids in ids_of_parts for doc_id in ids[: self.model.depth])
        ids = list(dict.fromkeys([*first, *(doc_id for of_part in ids_of_parts for doc_id in of_part)]))
        scores = {name: part.score_documents(query, ids) for name, part in self.parts.items()}
        return ids, self._scaled(scores, len(first))


class FormulaSumRanker(_PartSum[FormulaSumModel, FormulaRanker]):
    """Ranks formulas by a weighted sum of models; its model is tuned on what its parts were tuned on, too."""

    def __init__(self, snapshot: Snapshot, model: FormulaSumModel, parts: Mapping[str, FormulaRanker]) -> None:
        super().__init__(snapshot, model, parts)
        self._model = replace(model, tuned_on=self._tuned_on)
        self._units = formula_units(snapshot.segments)
        self._ids = UnitIds(self._units)

    def search(self, formulas: Sequence[Formula], k: int = 10) -> list[UnitResults]:
        """The best ``k`` formulas for each query formula, of the candidates; ties by descending key.

        Where ``k`` is above the model's depth, so many formulas of each part are candidates; scales are always those of
        the first ``depth``.
        """
        check_depth(k)
        return [
            best_units(candidates._replace(scores=self._totals(*scored)), k, self._ids)
            for candidates, scored in self._pools(formulas, k)
        ]

    def score_formulas(
        self, formula: Formula, segments: NDArray[np.integer], units: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """The scores that formulas, by segment and ordinal there, have by the scales of a search (float64)."""
        ((_, scored),) = self._pools([formula], 1)
        scores = {name: part.score_formulas(formula, segments, units) for name, part in self.parts.items()}
        return self._totals(scores, scored.scales)

    def match(self, formula: Formula, key: str) -> FormulaMatch:
        """Why a formula, given by its key, has its score: what each part adds, and why the part gives its own score.

        What matches is what the first part shows that shows anything.
        """
        segment, unit = self._find(key)
        ((_, scored),) = self._pools([formula], 1)
        place = (np.array([segment], np.int32), np.array([unit], np.int32))
        matches, told = [], []
        for name, part in self.parts.items():
            match = part.match(formula, key)
            score = float(part.score_formulas(formula, *place)[0])
            matches.append(match)
            told.append(explain_part(self.model, name, match.explanation, score, scored.scales[name]))
        shown = next((match for match in matches if match.pairs or match.values), matches[0])
        total = sum(part.value for part in told)
        explanation = Explanation(total, f"formula {shown.found.source}: a sum of models", told)
        return replace(shown, score=total, explanation=explanation)

    def _find(self, key: str) -> tuple[int, int]:
        for number, units in enumerate(self._units):
            unit = units.find(key)
            if unit is not None:
                return number, unit
        raise QueryError(f"there is no formula {key!r} in the index")

    def _pools(self, formulas: Sequence[Formula], k: int) -> list[tuple[UnitResults, _CandidateScores]]:
        """The candidates for each query formula, those first that make the scales, and their scores."""
        of_parts = [part.search(formulas, max(k, self.model.depth)) for part in self.parts.values()]
        return [
            self._pool(formula, UnitResults.none().joined(*(results.first(self.model.depth) for results in of_formula)),
                       UnitResults.none().joined(*of_formula))
            for formula, *of_formula in zip(formulas, *of_parts, strict=True)
        ]

    def _pool(self, formula: Formula, first: UnitResults, every: UnitResults) -> tuple[UnitResults, _CandidateScores]:
        firsts = np.unique(unit_numbers(first))
        numbers = np.concatenate([firsts, np.setdiff1d(unit_numbers(every), firsts)])
        segments, units = (numbers >> 32).astype(np.int32), (numbers & 0xFFFFFFFF).astype(np.int32)
        scores = {name: part.score_formulas(formula, segments, units) for name, part in self.parts.items()}
        return UnitResults(segments, units, np.zeros(len(units))), self._scaled(scores, len(firsts))
