"""Letters of formulas that are set in the italic of the text, where a document has no italic of its own for them."""

from __future__ import annotations

from porism.corpus.pdf.lines import Line
from porism.corpus.pdf.marks import Mark
from porism.corpus.pdf.names import is_letter
from porism.corpus.pdf.rows import SMALL

_TEXT_SIGNS = frozenset(".,;:!?’‘“”-–—")


def settle_italics(lines: list[Line]) -> None:
    """Makes short italic words that are not words of the text letters of formulas."""
    known = _upright_words(lines)
    for line in lines:
        words = _words(line.marks)
        for number, word in enumerate(words):
            if word[0].style == "it" and is_letter(word[0]) and _is_formula(words, number, line, known):
                for mark in word:
                    mark.style, mark.is_math = "", True


def settle_part(marks: list[Mark]) -> None:
    """The same for a part of a fraction or root, which is a formula whatever is around it."""
    for word in _words(marks):
        if len(word) <= 2 and word[0].style == "it" and is_letter(word[0]):
            for mark in word:
                mark.style, mark.is_math = "", True


def _upright_words(lines: list[Line]) -> set[str]:
    """Short words of the text, which no product of letters is taken for."""
    return {
        "".join(mark.char for mark in word).lower()
        for line in lines for word in _words(line.marks) if word[0].style not in ("it", "") and 1 < len(word) < 4
    }


def _words(marks: list[Mark]) -> list[list[Mark]]:
    words: list[list[Mark]] = []
    for mark in marks:
        last = words[-1][-1] if words else None
        if (
            last is not None and is_letter(last) and is_letter(mark) and last.style == mark.style
            and abs(last.y - mark.y) < 0.1 * mark.size and abs(last.size - mark.size) < 0.1 * mark.size
            and -0.35 * mark.size < mark.x0 - last.x1 < 0.13 * mark.size
        ):
            words[-1].append(mark)
        else:
            words.append([mark])
    return words


def _is_formula(words: list[list[Mark]], number: int, line: Line, known: set[str]) -> bool:
    word = words[number]
    text = "".join(mark.char for mark in word)
    size = word[0].size
    if size < SMALL * line.size:
        return len(word) <= 3
    near = words[max(0, number - 1) : number] + words[number + 1 : number + 2]
    touches = any(
        max(other[0].x0 - word[-1].x1, word[0].x0 - other[-1].x1) < 0.34 * size
        and not is_letter(other[0]) and other[0].char not in _TEXT_SIGNS and not other[0].char.isdigit()
        for other in near
    )
    if len(word) > 2 or (len(word) > 1 and text.lower() in known):
        return False
    if any(other[0].char == "." and -0.1 * size < other[0].x0 - word[-1].x1 < 0.1 * size for other in near) and any(
        is_letter(other[0]) and len(other) == 1 for other in words[number + 2 : number + 3]
    ):
        return False  # as in "i.e."
    around = [other for other in words[max(0, number - 3) : number + 4] if other is not word and is_letter(other[0])]
    in_italics = sum(other[0].style == "it" and len(other) > 3 for other in around)
    if len(word) == 1:
        return touches or not in_italics or (in_italics < 2 and text not in "aAI")
    return (touches and not in_italics) or (len(word) == 2 and not in_italics)
