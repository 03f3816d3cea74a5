"""TeXmacs: sections and theorem-like tags of a document, its formulas as LaTeX."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from porism.analysis.languages import language_named
from porism.corpus.base import ReaderOptions, clean
from porism.corpus.latex.tables import SECTION_LEVELS, words
from porism.corpus.references import reference_text
from porism.corpus.sections import FileUnits, kind_of
from porism.corpus.texmacs.formulas import FormulaWriter
from porism.corpus.texmacs.tree import Node, Part, Symbol, from_cork, parse
from porism.corpus.text_files import read_bytes
from porism.corpus.text_reader import TextFileReader
from porism.corpus.units import Parts, tidy
from porism.errors import OnProblem, Problem
from porism.types import Document, Formula

_FORMULAS = words("math")
_DISPLAYS = words(
    "equation equation* equation-lab eqnarray eqnarray* align align* gather gather* multline multline* alignat "
    "alignat* flalign flalign* equations-base"
)
_NOTHING = words(
    "doc-author author-data doc-date doc-running-title doc-running-author assign hide-preamble use-module use-package "
    "image vspace vspace* space hspace page-break new-page line-break index subindex subsubindex set-this-page-footer "
    "set-this-page-header table-of-contents the-index bibliography bib-list list-of-figures specific glossary htab "
    "cwith twith doc-subtitle doc-note tmdoc-copyright tmdoc-license write set-header set-footer date"
)
"""Tags that print nothing that would be searched."""
_TITLES = words("doc-title tmdoc-title tmweb-title tmdoc-title* title")
_WORDS = {"less": "<", "gtr": ">", "ldots": "…", "text-dots": "…", "emdash": "—", "endash": "–"}
"""Symbols and tags that print a character in running text; those in capitals (``TeXmacs``) print their names."""
_ITEMS = words("item item*")
_MACRO_TAGS = words("macro func")


class TexmacsReader(TextFileReader):
    """Reads documents of TeXmacs."""

    name = "texmacs"
    extensions = (".tm", ".tmu")

    def text(self, path: Path, name: str, options: ReaderOptions, on_problem: OnProblem) -> str | None:
        if path.suffix.lower() == ".tmu" or options.encoding is not None:  # in UTF-8
            return super().text(path, name, options, on_problem)
        data = read_bytes(path, name, on_problem)
        return None if data is None else from_cork(data.decode("latin-1"))

    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        root = parse(text.replace("\r\n", "\n").replace("\r", "\n"))
        tops = {node.tag: node for node in root.last if isinstance(node, Node)}
        body = tops.get("body")
        if body is None:
            on_problem(Problem(f"{name}:1", "has no body of TeXmacs"))
            return
        units = FileUnits(
            name, source, on_problem, fallback=tidy([clean(PurePosixPath(name).stem)]), language=_language(tops)
        )
        _Body(units, body).read()
        yield from units.documents()


def _language(tops: dict[str, Node]) -> str:
    """The language that the style of a document names."""
    style = tops.get("style")
    names: list[str] = []
    waiting: list[Part] = list(style.last) if style is not None else []
    while waiting:
        part = waiting.pop()
        if isinstance(part, Node):
            waiting += [inner for argument in part.arguments for inner in argument]
        else:
            names.append(part.strip())
    return next((known for name in names if (known := language_named(name)) and len(name) > 3), "")


class _Body:
    """Goes through the tree of a document."""

    def __init__(self, units: FileUnits, body: Node) -> None:
        self._units, self._body = units, body
        self._macros: dict[str, tuple[list[str], list[Part]]] = {}
        self._formulas = FormulaWriter(self._macros, self._plain)

    def read(self) -> None:
        """Reads all of it, without recursion but in formulas, whose depth the parser limits."""
        waiting: list[Part | None] = list(reversed(self._body.last))
        while waiting:
            part = waiting.pop()
            if part is None:
                self._units.end()
            elif isinstance(part, str):
                self._text(part)
            else:
                waiting += reversed(self._node(part))

    def _text(self, text: str) -> None:
        self._units.add(_shown(text) if isinstance(text, Symbol) else clean(text))

    def _node(self, node: Node) -> list[Part | None]:
        """Reads a tag; returns what of it is to be read next."""
        units, tag = self._units, node.tag
        plain = tag.rstrip("*").removeprefix("render-")
        if (body := self._formulas.expanded(node)) is not None:
            return [*body]
        if tag == "assign":
            self._define(node)
        elif tag in _TITLES:
            units.title = tidy(self._inline(node.last))
        elif tag in _NOTHING:
            return []
        elif tag == "label":
            units.label(self._plain(node.last))
        elif tag in _FORMULAS or tag in _DISPLAYS:
            self._formula(node)
        elif (level := SECTION_LEVELS.get(plain)) is not None or plain == "appendix":
            units.heading(max(1, level or 1), tidy(self._inline(node.last)), node.line)
        elif tag == "dueto":
            title = tidy(self._inline(node.last))
            if not (units.nested and units.retitle(title)):
                units.add(" (", *title.parts, ") ")
        elif (kind := "abstract" if tag == "abstract" else kind_of(plain)) is not None and node.last:
            units.begin(kind, None, node.line)
            return [*node.last, None]
        elif tag in _ITEMS:
            units.add("\n- ")
            return [*node.last]
        elif tag in ("reference", "eqref", "pageref"):
            units.add(reference_text("\\eqref" if tag == "eqref" else "\\ref", self._plain(node.last)))
        elif tag.startswith("cite"):
            units.add(f"[{', '.join(self._plain(argument) for argument in node.arguments)}]")
        elif not node.arguments:
            units.add(_shown(tag) if tag in _WORDS or tag[0].isupper() else "")
        elif tag in ("hlink", "with", "footnote"):
            shown = node.argument(0) if tag == "hlink" else node.last
            return [" (", *shown, ")"] if tag == "footnote" else [*shown]
        else:
            units.at(node.line)
            return [inner for argument in node.arguments for inner in (" ", *argument)]
        return []

    def _formula(self, node: Node) -> None:
        for label in _labels(node):
            self._units.label(self._plain(label.last))
        display = node.tag in _DISPLAYS
        is_table = node.tag.rstrip("*") in ("eqnarray", "align", "gather", "multline", "flalign", "alignat")
        source = self._formulas.latex([node] if is_table else node.last)
        if source:
            self._units.at(node.line)
            self._units.add(Formula(source, display=display))

    def _define(self, node: Node) -> None:
        """``<assign|name|<macro|x|…>>``."""
        name = self._plain(node.argument(0))
        for macro in node.argument(1):
            if isinstance(macro, Node) and macro.tag in _MACRO_TAGS and name:
                self._macros[name] = [self._plain(argument) for argument in macro.arguments[:-1]], macro.last

    def _inline(self, parts: list[Part]) -> Parts:
        """The text and formulas of a title."""
        read: Parts = []
        waiting: list[Part] = list(reversed(parts))
        while waiting:
            part = waiting.pop()
            if isinstance(part, Symbol):
                read.append(_shown(part))
            elif isinstance(part, str):
                read.append(clean(part))
            elif part.tag in _FORMULAS:
                read.append(Formula(self._formulas.latex(part.last)))
            elif part.tag not in _NOTHING and part.tag != "label":
                waiting += reversed(part.last if part.tag == "with" else part.argument(0))
        return [part for part in read if not isinstance(part, Formula) or part.source]

    def _plain(self, parts: list[Part]) -> str:
        return " ".join("".join(
            f"${part.source}$" if isinstance(part, Formula) else part for part in self._inline(parts)
        ).split())


def _labels(node: Node) -> Iterator[Node]:
    """The labels in a formula."""
    waiting: list[Part] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Node):
            if part.tag == "label":
                yield part
            waiting += [inner for argument in part.arguments for inner in argument]


def _shown(symbol: str) -> str:
    """A symbol in running text."""
    return _WORDS.get(symbol, symbol if symbol[:1].isupper() else f" {symbol} ")
