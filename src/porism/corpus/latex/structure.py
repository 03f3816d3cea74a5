"""The structure of a LaTeX project: sections, theorem-like environments, proofs, and the files that contain them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from porism.corpus.groups import LazyRecord
from porism.corpus.latex.beamer import FRAME_LEVEL
from porism.corpus.latex.inclusion import Files, IncludingText
from porism.corpus.latex.omissions import pass_over
from porism.corpus.latex.overlays import skip_overlay
from porism.corpus.latex.tables import PROOFS, REFERENCES, SECTION_LEVELS, THEOREMS
from porism.corpus.latex.tokens import FileFrame
from porism.corpus.lines import LineMark
from porism.corpus.units import Parts, Unit, UnitStore
from porism.errors import OnProblem
from porism.formula.macros.definition import Environment
from porism.formula.macros.tokens import join
from porism.types import Content, Document

_ASIDES = {
    "\\footnote": "om", "\\footnotetext": "om", "\\footnotemark": "o", "\\thanks": "m", "\\index": "om", "\\label": "m",
    "\\marginpar": "om", "\\sidenote": "om", "\\marginnote": "om", "\\todo": "om", "\\tnoteref": "m",
    "\\thanksref": "m", "\\addtocounter": "mm", "\\setcounter": "mm", "\\markboth": "mm", "\\markright": "m",
    "\\sectionmark": "m",
    "\\chaptermark": "m", "\\addcontentsline": "mmm", "\\phantomsection": "", "\\glsadd": "m", "\\inst": "m",
    "\\fnref": "m", "\\corref": "m",
}  # fmt: skip
"""Commands that stand in a title and are not part of it → their arguments."""
_CLOSERS = {"m": ("{", "}"), "o": ("[", "]")}


class LatexStructure(IncludingText):
    """Turns the tokens of a project into units, and hands these out as documents.

    :param store: takes the finished units.
    :param files: opens the files that the source names.
    """

    def __init__(self, store: UnitStore, files: Files, on_problem: OnProblem) -> None:
        self.store = store
        self.silent: set[str] = set()
        self.document_title: Content | None = None
        self._path: list[tuple[int, Content]] = []
        self._units: list[Unit] = []
        self._noted_in: Parts = []  # where the last line was noted, and which
        self._noted_line = 0
        self._section = Unit("text", "", 1)
        self._section_ended = False
        self._title_labels: list[str] = []
        self.at_section: Callable[[], Iterator[LazyRecord]] = lambda: iter(())
        """Called where a section has begun; may go on at a later one, and says what it passes over."""
        super().__init__(files, on_problem)
        for name in SECTION_LEVELS:
            self.commands["\\" + name] = self._heading

    def read(self, frame: FileFrame, *, preamble: bool) -> Iterator[Document | LazyRecord]:
        """Yields the documents of one main file with all that it includes.

        :param preamble: whether the text begins at ``\\begin{document}`` only.
        """
        self.preamble = preamble
        self.document_title = None
        self._path = []
        self.begin_files(frame)
        self._begin_section("text", None, 1)
        self.load_format(frame)
        while (token := self.expander.next()) is not None:
            self.token(token)
            if self._section_ended or self.store.crowded:
                begun, self._section_ended = self._section_ended, False
                yield from self.store.flush()
                if begun:
                    yield from self.at_section()
        self._end_units()
        self.close(0)
        self._end_section()
        yield from self.store.flush()
        for place, each in enumerate(self._files):
            self.omissions.leave(each, self._files[:place])
        for problem in self.omissions.problems():
            self._on_problem(problem)

    def label(self, name: str) -> None:
        if name and not self.preamble:
            unit = self._units[-1] if self._units else self._section
            unit.labels.append(name)
            if unit.kind not in ("text", "abstract", "proof"):
                self.labels.add(name, unit.kind)

    def mark_line(self, line: int) -> None:
        if self._noted_in is self.out and line == self._noted_line:
            return
        unit = self._units[-1] if self._units else self._section
        if not (self.inline or self.preamble) and self._files and self._files[-1].name == unit.file:
            self._noted_in, self._noted_line = self.out, line
            self.out.append(LineMark(line))

    @property
    def path(self) -> list[tuple[int, Content]]:
        """The headings above what is being read, each with its level."""
        return self._path

    @property
    def is_at_beginning_of_section(self) -> bool:
        """Whether the heading of a section was the last thing that was read."""
        section = self._section
        return (
            section.kind == "section" and self.out is section.body and not section.body and not section.labels
            and not self._units and not self._title_labels and not self._section_ended
            and bool(self._path) and not any(self._values.values())
        )

    @property
    def heading_lines(self) -> int:
        """At the beginning of a section: how many lines its heading goes on for after the one where it begins."""
        return self.line - self._section.line

    def go_on(self, path: list[tuple[int, Content]], section: Unit) -> None:
        """Goes on in a section that has just begun."""
        self._path, self._section, self.out = path, section, section.body
        section.language = self.languages.stated

    def _unit(self, kind: str, title: Content | None, line: int) -> Unit:
        path = tuple(heading for _, heading in self._path)
        name = self._files[-1].name if self._files else ""
        unit = Unit(kind, name, line, path, title, language=self.languages.stated)
        if self._files:
            frame = self._files[-1]
            unit.is_repeated = frame.is_repeated if kind == "text" else not self.omissions.takes(frame, line)
        self.store.number(unit)
        return unit

    def _begin_section(self, kind: str, title: Content | None, line: int) -> None:
        self._section = self._unit(kind, title, line)
        self.out = self._section.body

    def _end_section(self) -> None:
        if self._section.title is None and not self._section.section:
            self._section.title = self.document_title
        self._add(self._section)
        self._section_ended = True

    def _add(self, unit: Unit) -> None:
        unit.language = unit.language or self.languages.stated  # the first section begins before the preamble
        if unit.file not in self.silent:
            self.store.add(unit)

    def _heading(self, command: str) -> None:
        line = self.line_of(command)
        pass_over([command])
        skip_overlay(self.expander)
        self.expander.star()
        self.expander.optional()
        self.expander.optional()
        self.heading(SECTION_LEVELS[command[1:]], self.expander.group() or [], line)

    def heading(self, level: int, title: list[str], line: int) -> None:
        if self.preamble:
            return
        content = self._titled(title)
        if self.inline:
            self.out.extend(content.parts)
            return
        self._untitled_frame = False
        self._end_units()
        self._end_section()
        self._path = [entry for entry in self._path if entry[0] < level]
        self._path.append((level, content))
        self._begin_section("section", content, line)

    def _titled(self, tokens: list[str]) -> Content:
        """A title as content; what hangs on it, such as a footnote, is read after it."""
        tokens, asides = without_asides(tokens)
        title = self.content(tokens)
        self.expander.stream.push(asides)
        return title

    def enter(self, frame: FileFrame) -> None:
        super().enter(frame)
        if frame.is_repeated:
            self._begin_text()

    def leave_file(self) -> None:
        frame = self._files[-1]
        super().leave_file()
        if frame.is_repeated:
            self._begin_text()

    def _begin_text(self) -> None:
        """Where a file begins or ends that is read again, another text begins, which is left out or is not."""
        if not (self.preamble or self.inline or self._units):
            self._end_section()
            self._begin_section("text", None, self.line)

    def title_document(self, title: list[str]) -> None:
        self.document_title = self._titled(title) or self.document_title

    def begin_frame(self, title: list[str] | None, line: int) -> None:
        if title:
            self.heading(FRAME_LEVEL, title, line)
            return
        self._end_units()
        self._end_section()
        self._path = [entry for entry in self._path if entry[0] < FRAME_LEVEL]
        self._begin_section("section", self._path[-1][1] if self._path else None, line)

    def title_frame(self, title: list[str]) -> None:
        content = self._titled(title)
        self._path.append((FRAME_LEVEL, content))
        self._section.title = content
        self._section.section = tuple(heading for _, heading in self._path)

    def is_statement(self, name: str) -> bool:
        plain = name.rstrip("*").lower()
        return name in SECTION_LEVELS or name in self.declarations.theorems or plain in THEOREMS or plain in PROOFS

    def begin_unit(self, name: str, command: str) -> bool:
        environment = self.expander.environments.get(name)
        declared = self.declarations.theorems.get(name)
        plain = name.rstrip("*").lower()
        theorem = declared is not None or plain in THEOREMS
        proof = not theorem and plain in PROOFS
        if not theorem and not proof and name != "abstract":
            return False
        if environment is not None and declared is None and self._wraps_unit(name, environment):
            return False
        title, line = None, self.line_of(command)
        if environment is not None and declared is None:
            values = self.expander.arguments(environment.begin) or []
            title = self._titled(list(next((value for value in values if value), [])))
            title = Content("") if title.text.rstrip(".:").lower() == plain else title
        elif declared is not None and declared.tcolorbox:
            self.expander.optional()
            title = self._titled(self.expander.group() or [])
            labels = [self.expander.expanded_name()]
        else:
            title = self._optional_title()
        if declared is not None:
            kind = declared.printed.lower() or plain
            kind = THEOREMS.get(kind, kind)
        else:
            kind = THEOREMS.get(plain, "proof" if proof else plain)
        if proof:
            self._begin_proof(name, title, line)
        else:
            self._begin_theorem(name, kind, title, line)
            if declared is not None and declared.tcolorbox:
                self.label(labels[0])
        return True

    def _optional_title(self) -> Content:
        tokens = self.expander.optional() or []
        for position, token in enumerate(tokens):  # whose theorem a "Proof of \ref{…}" proves
            if token in REFERENCES and "}" in tokens[position:]:
                end = tokens.index("}", position)
                self._title_labels.extend(join(tokens[position + 2 : end]).split(","))
        return self._titled(tokens)

    def _wraps_unit(self, name: str, environment: Environment) -> bool:
        """Whether the beginning of an environment begins another theorem-like environment or a proof."""
        body = environment.begin.body
        for position, token in enumerate(body[:-2]):
            inner = body[position + 2]
            if token == "\\begin" and isinstance(inner, str) and inner != name:
                plain = inner.rstrip("*").lower()
                if inner in self.declarations.theorems or plain in THEOREMS or plain in PROOFS:
                    return True
        return False

    def begin_statement(self, name: str, kind: str, head: list[str], line: int) -> None:
        title = self._titled(head)
        title = Content("") if title.text.rstrip(".:").lower() == kind else title
        if kind == "proof":
            self._begin_proof(name, title, line)
        else:
            self._begin_theorem(name, kind, title, line)

    def _begin_theorem(self, name: str, kind: str, title: Content | None, line: int) -> None:
        if self._units:  # inside another: part of it
            self._inside(name, kind, title)
            return
        unit = self._unit(kind, title or self.document_title if kind == "abstract" else title, line)
        self.out.append("\n\n")
        self._units.append(unit)
        self.out = unit.body
        self.open(name, self._end_theorem, unit=True)

    def _end_theorem(self) -> None:
        self._add(self._units.pop())
        self.out = self._section.body

    def _inside(self, name: str, kind: str, title: Content | None) -> None:
        self.out.append(f"\n\n{kind.capitalize()}")
        self.out.extend([" (", *title.parts, ")"] if title else [])
        self.out.append(". ")
        self.open(name, lambda: self.out.append("\n\n"))

    def _begin_proof(self, name: str, title: Content | None, line: int) -> None:
        labels, self._title_labels = self._title_labels, []
        if self._units:
            unit = self._units[-1]
            if self.out is not unit.body or unit.kind == "proof":
                self._inside(name, "proof", title)
                return
        else:
            owner = self.store.theorem_for(labels)
            unit = owner or self._unit("proof", title, line)
            if owner is None:
                self._units.append(unit)
                self.out = unit.body
                self.open(name, self._end_theorem, unit=True)
                return
            self._units.append(unit)
        if not unit.is_repeated and self._files:
            self.omissions.takes(self._files[-1], line)
        before = self.out
        self.out = unit.proof
        if self.out:
            self.out.append("\n\n")
        if title:
            self.out.extend([*title.parts, ". "])

        def end() -> None:
            self.out = before
            if before is self._section.body:
                self._units.pop()
                before.append("\n\n")

        self.open(name, end, unit=True)

    def _end_units(self) -> None:
        """Ends what is still open where a section begins or the project ends: an ``\\end`` was forgotten."""
        for index, entry in enumerate(self.opened):
            if entry.unit:
                self.report(f"\\begin{{{entry.name}}} of line {entry.line} is never ended")
                self.close(index)
                break
        self._units.clear()


def without_asides(tokens: Sequence[str]) -> tuple[list[str], list[str]]:
    """The tokens of a title, and those of its asides, which are to be read after it."""
    title: list[str] = []
    asides: list[str] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        end = position + 1
        for kind in _ASIDES.get(token, ""):
            end = _after(tokens, end, *_CLOSERS[kind])
        if token not in _ASIDES:
            title.append(token)
        else:
            if title and title[-1] == "\\protect":
                title.pop()
            asides.extend(tokens[position:end])
        position = end
    return title, asides


def _after(tokens: Sequence[str], position: int, opening: str, closing: str) -> int:
    """Where the argument that begins here ends; the same place where there is none."""
    start = position
    while start < len(tokens) and tokens[start].isspace():
        start += 1
    if start >= len(tokens) or tokens[start] != opening:
        return position
    depth = 0
    for place in range(start + 1, len(tokens)):
        if tokens[place] == closing and depth == 0:
            return place + 1
        depth += (tokens[place] == "{") - (tokens[place] == "}")
    return position
