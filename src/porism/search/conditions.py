"""Which documents contain what a question demands: quoted phrases, and words in one field.

The documents that have all the words of a condition come from the postings; then their text is read. So a phrase of
rare words costs little, and one of common words a look at each document that has them all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import WORDS, Analyzer
from porism.analysis.folding import fold
from porism.analysis.unspaced import UNSPACED
from porism.analysis.words import WORD
from porism.formula import layout_key, parse
from porism.index import Segment, Snapshot
from porism.index.documents import stored_document
from porism.index.snapshot import FilteredMasks
from porism.retrieve.lexical.channels import FieldWeights, has_channel, open_postings, weighted_fields
from porism.search.questions import Condition
from porism.types import PLACEHOLDER, Content, Document

Masks = list[NDArray[np.bool_]]
"""For each segment which documents count (bool, one a document)."""

_TOKEN = re.compile(rf"{PLACEHOLDER}|{WORD.pattern}")
_GAP = rf"(?:[^\w{PLACEHOLDER}]|_)"


def documents_with(
    snapshot: Snapshot, analyzer: Analyzer, conditions: Sequence[Condition], field_weights: FieldWeights | None,
    allowed: Sequence[NDArray[np.bool_]] | None = None,
) -> Masks:
    """The live documents that meet all conditions, of those that are ``allowed`` (all by default).

    ``field_weights`` are those for which the index keeps postings of words; None where it keeps none.
    """
    tests = [_Test(condition, analyzer) for condition in conditions]
    masks: Masks = []
    for number, segment in enumerate(snapshot.segments):
        mask = segment.live.copy() if allowed is None else segment.live & allowed[number]
        if field_weights is not None and has_channel(segment, WORDS):
            for test in tests:
                mask &= test.candidates(segment, field_weights)
        for doc in np.flatnonzero(mask).tolist():
            document = stored_document(segment, doc)
            mask[doc] = all(test.holds(document) for test in tests)
        masks.append(mask)
    return FilteredMasks(masks, allowed.filters) if isinstance(allowed, FilteredMasks) else masks


class _Test:
    """One condition, ready to be tested."""

    def __init__(self, condition: Condition, analyzer: Analyzer) -> None:
        self.field = condition.field
        self._analyzer = analyzer
        self._words = _alternatives(analyzer, condition.content.text)
        terms = {term for word in self._words for term in word}
        self._matching = analyzer.matcher(terms)
        self._keys = [layout_key(parse(formula)) for formula in condition.content.formulas]
        self._exact = condition.exact or not self._words
        self._pattern = _pattern(_TOKEN.findall(_folded(condition.content.text)))

    def candidates(self, segment: Segment, field_weights: FieldWeights) -> NDArray[np.bool_]:
        """The documents of a segment that have all words, as far as the postings show (bool, one a document)."""
        counted = {segment.fields[number] for number, weight in weighted_fields(segment, field_weights) if weight > 0}
        known = self.field in counted if self.field is not None else counted == set(segment.fields)
        if not known or not self._words:
            return np.ones(segment.doc_count, np.bool_)
        postings = open_postings(segment, WORDS, field_weights)
        mask = np.ones(segment.doc_count, np.bool_)
        for word in self._words:
            own = np.zeros(segment.doc_count, np.bool_)
            for number in segment.dictionary(WORDS).lookup(sorted(word)).tolist():
                if number >= 0:
                    own[postings.documents_of(number)] = True
            mask &= own
        return mask

    def holds(self, document: Document) -> bool:
        """Whether a document meets the condition."""
        if self.field is not None:
            return self._in(document.fields.get(self.field, Content("")))
        return any(self._in(content) for content in document.fields.values())

    def _in(self, content: Content) -> bool:
        if not self._exact:
            terms = {term for _, _, term in self._matching(content.text)}
            has_words = not any(map(terms.isdisjoint, self._words))
            return has_words and all(self._has_formula(content, key) for key in self._keys)
        text = _folded(content.text)
        for match in self._pattern.finditer(text):
            first = text.count(PLACEHOLDER, 0, match.start())
            formulas = content.formulas[first : first + len(self._keys)]
            if [layout_key(parse(formula)) for formula in formulas] == self._keys:
                return True
        return False

    @staticmethod
    def _has_formula(content: Content, key: str) -> bool:
        return any(layout_key(parse(formula)) == key for formula in content.formulas)


def _alternatives(analyzer: Analyzer, text: str) -> set[frozenset[str]]:
    """The terms by which each word of a condition can be in a document, in whatever language; words without meaning in
    one of the languages are left out."""
    alternatives: set[frozenset[str]] = set()
    for word in analyzer.word_forms(text):
        terms = frozenset(term for term in word.terms if term is not None)
        if len(terms) == len(set(word.terms)):
            alternatives.add(terms)
    return alternatives


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else fold(text)


def _pattern(tokens: Sequence[str]) -> re.Pattern[str]:
    """Words and formulas one after the other, with whatever is neither between them."""
    parts: list[str] = []
    for number, token in enumerate(tokens):
        if token == PLACEHOLDER:
            parts.append(f"{_GAP}*{token}" if number else token)
        else:
            gap = "" if not number else f"{_GAP}*" if tokens[number - 1] == PLACEHOLDER else f"{_GAP}+"
            begins = "" if UNSPACED.match(token) else r"(?<![^\W_])"
            ends = "" if UNSPACED.match(token[-1]) else r"(?![^\W_])"
            parts.append(rf"{gap}{begins}{re.escape(token)}{ends}")
    return re.compile("".join(parts))
