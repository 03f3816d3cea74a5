"""A line as clusters: words, and symbols with their scripts, each with what it says about formulas."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Literal

from porism.corpus.pdf.lines import Line
from porism.corpus.pdf.marks import Mark
from porism.corpus.pdf.names import is_function, is_letter
from porism.corpus.pdf.rows import SMALL, is_on
from porism.formula.tables.lookup import RELATION_CLASSES, SYMBOLS, token_class

Role = Literal["word", "name", "digit", "open", "close", "bar", "relation", "binary", "comma", "point", "symbol", "big"]

_BINARY_CLASSES = frozenset({"additive", "multiplicative", "division", "set-operator"})
_NEUTRAL_CHARS = {
    "(": "open", "[": "open", "{": "open", ")": "close", "]": "close", "}": "close", ",": "comma", ";": "comma",
    ":": "point", ".": "point", "!": "point", "|": "bar", "‖": "bar", "∥": "bar", "∣": "bar", "=": "relation",
    "<": "relation", ">": "relation", "+": "binary", "/": "binary", "#": "binary", "∗": "binary",
    "*": "binary", "−": "binary", "⇒": "relation", "′": "symbol", "'": "symbol",
}  # fmt: skip
_SPACED = frozenset("=<>+")
_TEXT_SYMBOLS = frozenset("•∙·□■▲★†‡§¶✓–—-“”‘’'\"?©®�◦∎◻▢")
_NOTE_MARK = re.compile(r"[\d∗*†‡§¶,a-z]{1,3}\Z")


@dataclass(slots=True)
class Cluster:
    """Marks that belong to one symbol or word.

    ``is_seed`` says that they are of a formula for certain, ``in_formula`` that they are in the end.
    """

    marks: list[Mark]
    role: Role
    x0: float
    x1: float
    is_seed: bool = False
    in_formula: bool = False
    has_scripts: bool = False
    is_styled: bool = False
    pull: float = 0.0
    """So much space may be before it."""

    @property
    def text(self) -> str:
        return "".join(mark.char for mark in self.marks)


def clusters_of(line: Line) -> list[Cluster]:
    """The clusters of a line in order."""
    clusters: list[Cluster] = []
    waiting: list[Mark] = []
    size = line.size
    for mark in line.marks:
        last = clusters[-1] if clusters else None
        if last is not None and last.role == "word" and not waiting and not last.has_scripts:
            letter = last.marks[-1]
            if (  # most letters go on a word
                mark.y == letter.y and mark.style == letter.style and mark.kind == "char" and mark.latex == mark.char
                and -0.35 * size < mark.x0 - last.x1 < 0.155 * size and mark.char.isalpha()
            ):
                last.marks.append(mark)
                if mark.x1 > last.x1:
                    last.x1 = mark.x1
                continue
        is_off = not is_on(mark, line.y, size)
        if mark.kind == "accent" or (is_off and (last is None or _is_before(mark, last, line))):
            waiting.append(mark)
            continue
        if is_off and not waiting:
            assert last is not None
            last.marks.append(mark)
            last.x1 = max(last.x1, mark.x1)
            last.has_scripts = True
            continue
        if is_off:
            waiting.append(mark)
            continue
        whole = [*waiting, mark]
        x0, x1 = min(m.x0 for m in whole), max(m.x1 for m in whole)
        role = _role(mark)
        has_accent = any(m.kind == "accent" for m in waiting)
        over = [m for m in waiting if m.kind != "accent"]
        if over:
            cluster = Cluster(whole, role if role != "word" else "name", x0, x1, True)
            clusters.append(cluster)
        elif (
            last is not None and role == last.role == "digit" and not last.has_scripts and not waiting
            and mark.x0 - last.x1 < 0.08 * size and last.marks[-1].style == mark.style
        ):
            last.marks.append(mark)
            last.x1 = x1
        elif (
            last is not None and role == last.role == "word" and not last.has_scripts
            and -0.35 * size < mark.x0 - last.x1 < 0.155 * size and last.marks[-1].style == mark.style
        ):
            last.marks.extend(whole)
            last.x1 = max(last.x1, x1)
        else:
            cluster = Cluster(whole, role, x0, x1)
            cluster.is_seed = _is_seed(mark) or (has_accent and any(m.is_math for m in whole if m.kind == "accent"))
            clusters.append(cluster)
        waiting = []
    if waiting and clusters:
        clusters[-1].marks.extend(waiting)
    elif waiting:
        clusters.append(Cluster(waiting, "symbol", min(m.x0 for m in waiting), max(m.x1 for m in waiting)))
    for before, cluster in itertools.pairwise(clusters):
        if cluster.role == "point" and cluster.text == ":" and cluster.x0 - before.x1 > 0.07 * size:
            cluster.role = "relation"
    for first, sign, second in zip(clusters, clusters[1:], clusters[2:], strict=False):
        if first.role == second.role == "digit" and sign.text in _SPACED:  # with the spaces of formulas: 2 = 4
            gaps = sign.x0 - first.x1, second.x0 - sign.x1
            sign.is_seed |= min(gaps) > 0.15 * size and max(gaps) < 0.5 * size
    for first in clusters[:1]:
        first.is_seed = first.is_seed and first.text not in ("∙", "■")  # it begins an item of a list
    for last in clusters[-1:]:
        last.is_seed = last.is_seed and last.text not in ("□", "■")  # it ends a proof
    integral = -99
    for number, cluster in enumerate(clusters):
        if "∫" in cluster.text:
            integral = number
        elif number - integral < 24 and cluster.marks[0].char == "d" and cluster.role != "word":
            cluster.pull = 0.45 * size
        if cluster.marks[0].latex.startswith("\\sqrt["):  # its index is to the left of where it begins
            cluster.pull = 0.45 * size
    _judge_words(clusters, size, line.style)
    return clusters


def _is_before(mark: Mark, last: Cluster, line: Line) -> bool:
    """Whether a mark off the baseline belongs to what comes next: a limit above an operator."""
    return (
        mark.y > line.y + 0.75 * line.size and mark.x0 > last.x1 - 0.1 * line.size and mark.size < SMALL * line.size
        and mark.bottom > last.marks[0].top - 0.2 * line.size
    )


def _role(mark: Mark) -> Role:
    if mark.kind in ("tall", "piece"):
        if mark.latex in ("(", "[", "\\{", "⌊", "⌈", "⟨"):
            return "open"
        if mark.latex in (")", "]", "\\}", "⌋", "⌉", "⟩"):
            return "close"
        return "bar" if mark.latex in ("|", "∥") else "big"
    if is_letter(mark):
        return "word"
    if mark.char.isdigit():
        return "digit"
    if (mark.char in _TEXT_SYMBOLS and not _is_seed(mark)) or (mark.char == "-" and not mark.is_math):
        return "point"
    if mark.char in _NEUTRAL_CHARS:
        return _NEUTRAL_CHARS[mark.char]  # type: ignore[return-value]
    known = SYMBOLS.get(mark.latex)
    if known is not None:
        token = token_class(known[0])
        if token in RELATION_CLASSES:
            return "relation"
        if token in _BINARY_CLASSES:
            return "binary"
        if token in ("open", "close"):
            return token  # type: ignore[return-value]
    return "symbol"


def _is_seed(mark: Mark) -> bool:
    if mark.kind in ("node", "tall", "piece"):
        return True
    if mark.char in _TEXT_SYMBOLS:
        return mark.is_math and mark.char in ("□", "†", "‡", "∙", "■", "�")
    if mark.is_math:
        return True
    return bool(mark.style) and mark.char not in _NEUTRAL_CHARS and SYMBOLS.get(mark.latex, ("", ""))[1] == "O" and (
        token_class(SYMBOLS[mark.latex][0]) in RELATION_CLASSES | _BINARY_CLASSES
    ) and not mark.char.isascii()


def _judge_words(clusters: list[Cluster], size: float, style_of_page: str) -> None:
    """Which words are parts of formulas: names of functions, letters with scripts, single letters in another font."""
    words = [cluster for cluster in clusters if cluster.role == "word"]
    styles = [cluster.marks[-1].style for cluster in words if len(cluster.marks) > 2]
    main = max(set(styles), key=styles.count) if styles else style_of_page
    for number, cluster in enumerate(clusters):
        if cluster.role != "word":
            if cluster.role == "digit" and cluster.marks[0].style in ("bf", "bi") and main not in ("bf", "bi"):
                cluster.is_seed = len(cluster.text) == 1 and not _follows_bold(clusters, number)
            if cluster.has_scripts and not cluster.is_seed:
                cluster.is_seed = not (cluster.role in ("point", "comma", "close") and _is_note(cluster))
            continue
        letters = [mark for mark in cluster.marks if is_letter(mark)]
        text = "".join(mark.char for mark in letters)
        style = letters[-1].style if letters else ""
        if any(mark.is_math for mark in letters):
            cluster.is_seed = True
            cluster.role = "name"
        elif cluster.has_scripts:
            cluster.is_seed = not (_is_note(cluster) and len(text) > 2)
            if cluster.is_seed:
                cluster.role = "name"
        elif text == "mod":
            cluster.role, cluster.pull = "name", 1.2 * size
            if number and clusters[number - 1].text == "(":
                clusters[number - 1].pull = 1.5 * size
            if number + 1 < len(clusters):
                clusters[number + 1].pull = 0.8 * size
        elif is_function(text) and (style in ("rm", main) or main == "it"):
            cluster.role = "name"
        elif len(text) == 1 and style != main and style in ("bf", "bi", "sf", "tt"):
            around = clusters[max(0, number - 1) : number + 2]
            cluster.is_seed = all(other is cluster or other.marks[-1].style != style for other in around)
            cluster.is_styled = True
        elif style == "sf" and main != "sf" and len(text) < 12:
            cluster.is_styled = cluster.is_seed = True
            cluster.role = "name"
        elif style in ("bf", "bi") and main not in ("bf", "bi"):
            cluster.is_styled = True
            if text.isupper() and len(text) < 4:
                cluster.is_seed, cluster.role = True, "name"


def _follows_bold(clusters: list[Cluster], number: int) -> bool:
    """Whether a bold digit belongs to bold words before it, as in ``Theorem 2.1``, or begins a line."""
    while number and clusters[number].role in ("digit", "point"):
        number -= 1
    return clusters[number].marks[-1].style in ("bf", "bi") or clusters[number].role in ("digit", "point")


def _is_note(cluster: Cluster) -> bool:
    """Whether the scripts of a word or mark are those of a footnote."""
    small = [mark for mark in cluster.marks if mark.size < SMALL * cluster.marks[0].size]
    return bool(small) and all(mark.y > cluster.marks[0].y for mark in small) and bool(
        _NOTE_MARK.fullmatch("".join(mark.char for mark in small))
    )
