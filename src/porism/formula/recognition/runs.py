"""The parts of a text that have no words, each a run of lexemes: what may be a formula as a whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from porism.formula.recognition.chunks import MAX_NAME, Chunk, chunks
from porism.formula.recognition.lexemes import (
    CALLED,
    FUNCTIONS,
    GREEK,
    INTEGRALS,
    JOINING,
    Lexeme,
    class_of,
    is_binder,
    is_dots,
    lexemes,
    needs_operands,
)

Run = list[Lexeme]

_PART = re.compile(r"(?P<code>(?<!`)(?P<ticks>`{1,2})(?!`)[^`\n]{1,400}(?P=ticks)(?!`))|\n[^\S\n]*\n")
"""What divides a text before words do: code, whose formulas are apart, and the ends of paragraphs."""
_MAX_ITEMS = 20
"""So many texts are looked at for the dots of a list, or the arrow of a map."""
_LONG_WORDS = re.compile(
    rf"(?<!\S)(?:(?!(?:{'|'.join(sorted(name for name in CALLED | GREEK if len(name) > MAX_NAME))})\b)"
    rf"[A-Za-z]{{{MAX_NAME + 1},}}[,.;:!?]*(?:\s+|\Z))+"
)
"""Words that are no part of any formula, seen at once: most of a text."""


def runs(text: str, is_worth: Callable[[str], object] = bool) -> Iterator[Run]:
    """The runs of a text, in order, without what cannot begin or end a formula.

    Between long words, only what ``is_worth`` reading is read.
    """
    done = 0
    for match in _PART.finditer(text):
        yield from _runs_between_words(text, done, match.start(), is_worth)
        if match["code"] is not None:
            ticks = len(match["ticks"])
            yield from _runs_of_code(text, match.start() + ticks, match.end() - ticks)
        done = match.end()
    yield from _runs_between_words(text, done, len(text), is_worth)


def _runs_between_words(text: str, start: int, end: int, is_worth: Callable[[str], object]) -> Iterator[Run]:
    depth, counted = 0, start
    for match in _LONG_WORDS.finditer(text, start, end):
        depth += text.count("{", counted, match.start()) - text.count("}", counted, match.start())
        counted = match.end()
        if depth > 0:
            continue  # \\text{the number of} goes on
        depth = 0
        if is_worth(text[start:match.start()]):
            yield from _runs_of_words(text, start, match.start())
        start = match.end()
    if is_worth(text[start:end]):
        yield from _runs_of_words(text, start, end)


def _runs_of_code(text: str, start: int, end: int) -> Iterator[Run]:
    """The whole code where it has a sign of mathematics, as terms of Lean have; else as any text."""
    pieces = [piece for piece in lexemes(text, start, end) if not piece.text.isspace()]
    if len(pieces) > 1 and any(piece.kind == "sign" for piece in pieces):
        if whole := balanced(pieces):
            yield whole
        return
    yield from _runs_of_words(text, start, end)


def _runs_of_words(text: str, start: int, end: int) -> Iterator[Run]:
    parts = list(chunks(text, start, end))
    is_whole = bool(parts) and start == 0 and end == len(text) and all(
        part.kind in ("alone", "part") and not (number and part.is_line_start) for number, part in enumerate(parts)
    )
    if is_whole and not any(part.mark for part in parts[:-1]):  # a question of nothing but mathematics is one formula
        if whole := balanced([piece for part in parts for piece in part.lexemes]):
            yield whole
        return
    run: list[Chunk] = []
    opened, binds = 0, False
    for number, part in enumerate(parts):
        if part.is_line_start and run and opened <= 0 and not (
            needs_operands(run[-1].lexemes[-1]) or (part.lexemes and _goes_on(part.lexemes))
        ):
            yield from _trimmed(run)
            run, opened, binds = [], 0, False
        if part.kind != "word":
            run.append(part)
            binds = binds or any(map(is_binder, part.lexemes))
        opened += sum((piece.kind == "open") - (piece.kind == "close") for piece in part.lexemes)
        if part.mark or not part.lexemes:  # H^1(X, Z) goes on after the comma
            ends = opened <= 0 and not (run and _continues(parts, number, binds))
        else:
            ends = part.kind == "word"
        if ends:
            yield from _trimmed(run)
            run, opened, binds = [], 0, False
    yield from _trimmed(run)


def _goes_on(pieces: Sequence[Lexeme]) -> bool:
    """Whether a line that begins with these lexemes goes on with a formula of the line before."""
    first = next((piece for piece in pieces if not (piece.kind == "command" and not piece.text[1:].isalpha())), None)
    return needs_operands(first) and first is not None and first.text not in "-*"


def _continues(parts: Sequence[Chunk], number: int, binds: bool) -> bool:
    """Whether a formula goes on after a mark: in a list with dots, after the variables of ``∀``, in ``f: A → B``."""
    part = parts[number]
    if part.mark == ":":
        return _is_typed(parts, number)
    if part.mark != "," or not part.lexemes or part.kind == "word":
        return False
    if is_dots(part.lexemes[-1]) or binds:
        return True
    number, last = number + 1, min(len(parts), number + _MAX_ITEMS)
    while number < last and parts[number].kind == "alone" and parts[number].mark == ",":
        number += 1
    return number < last and bool(parts[number].lexemes) and is_dots(parts[number].lexemes[0])


def _is_typed(parts: Sequence[Chunk], number: int) -> bool:
    """Whether an arrow follows the colon after a chunk, with no word between."""
    for part in parts[number + 1:number + _MAX_ITEMS]:
        if any(class_of(piece.text) == "arrow" or piece.text == "->" for piece in part.lexemes):
            return True
        if part.kind == "word" or part.mark:
            return False
    return False


def _trimmed(run: list[Chunk]) -> Iterator[Run]:
    """A run without loose letters and numbers at its ends, in parts where few letters have no operator beside them."""
    parts: list[list[Chunk]] = [[]]
    for number, chunk in enumerate(run):
        before = run[number - 1].lexemes[-1] if number else None
        after = run[number + 1].lexemes[0] if number + 1 < len(run) else None
        if chunk.kind == "weak" and not (
            _joins_weak(before, chunk) or _joins_weak(after, chunk) or _is_differential(chunk, run)
        ):
            parts.append([])
        else:
            parts[-1].append(chunk)
    for part in parts:
        first, last = 0, len(part)
        while first < last and part[first].kind == "alone" and not _is_held(part, first, 1):
            first += 1
        while last > first and part[last - 1].kind == "alone" and not _is_held(part, last - 1, -1):
            last -= 1
        if pieces := balanced([piece for chunk in part[first:last] for piece in chunk.lexemes]):
            yield pieces


def _is_held(part: Sequence[Chunk], number: int, step: int) -> bool:
    """Whether an operand at an end of a run belongs to it: beside an operator, or a letter beside one that does."""
    while True:
        number += step
        if not 0 <= number < len(part):
            return False
        chunk = part[number]
        beside = chunk.lexemes[0 if step > 0 else -1]
        if beside.kind in JOINING or beside.text in FUNCTIONS or is_dots(beside):
            return True
        if step < 0 and _is_big(chunk.lexemes[0]):
            return True
        if len(chunk.lexemes) > 1 or not (beside.text.isalpha() and part[number - step].lexemes[0].text.isalpha()):
            return False


def _joins_weak(beside: Lexeme | None, chunk: Chunk) -> bool:
    """Whether few letters belong to what is beside them."""
    if beside is None:
        return False
    if len(chunk.lexemes[0].text) == 1:
        return beside.kind in JOINING
    return needs_operands(beside) or (beside.kind == "letters" and beside.text in FUNCTIONS)


def _is_big(piece: Lexeme) -> bool:
    """Whether a lexeme is a big operator, to which what follows its bounds belongs: ``\\int_0^1``."""
    name = piece.text if piece.kind != "letters" else f"\\{piece.text}"
    return class_of(name) in ("big-operator", "integral", "limit")


def _is_differential(chunk: Chunk, run: Sequence[Chunk]) -> bool:
    return chunk.lexemes[0].text[0] == "d" and any(
        piece.text in INTEGRALS or class_of(piece.text) == "integral" for other in run for piece in other.lexemes
    )


def balanced(pieces: Run) -> Run:
    """The lexemes without parentheses at the ends that have no partner, and without operators that end in nothing."""
    partner: dict[int, int] = {}
    opened: list[int] = []
    for number, piece in enumerate(pieces):
        if piece.kind == "open":
            opened.append(number)
        elif piece.kind == "close" and opened:
            partner[opened.pop()] = number
    closed = set(partner.values())
    first, last = 0, len(pieces)
    while first < last and (
        (pieces[first].kind in ("open", "close") and first not in partner)
        or pieces[first].kind in ("separator", "prime") or pieces[first].text in "*/·"
    ):
        first += 1
    while first < last and (
        (pieces[last - 1].kind in ("open", "close") and last - 1 not in closed)
        or pieces[last - 1].kind in ("separator", "dots")
        or (pieces[last - 1].kind == "operator" and not (last - 1 > first and pieces[last - 2].kind == "script"))
    ):
        last -= 1
    if first < last and pieces[first].text == "(" and partner.get(first) == last - 1 and (
        _has_relation(pieces[first + 1:last - 1])
    ):
        return pieces[first + 1:last - 1]
    return pieces[first:last]


def _has_relation(pieces: Run) -> bool:
    depth = 0
    for piece in pieces:
        depth += (piece.kind == "open") - (piece.kind == "close")
        if depth == 0 and (piece.kind == "relation" or class_of(piece.text) in ("equality", "order", "membership")):
            return True
    return False
