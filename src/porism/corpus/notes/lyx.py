"""LyX: its layouts become headings, theorem-like blocks and paragraphs; formulas are LaTeX as they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from porism.analysis.languages import language_named
from porism.corpus.base import clean
from porism.corpus.formula_sources import one_line, strip_delimiters, without_labels
from porism.corpus.latex.languages import BABEL_NAMES
from porism.corpus.latex.tables import SECTION_LEVELS, words
from porism.corpus.lines import LineMark
from porism.corpus.markdown.raw_latex import latex_parts
from porism.corpus.references import reference_text
from porism.corpus.sections import FileUnits, kind_of
from porism.corpus.text_reader import PackedTextReader
from porism.corpus.units import Parts, tidy
from porism.errors import OnProblem, Problem
from porism.types import Content, Document, Formula

_LANGUAGE = re.compile(r"^\\language[ \t]+(\S+)", re.MULTILINE)
_PREAMBLE = re.compile(r"^\\begin_preamble\n(.*?)^\\end_preamble", re.MULTILINE | re.DOTALL)
_MACRO = re.compile(r"^\\begin_inset FormulaMacro\s*\n(\\[^\n]*)", re.MULTILINE)
_VALUE = re.compile(r'(\w+)[ \t]+"([^"\n]*)"')
_BEGIN = re.compile(r"\\begin_(layout|inset)(?:[ \t]+(.*))?")
_FORMULA = re.compile(r"\\begin_inset Formula(?![A-Za-z])")
_QUOTES = {"l": "“", "r": "”", "s": "’"}
_SKIPPED = words(
    "Note Index Nomenclature Graphics External VSpace Newpage Info FormulaMacro Include Include* Phantom Separator toc "
    "bibtex nomencl index_print include line counter"
)
"""Insets that print nothing that would be searched."""
_SKIPPED_LAYOUTS = words("Author Date Address Email Institution Affiliation Separator --Separator-- Bibliography")
OLD_LYX = "is written by LyX before 1.4; open it in a newer LyX and save it, then it is read"
_LISTS = words("Itemize Enumerate Description Labeling List")


@dataclass(slots=True)
class _Open:
    """A layout or an inset that has begun: its name, what stands in it, and the values that it states."""

    is_layout: bool
    name: str
    line: int
    parts: Parts = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    option: Content | None = None


class LyxReader(PackedTextReader):
    """Reads documents of LyX."""

    name = "lyx"
    extensions = (".lyx",)

    def definitions(self, text: str) -> str:
        return "\n".join([*_PREAMBLE.findall(text), *_MACRO.findall(text)])

    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        stated = _LANGUAGE.search(text)
        language = stated.group(1) if stated is not None else ""
        units = FileUnits(
            name, source, on_problem, fallback=Content(clean(PurePosixPath(name).stem)),
            language=language_named(BABEL_NAMES.get(language, language)) or "",
        )
        _Body(units, lambda line, problem: on_problem(Problem(f"{name}:{line}", problem))).read(clean(text))
        yield from units.documents()


class _Body:
    """Goes through the lines of a document."""

    def __init__(self, units: FileUnits, report: Callable[[int, str], None]) -> None:
        self._units, self._report = units, report
        self._stack: list[_Open] = []
        self._block = ""  # the layout of the open block
        self._deeper = 0
        self._deleted = False

    def read(self, text: str) -> None:
        """Reads all of it; what is open at the end ends there."""
        lines = text.replace("\r\n", "\n").split("\n")
        first = next((number for number, line in enumerate(lines) if line.startswith("\\begin_body")), None)
        if first is None:
            is_old = any(line.startswith("\\layout ") for line in lines)
            self._report(1, OLD_LYX if is_old else "has no body of LyX")
            return
        number = first + 1
        while number < len(lines):
            line = lines[number]
            number += 1
            if (formula := _FORMULA.match(line)) is not None:
                end = number
                while end < len(lines) and "\\end_inset" not in lines[end - 1]:
                    end += 1
                source = "\n".join([line[formula.end() :], *lines[number:end]])
                self._formula(source.partition("\\end_inset")[0], number)
                number = end
            else:
                self._line(line, number)
        if self._stack:
            self._report(len(lines), f"{self._stack[-1].name} is never ended")
        while self._stack:
            self._end()
        self._end_block()

    def _line(self, line: str, number: int) -> None:
        if (begin := _BEGIN.match(line)) is not None:
            self._stack.append(_Open(begin.group(1) == "layout", (begin.group(2) or "").strip(), number))
        elif line.startswith(("\\end_layout", "\\end_inset")):
            is_layout = line.startswith("\\end_layout")
            if any(entry.is_layout == is_layout for entry in self._stack):
                while self._end().is_layout != is_layout:
                    pass
        elif line.startswith("\\begin_deeper"):
            self._deeper += 1
        elif line.startswith("\\end_deeper"):
            self._deeper = max(0, self._deeper - 1)
        elif line.startswith("\\change_"):
            self._deleted = line.startswith("\\change_deleted")
        elif self._stack and self._stack[-1].is_layout:
            self._text(line, number)
        elif self._stack and (value := _VALUE.match(line)) is not None:
            self._stack[-1].values[value.group(1)] = value.group(2)

    def _text(self, line: str, number: int) -> None:
        """A line of a layout: text, or a command that says how text looks."""
        if line.startswith("\\backslash"):
            line = "\\"
        elif line.startswith("\\SpecialChar"):
            line = {"\\ldots{}": "…", "ldots": "…", "endofsentence": ".", "\\@.": "."}.get(line[13:].strip(), "")
        elif line.startswith("\\"):
            return
        if not self._deleted:
            self._stack[-1].parts += [LineMark(number), line]

    def _formula(self, source: str, line: int) -> None:
        if not self._stack or self._deleted:
            return
        source, labels = without_labels(source)
        bare, display = strip_delimiters(source)
        parts = self._stack[-1].parts
        parts.append(LineMark(line))
        if bare:
            parts.append(Formula(one_line(bare), display=display))
        self._stack[-1].labels += labels

    def _end(self) -> _Open:
        """Ends the innermost layout or inset, and hands what is in it to the one around it."""
        ended = self._stack.pop()
        outer = self._stack[-1] if self._stack else None
        if outer is not None:
            outer.labels += ended.labels
        if not ended.is_layout:
            if outer is not None:
                self._inset(ended, outer)
        elif outer is None:
            self._paragraph(ended)
        else:
            outer.parts += [*([" "] if outer.parts else []), *ended.parts]
            outer.option = outer.option or ended.option
        return ended

    def _inset(self, inset: _Open, outer: _Open) -> None:
        """An inset in the text around it."""
        name, _, rest = inset.name.partition(" ")
        if name == "CommandInset":
            self._command(rest, inset.values, outer)
        elif name == "Argument" or name == "OptArg":
            outer.option = outer.option or tidy(inset.parts)
        elif name == "ERT":
            outer.parts += latex_parts("".join(part for part in inset.parts if isinstance(part, str)), [])
        elif name == "Quotes":
            outer.parts.append(_QUOTES.get(rest[1:2], '"'))
        elif name == "Foot":
            outer.parts += [" (", *inset.parts, ")"]
        elif name in ("Float", "Caption", "Tabular", "Wrap"):
            outer.parts += ["\n", *inset.parts, "\n"]
        elif name in ("space", "Newline"):
            outer.parts.append(" ")
        elif name not in _SKIPPED:
            outer.parts += inset.parts

    def _command(self, name: str, values: dict[str, str], outer: _Open) -> None:
        if name == "label" and values.get("name"):
            outer.labels.insert(0, values["name"])
        elif name == "ref":
            outer.parts.append(reference_text("\\ref", values.get("reference", "")))
        elif name == "citation":
            outer.parts.append(f"[{values.get('key', '').replace(',', ', ')}]")
        elif name == "href":
            outer.parts.append(values.get("name") or values.get("target", ""))

    def _paragraph(self, layout: _Open) -> None:
        """A paragraph of the document."""
        plain = layout.name.rstrip("*").strip()
        kind = "abstract" if plain == "Abstract" else kind_of(plain.partition(" ")[0].partition("-")[0])
        label = layout.labels[0] if layout.labels else None
        if self._block and layout.name != self._block and not self._deeper:
            self._end_block()
        if plain in _SKIPPED_LAYOUTS:
            return
        if plain == "Title":
            self._units.title = tidy(layout.parts)
        elif (level := SECTION_LEVELS.get(plain.lower())) is not None:
            self._units.heading(max(1, level), tidy(layout.parts), layout.line, label)
        else:
            if kind is not None and not self._block:
                self._block = layout.name
                self._units.begin(kind, layout.option, layout.line, label)
            self._units.add("\n- " if plain in _LISTS else "\n\n")
            self._units.at(layout.line)
            self._units.add(*layout.parts)
        for name in layout.labels:
            self._units.label(name)

    def _end_block(self) -> None:
        if self._block:
            self._units.end()
            self._block = ""
