"""The formulas of a shard, which are searched in steps:

1. Digests of all its formulas (:meth:`FormulaShard.formula_digests`), by which those that other shards have are found.
2. Which formulas count here, and the lengths of their channels (:meth:`~FormulaShard.formula_collection`); these two
   change with commits only.
3. How often the terms of query formulas occur (:meth:`~FormulaShard.formula_statistics`).
4. What it finds, scored by the statistics of the whole collection (:meth:`~FormulaShard.formulas`).
5. The documents of formulas (:meth:`~FormulaShard.formula_occurrences`), where filters or a context matter.
6. What is shown of formulas (:meth:`~FormulaShard.formula_hits`).
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError
from porism.index.engine.units import FormulaUnits
from porism.index.snapshot import Masks
from porism.index.string_kernels import digests
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.formulas.matching import StructureRanker, match_formulas
from porism.retrieve.formulas.parts import find_part
from porism.retrieve.formulas.retriever import FormulaRetriever
from porism.retrieve.lexical.global_statistics import using_statistics
from porism.search.answering import formula_documents
from porism.search.formula_occurrences import FormulaPlaces, Naming
from porism.search.index import Index
from porism.search.models.models import write_model
from porism.serve.shards.formula_requests import (
    DIGESTS_BATCH_SIZE,
    FormulaCollection,
    FormulaCollectionRequest,
    FormulaDigests,
    FormulaDigestsRequest,
    FormulaHitsRequest,
    FormulaOccurrences,
    FormulaOccurrencesRequest,
    FormulasRequest,
    FormulaStatisticsRequest,
    FormulaToShow,
    ShardFormulaHit,
    ShardFormulaHits,
    ShardFormulas,
)
from porism.serve.shards.requests import StaleCommit
from porism.serve.shards.term_shard import channel_lengths
from porism.serve.shards.values import ShardStatistics, WholeStatistics
from porism.system.concurrency.caching import Memory, cached_property
from porism.system.concurrency.locks import Lock

_KEPT = 2
"""So many sets of marks, and retrievers for statistics of whole collections, stay."""

SHOWN_DOCUMENTS = 5
"""So many documents of a formula are shown with their titles."""


class _Counting(NamedTuple):
    """Formulas of which some count here: as units, and a search of these alone."""

    units: list[FormulaUnits]
    alone: FormulaRetriever


class FormulaShard:
    """The formulas of an index here; safe to share between threads."""

    def __init__(self, index: Index) -> None:
        """
        :raises ConfigError: the formulas of the index are not searched by their structure.
        """
        ranker = index.formulas.ranker
        if not isinstance(ranker, StructureRanker):
            raise ConfigError(
                "formulas of indexes on servers are searched together by their structure only",
                hint="Use default, tokens, paths, alignment, subtrees, tangent-l, tangent-s or values.",
            )
        self.index, self.generation, self._ranker = index, index.snapshot.generation, ranker
        self._lock = Lock()
        self._marks: OrderedDict[str, NDArray[np.int8]] = OrderedDict()
        self._counting: Memory[_Counting] = Memory(_KEPT)
        self._given: Memory[FormulaRetriever] = Memory(_KEPT)
        self._places: dict[Naming | None, FormulaPlaces] = {}

    @cached_property
    def _units(self) -> list[FormulaUnits]:
        units = self._ranker.lexical.segments
        return [segment_units for segment_units in units if isinstance(segment_units, FormulaUnits)]

    @cached_property
    def _digests(self) -> NDArray[np.uint64]:
        """Digests of all formulas (uint64, n × 2), segment by segment."""
        parts = [np.zeros((0, 2), np.uint64)]
        for units in self._units:
            keys = units.segment.keys.dictionary.packed()
            parts.append(digests(keys.blob, keys.starts)[units.segment.keys.rank][units.live])
        return np.concatenate(parts)

    def formula_digests(self, request: FormulaDigestsRequest) -> FormulaDigests:
        """Digests of the formulas, in an order that a commit keeps."""
        if request.first < 0:
            raise QueryError(f"digests cannot begin at {request.first}", where="first")
        part = self._digests[request.first : request.first + DIGESTS_BATCH_SIZE]
        return FormulaDigests(self.generation, len(self._digests), FormulaDigests.text(part))

    def formula_collection(self, request: FormulaCollectionRequest) -> FormulaCollection:
        """Takes marks; once all are there, says what the formulas that count have.

        :raises QueryError: they are of more formulas than there are, or are not those of their name.
        """
        count = len(self._digests)
        bits = request.bits()
        if request.first < 0 or request.first % 8 or request.first + len(bits) >= count + 8:
            raise QueryError(f"marks of {len(bits)} formulas cannot begin at {request.first}", where="marks")
        with self._lock:
            if request.counting not in self._counting:
                marks = self._marks.setdefault(request.counting, np.full(count, -1, np.int8))
                marks[request.first : request.first + len(bits)] = bits[: count - request.first]
                self._marks.move_to_end(request.counting)
                while len(self._marks) > _KEPT:
                    self._marks.popitem(last=False)
                if (marks < 0).any():
                    return FormulaCollection(self.generation, False)
                del self._marks[request.counting]
                if name_of_marks(marks > 0) != request.counting:
                    raise QueryError("the marks are not those of their name", where="marks", hint="Send them again.")
            counting = self._counting.get(request.counting, lambda: self._open(marks > 0))
        lexicals = counting.alone.lexicals()
        channels = {lengths.channel: lengths for lexical in lexicals for lengths in channel_lengths(lexical)}
        return FormulaCollection(
            self.generation, True, write_model(self._ranker.model, formulas=True), tuple(channels.values()),
            self._places_by(None).naming,
        )

    def _open(self, marks: NDArray[np.bool_]) -> _Counting:
        units, start = [], 0
        for segment_units in self._units:
            live = segment_units.live.copy()
            stop = start + int(np.count_nonzero(live))
            live[live] = marks[start:stop]
            units.append(FormulaUnits(segment_units.segment, live))
            start = stop
        index = self.index
        return _Counting(units, FormulaRetriever(index.snapshot, index.analyzer, self._ranker.model, units=units))

    def formula_statistics(self, request: FormulaStatisticsRequest) -> ShardStatistics:
        retriever = self._known(request.counting).alone
        terms: dict[str, set[str]] = {}
        for asked in request.formulas:
            for name, channel_terms in retriever.terms_of(asked).items():
                terms.setdefault(name, set()).update(channel_terms)
        lexicals = {name: lexical for lexical in retriever.lexicals() for name in lexical.channels}
        df = {}
        for name, of_channel in terms.items():
            ordered = sorted(of_channel)
            counts = lexicals[name].document_frequencies(name, ordered).tolist()
            df[name] = dict(zip(ordered, counts, strict=True))
        return ShardStatistics(df, (), self.generation)

    def formulas(self, request: FormulasRequest) -> ShardFormulas:
        retriever = self._retriever(request)
        with using_statistics(request.statistics.query.of_query):
            results = [find_part(retriever, retriever.read(formula), request.depth) for formula in request.formulas]
        return ShardFormulas(self.generation, tuple(results))

    def formula_occurrences(self, request: FormulaOccurrencesRequest) -> FormulaOccurrences:
        snapshot, places = self.index.snapshot, self._places_by(request.names)
        owners, segments, units = self._find(request.keys)
        known, allowed = self._allowed(request.filters)
        documents = np.zeros(len(request.keys), np.int64)
        best = np.zeros(len(request.keys))
        names: list[list[str]] = [[] for _ in request.keys]
        if known and len(owners):
            documents[owners] = places.documents(segments, units, allowed)
            if request.values:
                values = [np.zeros(segment.doc_count) for segment in snapshot.segments]
                number_of = {id(segment): number for number, segment in enumerate(snapshot.segments)}
                for doc_id, value in request.values.items():
                    if (position := snapshot.find(doc_id)) is not None:
                        values[number_of[id(position[0])]][position[1]] = value
                best[owners] = places.best(segments, units, values)
            if request.names is not None:
                for owner, own in zip(owners.tolist(), places.names(segments, units, allowed), strict=True):
                    names[owner] = own
        return FormulaOccurrences(
            self.generation, tuple(documents.tolist()), tuple(best.tolist()), tuple(map(tuple, names))
        )

    def formula_hits(self, request: FormulaHitsRequest) -> ShardFormulaHits:
        """What is shown of formulas: those that are not here have no documents."""
        retriever = self._retriever(request)
        places = self._places_by(None)
        known, allowed = self._allowed(request.filters)
        keys = [formula.key for formula in request.asked]
        owners, segments, units = self._find(keys)
        documents = np.zeros(len(keys), np.int64)
        documents[owners] = places.documents(segments, units, allowed) if known and len(owners) else 0
        hits = []
        for asked, count in zip(request.asked, documents.tolist(), strict=True):
            where = places.places(asked.key, allowed) if count else ()
            match = self._match(retriever, request, asked) if request.explain else None
            hits.append(ShardFormulaHit(
                count, where, tuple(
                    replace(formula_document, location=replace(formula_document.location, path=None))
                    for formula_document in formula_documents(self.index, where, SHOWN_DOCUMENTS)
                ), match,
            ))
        return ShardFormulaHits(self.generation, tuple(hits))

    def _match(
        self, retriever: FormulaRetriever, request: FormulaHitsRequest, asked: FormulaToShow
    ) -> FormulaMatch | None:
        """How a formula matches, None where it does not count here."""
        if not 0 <= asked.formula < len(request.formulas):
            raise QueryError(f"there is no query formula {asked.formula}", where="asked")
        try:
            segment, unit = retriever.find(asked.key)
        except QueryError:
            return None
        with using_statistics(request.statistics.query.of_query):
            query = retriever.read(request.formulas[asked.formula])
            return match_formulas(retriever, query, segment, unit, asked.aligned)

    def _find(self, keys: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Which of some formulas are here, by position: their segments and ordinals there."""
        places = []
        for owner, key in enumerate(keys):
            for number, units in enumerate(self._units):
                unit = units.find(key)
                if unit is not None:
                    places.append((owner, number, unit))
                    break
        columns = np.array(places, np.int64).reshape(-1, 3)
        return columns[:, 0], columns[:, 1].astype(np.int32), columns[:, 2].astype(np.int32)

    def _allowed(self, filters: Mapping[str, Sequence[str]]) -> tuple[bool, Masks | None]:
        """Whether any document can be meant, and which are."""
        if not filters:
            return True, None
        snapshot = self.index.snapshot
        if not all(any(key in segment.metadata_counts() for segment in snapshot.segments) for key in filters):
            return False, None
        return True, snapshot.filter(filters)

    def _places_by(self, naming: Naming | None) -> FormulaPlaces:
        if naming not in self._places:
            self._places[naming] = FormulaPlaces(self.index.snapshot, naming)
        return self._places[naming]

    def _known(self, counting: str) -> _Counting:
        """The formulas that count.

        :raises StaleCommit: which do is not known here, or no more.
        """
        def forgotten() -> _Counting:
            raise StaleCommit("which formulas count is not known here any more", hint="Begin again.")

        return self._counting.get(counting, forgotten)

    def _retriever(self, request: FormulasRequest | FormulaHitsRequest) -> FormulaRetriever:
        """The retriever for the statistics of a whole collection."""
        counting = self._known(request.counting)
        statistics: WholeStatistics = request.statistics
        return self._given.get((request.counting, statistics.documents, statistics.channels), lambda: FormulaRetriever(
            self.index.snapshot, self.index.analyzer, self._ranker.model, units=counting.units,
            collection=statistics.of_collection,
        ))


def name_of_marks(marks: NDArray[np.bool_]) -> str:
    """What marks (bool) are called: the SHA-256 of their bits."""
    return hashlib.sha256(np.packbits(marks).tobytes()).hexdigest()
