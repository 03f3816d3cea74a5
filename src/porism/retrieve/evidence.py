"""What the formulas of documents add to their scores: the best match of each query formula."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis import Analyzer
from porism.caching import cached_property
from porism.explanation import Explanation
from porism.formula import layout_key
from porism.index import Snapshot
from porism.index.trees import open_places
from porism.retrieve.equal_values import VALUES
from porism.retrieve.formula_model import DEFAULT_FORMULA_MODEL, FormulaModel
from porism.retrieve.formulas import AskedFormula, FormulaRetriever
from porism.retrieve.likeness import Likeness, matching_formulas
from porism.retrieve.matches import FormulaMatch
from porism.retrieve.model import Matches
from porism.retrieve.ranking import UnitResults
from porism.types import Formula, Query


class _Asked(NamedTuple):
    formula: AskedFormula
    weight: float


class FormulaEvidence:
    """Adds the evidence of formulas to the scores of documents; safe to share between threads."""

    def __init__(
        self, snapshot: Snapshot, analyzer: Analyzer, settings: Matches, query_field_weights: Mapping[str, float],
        model: FormulaModel = DEFAULT_FORMULA_MODEL,
    ) -> None:
        self._model = model
        self.settings = settings
        self._snapshot, self._analyzer = snapshot, analyzer
        self._field_weights = query_field_weights
    @property
    def possible(self) -> bool:
        """Whether the index has channels by which formulas are found."""
        return bool(set(self._analyzer.config.formulas) & set(self._model.channels) - {VALUES})

    @cached_property
    def retriever(self) -> FormulaRetriever:
        """Search of the formulas without their values, which cost more to compute than all else; made when needed."""
        channels = {name: channel for name, channel in self._model.channels.items() if name != VALUES}
        return FormulaRetriever(self._snapshot, self._analyzer, replace(self._model, channels=channels))

    @cached_property
    def _explainer(self) -> FormulaRetriever:
        return FormulaRetriever(self._snapshot, self._analyzer, self._model)

    def applies(self, query: Query) -> bool:
        """Whether the query has formulas."""
        return self.settings.weight > 0 and any(content.formulas for content in query.fields.values())

    def scores(self, query: Query, candidates: UnitResults) -> NDArray[np.float64]:
        """What each document gains (float64)."""
        gains = np.zeros(len(candidates.scores))
        if self.settings.weight > 0 and len(gains):
            for asked in self._asked(query):
                gain = asked.weight * self._shares(asked.formula, candidates)
                gains = gains + gain if self.settings.combine == "sum" else np.maximum(gains, gain)
        return gains

    def explain(self, query: Query, candidates: UnitResults, position: int) -> Explanation:
        """What one of the documents gains, a part for each query formula that it has something like."""
        one = UnitResults(
            candidates.segments[position : position + 1], candidates.units[position : position + 1], np.zeros(1)
        )
        parts: list[Explanation] = []
        for asked in self._asked(query) if self.settings.weight > 0 else ():
            share = float(self._shares(asked.formula, one)[0])
            if share > 0:
                parts.append(Explanation(
                    asked.weight * share,
                    f"formula {asked.formula.formula.source}: share {share:.4f} · weight {asked.weight:.4f}",
                ))
        if self.settings.combine == "best":
            parts = sorted(parts, key=lambda part: -part.value)[:1]
        return Explanation(sum(part.value for part in parts), "best matches of the query's formulas", parts)

    def matches(self, query: Query, segment: int, document: int) -> list[FormulaMatch]:
        """How the document's formulas answer those of the query: for each of these the most similar one.

        Formulas of the query to which none is at least half similar have none.
        """
        from porism.retrieve.matching import match_formulas

        retriever = self._explainer
        where = retriever.snapshot.segments[segment].occurrences
        formulas = np.unique(where.formula[where.indptr[document] : where.indptr[document + 1]])
        found: list[FormulaMatch] = []
        if retriever.aligner is None or not len(formulas):
            return found
        for asked in self._asked(query):
            similar = retriever.aligner.similarities(asked.formula.tree, segment, formulas)
            best = int(np.argmax(similar))
            if similar[best] >= 0.5:
                read = retriever.read(asked.formula.formula)
                found.append(match_formulas(retriever, read, segment, int(formulas[best]), True))
        return found

    def matching(self, query: Query, segment: int, document: int) -> dict[tuple[str, int], Likeness]:
        """The formulas of a document that are shown as matches, by field and number there."""
        retriever = self._explainer
        held = retriever.snapshot.segments[segment]
        where = held.occurrences
        places = slice(where.indptr[document], where.indptr[document + 1])
        ordinals = where.formula[places]
        asked = [one.formula for one in self._asked(query)]
        found = matching_formulas(retriever, asked, segment, np.unique(ordinals).astype(np.int32))
        columns = zip(ordinals.tolist(), where.field[places].tolist(), where.number[places].tolist(), strict=True)
        return {
            (held.fields[field], number): found[ordinal] for ordinal, field, number in columns if ordinal in found
        }

    def _asked(self, query: Query) -> list[_Asked]:
        """The query's formulas that say most, with their weights."""
        counts: defaultdict[str, float] = defaultdict(float)
        read: dict[str, AskedFormula] = {}
        known: dict[tuple[str, str], str] = {}
        for name, content in query.fields.items():
            for formula in content.formulas:
                key = known.get((formula.notation, formula.source))
                if key is None:
                    asked = self.retriever.read(Formula(formula.source, formula.notation))
                    key = known[formula.notation, formula.source] = layout_key(asked.layout)
                    read.setdefault(key, asked)
                counts[key] += self._field_weights.get(name, 1.0)
        telling = [key for key in read if len(read[key].tree.labels) > 1 and read[key].terms and counts[key] > 0]
        telling.sort(key=lambda key: -read[key].mass)
        return [
            _Asked(read[key], self.settings.weight * counts[key] ** 0.5 * read[key].mass**self.settings.mass_power)
            for key in telling[: self.settings.formulas]
        ]

    def _shares(self, asked: AskedFormula, candidates: UnitResults) -> NDArray[np.float64]:
        """The share (0 to 1) of the query formula's weight that each document gains."""
        found = self.retriever.lexical.search_units([asked.terms], self.settings.candidates)[0]
        similar = self.retriever.similarities(asked, found)
        least = self.settings.least
        near = similar > least
        shares = np.zeros(len(candidates.scores))
        if not near.any():
            return shares
        values = ((np.minimum(similar[near], 1.0) - least) / (1.0 - least)) ** 2
        for segment in np.unique(candidates.segments).tolist():
            mine = np.flatnonzero(candidates.segments == segment)
            order = mine[np.argsort(candidates.units[mine])]
            documents = candidates.units[order]
            formulas, worth = self._in_segment(segment, found.segments[near], found.units[near], values)
            places = open_places(self.retriever.snapshot.segments[segment])
            lengths = places.indptr[formulas + 1] - places.indptr[formulas]
            ends = np.cumsum(lengths)
            total = int(ends[-1]) if len(ends) else 0
            holders = places.docs[np.repeat(places.indptr[formulas] - ends + lengths, lengths) + np.arange(total)]
            at = np.minimum(np.searchsorted(documents, holders), len(documents) - 1)
            held = documents[at] == holders
            np.maximum.at(shares, order[at[held]], np.repeat(worth, lengths)[held])
        return shares

    def _in_segment(
        self, segment: int, segments: NDArray[np.int32], units: NDArray[np.int32], values: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The ordinals that formulas have in a segment; found is each in one segment, but others can hold it too."""
        mine = segments == segment
        formulas, worth = units[mine].astype(np.int64), values[mine]
        if mine.all():
            return formulas, worth
        names = self.retriever.snapshot.segments[segment].keys
        keys = self._keys(segments[~mine], units[~mine])
        others = names.find(keys)
        held = others >= 0
        return np.concatenate([formulas, others[held].astype(np.int64)]), np.concatenate([worth, values[~mine][held]])

    def _keys(self, segments: NDArray[np.int32], units: NDArray[np.int32]) -> Sequence[str]:
        return self.retriever.lexical.ids.take(segments, units)
