"""References in the text of a document as pieces that name the document that they lead to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from porism.search.references import BRACKETED, References, Target
from porism.serve.web.schema import PieceView

_Span = tuple[int, int, str, str]
"""From which character to which one there is a reference, what is shown, and the document."""


class ReferringPieces:
    """Puts the references of one document into its passages, which come in the order of reading.

    A label in brackets has the title of what it names in its place, where there is one. A link is the first text like
    its own, after the one before it.
    """

    def __init__(self, references: References) -> None:
        self._labels, self._waiting = references.labels, list(references.links)

    def pieces(self, pieces: Sequence[PieceView]) -> tuple[PieceView, ...]:
        """A passage."""
        if not self._labels and not self._waiting:
            return tuple(pieces)
        made: list[PieceView] = []
        for is_text, grouped in groupby(pieces, lambda piece: piece.formula is None):
            run = list(grouped)
            made += self._referring(run) if is_text else run
        return tuple(made)

    def _referring(self, run: list[PieceView]) -> Iterator[PieceView]:
        spans = self._spans("".join(piece.text for piece in run))
        place = 0
        for piece in run:
            yield from _outside(piece, place, spans)
            place += len(piece.text)

    def _spans(self, text: str) -> list[_Span]:
        """The references in a text, in order; none overlaps another."""
        spans: list[_Span] = [
            (*match.span(1), target.title or match[1], target.id) for match in BRACKETED.finditer(text)
            if (target := self._labels.get(match[1])) is not None
        ]
        left: list[tuple[str, Target]] = []
        first = 0
        for shown, target in self._waiting:
            start = text.find(shown, first) if shown else -1
            if start < 0:
                left.append((shown, target))
                continue
            first = start + len(shown)
            if not any(one < first and start < other for one, other, *_ in spans):
                spans.append((start, first, shown, target.id))
        self._waiting = left
        return sorted(spans)


def _outside(piece: PieceView, place: int, spans: Sequence[_Span]) -> Iterator[PieceView]:
    """What of a piece, which begins at a place, is in no reference, and the references that begin in it."""
    position, end = place, place + len(piece.text)
    for start, stop, shown, target in spans:
        if stop <= position or start >= end:
            continue
        if start > position:
            yield piece.model_copy(update={"text": piece.text[position - place : start - place]})
        if start >= place:
            yield PieceView(text=shown, target=target)
        position = min(stop, end)
    if position < end:
        yield piece.model_copy(update={"text": piece.text[position - place :]})
