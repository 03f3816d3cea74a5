"""The passage of a document that shows best why it was found, with the matching words and formulas marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from porism.analysis import WORDS, Analyzer
from porism.formula import parse, to_latex, to_unicode
from porism.text.channels import JOINT, SYMBOLS, joint_channel
from porism.text.symbols import text_symbols
from porism.types import PLACEHOLDER, Content, Document, Formula

FormulaStyle = Literal["unicode", "latex"]

PASSAGE_CHARACTERS = 260
"""How long a passage may be, formulas counted as they are shown."""

MOST_FORMULAS = 400
"""Formulas of a document beyond these are shown unmarked: a snippet must not take longer than the search."""

MOST_CHARACTERS = 500_000
"""The same for the text of one field: the passage is looked for in its beginning."""

LAST_FIELDS = ("title", "section", "labels", "tags", "expansion")
"""Fields that are shown beside a snippet anyway, and what a model has written: where nothing else is there."""

SHARED_FOR_A_MATCH = 0.5
"""A formula is marked when this part of its terms is among the query's formula terms."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text or one formula (as it is to be shown), and whether it matches the query."""

    text: str
    match: bool = False
    formula: bool = False


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage as pieces, in order."""

    pieces: tuple[Piece, ...]

    def marked(self, before: str = "<mark>", after: str = "</mark>") -> str:
        """One string with matches between ``before`` and ``after``; neighbouring matches are marked one by one."""
        return "".join(f"{before}{piece.text}{after}" if piece.match else piece.text for piece in self.pieces)

    def __str__(self) -> str:
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class _Item:
    """A word or formula of a field: its place in the text, its width as shown, and what it is worth."""

    start: int
    end: int
    worth: float
    key: str


def _has_stems(channel: str) -> bool:
    """Whether words are terms of a channel as they are of the channel ``words``."""
    return channel.startswith(JOINT) and joint_channel(channel).words == "stems"


def show_formula(formula: Formula, style: FormulaStyle) -> str:
    """A formula as readable text: one line of Unicode, or LaTeX between dollars."""
    if style == "unicode":
        return to_unicode(parse(formula)) or formula.source.strip()
    source = to_latex(parse(formula)) if formula.notation == "mathml" else formula.source.strip()
    return f"${' '.join(source.split())}$"


def show_content(content: Content, style: FormulaStyle) -> str:
    """Content on one line, formulas shown in ``style``."""
    shown = (part if isinstance(part, str) else show_formula(part, style) for part in content.parts)
    return " ".join("".join(shown).split())


class SnippetMaker:
    """Makes the snippets of one query.

    ``weights`` are the query's terms by channel, each with what a match of it is worth (query weight times inverse
    document frequency); ``formulas`` the query's formulas.
    """

    def __init__(
        self, analyzer: Analyzer, weights: Mapping[str, Mapping[str, float]], formulas: Iterable[Formula]
    ) -> None:
        self._analyzer = analyzer
        self._words = next((weights[name] for name in weights if name == WORDS or _has_stems(name)), {})
        self._symbols = weights.get(SYMBOLS, {})
        self._terms = {name: terms for name, terms in weights.items() if name in analyzer.config.formulas}
        self._keys = {analyzer.formula_terms(formula, ()).key for formula in formulas}
        self._memory: dict[tuple[str, str], float] = {}

    def formula_worth(self, formula: Formula) -> float:
        """What a formula is worth as a match: 0 where it does not match."""
        written = (formula.notation, formula.source)
        if written not in self._memory:
            self._memory[written] = self._worth(formula)
        return self._memory[written]

    def _worth(self, formula: Formula) -> float:
        if not self._keys:
            return 0.0
        analyzed = self._analyzer.formula_terms(formula, self._terms)
        worth, shared, total = 0.0, 0, 0
        for name, weights in self._terms.items():
            terms = analyzed.terms[name]
            total += len(terms)
            for term in terms:
                if term in weights:
                    shared += 1
                    worth += weights[term]
        if analyzed.key in self._keys:
            return max(worth, 1e-6)
        return worth if total >= 4 and shared >= SHARED_FOR_A_MATCH * total else 0.0

    def snippet(
        self, document: Document, style: FormulaStyle = "unicode", characters: int = PASSAGE_CHARACTERS
    ) -> Snippet:
        """The best passage over all fields; the beginning of the first field where nothing matches."""
        fields = [name for name in document.fields if name not in LAST_FIELDS] or list(document.fields)
        best: tuple[float, Content, int, int] | None = None
        for name in fields:
            content = document.fields[name]
            if not content:
                continue
            worth, start, end = self._best_window(content, characters)
            if best is None or worth > best[0]:
                best = (worth, content, start, end)
        if best is None:
            return Snippet(())
        _, content, start, end = best
        return self._render(content, start, end, style)

    def title(self, document: Document, style: FormulaStyle = "unicode") -> Snippet:
        """The whole title, marked; where there is none the heading that it stands under, else the document's id."""
        title = document.title or document.fields.get("section")
        if not title:
            return Snippet((Piece(document.id),))
        return self._render(title, 0, len(title.text), style)

    def _items(self, content: Content) -> list[_Item]:
        items = self._text_items(content.text[:MOST_CHARACTERS])
        place = -1
        for formula in content.formulas[:MOST_FORMULAS]:
            place = content.text.index(PLACEHOLDER, place + 1)
            worth = self.formula_worth(formula)
            if worth > 0:
                items.append(_Item(place, place + 1, worth, f"${formula.source}"))
        return sorted(items, key=lambda item: item.start)

    def _best_window(self, content: Content, characters: int) -> tuple[float, int, int]:
        """The window of ``characters`` shown characters whose distinct matches are worth most: worth, start, end."""
        widths = _Shown(content)
        items = self._items(content)
        best = (0.0, 0)
        counts: dict[str, int] = {}
        worth, first = 0.0, 0
        for item in items:
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
                best = (worth, items[first].start)
        start = _sentence_start(content.text, best[1])
        end = start
        limit = widths(start) + characters
        while end < len(content.text) and widths(end + 1) <= limit:
            end += 1
        return best[0], start, max(end, min(start + 1, len(content.text)))

    def _render(self, content: Content, start: int, end: int, style: FormulaStyle) -> Snippet:
        text = content.text
        if end < len(text):
            end = _word_end(text, start, end)
        number = text.count(PLACEHOLDER, 0, start)
        pieces: list[Piece] = [Piece("… ")] if text[:start].strip() else []
        for chunk, is_formula in _split(text[start:end]):
            if is_formula:
                formula = content.formulas[number]
                marked = number < MOST_FORMULAS and self.formula_worth(formula) > 0
                pieces.append(Piece(show_formula(formula, style), marked, formula=True))
                number += 1
            else:
                pieces.extend(self._text_pieces(chunk))
        if text[end:].strip():
            pieces.append(Piece(" …"))
        return Snippet(_tidy(pieces))

    def _text_items(self, text: str) -> list[_Item]:
        """The words and symbols of a text that match, in order; a whole name stands before its parts."""
        items = [
            _Item(word.start, word.end, self._words[word.term], word.term)
            for word in self._analyzer.words.words(text)
            if word.term is not None and word.term in self._words
        ]
        if self._symbols:
            items += [
                _Item(start, end, self._symbols[term], term)
                for start, end, term in text_symbols(text) if term in self._symbols
            ]
        return sorted(items, key=lambda item: (item.start, -item.end))

    def _text_pieces(self, text: str) -> Iterable[Piece]:
        place = 0
        for item in self._text_items(text):
            if item.start < place:
                continue
            if item.start > place:
                yield Piece(text[place : item.start])
            yield Piece(text[item.start : item.end], match=True)
            place = item.end
        if place < len(text):
            yield Piece(text[place:])


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


def _sentence_start(text: str, position: int, most: int = 80) -> int:
    """A good place to begin before ``position``: a sentence's start if one is near, else a word's a little before."""
    low = max(0, position - most)
    if low == 0:
        return 0
    window = text[low:position]
    for mark in ("\n", ". ", "? ", "! ", ": "):
        found = window.rfind(mark)
        if found >= 0:
            return low + found + len(mark)
    found = text.find(" ", max(0, position - most // 2), position)
    return found + 1 if found >= 0 else position


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


def _tidy(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """White space folded to single blanks, control characters gone, outer blanks removed."""
    tidy: list[Piece] = []
    blank = True
    for piece in pieces:
        text = "".join(character if character.isprintable() else " " for character in piece.text)
        folded = " ".join(text.split())
        if text[:1].isspace() and not blank:
            folded = f" {folded}"
        if text[-1:].isspace() and folded.strip():
            folded += " "
        if folded:
            tidy.append(Piece(folded, piece.match, piece.formula))
            blank = folded.endswith(" ")
    return tuple(tidy)
