"""The signature of a declaration: its hypotheses and its conclusion as formulas, in their places in the text.

The conclusion is the last formula. What is before an arrow of the statement is a hypothesis like the types in binders;
variables of a universal quantifier at its beginning are binders too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from porism.corpus.formal.binders import CLOSERS, closing, first_colon
from porism.corpus.lean.commands import BLOCKS
from porism.corpus.lean.declarations import Declaration
from porism.corpus.lean.generated import TRANSLATIONS
from porism.corpus.lean.translated import translated, translated_names
from porism.corpus.lean.translations import Translation
from porism.types import PLACEHOLDER, Content, Formula

_TRIVIAL = re.compile(r"\s*(?:(?:Type|Sort|Prop)\b.*|[^\W\d_]?[\d₀-₉'ᵢ-ᵪ]*\s*)\Z", re.DOTALL)
"""Types that say nothing: universes, and a letter alone."""
_SIGN = re.compile(
    r"[(\[{⦃⟨)\]}⦄⟩]|→(?=[\s(])|↔|[∀∃λ]|(?<![\w.])(?:fun|if|let|have|by|match)(?![\w'])|<\||:="
)
"""What says how far a hypothesis goes; the arrows of maps (``→ₗ``) have letters behind them."""
_QUANTIFIER = re.compile(r"\s*∀(?![ᶠᵐ])")
_COMMA = re.compile(r"[(\[{⦃⟨)\]}⦄⟩,]")
_CONDITION = re.compile(r"[∈∉<>≤≥≠⊆⊂=∣]")
"""Quantifiers with conditions are no mere binders."""
MAX_HYPOTHESES = 100
"""Of one statement."""
_DEFAULT = re.compile(r":=")

Span = tuple[int, int]


def signature_content(declaration: Declaration) -> Content:
    """The binders and the type of a declaration; of structures and the like, whose parts are no statements, as text.

    What attributes make has the statement of what it is made from, which is translated where that is what they do.
    """
    before = f"{declaration.variables} " if declaration.variables and declaration.statement else declaration.variables
    text = before + declaration.statement
    lines = tuple((len(before) + character, line) for character, line in declaration.statement_lines)
    translation = TRANSLATIONS.get(declaration.generated)
    is_known = not declaration.generated or translation is not None
    spans = statement_spans(text) if declaration.kind not in BLOCKS and is_known else []
    return _with_formulas(text, spans, lines) if translation is None else _translated(text, spans, translation)


def _translated(text: str, spans: list[Span], translation: Translation) -> Content:
    parts: list[str | Formula] = []
    place = 0
    for start, end in spans:
        parts.append(translated_names(text[place:start], translation))
        source = translated(text[start:end], translation)
        if source is None:
            return Content(text)
        parts.append(Formula(source, "lean"))
        place = end
    return Content.of(*parts, translated_names(text[place:], translation))


def statement_spans(text: str) -> list[Span]:
    """Where the hypotheses of a signature are and, last, its conclusion; nothing where it has none."""
    hypotheses, place = _binder_types(text, 0, len(text))
    if text[place : place + 1] != ":" or text[place : place + 2] == ":=":
        return []
    conclusion = [*_parts(text, place + 1, len(text))]
    return [*hypotheses, *conclusion] if conclusion else []


def _binder_types(text: str, place: int, end: int) -> tuple[list[Span], int]:
    """The types in brackets that follow one another, and the place behind them."""
    types: list[Span] = []
    while place < end:
        character = text[place]
        if character.isspace():
            place += 1
            continue
        closed = closing(text, place, end) if character in CLOSERS and character != "⟨" else -1
        if closed < 0:
            break
        colon = first_colon(text, place + 1, closed - 1)
        if colon >= 0 or character == "[":
            start, stop = (colon if colon >= 0 else place) + 1, closed - 1
            default = _DEFAULT.search(text, start, stop)
            span = _stripped(text, start, default.start() if default is not None else stop)
            if _TRIVIAL.match(text, *span) is None:
                types.append(span)
        place = closed
    return types, place


def _parts(text: str, start: int, end: int) -> Iterator[Span]:
    """What is between the arrows of a statement, and the types of what quantifiers before it bind."""
    for _ in range(MAX_HYPOTHESES):
        quantifier = _QUANTIFIER.match(text, start, end)
        comma = _comma(text, quantifier.end(), end) if quantifier is not None else -1
        if quantifier is not None and comma >= 0:
            types, _ = _binder_types(text, quantifier.end(), comma)
            yield from types
            start = comma + 1
            continue
        arrow, end = _first_arrow(text, start, end)
        if arrow < 0:
            break
        first, last = _stripped(text, start, arrow)
        if first < last and text[first] in "([{⦃" and closing(text, first, last) == last:
            yield from _binder_types(text, first, last)[0]
        elif _TRIVIAL.match(text, first, last) is None:
            yield first, last
        start = arrow + 1
    first, last = _stripped(text, start, end)
    if first < last:
        yield first, last


def _comma(text: str, start: int, end: int) -> int:
    """The comma behind the variables of a quantifier; -1 where these have a condition."""
    depth = 0
    for match in _COMMA.finditer(text, start, end):
        if match.group() in CLOSERS:
            depth += 1
        elif match.group() != ",":
            depth -= 1
        elif depth == 0:
            outside = re.sub(r"[(\[{⦃].*[)\]}⦄]", "", text[start : match.start()], flags=re.DOTALL)
            return -1 if _CONDITION.search(outside) is not None else match.start()
    return -1


def _first_arrow(text: str, start: int, end: int) -> tuple[int, int]:
    """The first arrow that parts the statement, -1 for none, and where the statement ends."""
    arrow, depth = -1, 0
    for match in _SIGN.finditer(text, start, end):
        sign = match.group()
        if sign in CLOSERS:
            depth += 1
        elif sign in ")]}⦄⟩":
            depth -= 1
        elif depth:
            continue
        elif sign == "→":
            arrow = match.start() if arrow < 0 else arrow
        elif sign == ":=":
            return arrow, match.start()
        elif sign == "↔":  # which binds less
            return -1, end
        else:  # what follows is in its scope
            break
    return arrow, end


def _stripped(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _with_formulas(text: str, spans: list[Span], lines: tuple[tuple[int, int], ...]) -> Content:
    """The text with a formula in the place of each span, and where its lines are."""
    if not spans or PLACEHOLDER in text:
        return Content(text, lines=lines)
    whole = Content(text, lines=lines)
    parts: list[str] = []
    formulas: list[Formula] = []
    marks: list[tuple[int, int]] = []
    place = length = 0
    waiting = list(lines)
    for start, end in spans:
        while waiting and waiting[0][0] <= start:
            character, line = waiting.pop(0)
            marks.append((length + character - place, line))
        parts += (text[place:start], PLACEHOLDER)
        length += start - place + 1
        source = text[start:end]
        formulas.append(Formula(source, "lean"))
        place = end
        if lines and "\n" in source:
            while waiting and waiting[0][0] <= end:
                waiting.pop(0)
            marks.append((length, whole.line_of(end)))
    for character, line in waiting:
        marks.append((length + character - place, line))
    parts.append(text[place:])
    return Content("".join(parts), tuple(formulas), tuple(marks))
