"""Paragraphs to documents: headings by their fonts and the outline, theorem-like blocks by their heads, proofs."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from porism.corpus.base import clean
from porism.corpus.latex.tables import UNPROVABLE
from porism.corpus.pdf.document import FileFacts
from porism.corpus.pdf.heads import HEAVY, TITLE, head_of
from porism.corpus.pdf.paragraphs import Paragraph
from porism.corpus.pdf.text import FoundFormula, Part
from porism.corpus.sections import FileUnits
from porism.formula.latex.parser import parse_latex
from porism.formula.writers.latex import to_latex
from porism.types import Content, Formula

MAX_HEADING = 160
_NUMBER = re.compile(r"\s*((?:[A-Z]|\d+|[IVX]+)(?:\.\d+)*)\.?\s+(?=\S)")
_CHAPTER = re.compile(
    r"\s*(?:chapter|part|appendix|kapitel|teil|chapitre|partie|capítulo|capitolo)\s+\w+\.?\s*\Z", re.IGNORECASE
)
_PROOF_OF = re.compile(r"\s*(?:\(|of\b[^.:]{0,80}[.:]|[.:])\s*", re.I)
_END = re.compile(r"\s*[□■∎◻▢]\s*\Z")
_LETTERS = re.compile(r"[^\W\d_]")


class PdfStructure:
    """Puts the paragraphs of one file into units."""

    def __init__(self, units: FileUnits, facts: FileFacts, paragraphs: Sequence[Paragraph]) -> None:
        self._units, self._paragraphs = units, paragraphs
        self._outline = {_plain(title): level for level, title in facts.outline}
        sizes = Counter[float]()
        for paragraph in paragraphs:
            sizes[round(paragraph.size, 1)] += sum(len(part) for part in paragraph.parts if isinstance(part, str))
        self._body = sizes.most_common(1)[0][0] if sizes else 10.0
        larger = sorted({round(p.size, 1) for p in paragraphs if p.size > 1.08 * self._body}, reverse=True)
        self._levels = {size: number + 1 for number, size in enumerate(larger)}
        self._labels: set[str] = set()
        self._open = ""
        """The style of the block that is open, empty where none is."""

    def read(self) -> None:
        """Reads all paragraphs."""
        waiting: Content | None = None  # a line like "Chapter 3", whose title comes next
        for paragraph in self._paragraphs:
            level = self._heading_level(paragraph)
            if level is not None:
                title = _without_number(content_of(paragraph.parts))
                if waiting is not None:
                    title = Content.of(*waiting.parts, ". ", *title.parts)
                    waiting = None
                elif _CHAPTER.match(title.text):
                    waiting = title
                    continue
                self._end_block()
                self._units.heading(level, title, paragraph.page)
                self._units.at(paragraph.page)
                continue
            if waiting is not None:
                self._end_block()
                self._units.heading(1, waiting, paragraph.page)
                waiting = None
            if not self._head(paragraph):
                if self._open and self._leaves_block(paragraph):
                    self._end_block()
                self._add(paragraph, paragraph.parts)
        self._end_block()

    def _heading_level(self, paragraph: Paragraph) -> int | None:
        text = paragraph.text.strip()
        if (
            len(text) > MAX_HEADING or len(paragraph.lines) > 3 or not _LETTERS.search(text)
            or any(isinstance(part, FoundFormula) and part.is_display for part in paragraph.parts)
        ):
            return None
        number = _NUMBER.match(text)
        depth = number.group(1).count(".") + 1 if number is not None else 0
        listed = self._outline.get(_plain(text[number.end() :] if number is not None else text))
        if listed is None:
            listed = self._outline.get(_plain(text))
        is_large, is_heavy = paragraph.size > 1.08 * self._body, paragraph.style in HEAVY
        if listed is not None and (is_large or is_heavy or number is not None):
            return listed
        if _head_of(paragraph)[0] or (not is_large and not is_heavy) or (text[-1:] in ".,;" and not is_large):
            return None
        if not is_large and number is None and (paragraph.gap < 1.3 or len(text) > 90):
            return None
        if number is not None and number.group(1)[0].isdigit():
            return depth
        return min(self._levels.get(round(paragraph.size, 1), 4), 4)

    def _head(self, paragraph: Paragraph) -> bool:
        """Begins the block that a paragraph is the head of; False where it is none."""
        kind, match = _head_of(paragraph)
        if match is None:
            return False
        parts = list(paragraph.parts)
        text = str(parts[0])[match.end() :]
        title: Content | None = None
        if kind == "proof":
            of = _PROOF_OF.match(text) if match["point"] not in (".", ":") else None
            if of is not None and of.group().strip() not in ("", "("):
                text = text[of.end() :]
        elif (named := TITLE.match(text)) is not None:
            title, text = Content(clean(named["title"])), text[named.end() :]
        elif text.startswith("("):
            title, parts = _title_with_formulas([text, *parts[1:]])
            text = ""
        parts[:1] = [text] if text else []
        number = match["number"] or match["before"]
        label = f"{kind}-{number}" if number and kind != "proof" else None
        if label in self._labels:
            label = None
        self._end_block()
        if label:
            self._labels.add(label)
        self._units.begin(kind, title, paragraph.page, label)
        self._open = paragraph.style or "rm"
        self._kind = kind
        self._add(paragraph, parts)
        return True

    def _leaves_block(self, paragraph: Paragraph) -> bool:
        """Whether a paragraph is after the block that is open: space or another font tells."""
        if paragraph.is_indented and paragraph.gap < 2.2:
            return False
        if self._open == "it" and paragraph.style in ("rm", "it"):
            return paragraph.style == "rm"
        if self._kind == "proof":
            return paragraph.gap > 1.9
        return paragraph.gap > 1.3 or (self._kind not in UNPROVABLE and paragraph.gap > 1.15)

    def _add(self, paragraph: Paragraph, parts: Sequence[Part]) -> None:
        self._units.add("\n\n")
        self._units.at(paragraph.page)
        content = list(parts)
        ends = bool(content) and isinstance(content[-1], str) and _END.search(content[-1]) is not None
        if ends:
            content[-1] = _END.sub("", str(content[-1]))
        self._units.add(*(clean(part) if isinstance(part, str) else formula_of(part) for part in content))
        if ends and self._open:
            self._end_block()

    def _end_block(self) -> None:
        if self._open:
            self._units.end()
            self._open = ""


def _head_of(paragraph: Paragraph) -> tuple[str, re.Match[str] | None]:
    return head_of(paragraph.parts, paragraph.lines[0].first_style, paragraph.style)


def _without_number(title: Content) -> Content:
    number = _NUMBER.match(title.text)
    return Content(title.text[number.end() :], title.formulas) if number is not None else title


def _title_with_formulas(parts: list[Part]) -> tuple[Content | None, list[Part]]:
    """The title in brackets at the beginning of parts, and the parts after it."""
    for number, part in enumerate(parts[:8]):
        if isinstance(part, str) and (end := part.find(")", 1 if number == 0 else 0)) >= 0:
            title = [str(parts[0])[1:], *parts[1:number], part[:end]]
            return content_of(title), [part[end + 1 :].lstrip(" .:"), *parts[number + 1 :]]
    return None, parts


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text).lower()).strip()


def content_of(parts: Sequence[Part]) -> Content:
    """Parts as content: formulas with their places as ids."""
    return Content.of(*(clean(part) if isinstance(part, str) else formula_of(part) for part in parts))


def formula_of(part: FoundFormula) -> Formula:
    """A formula of a document; its id is its page and box."""
    return Formula(tidied(part.latex), "latex", part.place, None, part.is_display)


@lru_cache(maxsize=20_000)
def tidied(latex: str) -> str:
    """LaTeX as an author writes it."""
    return to_latex(parse_latex(latex)) or latex
