"""The passage of a document that shows best why it was found, with the matching words and formulas marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from porism.analysis.analyzer import Analyzer
from porism.analysis.channels import SYMBOLS, TextChannel
from porism.analysis.symbols import text_symbols
from porism.retrieve.documents.shown_matches import NEAR, SMALL, ShownMatch
from porism.search.grouping import thread_of
from porism.search.marked_text import FormulaStyle, Piece, Snippet, show_content, show_formula, tidy
from porism.types import PLACEHOLDER, Content, Document, Formula

__all__ = ["FormulaStyle", "Piece", "Snippet", "SnippetMaker", "show_content", "show_formula"]

PASSAGE_CHARACTERS = 260
"""How long a passage may be, formulas counted as they are shown."""

MAX_FORMULAS = 400
"""Formulas of a field beyond these are shown unmarked: a snippet must not take longer than the search."""

MAX_CHARACTERS = 500_000
"""The same for the text of one field: the passage is looked for in its beginning."""

LAST_FIELDS = ("title", "section", "labels", "tags", "expansion")
"""Fields that are shown beside a snippet anyway, and what a model has written: where nothing else is there."""

SIDE_FIELDS = {"question": 0.5, "comments": 0.5, "proof": 0.7}
"""What a passage is worth where it is not of a document's own text: of what all answers of a thread have in common, of
what others have written, or of a proof beside its statement."""

MIN_BY_TERMS = 0.8
"""A formula that is compared by its terms alone matches from this quality on."""

_PARAGRAPH = re.compile(r"(?<=[\w)\]])[ \t]*\n[ \t]*\n\s*(?=[^\W\d_])(?![a-z])")
"""The end of a heading or paragraph that no mark of a sentence ends, before a new sentence: on one line nothing else
would show it."""

_LINE_END = re.compile(r"[ \t]*\n\s*")
_BLANK_LINE = re.compile(r"[ \t]*\n[ \t]*\n\s*")

Matching = Callable[[str], Mapping[tuple[str, int], ShownMatch] | None]
"""Document id → its formulas that match, by field and number there; None where this is not known."""


class _Item(NamedTuple):
    """A word or formula of a field: its place in the text, its width as shown, and what it is worth."""

    start: int
    end: int
    worth: float
    key: str


class _Read(NamedTuple):
    """A formula that was read: its key, its terms by channel, and what those of them are worth that the query has."""

    formula: Formula
    key: str
    terms: Counter[tuple[str, str]]
    worth: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a field of a document, what the matches in it are worth, and where the one that is worth most is, None
    where nothing matches."""

    worth: float
    field: str
    start: int
    end: int
    match: int | None = None


def _has_stems(analyzer: Analyzer, name: str) -> bool:
    """Whether words are terms of a channel as they are of the channel ``words``."""
    channel = analyzer.channel(name)
    return isinstance(channel, TextChannel) and channel.has_stems


class SnippetMaker:
    """Makes the snippets of one query.

    ``weights`` are the query's terms by channel, each with what a match of it is worth (query weight times inverse
    document frequency); ``formulas`` the query's formulas. ``matching`` says which formulas of a document match them;
    without it those do that have most terms of one in common with it.
    """

    def __init__(
        self, analyzer: Analyzer, weights: Mapping[str, Mapping[str, float]], formulas: Iterable[Formula],
        matching: Matching | None = None,
    ) -> None:
        self._analyzer = analyzer
        self._words = next((weights[name] for name in weights if _has_stems(analyzer, name)), {})
        self._matching_words = analyzer.matcher(self._words)
        self._symbols = weights.get(SYMBOLS, {})
        self._terms = {name: terms for name, terms in weights.items() if name in analyzer.config.formulas}
        self._memory: dict[tuple[str, str], _Read] = {}
        self._query_formulas = {read.key: read for read in map(self._read, formulas)}
        self._matching = matching
        self._marks_of: tuple[Document, dict[tuple[str, int], ShownMatch]] | None = None

    def snippet(
        self, document: Document, style: FormulaStyle = "unicode", characters: int = PASSAGE_CHARACTERS
    ) -> Snippet:
        """The best passage over all fields; the beginning of the first field where nothing matches."""
        passage = self.passage(document, characters)
        return self.render(document, passage, style) if passage is not None else Snippet(())

    def title(self, document: Document, style: FormulaStyle = "unicode") -> Snippet:
        """The whole title, marked; where there is none the heading above the document; else empty."""
        for name in ("title", "section"):
            if content := document.fields.get(name):
                return self.render(document, Passage(0.0, name, 0, len(content.text)), style)
        return Snippet(())

    def passage(
        self, document: Document, characters: int = PASSAGE_CHARACTERS, shown: Collection[Content] = ()
    ) -> Passage | None:
        """The best passage over all fields, None where there is no text.

        Content in ``shown`` is beside another result already: a passage of it is chosen where there is no other.
        """
        fields = {name: content for name, content in document.fields.items() if content}
        names = [name for name in fields if name not in LAST_FIELDS] or list(fields)
        names = [name for name in names if fields[name] not in shown] or names
        names.sort(key=SIDE_FIELDS.__contains__)  # where nothing matches, the document's own text comes first
        passages = [self._best_window(document, name, characters) for name in names]
        return max(passages, default=None, key=lambda passage: passage.worth * SIDE_FIELDS.get(passage.field, 1.0))

    def render(self, document: Document, passage: Passage, style: FormulaStyle) -> Snippet:
        """A passage of a document with the matches in it marked."""
        text, start, end = document.fields[passage.field].text, passage.start, passage.end
        if end < len(text):
            end = _word_end(text, start, end)
        pieces: list[Piece] = [Piece("… ")] if text[:start].strip() else []
        pieces.extend(self._pieces(document, passage.field, start, end, style))
        if text[end:].strip():
            pieces.append(Piece(" …"))
        return Snippet(tidy(pieces))

    def marked(self, document: Document, field: str, style: FormulaStyle = "unicode") -> list[Snippet]:
        """A whole field with the matches in it marked, paragraph by paragraph."""
        text = document.fields[field].text
        separator = _LINE_END if thread_of(document.metadata) else _BLANK_LINE  # lines of posts are paragraphs
        ends = [*(match.span() for match in separator.finditer(text)), (len(text), len(text))]
        starts = [0, *(end for _, end in ends)]
        paragraphs = (
            Snippet(tidy(self._pieces(document, field, start, end, style)))
            for start, (end, _) in zip(starts, ends, strict=False)
        )
        return [paragraph for paragraph in paragraphs if paragraph.pieces]

    def _pieces(self, document: Document, field: str, start: int, end: int, style: FormulaStyle) -> Iterable[Piece]:
        content, marks = document.fields[field], self._marks(document)
        number = content.text.count(PLACEHOLDER, 0, start)
        for chunk, is_formula in _split(content.text[start:end]):
            if is_formula:
                formula, mark = content.formulas[number], marks.get((field, number))
                yield Piece(
                    show_formula(formula, style), mark is not None, True, formula,
                    self._read(mark.query).formula if mark is not None else None,
                )
                number += 1
            else:
                yield from self._text_pieces(_PARAGRAPH.sub(" · ", chunk))

    def _read(self, formula: Formula) -> _Read:
        written = (formula.notation, formula.source)
        if written not in self._memory:
            analyzed = self._analyzer.formula_terms(formula, self._terms)
            counts = Counter((name, term) for name, terms in analyzed.terms.items() for term in terms)
            worth = sum(self._terms[name].get(term, 0.0) for name, term in counts)
            self._memory[written] = _Read(formula, analyzed.key, counts, max(worth, 1e-6))
        return self._memory[written]

    def _marks(self, document: Document) -> dict[tuple[str, int], ShownMatch]:
        """The formulas of a document that match, by field and number there."""
        if self._marks_of is None or self._marks_of[0] is not document:
            self._marks_of = (document, self._find_marks(document) if self._query_formulas else {})
        return self._marks_of[1]

    def _find_marks(self, document: Document) -> dict[tuple[str, int], ShownMatch]:
        matching = self._matching(document.id) if self._matching is not None else None
        if matching is None:
            matching = self._matching_by_terms(document)
        return {place: shown for place, shown in matching.items() if place[1] < MAX_FORMULAS}

    def _matching_by_terms(self, document: Document) -> dict[tuple[str, int], ShownMatch]:
        """The formulas of a document that equal one of the query, or have most of its terms and few others."""
        written = {
            (name, number): self._read(formula)
            for name, content in document.fields.items()
            for number, formula in enumerate(content.formulas[:MAX_FORMULAS])
        }
        matches: dict[tuple[str, int], ShownMatch] = {}
        for query_formula in self._query_formulas.values():
            if query_formula.terms.total() >= SMALL:
                qualities = {place: _quality(query_formula.terms, read.terms) for place, read in written.items()}
                best = max(qualities.values(), default=0.0)
                for place, quality in qualities.items():
                    if quality >= max(MIN_BY_TERMS, best - NEAR):
                        matches[place] = ShownMatch(query_formula.formula, quality)
        for place, read in written.items():
            if read.key in self._query_formulas:  # symbols too, which are too small to be compared
                matches[place] = ShownMatch(self._query_formulas[read.key].formula, 1.0)
        return matches

    def _items(self, document: Document, field: str) -> list[_Item]:
        content, marks = document.fields[field], self._marks(document)
        items = self._text_items(content.text[:MAX_CHARACTERS])
        place = -1
        for number, formula in enumerate(content.formulas[:MAX_FORMULAS]):
            place = content.text.index(PLACEHOLDER, place + 1)
            if (field, number) in marks:
                shown = marks[field, number]
                worth = self._read(shown.query).worth * shown.quality
                items.append(_Item(place, place + 1, worth, f"${formula.source}"))
        return sorted(items, key=lambda item: item.start)

    def _best_window(self, document: Document, field: str, characters: int) -> Passage:
        """The window of ``characters`` shown characters whose distinct matches are worth most."""
        content = document.fields[field]
        widths = _Shown(content)
        items = self._items(document, field)
        best = (0.0, 0, 0)
        counts: dict[str, int] = {}
        worth, first = 0.0, 0
        for number, item in enumerate(items, 1):
            if counts.get(item.key, 0) == 0:
                worth += item.worth
            counts[item.key] = counts.get(item.key, 0) + 1
            while _too_far(items[first], item, widths, characters):
                gone = items[first]
                counts[gone.key] -= 1
                if counts[gone.key] == 0:
                    worth -= gone.worth
                first += 1
            if worth > best[0]:
                best = (worth, items[first].start, number)
        within = [item for item in items[: best[2]] if item.start >= best[1]]
        match = max(reversed(within), key=lambda item: item.worth).start if within else None
        return _passage(content, widths, best[0], field, best[1], match, characters)

    def around(
        self, document: Document, field: str, character: int, characters: int = PASSAGE_CHARACTERS
    ) -> Passage:
        """The passage around a character of a field."""
        content = document.fields[field]
        return _passage(content, _Shown(content), 0.0, field, character, character, characters)

    def _text_items(self, text: str) -> list[_Item]:
        """The words and symbols of a text that match, in order; a whole name comes before its parts."""
        items = [_Item(start, end, self._words[term], term) for start, end, term in self._matching_words(text)]
        if not self._symbols:
            return items
        items += [
            _Item(start, end, self._symbols[term], term)
            for start, end, term in text_symbols(text) if term in self._symbols
        ]
        return sorted(items, key=lambda item: (item.start, -item.end))

    def _text_pieces(self, text: str) -> Iterable[Piece]:
        place = 0
        for start, end, key in _joined(self._text_items(text)):
            if start > place:
                yield Piece(text[place:start])
            yield Piece(text[start:end], match=True, answers=key)
            place = end
        if place < len(text):
            yield Piece(text[place:])


def _joined(items: Iterable[_Item]) -> Iterator[tuple[int, int, str]]:
    """Where matches are and what they match: those that overlap, such as pairs of characters, are one."""
    held: tuple[int, int, str] | None = None
    for item in items:
        if held is not None and item.start < held[1]:
            held = (held[0], max(held[1], item.end), held[2])
            continue
        if held is not None:
            yield held
        held = (item.start, item.end, item.key)
    if held is not None:
        yield held


def _quality(query_terms: Counter[tuple[str, str]], terms: Counter[tuple[str, str]]) -> float:
    """How much two formulas have of each other's terms (0 to 1), those of the query counting more."""
    shared = (query_terms & terms).total()
    return (shared / query_terms.total()) * (0.5 + 0.5 * shared / max(1, terms.total()))


def _too_far(first: _Item, last: _Item, shown: _Shown, characters: int) -> bool:
    """Whether two items do not fit into one passage of ``characters``."""
    return first is not last and shown(last.end) - shown(first.start) > characters


class _Shown:
    """Position in the text → position as shown, where a formula is about as wide as its source."""

    def __init__(self, content: Content) -> None:
        characters = np.frombuffer(content.text.encode("utf-32-le", "surrogatepass"), np.uint32)
        widths = np.ones(len(characters) + 1, np.int64)
        places = np.flatnonzero(characters == ord(PLACEHOLDER))
        widths[places] = [min(len(formula.source), 80) for formula in content.formulas]
        self._total = np.concatenate(([0], np.cumsum(widths[:-1])))

    def __call__(self, position: int) -> int:
        return int(self._total[position])

    def last_within(self, shown: int) -> int:
        """The last position of the text that is shown at ``shown`` or before."""
        return int(np.searchsorted(self._total, shown, side="right")) - 1


def _passage(
    content: Content, widths: _Shown, worth: float, field: str, first: int, match: int | None, characters: int
) -> Passage:
    """The passage of so many shown characters that begins a little before the character ``first``."""
    start = _sentence_start(content.text, first)
    end = widths.last_within(widths(start) + characters)
    return Passage(worth, field, start, max(end, min(start + 1, len(content.text))), match)


def _sentence_start(text: str, position: int, most: int = 80) -> int:
    """A good place to begin before ``position``: a sentence's start if one is near, else a word's a little before."""
    low = max(0, position - most)
    if low == 0:
        return 0
    window = text[low:position]
    for mark in ("\n", ". ", "? ", "! ", ": ", "。", "！", "？"):
        place = window.rfind(mark)
        if place >= 0:
            return low + place + len(mark)
    place = text.find(" ", max(0, position - most // 2), position)
    return place + 1 if place >= 0 else position


def _word_end(text: str, start: int, end: int) -> int:
    """Moves ``end`` back to the end of a whole word, if one ends after ``start``."""
    if text[end : end + 1].isspace() or text[end - 1 : end].isspace():
        return end
    space = text.rfind(" ", start, end)
    return space if space > start + (end - start) // 2 else end


def _split(text: str) -> Iterable[tuple[str, bool]]:
    for number, chunk in enumerate(text.split(PLACEHOLDER)):
        if number:
            yield PLACEHOLDER, True
        if chunk:
            yield chunk, False

