"""Search by terms whose candidates an engine outside Porism finds; scores are those of the index, bit by bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from porism.errors import EngineError
from porism.index.engine.units import Units
from porism.index.snapshot import Masks
from porism.retrieve.lexical.channels import FieldWeights, Zone
from porism.retrieve.lexical.query_terms import PreparedQuery, QueryTerms
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.ranking import UnitResults, merge
from porism.retrieve.weightings.base import LexicalChannel
from porism.serve.backends.base import SparseRows
from porism.serve.exported.candidates import Bound, CandidateSearch, Located
from porism.serve.exported.rows import whole_key
from porism.serve.exported.state import OpenExport
from porism.serve.exported.views import ChannelView, FrozenStatistics, summed, term_digests, views_of

DOCUMENTS = "documents"
"""The table of the documents' terms."""

FORMULAS = "formulas"
"""The table of the formulas' terms."""

_ROUNDING = 2.0**-23
"""Twice the unit round-off of float32."""


class ExportedLexical(LexicalRetriever):
    """As :class:`LexicalRetriever`, but for where its candidates come from."""

    def __init__(
        self, export: OpenExport, segments: Sequence[Units], channels: Mapping[str, LexicalChannel],
        field_weights: FieldWeights | None = None, zones: Mapping[str, Zone] | None = None, *,
        table: str = DOCUMENTS, parse: Callable[[str], str] = whole_key, option: str = "--model",
    ) -> None:
        """``table`` has the units, ``parse`` gives the id of one in the key of a row, and ``option`` names the option
        that exports models of it.

        :raises ConfigError: the index has no such channel.
        :raises EngineError: the engine does not have what the documents weigh in these channels.
        """
        super().__init__(segments, channels, field_weights, zones)
        self._export, self._option = export, option
        self._views = {(view.zone, view.channel): view for view in views_of(self)}
        known = export.state.views
        for view in self._views.values():
            self._frozen(view, known)
        self._candidates = CandidateSearch(export.backend, table, Located(self.segments, parse), self.ids)
        self._drifts: dict[tuple[str, FrozenStatistics], float] = {}

    def _search(self, query: QueryTerms, k: int, allowed: Masks | None) -> UnitResults:
        names, prepared = self.terms.read(query)
        if not len(prepared.weights) or not len(self.segments):
            return merge([], k, self.ids)
        vector, bound = self._wanted(names, prepared)
        if not len(vector.weights):
            return merge([], k, self.ids)

        def exact(segment: int, units: NDArray[np.int32]) -> NDArray[np.float64]:
            scores = self.score_read(names, prepared, segment, units)
            return np.where(scores == 0, np.nan, scores)  # no term occurs

        return self._candidates.best(vector, k, bound, exact, allowed)

    def _wanted(self, names: tuple[str, ...], prepared: PreparedQuery) -> tuple[SparseRows, Bound]:
        """The query as a vector, its largest weight 1, and what the scores that it gives can stand for."""
        terms = self._term_digests(names, prepared)
        dimensions: list[NDArray[np.int64]] = []
        weights: list[NDArray[np.float64]] = []
        scale, offset = 1.0, 0.0
        statistics = self._export.state.views
        zoned = self._with_zones(names, prepared)
        for position, (zone, name) in enumerate(self.zone_channels(names)):
            view = self._views[zone, name]
            own = prepared.channel_of == names.index(name)
            share = self.zones[zone].weight if zone else 1.0
            if not own.any():
                continue
            dimensions.append(view.dimensions(terms[own]))
            weights.append(prepared.weights[own] * share)
            frozen = self._frozen(view, statistics)
            scale = max(scale, self._drift(view, frozen))
            if view.stored and any(channel.summands is not None for channel in self.scored(name, zone)):
                worth = self.summand_weight(zoned, position, zone, name)
                dimensions.append(np.array([view.summand_dimension]))
                weights.append(np.array([worth]))
                offset += worth * frozen.base
        joined = np.concatenate(weights)
        largest = float(joined.max())
        vector = summed(np.zeros(len(joined), np.int64), np.concatenate(dimensions), joined / largest, 1)
        kept = vector.weights > 0
        vector = SparseRows(np.array([0, int(kept.sum())]), vector.dimensions[kept], vector.weights[kept])
        rounding = 1.0 + (len(joined) + 16) * _ROUNDING
        return vector, Bound(largest * scale * rounding, offset + largest * len(joined) * 1e-37)

    def _frozen(self, view: ChannelView, statistics: Mapping[str, FrozenStatistics]) -> FrozenStatistics:
        """The statistics that the weights of a view have in the engine.

        :raises EngineError: it does not have the view.
        """
        if view.key not in statistics:
            raise EngineError(
                f"the channel {view.channel!r} was not exported as this model counts it",
                where=str(self._export.backend),
                hint=f"Export the model, too: porism export milvus {self._option} MODEL",
            )
        return statistics[view.key]

    def _drift(self, view: ChannelView, frozen: FrozenStatistics) -> float:
        """How far the weights that the engine has can be below the present ones: a factor."""
        with self._lock:
            if (view.key, frozen) not in self._drifts:
                self._drifts[view.key, frozen] = view.drift(frozen)
            return self._drifts[view.key, frozen]

    def _term_digests(self, names: tuple[str, ...], prepared: PreparedQuery) -> NDArray[np.uint64]:
        """The digest of each term of a query (uint64), of those too that similarity brought in without a name."""
        digests = np.zeros(len(prepared.weights), np.uint64)
        for position, name in enumerate(names):
            left = np.flatnonzero(prepared.channel_of == position)
            for segment, numbers in zip(self.segments, prepared.numbers, strict=True):
                there = left[numbers[left] >= 0]
                if len(there):
                    digests[there] = term_digests(segment.dictionary(name).select(numbers[there]))
                    left = left[numbers[left] < 0]
        return digests
