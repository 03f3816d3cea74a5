"""Texts as a transformer reads them, and where in them the terms of a channel are.

A transformer reads text, an index holds terms: a word is stemmed, a formula is cut into tuples. What joins them is the
place of each term in the text. Words are where they were written, tokens of byte-pair encoding where their tokenizer
found them. Terms of other channels have no place of their own: they are written one after another, with spaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import WORDS, Analyzer, read_formula
from porism.analysis.documents import clean_text
from porism.analysis.model_text import written_formula
from porism.analysis.term_columns import indexed_form
from porism.analysis.tokenizers.tokenizer import END_OF_MATH, MATH, MathTokenizer
from porism.errors import ConfigError
from porism.index import Segment, Snapshot
from porism.index.documents import stored_document
from porism.settings import nearest
from porism.types import PLACEHOLDER, Content, Formula
from porism.vectors.embeddings.texts import formula_of, live_occurrences

BPE = "bpe:"


@dataclass(frozen=True, slots=True, eq=False)
class SpannedText:
    """A text and the terms in it: ``terms[i]`` is at ``text[starts[i]:ends[i]]`` (int64, neither ever decreasing).

    ``weight`` is how many texts of the collection are the same as this one.
    """

    text: str
    terms: Sequence[str]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    weight: int = 1

    @classmethod
    def of_terms(cls, terms: Sequence[str], weight: int = 1) -> SpannedText:
        """The terms, one after another, with spaces between."""
        lengths = np.fromiter(map(len, terms), np.int64, count=len(terms))
        ends = np.cumsum(lengths + 1) - 1
        return cls(" ".join(terms), [indexed_form(term) for term in terms], ends - lengths, ends, weight)

    @classmethod
    def of_places(cls, text: str, places: Sequence[tuple[int, int, str]], weight: int = 1) -> SpannedText:
        """A text with (start, end, term), in order."""
        columns = np.array([(start, end) for start, end, _ in places], np.int64).reshape(-1, 2)
        return cls(text, [indexed_form(term) for _, _, term in places], columns[:, 0], columns[:, 1], weight)


class _Places(MathTokenizer):
    """A tokenizer that returns the positions of its tokens instead of their names."""

    def __init__(self, tokenizer: MathTokenizer) -> None:
        super().__init__(tokenizer.tokenizer, tokenizer.kind, tokenizer.latex)
        self.found = SpannedText.of_terms(())

    def tokens(self, text: str) -> list[str]:
        text = clean_text(text)
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        known = set(super().tokens(text))
        places = zip(encoding.offsets, encoding.tokens, strict=True)
        self.found = SpannedText.of_places(
            text, [(start, end, token) for (start, end), token in places if token in known]
        )
        return []


class ChannelSpans:
    """The texts of a channel of an index with the places of its terms, in the order of documents.

    One text a field of a document for a channel of the text; for one of the formulas, a distinct formula of a segment
    is one, with the number of its occurrences as weight. ``math`` delimits a formula in the text that a model
    reads: dollars, unless its tokenizer knows ``[MATH]`` and ``[/MATH]``.

    :raises ConfigError: the index has no such channel.
    """

    def __init__(
        self, snapshot: Snapshot, analyzer: Analyzer, channel: str, math: tuple[str, str] = ("$", "$")
    ) -> None:
        if channel not in analyzer.channels:
            raise ConfigError(
                f"the index has no channel {channel!r}", where=str(snapshot.path),
                hint=nearest(channel, analyzer.channels),
            )
        self._snapshot, self._analyzer, self._channel, self._math = snapshot, analyzer, channel, math
        self._of_text = channel in analyzer.config.text
        tokenizers = (tokenizer for tokenizer in analyzer.config.tokenizers if tokenizer.channel == channel)
        self._bpe = next((_Places(tokenizer.load()) for tokenizer in tokenizers), None)
        self._formulas = [] if self._of_text else [live_formulas(segment) for segment in snapshot.segments]
        self.total = snapshot.doc_count if self._of_text else sum(len(formulas) for formulas, _ in self._formulas)

    def __iter__(self) -> Iterator[list[SpannedText]]:
        """The texts of each document, or of each distinct formula: ``total`` lists, some of them empty."""
        if self._of_text:
            spans = self._words if self._channel == WORDS else self._tokens if self._bpe else self._terms
            for segment in self._snapshot.segments:
                for doc in np.flatnonzero(segment.live).tolist():
                    document = stored_document(segment, doc).with_terms_as_text()
                    language = self._analyzer.document_language(document)
                    texts = (spans(content, language) for content in document.fields.values())
                    yield [text for text in texts if text.terms]
            return
        for segment, (formulas, counts) in zip(self._snapshot.segments, self._formulas, strict=True):
            for formula, count in zip(formulas.tolist(), counts.tolist(), strict=True):
                spanned = self._formula(formula_of(segment.formula_source(formula)), count)
                yield [spanned] if spanned.terms else []

    def _words(self, content: Content, language: str) -> SpannedText:
        """The words where they were written, formulas as LaTeX between them."""
        pieces = content.text.split(PLACEHOLDER)
        before, after = self._math
        formulas = [f"{before}{_one_line(formula)}{after}" for formula in content.formulas]
        parts = [part for pair in zip(pieces, [*formulas, ""], strict=True) for part in pair]
        offsets = list(accumulate(map(len, parts), initial=0))[::2]
        places = [
            (offset + word.start, offset + word.end, word.term)
            for piece, offset in zip(pieces, offsets, strict=False)
            for word in self._analyzer.words_in(language).words(piece) if word.term is not None
        ]
        return SpannedText.of_places(clean_text("".join(parts)), places)

    def _tokens(self, content: Content, language: str) -> SpannedText:
        """The tokens of byte-pair encoding, in the text as their tokenizer reads it."""
        bpe = self._bpe
        assert bpe is not None
        bpe.terms(content, lambda formula: bpe.written(read_formula(formula.source, formula.notation)[0]))
        return bpe.found

    def _terms(self, content: Content, language: str) -> SpannedText:
        return SpannedText.of_terms(self._analyzer.content_terms(content, (self._channel,), language)[self._channel])

    def _formula(self, formula: Formula, count: int) -> SpannedText:
        if self._bpe is not None:
            self._bpe.formula_terms(read_formula(formula.source, formula.notation)[0])
            read = self._bpe.found
            return SpannedText(read.text, read.terms, read.starts, read.ends, count)
        terms = self._analyzer.formula_terms(formula, (self._channel,)).terms[self._channel]
        return SpannedText.of_terms(terms, count)


def _one_line(formula: Formula) -> str:
    written = written_formula(formula)
    return " ".join(written.split()) if formula.notation == "latex" else written


def math_marks(knows: Callable[[str], bool]) -> tuple[str, str]:
    """The delimiters of a formula for a tokenizer that knows some tokens."""
    return (f"{MATH} ", f" {END_OF_MATH}") if knows(MATH) and knows(END_OF_MATH) else ("$", "$")


def live_formulas(segment: Segment) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct formulas of documents that are not deleted, and how often each is there."""
    formulas, counts = np.unique(live_occurrences(segment), return_counts=True)
    return formulas, counts.astype(np.int64)
