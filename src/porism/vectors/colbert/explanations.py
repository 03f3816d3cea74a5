"""Which token of a query met which token of a document, in words and in formulas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from porism.analysis.model_text import ModelText, document_formulas, document_text, written_formula
from porism.explanation import Explanation
from porism.types import Document
from porism.vectors.neural.token_encoder import NOWHERE

_AROUND = 24
_SHOWN = 60


class Meeting(NamedTuple):
    """A token of a query (by number), the token of a document that is nearest to it, and their cosine."""

    query: int
    document: int
    cosine: float


class TextTokens(NamedTuple):
    """The tokens of a text: each as the vocabulary has it with its place, the text, and where its formulas are, each as
    it is written."""

    tokens: Sequence[tuple[str, tuple[int, int]]]
    text: str
    formulas: Sequence[tuple[int, int, str]]

    @classmethod
    def of(cls, document: Document, read: ModelText, tokens: Sequence[tuple[str, tuple[int, int]]]) -> TextTokens:
        """The tokens of what a model reads of a document (or of the fields of a query)."""
        formulas = [
            (start, stop, written_formula(formula, read.formulas))
            for start, stop, formula in document_formulas(document, read)
        ]
        return cls(tokens, document_text(document, read), formulas)

    def describe(self, number: int) -> str:
        """A token as it is in the text, with the formula that it belongs to or the words around it."""
        token, (start, stop) = self.tokens[number]
        if (start, stop) == NOWHERE:
            return token
        shown = f"'{self.text[start:stop]}'"
        for first, last, written in self.formulas:
            if first <= start < last:
                return f"{shown} in the formula {_short(written)}"
        before = self.text[max(0, start - _AROUND) : start]
        after = self.text[stop : stop + _AROUND]
        around = " ".join(f"{before}[{self.text[start:stop]}]{after}".split())
        return f"{shown} in “{'…' if start > _AROUND else ''}{around}{'…' if stop + _AROUND < len(self.text) else ''}”"


def explain_meetings(
    label: str, meetings: Sequence[Meeting], query: TextTokens, document: TextTokens, notes: Sequence[str]
) -> Explanation:
    """The score of a document as the sum of what the tokens of the query add; tokens that are not in the text of the
    query (markers and those that fill it up) are one part with parts of their own."""
    parts: list[Explanation] = []
    others: list[Explanation] = []
    total = 0.0
    for meeting in meetings:
        total += meeting.cosine
        found = document.describe(meeting.document) if meeting.document < len(document.tokens) else "a token"
        part = Explanation(meeting.cosine, f"{query.describe(meeting.query)} meets {found}")
        (others if query.tokens[meeting.query][1] == NOWHERE else parts).append(part)
    if others:
        parts.append(Explanation(
            sum(part.value for part in others), "tokens that the model adds to the question", others
        ))
    about = "; ".join(["cosines of the question's tokens with the nearest tokens", *notes])
    return Explanation(total, f"{label}: {about}", parts)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
