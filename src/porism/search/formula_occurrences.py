"""Where formulas occur: the places of a found formula in all segments, and the names that runs call formulas by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.formula import notation_of
from porism.index import Segment, Snapshot
from porism.index.engine.trees import open_places
from porism.index.engine.units import ordinals_by_segment
from porism.index.snapshot import Masks
from porism.index.strings import offsets, ranges
from porism.search.marked_text import Value
from porism.types import Formula

MAX_PLACES = 1_000
"""Places of one formula beyond these are not listed: ``n`` is everywhere."""

_MAX_REMEMBERED = 2_000_000
"""Of a segment with at most so many occurrences their names stay in memory once a run has used them."""


Naming = Literal["visual ids", "ids", "places"]
"""What a run calls formulas: by the first of these that the collection has."""


@dataclass(frozen=True, slots=True)
class Place(Value):
    """One occurrence of a formula: it is the formula ``number`` (from 0) of a field of a document.

    ``id`` and ``visual_id`` are those of the collection, None where it gives none.
    """

    doc_id: str
    field: str
    number: int
    id: str | None = None
    visual_id: str | None = None


class Occurring(NamedTuple):
    """Occurrences of some formulas in one segment: ``owners`` (int64) is the position of each one's formula among
    those requested, ``positions`` (int64) the occurrence; ordered by formula, then by document."""

    owners: NDArray[np.int64]
    positions: NDArray[np.int64]


class FormulaPlaces:
    """The places of the formulas of a snapshot. Documents that are deleted have none."""

    def __init__(self, snapshot: Snapshot, naming: Naming | None = None) -> None:
        """``naming`` is what :meth:`names` gives, by default what the snapshot has."""
        self.segments = snapshot.segments
        self.live: Masks = [segment.live for segment in snapshot.segments]
        self.naming: Naming = naming or (
            "visual ids" if any(segment.occurrences.has_visual_ids for segment in self.segments)
            else "ids" if any(segment.occurrences.has_ids for segment in self.segments) else "places"
        )
        self.has_visual_ids = self.naming == "visual ids"
        self._remembered: dict[int, list[str]] = {}

    def occurring(self, number: int, ordinals: NDArray[np.int64], allowed: Masks | None = None) -> Occurring:
        """Where formulas of a segment occur, in documents that are allowed (all live ones by default)."""
        segment = self.segments[number]
        where, places = segment.occurrences, open_places(segment)
        owners = np.flatnonzero(ordinals >= 0)
        holders, counts = places.of_each(ordinals[owners])
        counted = (allowed or self.live)[number][holders]
        docs, owners = holders[counted].astype(np.int64), np.repeat(owners, counts)[counted]
        starts, stops = where.indptr[docs], where.indptr[docs + 1]
        positions = ranges(starts, stops - starts)
        owners = np.repeat(owners, stops - starts)
        own = where.formula[positions] == ordinals[owners]
        return Occurring(owners[own], positions[own])

    def documents(
        self, segments: NDArray[np.int32], formulas: NDArray[np.int32], allowed: Masks | None = None
    ) -> NDArray[np.int64]:
        """In how many documents that are allowed each formula occurs (int64)."""
        totals = np.zeros(len(formulas), np.int64)
        for number, ordinals in enumerate(ordinals_by_segment(self.segments, segments, formulas)):
            there = np.flatnonzero(ordinals >= 0)
            holders, counts = open_places(self.segments[number]).of_each(ordinals[there])
            sums = offsets((allowed or self.live)[number][holders].view(np.uint8))
            ends = np.cumsum(counts)
            totals[there] += sums[ends] - sums[ends - counts]
        return totals

    def best(
        self, segments: NDArray[np.int32], formulas: NDArray[np.int32], values: Sequence[NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """The greatest value, 0 at least, of the live documents that hold each formula.

        :param values: for each segment one number a document (float64).
        """
        greatest = np.zeros(len(formulas), np.float64)
        for number, ordinals in enumerate(ordinals_by_segment(self.segments, segments, formulas)):
            there = np.flatnonzero(ordinals >= 0)
            docs, counts = open_places(self.segments[number]).of_each(ordinals[there])
            own = np.where(self.live[number][docs], values[number][docs], 0.0)
            np.maximum.at(greatest, np.repeat(there, counts), own)
        return greatest

    def names(
        self, segments: NDArray[np.int32], formulas: NDArray[np.int32], allowed: Masks | None = None
    ) -> list[list[str]]:
        """What a run calls each formula: its visual ids; the ids of its occurrences where the collection has no visual
        ids at all; ``document/field/number`` where it has neither."""
        names_of_each: list[dict[str, None]] = [{} for _ in range(len(formulas))]
        for number, ordinals in enumerate(ordinals_by_segment(self.segments, segments, formulas)):
            owners, positions = self.occurring(number, ordinals, allowed)
            order = np.argsort(positions)
            for owner, name in zip(owners[order].tolist(), self._names(number, positions[order]), strict=True):
                if name:
                    names_of_each[owner][name] = None
        return [list(names) for names in names_of_each]

    def every_name(self) -> set[str]:
        """What a run can call formulas of this collection, see :meth:`names`."""
        names: set[str] = set()
        for number, segment in enumerate(self.segments):
            lengths = np.diff(segment.occurrences.indptr)
            names.update(self._names(number, np.flatnonzero(np.repeat(self.live[number], lengths))))
        return names - {""}

    def places(self, key: str, allowed: Masks | None = None, most: int = MAX_PLACES) -> tuple[Place, ...]:
        """Where the formula with a normalised form occurs, ``most`` places at most, in the order of documents."""
        places: list[Place] = []
        for number, segment in enumerate(self.segments):
            ordinal = segment.find_formula(key)
            if ordinal is not None and len(places) < most:
                positions = self.occurring(number, np.array([ordinal], np.int64), allowed).positions
                places.extend(self._places(number, positions[: most - len(places)]))
        return tuple(places)

    def by_document(
        self, key: str, allowed: Masks | None = None, page: slice = slice(None)
    ) -> tuple[int, int, list[tuple[Place, ...]]]:
        """How many documents have the formula with a normalised form, at how many places, and those places of which the
        documents are on a page."""
        documents = count = 0
        places: list[tuple[Place, ...]] = []
        for number, segment in enumerate(self.segments):
            if (ordinal := segment.find_formula(key)) is None:
                continue
            positions = self.occurring(number, np.array([ordinal], np.int64), allowed).positions
            docs = np.searchsorted(segment.occurrences.indptr, positions, side="right") - 1
            starts = np.flatnonzero(np.diff(docs, prepend=-1))
            ends = np.append(starts, len(docs))[1:]
            shown = slice(max(0, (page.start or 0) - documents), None if page.stop is None else page.stop - documents)
            if shown.stop is None or shown.stop > 0:
                places += [
                    tuple(self._places(number, positions[start:end]))
                    for start, end in zip(starts[shown].tolist(), ends[shown].tolist(), strict=True)
                ]
            documents, count = documents + len(starts), count + len(positions)
        return documents, count, places

    def formula(self, segment: Segment, ordinal: int, places: Sequence[Place] = ()) -> Formula:
        """A formula as it was written first, with the id and visual id of its first place."""
        source = segment.formula_source(ordinal)
        first = places[0] if places else None
        return Formula(source, notation_of(source), first.id if first else None, first.visual_id if first else None)

    def keys_of_visual_id(self, visual_id: str) -> list[str]:
        """The normalised forms of the formulas that have a visual id."""
        keys: dict[str, None] = {}
        if self.has_visual_ids:
            for number, segment in enumerate(self.segments):
                where = segment.occurrences
                named = [place for place, name in enumerate(where.visual_ids()) if name == visual_id]
                docs = np.searchsorted(where.indptr, np.asarray(named, np.int64), side="right") - 1
                for place, live in zip(named, self.live[number][docs].tolist(), strict=True):
                    if live:
                        keys[segment.formula_key(int(where.formula[place]))] = None
        return list(keys)

    def keys_of_document(self, doc_id: str) -> list[str]:
        """The normalised forms of the formulas of a document, in order; empty where there is no such document."""
        for number, segment in enumerate(self.segments):
            doc = segment.find(doc_id)
            if doc is not None and self.live[number][doc]:
                where = segment.occurrences
                formulas = where.formula[where.indptr[doc] : where.indptr[doc + 1]].tolist()
                return [segment.formula_key(formula) for formula in dict.fromkeys(formulas)]
        return []

    def _names(self, number: int, positions: NDArray[np.int64]) -> list[str]:
        """The names of occurrences, empty for one without; those of a small segment are read once."""
        where = self.segments[number].occurrences
        if self.naming == "places":
            return [f"{place.doc_id}/{place.field}/{place.number}" for place in self._places(number, positions)]
        read = where.visual_ids if self.has_visual_ids else where.ids
        if len(where) > _MAX_REMEMBERED:
            return read(positions)
        names = self._remembered.get(number)
        if names is None:
            names = self._remembered[number] = read(None)
        return [names[position] for position in positions.tolist()]

    def _places(self, number: int, positions: NDArray[np.int64]) -> Iterator[Place]:
        segment = self.segments[number]
        where = segment.occurrences
        docs = np.searchsorted(where.indptr, positions, side="right") - 1
        columns = zip(
            segment.doc_ids(docs), where.field[positions].tolist(), where.number[positions].tolist(),
            where.ids(positions), where.visual_ids(positions), strict=True,
        )
        for doc_id, field, nth, formula_id, visual_id in columns:
            yield Place(doc_id, segment.fields[field], nth, formula_id or None, visual_id or None)
