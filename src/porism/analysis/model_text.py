"""Documents as text for a model: which fields, how formulas are written, and what is left out of long ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from porism.analysis.documents import clean_text
from porism.errors import ConfigError
from porism.formula import LayoutTree, operator_tree, parse, to_latex, to_spoken, to_unicode
from porism.formula.extractors.latex import unified_tokens
from porism.formula.extractors.tokens import prefix_notation
from porism.settings import Settings
from porism.types import PLACEHOLDER, Content, Document, Formula

FormulaWriting = Literal["source", "latex", "unified", "prefix", "unicode", "spoken", "none"]
"""How a formula is written for a model: LaTeX as its author wrote it (MathML as LaTeX), LaTeX in one spelling, its
tokens by unified names, its operator tree in prefix notation, Unicode, spoken English, or not at all."""

Cut = Literal["head", "head-tail"]
"""What is kept of a sequence that is too long: its beginning, or its beginning and its end in equal parts."""

T = TypeVar("T")

_WRITERS: dict[str, Callable[[LayoutTree], str]] = {
    "source": to_latex,  # of what is not valid LaTeX
    "latex": lambda layout: to_latex(layout, spaces=False),
    "unified": lambda layout: " ".join(unified_tokens(layout)),
    "prefix": lambda layout: " ".join(prefix_notation(operator_tree(layout))),
    "unicode": to_unicode,
    "spoken": to_spoken,
    "none": lambda layout: "",
}


@dataclass(frozen=True, slots=True)
class ModelText(Settings):
    """How a document becomes the text that a model reads.

    ``fields`` are those that it reads, in this order (all in their own order where none is named); those without text
    are left out, and ``between`` stands between two. ``before`` and ``after`` stand around a formula, twice around one
    on a line of its own.

    :raises ConfigError: there is no such writing of formulas.
    """

    fields: tuple[str, ...] = ()
    formulas: FormulaWriting = "source"
    before: str = "$"
    after: str = "$"
    between: str = "\n"

    def __post_init__(self) -> None:
        if self.formulas not in get_args(FormulaWriting):
            raise ConfigError(
                f"formulas cannot be written as {self.formulas!r}", hint=f"Choose from {', '.join(_WRITERS)}."
            )


def written_formula(formula: Formula, writing: FormulaWriting = "source") -> str:
    """A formula as one line of text."""
    if writing == "source" and formula.notation == "latex":
        return formula.source
    return _WRITERS[writing](parse(formula))


def content_pieces(content: Content, settings: ModelText) -> list[str]:
    """A content as text in pieces: every second one, from the first on, is text between formulas as it is,
    the others are formulas with their marks."""
    content = content.with_terms_as_text()
    pieces = content.text.split(PLACEHOLDER)
    written_pieces = [pieces[0]]
    for formula, piece in zip(content.formulas, pieces[1:], strict=True):
        written = written_formula(formula, settings.formulas)
        times = 2 if formula.display else 1
        written_pieces += [f"{settings.before * times}{written}{settings.after * times}" if written else "", piece]
    return written_pieces


def content_text(content: Content, settings: ModelText) -> str:
    """A content as text, without lone surrogates, which UTF-8 cannot carry."""
    return clean_text("".join(content_pieces(content, settings)).strip())


def document_text(document: Document, settings: ModelText | None = None) -> str:
    """What a model reads of a document."""
    settings = settings or ModelText()
    names = settings.fields or tuple(document.fields)
    texts = (content_text(document.fields[name], settings) for name in names if name in document.fields)
    return settings.between.join(text for text in texts if text)


def document_formulas(document: Document, settings: ModelText | None = None) -> list[tuple[int, int, Formula]]:
    """Where the formulas are in :func:`document_text`, their marks included: from which sign to before which (code
    points)."""
    settings = settings or ModelText()
    formulas: list[tuple[int, int, Formula]] = []
    at = 0
    for name in settings.fields or tuple(document.fields):
        if name not in document.fields:
            continue
        content = document.fields[name].with_terms_as_text()
        pieces = content_pieces(content, settings)
        joined = "".join(pieces)
        text = joined.strip()
        if not text:
            continue
        start = at - (len(joined) - len(joined.lstrip()))
        for number, piece in enumerate(pieces):
            if number % 2 and piece:
                end = min(at + len(text), start + len(piece))
                formulas.append((max(at, start), end, content.formulas[number // 2]))
            start += len(piece)
        at += len(text) + len(settings.between)
    return formulas


def cut(sequence: Sequence[T], most: int, how: Cut = "head") -> list[T]:
    """At most ``most`` elements of a sequence, such as the tokens of a text that is too long for a model.

    ``head-tail`` keeps one more of the beginning where ``most`` is odd (Sun et al., *How to Fine-Tune BERT for Text
    Classification?*, 2019, keep the head and the tail).
    """
    if len(sequence) <= most:
        return list(sequence)
    if how == "head":
        return list(sequence[:most])
    tail = most // 2
    return [*sequence[: most - tail], *(sequence[len(sequence) - tail :] if tail else ())]


def chunks(sequence: Sequence[T], most: int, overlap: int = 0) -> list[list[T]]:
    """The whole of a sequence in pieces of at most ``most`` elements, of which neighbours share ``overlap``.

    The last piece ends where the sequence does and may be shorter. A sequence without elements is one empty piece.

    :raises ConfigError: ``overlap`` is not between 0 and ``most`` - 1.
    """
    if not 0 <= overlap < most:
        raise ConfigError(
            f"chunks of {most} tokens cannot share {overlap}", hint="Use an overlap from 0 to below the length."
        )
    step = most - overlap
    last = max(0, -(-(len(sequence) - most) // step))
    return [list(sequence[start * step : start * step + most]) for start in range(last + 1)]
