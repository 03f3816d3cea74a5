"""What may have been meant: words of the index like those that it does not have, values like those of a filter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import OSA

from porism.analysis.analyzer import WORDS, Analyzer
from porism.analysis.folding import fold
from porism.analysis.unspaced import UNSPACED
from porism.analysis.words import WORD
from porism.index import Snapshot
from porism.index.documents import stored_document
from porism.index.engine.postings import DENSE_AT_LEAST, DENSE_SHARE, Postings
from porism.index.snapshot import Masks
from porism.retrieve.lexical.channels import FieldWeights, has_channel, live_df, live_frequencies, open_postings
from porism.search.marked_text import Value
from porism.types import Query

MIN_LENGTH = 4
"""Shorter words are not corrected: too many others are near."""

LONG = 6
"""From this length on two edits are looked for, else one. Two letters exchanged are one edit."""

FREQUENT = 100
"""A word that the index has is a slip only if one an edit away is in so many times more documents."""

TOGETHER = 0.8
"""What it is worth, in edits, that all documents with a word have another word of the question."""

_MAX_SUFFIX_LENGTH = 3
_COMPARED = 16
_READ_FOR_SPELLING = 5
_LISTED = 12
_NEAREST = 5


class Suggestion(NamedTuple):
    """A word of a question, one of the index that may have been meant, and how many documents have either."""

    written: str
    meant: str
    documents_written: int
    documents: int


@dataclass(frozen=True, slots=True)
class Correction(Value):
    """A question that may have been meant, the sentence that says so, and whether it is ``sure``: the words that are
    other there are then in no document."""

    question: str
    hint: str
    sure: bool
    followed: bool = False


class SpellingSuggester:
    """Suggests words of an index; its vocabulary is read once, when a word is first looked for."""

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, field_weights: FieldWeights) -> None:
        self._snapshot, self._analyzer, self._weights = snapshot, analyzer, field_weights
        self._segments = [segment for segment in snapshot.segments if has_channel(segment, WORDS)]
        self._df: Counter[str] | None = None
        self._terms: list[str] = []
        self._highest_df = 0

    def suggestions(self, query: Query) -> list[Suggestion]:
        """For each word of a query that the index does not have, or hardly, one like it; those without are left out.

        Words that occur in documents with other words of the query come before others.
        """
        text = " ".join(content.text for content in query.fields.values())
        words = dict.fromkeys(
            word for word in WORD.findall(text)
            if fold(word).isalpha() and len(word) >= MIN_LENGTH and UNSPACED.search(word) is None
        )
        suggestions: dict[str, Suggestion] = {}
        for word in words:
            terms = set().union(*(
                self._terms_of(suggestions[other].meant if other in suggestions else other)
                for other in words if other != word
            ))
            if (suggestion := self.suggestion(word, terms)) is not None:
                suggestions[word] = suggestion
        return list(suggestions.values())

    def suggestion(self, word: str, beside: Set[str] = frozenset()) -> Suggestion | None:
        """A word of the index for one that it does not have, or hardly; None where there is none near enough.

        :param beside: the terms with which it should occur.
        """
        folded, terms = fold(word), self._terms_of(word)
        if not terms or not self._segments or self._near_stop_word(folded):
            return None
        if self._df is None and any(map(self._is_common, terms)):
            return None
        df = self._frequencies()
        own = max(df[term] for term in terms)
        if FREQUENT * own > self._highest_df:  # no word is in so many more documents
            return None
        best: tuple[float, Suggestion] | None = None
        others: Masks | None = None
        for candidate in self._candidates(folded, terms, 1 if own else _edits(folded)):
            if own and df[candidate] < FREQUENT * own:
                continue
            spelled = self._spelling(candidate, folded)
            if spelled is None:
                continue
            distance = min(OSA.distance(folded, fold(spelled)), *(OSA.distance(term, candidate) for term in terms))
            if distance > (1 if own else _edits(folded)):
                continue
            others = self._holding(beside) if others is None else others
            together = sum(
                int((mask & with_others).sum())
                for mask, with_others in zip(self._holding({candidate}), others, strict=True)
            )
            worse = distance + 0.5 * (spelled[:1] != folded[:1]) - 0.1 * np.log10(df[candidate])
            worse -= TOGETHER * together / df[candidate]
            if best is None or worse < best[0]:
                best = (worse, Suggestion(word, spelled, own, df[candidate]))
        return best[1] if best is not None else None

    def _terms_of(self, word: str) -> set[str]:
        """The terms of a word in the languages of the index; none for a stop word of one of them."""
        terms = {self._analyzer.words_in(language).term(word) for language in self._analyzer.languages}
        return set() if None in terms else {term for term in terms if term is not None}

    def _holding(self, terms: Set[str]) -> Masks:
        """The documents of each segment that have one of some terms."""
        masks = []
        for segment in self._segments:
            mask = np.zeros(segment.doc_count, np.bool_)
            postings = open_postings(segment, WORDS, self._weights)
            for number in segment.dictionary(WORDS).lookup(sorted(terms)).tolist():
                if number >= 0:
                    mask[postings.documents_of(number)] = True
            masks.append(mask & segment.live)
        return masks

    def _near_stop_word(self, word: str) -> bool:
        """Whether a word is a slip of one that is not searched for anyway: ``whcih``."""
        return any(
            len(stop) >= MIN_LENGTH and OSA.distance(word, stop, score_cutoff=1) <= 1
            for language in self._analyzer.languages for stop in self._analyzer.words_in(language).dropped
        )

    def _candidates(self, folded: str, terms: set[str], edits: int) -> list[str]:
        """Terms that are near to a word, to one of its stems, or to the word without one of its endings."""
        stems = {*terms, *(folded[: len(folded) - cut] for cut in range(_MAX_SUFFIX_LENGTH + 1))}
        nearest: dict[str, float] = {}
        for stem in stems:
            if len(stem) < MIN_LENGTH - 1:
                continue
            for other, distance, _ in process.extract(
                stem, self._terms, scorer=OSA.distance, score_cutoff=edits, limit=None, processor=None
            ):
                if other not in terms:
                    nearest[other] = min(distance, nearest.get(other, distance))
        df = self._frequencies()
        return sorted(nearest, key=lambda other: (nearest[other] - 0.3 * np.log10(df[other]), other))[:_COMPARED]

    def _is_common(self, term: str) -> bool:
        """Whether no word can be in so many more documents that a term is a slip of it; looks up the term alone."""
        own = highest = 0
        for segment in self._segments:
            numbers = segment.dictionary(WORDS).lookup([term])
            own += int(live_frequencies(segment, WORDS, self._weights).of(numbers[numbers >= 0]).sum())
            highest += _most_documents(open_postings(segment, WORDS, self._weights))
        return FREQUENT * own > highest

    def _frequencies(self) -> Counter[str]:
        """How many documents have each word of the index."""
        if self._df is None:
            self._df = Counter()
            for segment in self._segments:
                terms = segment.dictionary(WORDS).packed().strings()
                counts = live_df(segment, WORDS, self._weights).tolist()
                for term, count in zip(terms, counts, strict=True):
                    if count and term.isalpha():
                        self._df[term] += count
            self._terms = [term for term in self._df if len(term) >= MIN_LENGTH - 1]
            self._highest_df = max(self._df.values(), default=0)
        return self._df

    def _spelling(self, term: str, near: str) -> str | None:
        """How documents write a term: of the forms in some of them, the one nearest to a word."""
        forms: Counter[str] = Counter()
        for segment in self._segments:
            number = int(segment.dictionary(WORDS).lookup([term])[0])
            if number < 0:
                continue
            postings = open_postings(segment, WORDS, self._weights)
            docs = postings.documents_of(number)
            for doc in docs[segment.live[docs]][:_READ_FOR_SPELLING].tolist():
                for content in stored_document(segment, doc).fields.values():
                    forms.update(word.lower() for word in WORD.findall(content.text) if term in self._terms_of(word))
        return min(forms, key=lambda form: (OSA.distance(near, fold(form)), -forms[form], form), default=None)


def _most_documents(postings: Postings) -> int:
    """A bound of how many documents a term can occur in; terms in more than one of ``DENSE_SHARE`` are dense."""
    sparse = min(max(postings.documents // DENSE_SHARE, DENSE_AT_LEAST), postings.documents)
    return int(postings.dense_df.max(initial=sparse))


def _edits(word: str) -> int:
    return 2 if len(word) >= LONG else 1


def correction_of(text: str, suggestions: Sequence[Suggestion]) -> Correction:
    """What a question may have been meant as; words that no document has are replaced alone, if there are any."""
    missing = [suggestion for suggestion in suggestions if not suggestion.documents_written]
    return Correction(corrected(text, missing or suggestions), spelling_hint(text, suggestions), bool(missing))


def spelling_hint(text: str, suggestions: Sequence[Suggestion]) -> str:
    """``did you mean 'Cauchy sequence'? No document has 'cauhcy'``."""
    rare = [suggestion for suggestion in suggestions if suggestion.documents_written]
    missing = [repr(suggestion.written) for suggestion in suggestions if not suggestion.documents_written]
    counts = [f"no document has {' or '.join(missing)}"] if missing else []
    counts += [
        f"{suggestion.documents_written:,} have {suggestion.written!r}, "
        f"{suggestion.documents:,} have {suggestion.meant!r}" for suggestion in rare
    ]
    reasons = "; ".join(counts)
    return f"did you mean {corrected(text, suggestions)!r}? {reasons[:1].upper()}{reasons[1:]}"


def corrected(text: str, suggestions: Iterable[Suggestion]) -> str:
    """A question with words, not those of formulas, replaced by what may have been meant."""
    meant = {suggestion.written: suggestion.meant for suggestion in suggestions}
    written = "|".join(map(re.escape, meant))
    parts = re.split(r"(\$[^$]*\$)", text)
    parts[::2] = [
        re.sub(rf"(?<![^\W_])(?:{written})(?![^\W_])", lambda match: meant[match.group()], part) for part in parts[::2]
    ]
    return "".join(parts)


def filter_hints(snapshot: Snapshot, filters: Mapping[str, Sequence[str]]) -> list[str]:
    """A line for each value of a filter that no document has: the values that there are, or the nearest of them."""
    hints: list[str] = []
    for key, values in filters.items():
        missing = [
            value for value in values
            if not any((segment.filter(key, value) & segment.live).any() for segment in snapshot.segments)
        ]
        if not missing:
            continue
        known: Counter[str] = Counter()
        for segment in snapshot.segments:
            known.update(segment.metadata_counts().get(key, {}))
        hints += [f"no document has {key}={value}. {_values(value, known)}" for value in missing if known]
    return hints


def _values(value: str, known: Counter[str]) -> str:
    """``Did you mean theorem (120)? …``: the nearest values, or all where they are few."""
    lowered = value.lower()
    near = [other for other in known if OSA.distance(lowered, other.lower(), score_cutoff=2) <= min(2, len(value) - 1)]
    near += [other for other in known if other not in near and (lowered in other.lower() or other.lower() in lowered)]
    near = sorted(near, key=lambda other: (OSA.distance(lowered, other.lower()), -known[other]))[:_NEAREST]
    meant = f"Did you mean {_listed(near, known, ' or ')}?" if near else ""
    others = [other for other, _ in known.most_common() if other not in near]
    if len(known) <= _LISTED and others:
        return f"{meant} There is {'also ' if meant else ''}{_listed(others, known, ', ')}.".strip()
    return meant or f"The most frequent are {_listed(others[:_NEAREST], known, ', ')}."


def _listed(values: Iterable[str], known: Counter[str], between: str) -> str:
    return between.join(f"{value} ({known[value]:,})" for value in values)
