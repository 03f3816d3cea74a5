"""Files with headings: the text under each heading is a document, and so is each theorem-like block.

Markdown, reST, notebooks and web pages all come down to this: headings with levels, running content, and blocks that
are units of their own. A short file without such blocks stays one document.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from porism.corpus.latex.tables import PROOFS, THEOREMS, words
from porism.corpus.lines import LineMark
from porism.corpus.units import Parts, Unit, UnitStore
from porism.errors import OnProblem
from porism.types import Content, Document, Formula, Metadata

SHORT_FILE = 2_000
"""Files with at most so many characters, formulas included, are one document."""

_COMMON_WORDS = words("note warning property law identity ax ex df")
"""Theorem-like in LaTeX, but names of other things on pages."""

_KIND_NAMES = {
    name: kind
    for kind, names in {
        "theorem": "satz théorème teorema stelling теорема 定理",
        "lemma": "lemme lema лемма 引理 補題",
        "proposition": "proposición proposizione proposição предложение 命题 命題",
        "corollary": "korollar folgerung corollaire corolario corollario следствие 推论 推論 系",
        "definition": "definición definizione definição définition определение 定义 定義",
        "example": "beispiel exemple ejemplo esempio exemplo пример 例 例子",
        "exercise": "aufgabe übung exercice ejercicio esercizio упражнение 练习 練習",
        "remark": "bemerkung remarque observación замечание 注 注记",
        "conjecture": "vermutung гипотеза 猜想 予想",
        "proof": "beweis preuve démonstration demostración dimostrazione доказательство bewijs 证明 証明 證明",
    }.items()
    for name in names.split()
}
"""Names of kinds of blocks in other languages."""
_HEAD = re.compile(r"^\s*[^\W\d]+(?:\s+[^\W\d]+){0,2}\s+[\dA-Z]+(?:\.\d+)*\s*[.:]?\s*")
_PARENTHESES = re.compile(r"^[(（](.*)[)）]\s*[.:]?$", re.DOTALL)
_KIND_HEAD = re.compile(
    r"\s*([^\W\d_]+)(?:\s*(?:\d+|[A-Z](?=\.\d))(?:\.\d+)*)?(?:\s*[.:]+(?=\s|\Z)|\s*\Z|\s*(?=[(（]))"
)
_SLUG = re.compile(r"[\W_]+")


def slug(text: str) -> str:
    """A heading as a part of an id: ``The Basel problem`` → ``the-basel-problem``."""
    return _SLUG.sub("-", text.lower()).strip("-")[:80]


def kind_of(name: str) -> str | None:
    """The type that a block's name stands for (``thm`` → ``theorem``), ``proof``, or None for any other block."""
    plain = name.lower().rstrip("*")
    if plain in _COMMON_WORDS:
        return None
    return THEOREMS.get(plain) or ("proof" if plain in PROOFS else None)


def theorem_title(title: Content) -> Content:
    """``Theorem 1.2 (Lagrange).`` → ``Lagrange``; empty where only the number is there."""
    text = _HEAD.sub("", title.text, count=1).strip().strip(".:").strip()
    inside = _PARENTHESES.match(text)
    text = (inside.group(1) if inside else text).strip()
    return Content(text, title.formulas) if text.count("\ufffc") == len(title.formulas) else title


def titled_kind(title: Content | None) -> str | None:
    """The kind of block that a title begins with (``Lemma 2 (Zorn)`` → ``lemma``), None where it begins otherwise."""
    match = _KIND_HEAD.match(title.text) if title is not None else None
    return None if match is None else kind_of(match.group(1)) or _KIND_NAMES.get(match.group(1).lower())


def own_title(title: Content | None) -> Content | None:
    """The title of a theorem-like block without its kind and number (``Lemma 2 (Zorn)`` → ``Zorn``), None where it has
    no other.
    """
    match = _KIND_HEAD.match(title.text) if title is not None and titled_kind(title) else None
    if title is None or match is None:
        return title
    rest = title.text[match.end() :].strip()
    inside = _PARENTHESES.match(rest)
    text = (inside.group(1) if inside else rest).strip()
    return Content(text, title.formulas) if text else None


class FileUnits:
    """Gathers the units of one file.

    :param file: its name in ids and metadata.
    :param source: the name of the collection.
    :param title: of the whole file, where the format has one.
    :param extra: metadata that every document of the file gets.
    :param fallback: the title of the text under no heading, in a file without a title.
    :param language: that the file says it is in; units that begin later can be in another.
    :param first_line: 0 where lines are not known.
    :param silent: files that are read elsewhere, so that what begins in them gives no documents.
    :param url: the address of the file, to which units add the names that they have in it.
    """

    def __init__(
        self, file: str, source: str, on_problem: OnProblem, title: Content | None = None,
        extra: Metadata | None = None, fallback: Content | None = None, language: str = "", first_line: int = 1,
        silent: frozenset[str] = frozenset(), url: str = "",
    ) -> None:
        self.file, self.title, self._fallback = file, title, fallback
        self._silent = silent
        self._store = UnitStore(source, on_problem, extra, url=url)
        self.tags: list[str] = []
        """Tags in the text of the file, which all its documents get beside those in ``extra``."""
        self._units: list[Unit] = []
        self._path: list[tuple[int, Content, Unit]] = []
        self._anchors: Counter[tuple[str, str]] = Counter()
        self._blocks: list[tuple[Unit | None, Parts]] = []  # only the outermost is a unit of its own
        self._candidate: Unit | None = None  # what a proof that comes next belongs to
        self.language = language
        self._root = self._text = Unit("section", file, first_line, language=language)
        self._units.append(self._text)
        self.out: Parts = self._text.body
        self._size = 0

    @property
    def nested(self) -> bool:
        """Whether a theorem-like block is open."""
        return bool(self._blocks)

    def heading(self, level: int, title: Content, line: int, anchor: str | None = None) -> None:
        """A heading; what is open ends. A larger ``level`` is deeper."""
        self.end_headings(level)
        unit = Unit("section", self.file, line, (*self._titles(), title), title, language=self.language)
        self._path.append((level, title, unit))
        unit.anchor, unit.fragment = self._anchor(anchor or slug(title.to_latex())), anchor or ""
        self._begin_unit(unit)
        self._text = unit
        self.out = unit.body
        self._size += len(title.text)

    def end_headings(self, level: int) -> None:
        """Ends the parts with headings of this level and deeper: what is added next belongs to the part around them."""
        self.return_to(tuple(entry for entry in self._path if entry[0] < level))

    @property
    def place(self) -> tuple[tuple[int, Content, Unit], ...]:
        """The headings that what is added next is under."""
        return tuple(self._path)

    def return_to(self, place: tuple[tuple[int, Content, Unit], ...]) -> None:
        """Ends what is open: what is added next belongs to the part with these headings."""
        while self._blocks:
            self.end()
        self._path = list(place)
        self._text = self._path[-1][2] if self._path else self._root
        self._candidate = None
        self.out = self._text.body

    def add(self, *parts: str | Formula) -> None:
        """Running content."""
        self.out.extend(parts)
        self._size += sum(len(part) if isinstance(part, str) else len(part.source) + 2 for part in parts)

    def at(self, line: int) -> None:
        """What is added next is in this line of the file."""
        self.out.append(LineMark(line))

    def begin(self, kind: str, title: Content | None, line: int, label: str | None = None) -> None:
        """Begins a theorem-like block, or a proof; inside another one it stays a part of that."""
        before = self.out
        if self._blocks or kind == "proof":
            owner = self._owner()
            if self._blocks and (kind != "proof" or owner is None or self.out is owner.proof):
                self.add(f"\n\n{kind.capitalize()}", *([" (", *title.parts, ")"] if title else []), ". ")
                self._blocks.append((None, before))
                return
            if owner is not None:
                self.out = owner.proof
                if title:
                    self.add(*title.parts, ". ")
                self._blocks.append((None, before))
                return
        self.out.append("\n\n")
        unit = Unit(kind, self.file, line, self._titles(), title, language=self.language)
        unit.fragment = label or self._text.fragment
        if label:
            unit.labels.append(label)
            unit.anchor = self._anchor(label)
        self._begin_unit(unit)
        if unit.provable:
            self._candidate = unit
        self.out = unit.body
        self._blocks.append((unit, before))

    def retitle(self, title: Content | None) -> bool:
        """Gives the block that has just begun its title; False where it has content already."""
        unit = self._blocks[-1][0] if self._blocks else None
        if unit is None or any(not isinstance(part, str) or part.strip() for part in unit.body):
            return False
        unit.title = title
        return True

    @property
    def unit(self) -> Unit:
        """The open block, or the text under the last heading."""
        return (self._blocks[0][0] if self._blocks else None) or self._text

    def label(self, name: str) -> None:
        """Another name of the open unit."""
        self.unit.labels.append(name)
        if self.unit is not self._text and self.unit.anchor is None:
            self.unit.anchor = self._anchor(name)

    def end(self) -> None:
        """Ends the innermost block."""
        if self._blocks:
            self.add("\n\n")
            _, self.out = self._blocks.pop()
            self.out.append("\n\n")

    def documents(self) -> Iterator[Document]:
        """All documents of the file, in order."""
        self._store.tag(self.tags)
        sections = [unit for unit in self._units if unit.kind == "section"]
        if len(sections) == len(self._units) and self._size <= SHORT_FILE:
            yield from self._one(sections)
            return
        for unit in self._units:
            if unit.kind == "section" and unit.anchor is None:
                unit.title, unit.anchor = self.title or self._fallback, ""
            elif self.title and self.title != next(iter(unit.section), None):
                unit.section = (self.title, *unit.section)
            self._store.add(unit)
            if self._store.crowded:
                yield from self._store.flush()
        yield from self._store.flush()

    def _one(self, sections: list[Unit]) -> Iterator[Document]:
        whole = Unit("document", self.file, sections[0].line, title=self.title, anchor="")
        for unit in sections:
            if unit.title:
                if not whole.title:
                    whole.title = unit.title
                else:
                    mark = [LineMark(unit.line)] if unit.line else []
                    whole.body.extend(["\n\n", *mark, *unit.title.parts, "\n\n"])
            whole.body.extend(unit.body)
            whole.labels.extend(unit.labels)
            whole.links.extend(unit.links)
            whole.aliases.extend(unit.aliases)
            whole.language = whole.language or unit.language
        if whole.title and not any(not isinstance(part, str) or part.strip() for part in whole.body):
            whole.body.extend(whole.title.parts)
        if not whole.title:
            whole.title = self._fallback
        self._store.add(whole)
        yield from self._store.flush()

    def _titles(self) -> tuple[Content, ...]:
        return tuple(title for _, title, _ in self._path)

    def _begin_unit(self, unit: Unit) -> None:
        unit.is_repeated = unit.file in self._silent
        self._store.number(unit)
        self._units.append(unit)

    def _owner(self) -> Unit | None:
        """The unit that a proof belongs to: the open one, else the last that can have one and has none."""
        if self._blocks:
            return self._blocks[0][0]
        return None if self._candidate is None or self._candidate.proof else self._candidate

    def _anchor(self, name: str) -> str:
        name = name or "section"
        anchor, wanted = name, (self.file, name)
        while self._anchors[self.file, anchor]:
            self._anchors[wanted] += 1
            anchor = f"{name}-{self._anchors[wanted]}"
        self._anchors[self.file, anchor] += 1
        return anchor
