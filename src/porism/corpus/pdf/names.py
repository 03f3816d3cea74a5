"""Upright letters inside a formula: names of functions, other names, and text."""

from __future__ import annotations

import unicodedata

from porism.corpus.pdf.marks import Mark, composed
from porism.formula.tables.lookup import SYMBOLS, token_class

_FUNCTIONS = frozenset(
    label for name, (label, _) in SYMBOLS.items()
    if name == f"\\{label}" and len(label) > 1 and label.isascii() and label.isalpha()
    and token_class(label) in ("function", "trigonometric", "logarithm", "limit")
)
LIMIT_NAMES = frozenset(
    f"\\{name}" for name in _FUNCTIONS if token_class(SYMBOLS[f"\\{name}"][0]) == "limit"
) | frozenset(("\\det", "\\Pr", "\\gcd"))
_TEXT = frozenset(
    "if and or for otherwise where such that with is are in all when then else since as to on of by the a an not some "
    "every any each exists only iff if, there we have has be odd even from which".split()
)
_FONTS = {"bf": "\\mathbf", "bi": "\\mathbf", "sf": "\\mathsf", "tt": "\\mathtt"}
_WORD_GAP = 0.17


def is_function(word: str) -> bool:
    """Whether a word is the name of a function that LaTeX knows (``sin``)."""
    return word in _FUNCTIONS


def with_names(marks: list[Mark]) -> list[Mark]:
    """The marks with letters of text fonts in a row joined into names and text."""
    done: list[Mark] = []
    place = 0
    while place < len(marks):
        if _is_blackboard(marks[place]):
            end = place + 1
            while end < len(marks) and _is_blackboard(marks[end]) and _touches(marks[end - 1], marks[end]):
                end += 1
            whole = marks[place:end]
            letters = "".join(unicodedata.normalize("NFKC", mark.latex) for mark in whole)
            done.append(_named(f"\\mathbb{{{letters}}}", whole) if len(whole) > 1 else whole[0])
            place = end
            continue
        if not is_letter(marks[place]):
            done.append(_single(marks[place]))
            place += 1
            continue
        words: list[list[Mark]] = [[marks[place]]]
        place += 1
        while place < len(marks) and _goes_on(words[-1][-1], marks[place]):
            last = words[-1][-1]
            if marks[place].char.isalpha() and marks[place].style != last.style:
                break  # as the bold letter after "det"
            if marks[place].x0 - last.x1 > _WORD_GAP * last.size:
                if not is_letter(marks[place]) or marks[place].style != last.style:
                    break
                words.append([])
            words[-1].append(marks[place])
            place += 1
        done.extend(_joined(words, done[-1] if done else None, marks[place] if place < len(marks) else None))
    return done


def _is_blackboard(mark: Mark) -> bool:
    return len(mark.latex) == 1 and (mark.latex in "ℂℍℕℙℚℝℤ" or "𝔸" <= mark.latex <= "𝕫")


def _touches(first: Mark, second: Mark) -> bool:
    return abs(first.y - second.y) < 0.05 * first.size and -0.1 * first.size < second.x0 - first.x1 < 0.12 * first.size


def is_letter(mark: Mark) -> bool:
    """Whether it is a letter of a text font."""
    return bool(mark.style) and mark.kind == "char" and mark.latex == mark.char and mark.char.isalpha()


def _goes_on(last: Mark, mark: Mark) -> bool:
    return (
        mark.kind == "char" and bool(mark.style)
        and (mark.char.isalpha() or (mark.char in "-.,’" and mark.x0 - last.x1 < 0.1 * last.size))
        and abs(mark.y - last.y) < 0.1 * last.size and abs(mark.size - last.size) < 0.1 * last.size
        and -0.3 * last.size < mark.x0 - last.x1 < 0.7 * last.size
    )


def _single(mark: Mark) -> Mark:
    if mark.kind == "char" and mark.style in _FONTS and len(mark.char) == 1 and mark.char.isalnum():
        part = composed(f"{_FONTS[mark.style]}{{{mark.char}}}", [mark], mark.y, mark.size)
        part.kind = "char"
        return part
    return mark


def _joined(words: list[list[Mark]], before: Mark | None, after: Mark | None) -> list[Mark]:
    """One mark for words side by side, or one for each where they are names."""
    texts = ["".join(mark.char for mark in word) for word in words]
    if len(texts) == 2 and texts[0] == "lim" and texts[1] in ("sup", "inf"):
        words, texts = [words[0] + words[1]], ["lim" + texts[1]]
    style, size = words[0][0].style, words[0][0].size
    if style not in _FONTS and all(text in _FUNCTIONS for text in texts):
        return [_named(f"\\{text}", word) for text, word in zip(texts, words, strict=True)]
    if len(words) == 1:
        text = texts[0]
        if len(text) == 1 and style not in ("rm", "it"):
            return [_single(words[0][0])]
        is_apart = (before is not None and words[0][0].x0 - before.x1 > 0.25 * size) or (
            after is not None and after.x0 - words[0][-1].x1 > 0.25 * size
        )
        if not (text in _TEXT and (is_apart or len(text) > 2)) and "," not in text:
            bare = text.rstrip(".-")
            if style == "it":
                return [_named(f"\\text{{{text}}}", words[0])]
            if style not in _FONTS:
                latex = f"\\mathrm{{{bare}}}" if len(bare) == 1 else f"\\operatorname{{{bare}}}"
            else:
                latex = f"{_FONTS[style]}{{{bare}}}"
            return [_named(latex if bare else text, words[0])]
    whole = [mark for word in words for mark in word]
    return [_named(f"\\text{{ {' '.join(texts)} }}", whole)]


def _named(latex: str, marks: list[Mark]) -> Mark:
    mark = composed(latex, marks, marks[0].y, marks[0].size)
    mark.kind = "char"
    return mark
