"""What the script of a static site needs of an index to rank: the weight of each term in each unit, and spellings.

A score of the model is a sum over terms; all but what depends on the question is multiplied out here. An entry of a
*key* has the postings of a term, and the terms that a spelling stands for.
"""

from __future__ import annotations

import base64
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.index import Snapshot
from porism.retrieve import DEFAULT_MODEL
from porism.retrieve.documents.model import SearchModel
from porism.retrieve.documents.retriever import DocumentRetriever
from porism.retrieve.lexical.channels import has_channel
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.serve.exported.rows import live_units
from porism.serve.exported.views import views_of
from porism.types import Document

PREFIXES = {"words": "w", "tokens": "1", "tokens-2": "2", "tokens-3": "3"}
"""Channel → the letter that its keys begin with."""

SITE_MODEL = SearchModel(
    channels={name: DEFAULT_MODEL.channels[name] for name in PREFIXES}, field_weights=DEFAULT_MODEL.field_weights,
    zones=DEFAULT_MODEL.zones, words_power=DEFAULT_MODEL.words_power, tuned_on=DEFAULT_MODEL.tuned_on,
)
"""The model by which a static site ranks: words and tokens of formulas as the default model weights them, no more."""

_STEPS = 65_535
"""Weights are stored in so many steps up to the largest of their term."""


class Entry(NamedTuple):
    """What is stored of a key: the largest weight of a term, its postings in base64, and the terms of a spelling."""

    largest: float = 0.0
    postings: str = ""
    terms: tuple[str, ...] | None = None

    def stored(self) -> list[Any]:
        """As the script reads it."""
        return [round(self.largest, 6), self.postings, *([] if self.terms is None else [self.terms])]


def spelling_key(word: str) -> str:
    """A word as the script looks it up: lower case, without accents."""
    decomposed = unicodedata.normalize("NFKD", word.lower())
    return "".join(character for character in decomposed if unicodedata.category(character) != "Mn")


class SiteTerms:
    """The entries of an index, and what the script must know of it.

    Units are numbered in the order of their ids, by which equal scores are ranked.
    """

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer) -> None:
        """:raises ConfigError: the index has none of the channels."""
        ids = [(segment.doc_id(unit), number, unit) for number, segment in enumerate(snapshot.segments)
               for unit in live_units(segment).tolist()]
        self.order = [(number, unit) for _, number, unit in sorted(ids)]
        """The units by their numbers: segment, and number there."""
        model = replace(SITE_MODEL, channels={
            name: settings for name, settings in SITE_MODEL.channels.items() if name in analyzer.channels
        })
        self._lexical = DocumentRetriever(snapshot, analyzer, model).lexical
        self._analyzer = analyzer
        self._numbers = [np.full(segment.doc_count, -1, np.int64) for segment in snapshot.segments]
        for position, (number, unit) in enumerate(self.order):
            self._numbers[number][unit] = position
        self._spellings: defaultdict[str, set[str]] = defaultdict(set)
        self.model = model

    def documents_of(self, channel: str) -> int:
        """How many units have the channel."""
        return self._lexical.statistics(channel).documents if channel in self._lexical.channels else 0

    def read(self, document: Document) -> None:
        """Notes how the words of a document are written."""
        words = self._analyzer.words_in(self._analyzer.document_language(document))
        for content in document.fields.values():
            text = content.with_terms_as_text().text
            for word in words.words(text):
                self._spellings[spelling_key(text[word.start : word.end])].update([word.term] if word.term else [])

    def entries(self) -> dict[str, Entry]:
        """Key → entry, for the terms of all channels and for spellings that are not their own term."""
        entries: dict[str, Entry] = {}
        for channel, prefix in PREFIXES.items():
            if channel in self._lexical.channels:
                for term, units, weights in _postings(self._lexical, channel, self._numbers):
                    largest = float(weights.max())
                    entries[prefix + term] = Entry(largest, _packed(units, weights / largest))
        for key, terms in self._spellings.items():
            if terms != {key}:
                entries["w" + key] = entries.get("w" + key, Entry())._replace(terms=tuple(sorted(terms)))
        return entries


def _postings(
    lexical: LexicalRetriever, channel: str, numbers_of: Sequence[NDArray[np.int64]]
) -> Iterator[tuple[str, NDArray[np.int64], NDArray[np.float64]]]:
    """Each term with the units that it occurs in (increasing), and what it weighs there beside the question.

    :param numbers_of: the number of each unit of each segment, -1 for deleted ones.
    """
    numbers: dict[str, int] = {}
    parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
    for view in views_of(lexical):
        if view.channel != channel:
            continue
        share = lexical.zones[view.zone].weight if view.zone else 1.0
        for position, (segment, units) in enumerate(zip(lexical.segments, numbers_of, strict=True)):
            if has_channel(segment, channel):
                weights = view.weights(position, view.freeze(0))
                names = segment.dictionary(channel).packed().strings()
                of_names = np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)
                owners = units[np.repeat(np.arange(segment.doc_count), np.diff(weights.indptr))]
                live = owners >= 0
                parts.append((of_names[weights.terms[live]], owners[live], share * weights.factors[live]))
    if not sum(len(terms) for terms, _, _ in parts):
        return
    terms, units, factors = map(np.concatenate, zip(*parts, strict=True))
    order = np.lexsort((units, terms))
    terms, units, factors = terms[order], units[order], factors[order]
    names = list(numbers)
    worth = lexical.channels[channel].weight * lexical.terms.vocabulary(channel).find(names).weights
    starts = np.flatnonzero(np.r_[True, terms[1:] != terms[:-1]])
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(terms)], strict=True):
        own, places = np.unique(units[start:end], return_inverse=True)
        weights = np.bincount(places, factors[start:end]) * worth[terms[start]]
        if weights.max() > 0:
            yield names[terms[start]], own, weights


def _packed(units: NDArray[np.int64], shares: NDArray[np.float64]) -> str:
    """Postings in base64: the distance from the unit before in groups of seven bits, and the share in two bytes."""
    packed = bytearray()
    before = -1
    for unit, step in zip(units.tolist(), np.rint(shares * _STEPS).astype(int).tolist(), strict=True):
        distance = unit - before
        before = unit
        while distance > 127:
            packed.append(distance & 127 | 128)
            distance >>= 7
        packed += bytes((distance, step & 255, step >> 8))
    return base64.b64encode(packed).decode("ascii")


def constants(terms: SiteTerms) -> Mapping[str, float]:
    """What the script weights the terms of a question by."""
    model = terms.model
    return {
        "wordsPower": model.words_power, "formulasPower": model.formulas_power, "massOffset": model.mass_offset,
        "massExponent": model.mass_exponent,
    }


def in_parts(sizes: Iterable[int], most: int) -> Iterator[tuple[int, int]]:
    """Runs of things, from the first to before the last, whose sizes add up to about ``most``."""
    first = total = number = 0
    for number, size in enumerate(sizes, 1):
        total += size
        if total >= most:
            yield first, number
            first, total = number, 0
    if first < number:
        yield first, number
