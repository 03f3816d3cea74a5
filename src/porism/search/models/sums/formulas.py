"""Formulas ranked by a weighted sum of the scores that several models of formulas give to the candidates of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.explanation import Explanation
from porism.index import Snapshot
from porism.index.engine.units import formula_units
from porism.retrieve.base import FormulaRanker
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.ranking import UnitIds, UnitResults, best_units
from porism.search.models.sums.model import FormulaSumModel
from porism.search.models.sums.retriever import Scale, explain_part, scale_of
from porism.types import Formula

FORMULA_KIND = "formula-sum"


class _Pool(NamedTuple):
    """The candidates of a query formula by segment (int32) and ordinal there (int32), the score of each by each part
    (float64), and the scales of the parts."""

    segments: NDArray[np.int32]
    units: NDArray[np.int32]
    scores: dict[str, NDArray[np.float64]]
    scales: dict[str, Scale]


class FormulaSumRanker:
    """Ranks formulas by a weighted sum of models. Immutable, and safe to share between threads."""

    def __init__(self, snapshot: Snapshot, model: FormulaSumModel, parts: Mapping[str, FormulaRanker]) -> None:
        """``parts`` open the models of the same names; those of weight 0 need not be there."""
        self.parts = {name: parts[name] for name, part in model.parts.items() if part.weight > 0}
        tuned_on = (*model.tuned_on, *(topic for part in self.parts.values() for topic in part.model.tuned_on))
        self._model = replace(model, tuned_on=tuple(dict.fromkeys(tuned_on)))
        self._units = formula_units(snapshot.segments)
        self._ids = UnitIds(self._units)

    @property
    def model(self) -> FormulaSumModel:
        """Its settings; tuned on what its parts were tuned on, too."""
        return self._model

    def search(self, formulas: Sequence[Formula], k: int = 10) -> list[UnitResults]:
        """The best ``k`` formulas for each query formula, of the candidates; ties by descending key.

        Where ``k`` is above the model's depth, so many formulas of each part are candidates; scales are always those of
        the first ``depth``.

        :raises QueryError: ``k`` is below 1.
        """
        if k < 1:
            raise QueryError(f"{k} results cannot be found", hint="Ask for at least 1.")
        return [
            best_units(UnitResults(pool.segments, pool.units, self._totals(pool.scores, pool.scales)), k, self._ids)
            for pool in self._pools(formulas, k)
        ]

    def score_formulas(
        self, formula: Formula, segments: NDArray[np.integer], units: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """The scores that formulas, by segment and ordinal there, have by the scales of a search (float64)."""
        (pool,) = self._pools([formula], 1)
        scores = {name: part.score_formulas(formula, segments, units) for name, part in self.parts.items()}
        return self._totals(scores, pool.scales)

    def match(self, formula: Formula, key: str) -> FormulaMatch:
        """Why a formula, given by its key, has its score: what each part adds, and why the part gives its own score.

        What matches is what the first part shows that shows anything.

        :raises QueryError: the index has no such formula.
        """
        segment, unit = self._find(key)
        (pool,) = self._pools([formula], 1)
        place = (np.array([segment], np.int32), np.array([unit], np.int32))
        matches, told = [], []
        for name, part in self.parts.items():
            match = part.match(formula, key)
            score = float(part.score_formulas(formula, *place)[0])
            matches.append(match)
            told.append(explain_part(self.model, name, match.explanation, score, pool.scales[name]))
        shown = next((match for match in matches if match.pairs or match.values), matches[0])
        total = sum(one.value for one in told)
        explanation = Explanation(total, f"formula {shown.found.source}: a sum of models", told)
        return replace(shown, score=total, explanation=explanation)

    def _find(self, key: str) -> tuple[int, int]:
        for number, units in enumerate(self._units):
            unit = units.find(key)
            if unit is not None:
                return number, unit
        raise QueryError(f"there is no formula {key!r} in the index")

    def _pools(self, formulas: Sequence[Formula], k: int) -> list[_Pool]:
        depth = self.model.depth
        of_parts = [part.search(formulas, max(k, depth)) for part in self.parts.values()]
        return [
            self._pool(formula, [found.first(depth) for found in of_formula], of_formula)
            for formula, *of_formula in zip(formulas, *of_parts, strict=True)
        ]

    def _pool(self, formula: Formula, first: Sequence[UnitResults], found: Sequence[UnitResults]) -> _Pool:
        """The candidates: those that make the scales, then the others."""
        firsts = np.unique(_numbers(first))
        numbers = np.concatenate([firsts, np.setdiff1d(_numbers(found), firsts)])
        segments, units = (numbers >> 32).astype(np.int32), (numbers & 0xFFFFFFFF).astype(np.int32)
        scores = {name: part.score_formulas(formula, segments, units) for name, part in self.parts.items()}
        scales = {
            name: scale_of(of_part[: len(firsts)], self.model.normalisation) for name, of_part in scores.items()
        }
        return _Pool(segments, units, scores, scales)

    def _totals(
        self, scores: Mapping[str, NDArray[np.float64]], scales: Mapping[str, Scale]
    ) -> NDArray[np.float64]:
        weighted = [self.model.parts[name].weight * scales[name].apply(scores[name]) for name in self.parts]
        total: NDArray[np.float64] = np.sum(weighted, axis=0)
        return total


def _numbers(results: Sequence[UnitResults]) -> NDArray[np.int64]:
    """One number (int64) a unit, of all results after one another."""
    return np.concatenate([found.segments.astype(np.int64) << 32 | found.units for found in results])
