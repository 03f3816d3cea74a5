"""The vectors of a snapshot's documents and those of questions, to be compared: cosines and what they come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.explanation import Explanation
from porism.index import Segment
from porism.index.strings import Packed
from porism.index.vector_rows import VectorRows
from porism.index.vectors import open_vectors
from porism.retrieve.meaning.documents import SegmentTerms
from porism.retrieve.meaning.sum_kernels import QUERY_UNIT, nearest_rows
from porism.retrieve.meaning.table import MeaningTable
from porism.retrieve.meaning.terms import PIECES, damped, number_terms, text_bags
from porism.retrieve.meaning.vectors import meaning_vectors
from porism.retrieve.vectors.nearest import products
from porism.system.compiled.kernels import address, as_layout
from porism.types import Query

MAX_COMPUTED = 5_000
"""So many documents get vectors when a snapshot is opened that has none; it takes less than a second."""

_SHOWN = 8
"""Pairs of terms that an explanation shows."""


class MeaningSpace:
    """The vectors of the documents of segments, each by the table of its index. Immutable, and safe to share between
    threads."""

    def __init__(
        self, segments: Sequence[Segment], analyzer: Analyzer, tables: Sequence[MeaningTable],
        rows: Sequence[VectorRows],
    ) -> None:
        """``tables`` and ``rows`` are those of each segment."""
        self.segments, self.tables, self.rows = segments, tables, rows
        self._analyzer = analyzer

    @classmethod
    def of(cls, segments: Sequence[Segment], analyzer: Analyzer) -> Self | None:
        """The vectors of segments; None where there are not those of all documents, or they are switched off.

        Those that are missing are computed, up to :data:`MAX_COMPUTED`.

        :raises IndexCorrupt: a table is damaged.
        """
        of_indexes = {folder: meaning_vectors(folder) for folder in {segment.folder.parents[1] for segment in segments}}
        tables, rows = [], []
        missing = 0
        for segment in segments:
            for vectors in of_indexes[segment.folder.parents[1]]:
                there = vectors.has(segment)
                missing += 0 if there else segment.doc_count
                if missing <= MAX_COMPUTED:
                    tables.append(vectors.table)
                    rows.append(
                        open_vectors(segment, vectors.spec, segment.doc_count) if there else vectors.computed(segment)
                    )
        return cls(segments, analyzer, tables, rows) if len(rows) == len(segments) else None

    def terms(self, query: Query) -> dict[str, list[str]]:
        """The terms of a query in the channels that carry meaning, with repetition."""
        config = self._analyzer.config
        text = [name for name in config.text if name in PIECES]
        formulas = [name for name in config.formulas if name in PIECES]
        terms: dict[str, list[str]] = {name: [] for name in PIECES}
        for content in query.fields.values():
            for name, of_content in self._analyzer.content_terms(content, text).items():
                terms[name] += of_content
            for formula in content.formulas:
                for name, of_formula in self._analyzer.formula_terms(formula, formulas).terms.items():
                    terms[name] += of_formula
        return terms

    def vectors(self, queries: Sequence[Query]) -> list[NDArray[np.float32]]:
        """The vectors of queries (float32, queries × dimensions, multiples of 1 / :data:`QUERY_UNIT`) for each
        segment."""
        texts = [self.terms(query) for query in queries]
        of_tables: dict[str, NDArray[np.float32]] = {}
        for table in self.tables:
            if table.digest not in of_tables:
                vectors = table.vectors(text_bags(texts, len(table)))
                of_tables[table.digest] = (np.rint(vectors * QUERY_UNIT) / QUERY_UNIT).astype(np.float32)
        return [of_tables[table.digest] for table in self.tables]

    def cosines(self, number: int, vector: NDArray[np.float32], units: NDArray[np.integer]) -> NDArray[np.float64]:
        """The cosine (float64) of a query's vector with the nearest view of each document of a segment; 0 where the
        query or the document has no terms."""
        rows, cosines = self.rows[number], np.empty(len(units))
        assert rows.scales is not None
        vectors, scales = as_layout(rows.vectors, np.int8), as_layout(rows.scales, np.float32)
        bounds, wanted = as_layout(rows.offsets, np.int64), np.asarray(units, np.int64)
        whole = np.rint(vector * QUERY_UNIT).astype(np.int32)
        nearest_rows(
            len(wanted), address(wanted), address(bounds), address(vectors), address(scales), rows.dimensions,
            address(whole), address(cosines),
        )
        return cosines

    def explain(self, query: Query, number: int, unit: int, factor: float = 1.0) -> list[Explanation]:
        """What pairs of a query's and a document's terms add to ``factor`` times their cosine."""
        vector = self.vectors([query])[number][0]
        total = float(self.cosines(number, vector, np.array([unit]))[0])
        pairs = sorted(self._pairs(query, number, unit, vector), key=lambda pair: (-abs(pair.part), *pair[1:]))
        shown = [
            Explanation(factor * pair.part, f"{pair.of_query} ~ {pair.of_document}") for pair in pairs[:_SHOWN]
        ]
        rest = factor * total - sum(part.value for part in shown)
        others = f"{len(pairs) - len(shown)} other pairs of terms, and rounding" if pairs[_SHOWN:] else "rounding"
        return [*shown, Explanation(rest, others)] if shown else []

    def _pairs(self, query: Query, number: int, unit: int, vector: NDArray[np.float32]) -> Iterator[_Pair]:
        """What each term of the query and each of the document's nearest view add to their cosine."""
        table, rows, terms = self.tables[number], self.rows[number], SegmentTerms(self.segments[number])
        of_views = [terms.bags(np.array([unit]), view) for view in terms.views]
        of_views = [bag for bag in of_views if len(bag.terms)]
        stored = rows.decode(int(rows.offsets[unit]), int(rows.offsets[unit + 1]))
        if not (len(of_views) == len(stored) > 0 and vector.any()):
            return
        bag = of_views[int(np.argmax(products(stored, vector)))]
        distinct = np.unique(bag.terms)
        described = terms.names(distinct)
        order = np.array(sorted(range(len(described)), key=described.__getitem__))  # the same in any segment
        theirs = (table.sums(terms.rows(distinct, len(table))) * bag.weights[:, None])[order]
        names, weights, asked = [], [], []
        for channel, occurrences in self.terms(query).items():
            once = list(dict.fromkeys(occurrences))
            names += [f"{channel}: {term}" for term in once]
            weights += damped(np.array([occurrences.count(term) for term in once], np.int64)).tolist()
            asked.append(table.sums(number_terms(channel, Packed.of(once), len(table))))
        own = np.concatenate(asked) * np.array(weights)[:, None]
        parts = own @ theirs.T / (np.linalg.norm(own.sum(axis=0)) * np.linalg.norm(theirs.sum(axis=0)))
        for place, name in enumerate(names):
            for other, place_there in enumerate(order.tolist()):
                yield _Pair(float(parts[place, other]), name, described[place_there])


class _Pair(NamedTuple):
    """A term of a query and one of a document, and what they add to the cosine of both."""

    part: float
    of_query: str
    of_document: str

