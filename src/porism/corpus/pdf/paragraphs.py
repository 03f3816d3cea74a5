"""Lines to paragraphs: what belongs together, and words that were divided at the ends of lines."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from porism.corpus.lines import LineMark
from porism.corpus.pdf.heads import head_of
from porism.corpus.pdf.text import FoundFormula, Part, TextLine

_HYPHENATED = re.compile(r"([^\W\d_]{2,})[-‐\u00ad]\Z")
_FIRST_WORD = re.compile(r"\s*([^\W\d_]+)")
_SENTENCE_END = re.compile(r"[.:?!]['”’)\]]*\s*\Z")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(slots=True)
class Paragraph:
    """Parts of one paragraph, displays among them. ``gap`` is the space above it, in usual distances of lines."""

    parts: list[Part]
    lines: list[TextLine]
    gap: float = 1.0

    @property
    def page(self) -> int:
        return self.lines[0].page

    @property
    def size(self) -> float:
        return max(line.size for line in self.lines)

    @property
    def style(self) -> str:
        """The font of most of its lines."""
        styles = Counter(line.style for line in self.lines if line.style)
        return styles.most_common(1)[0][0] if styles else ""

    @property
    def is_indented(self) -> bool:
        """Whether all of its lines begin to the right of the margin, as those of a list."""
        return all(line.x0 - line.left > line.size for line in self.lines)

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else f"${part.latex}$" for part in self.parts)


@dataclass(slots=True)
class Vocabulary:
    """The words that a document has within its lines, by which divided words are joined."""

    words: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, lines: Iterable[TextLine]) -> Vocabulary:
        words: set[str] = set()
        for line in lines:
            for part in line.parts:
                if isinstance(part, str):
                    words.update(word.lower() for word in _WORD.findall(part))
        return cls(words)

    def joined(self, first: str, second: str) -> str:
        """A word that was divided at the end of a line, with its hyphen where that belongs to it."""
        whole, hyphenated = f"{first}{second}", f"{first}-{second}"
        if whole.lower() not in self.words and hyphenated.lower() in self.words:
            return hyphenated
        return whole


def paragraphs(pages: Sequence[Sequence[TextLine]]) -> Iterator[Paragraph]:
    """The paragraphs of a document, in order."""
    lines = [line for page in pages for line in page]
    vocabulary = Vocabulary.of(lines)
    pitch = _pitch(lines)
    current: Paragraph | None = None
    last: TextLine | None = None
    for line in lines:
        gap = _gap(last, line, pitch)
        if current is None or last is None or _begins(last, line, gap):
            if current is not None:
                yield current
            current = Paragraph(list(line.parts), [line], gap)
        else:
            _append(current, line, vocabulary)
        last = line
    if current is not None:
        yield current


def _pitch(lines: Sequence[TextLine]) -> float:
    """The usual distance of lines, in sizes of their letters."""
    gaps = Counter(
        round((first.y - second.y) / second.size, 2) for first, second in itertools.pairwise(lines)
        if first.page == second.page and 0.8 < (first.y - second.y) / second.size < 2.5
        and not first.is_display and not second.is_display
    )
    return gaps.most_common(1)[0][0] if gaps else 1.2


def _gap(last: TextLine | None, line: TextLine, pitch: float) -> float:
    if last is None or last.page != line.page or line.y >= last.y:
        return 1.0
    return (last.y - line.y) / (line.size * pitch)


def _begins(last: TextLine, line: TextLine, gap: float) -> bool:
    """Whether a line begins a paragraph."""
    if line.is_display:
        return False
    indent = line.x0 - line.left
    is_indented = 0.8 * line.size < indent < 6 * line.size
    if abs(line.size - last.size) > 0.08 * last.size or head_of(line.parts, line.first_style, line.style)[0]:
        return True
    if last.is_display:
        return (line.style == "bf" == line.first_style) or (is_indented and line.x1 > line.left + 10 * line.size)
    if last.page != line.page or line.y > last.y:  # another page or column
        return is_indented or (last.x1 < last.right - 2 * last.size and bool(_SENTENCE_END.search(last.text)))
    if gap > 1.3:
        return True
    if (last.style == "bf") != (line.style == "bf") and "" not in (last.style, line.style):
        return last.style == "bf" or (line.style == "bf" and line.first_style == "bf")
    is_deeper = line.x0 > last.x0 + 0.7 * line.size
    if is_indented and is_deeper:
        return True
    if abs(line.left - last.left) > 2 * line.size:
        return True
    return last.x1 < last.right - 2.5 * last.size and bool(_SENTENCE_END.search(last.text)) and (
        gap > 1.08 or indent > 0.5 * line.size
    )


def _append(paragraph: Paragraph, line: TextLine, vocabulary: Vocabulary) -> None:
    """Adds a line to a paragraph."""
    mark = [LineMark(line.page)] if line.page != paragraph.lines[-1].page else []
    paragraph.lines.append(line)
    parts = list(line.parts)
    last = paragraph.parts[-1] if paragraph.parts else ""
    if isinstance(last, str) and parts and isinstance(parts[0], str):
        divided, following = _HYPHENATED.search(last), _FIRST_WORD.match(parts[0])
        if divided is not None and following is not None and following.group(1)[0].islower():
            word = vocabulary.joined(divided.group(1), following.group(1))
            paragraph.parts[-1] = last[: divided.start()] + word + parts[0][following.end() :]
            paragraph.parts.extend([*mark, *parts[1:]])
            return
    if isinstance(last, str):
        paragraph.parts[-1:] = [last + " "]
    elif isinstance(last, FoundFormula):
        paragraph.parts.append(" ")
    paragraph.parts.extend([*mark, *parts])
