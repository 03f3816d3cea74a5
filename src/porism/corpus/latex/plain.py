"""Books in plain TeX and AMS-TeX: headings and statements between commands, ``\\proclaim … \\endproclaim``."""

from __future__ import annotations

import re
from collections.abc import Callable

from porism.corpus.latex.beamer import BeamerText
from porism.corpus.latex.tables import SECTION_LEVELS, THEOREMS
from porism.corpus.latex.tokens import tokenize
from porism.formula.macros.tokens import EOF_TOKEN, PAR, join

HEADINGS = {
    "heading": "section", "head": "section", "subheading": "subsection", "subhead": "subsection",
    "subsubhead": "subsubsection", "specialhead": "chapter",
}  # fmt: skip
"""Headings between a command and its ``\\end``… → which of LaTeX's headings they are."""

STATEMENTS = ("proclaim", "definition", "example", "remark", "demo")
"""What begins with a head in braces and ends with ``\\end``…"""

_PROOFS = ("proof", "preuve", "démonstration", "demonstration", "beweis", "dimostrazione", "demostración")
_FRONT_MATTER = (
    "author", "address", "affil", "email", "thanks", "keywords", "subjclass", "dedicatory", "date", "curraddr",
    "translator", "urladdr",
)  # fmt: skip
"""What is passed over up to its ``\\end``…"""
_BRACKET = re.compile(r"\s*[\[{]")
_MAX_HEAD_TOKENS = 2_000
_MAX_PARAGRAPH_TOKENS = 50_000


class PlainText(BeamerText):
    """Reads the headings and statements of plain TeX and AMS-TeX."""

    def heading(self, level: int, title: list[str], line: int) -> None:
        """Begins a section."""

    def title_document(self, title: list[str]) -> None:
        """Gives the document its title."""

    def begin_statement(self, name: str, kind: str, head: list[str], line: int) -> None:
        """Begins a theorem-like statement, a proof or an abstract, which :meth:`close` ends by its name."""

    def _command_table(self) -> dict[str, Callable[[str], None]]:
        table = super()._command_table()
        readers: dict[Callable[[str], None], tuple[str, ...]] = {
            self._title: ("title",), self._heading_between: tuple(HEADINGS), self._front_matter: _FRONT_MATTER,
            self._section_of_plain: ("beginsection",), self._statement: STATEMENTS, self._abstract: ("abstract",),
            lambda _: self.begin_document(): ("topmatter",),  # content, as far as it is not a front matter
            self._end_statement: ("endabstract", *(f"end{name}" for name in STATEMENTS)),
        }
        table.update({f"\\{name}": reader for reader, names in readers.items() for name in names})
        return table

    def _between(self, name: str) -> list[str] | None:
        """The tokens up to ``\\end`` with this name; None, and nothing read, where it is not in the paragraph."""
        reader = self.expander
        file = reader.stream.raw_file
        if file is not None:
            raw = file.until_in_paragraph(f"\\end{name}")
            return None if raw is None else tokenize(raw)
        taken: list[str] = []
        for _ in range(_MAX_HEAD_TOKENS):
            token = reader.stream.next()
            if token == f"\\end{name}":
                return taken
            if token is None or token in (PAR, EOF_TOKEN):
                reader.stream.push([token] if token is not None else [])
                break
            taken.append(token)
        reader.stream.fuel -= len(taken)
        reader.stream.push(taken)
        return None

    def _argument(self, name: str) -> list[str] | None:
        """The argument in braces, after an option, or what comes before the ``\\end`` with this name."""
        reader = self.expander
        file = reader.stream.raw_file
        if not (file.sees(_BRACKET) if file is not None else reader.follows("{") or reader.follows("[")):
            return self._between(name)
        reader.optional()
        argument = reader.group()
        following = reader.skip_spaces()
        if following is not None and following != f"\\end{name}":
            reader.stream.push([following])
        return argument

    def _title(self, command: str) -> None:
        self.title_document(self._argument("title") or [])

    def _front_matter(self, command: str) -> None:
        self._argument(command[1:])

    def _heading_between(self, command: str) -> None:
        line = self.line
        is_braced = command == "\\subheading" and self.expander.follows("{")
        title = self.expander.group() if is_braced else self._between(command[1:])
        if title is None:
            self.other_command(command)
        else:
            self.heading(SECTION_LEVELS[HEADINGS[command[1:]]], _without_braces(title), line)

    def _section_of_plain(self, command: str) -> None:
        line = self.line
        self.heading(SECTION_LEVELS["section"], self._paragraph_rest(), line)

    def _paragraph_rest(self) -> list[str]:
        """The tokens up to the end of the paragraph; fewer where much has been read in vain."""
        taken: list[str] = []
        stream = self.expander.stream
        limit = min(_MAX_PARAGRAPH_TOKENS, max(64, stream.fuel))
        while (token := stream.next()) is not None and token not in (PAR, "\\par", EOF_TOKEN) and len(taken) < limit:
            taken.append(token)
        stream.push([token] if token is not None else [])
        stream.fuel -= len(taken)
        return taken

    def _statement(self, command: str) -> None:
        """AMS-TeX's ``\\proclaim{Theorem 1} … \\endproclaim``, and plain TeX's ``\\proclaim Theorem 1. …``."""
        reader, name, line = self.expander, command[1:], self.line
        if reader.follows("\\nofrills"):
            reader.stream.next()
        if not reader.follows("{"):
            if name == "proclaim" and not self.preamble:
                self._plain_statement(line)
            else:
                self.other_command(command)
            return
        is_ended = self._is_ended(name)
        head = reader.group() or []
        kind = _kind_of(head, "theorem" if name == "proclaim" else "")
        if not (kind and is_ended) or self.preamble or self.inline:  # an unknown command of LaTeX
            reader.stream.push(["{", *head, "}"])
            self.other_command(command)
            return
        self.begin_statement(name, kind, head, line)

    def _is_ended(self, name: str) -> bool:
        """Whether the ``\\end`` with this name comes later."""
        file = self.expander.stream.file
        return file is None or file.has_ahead(f"\\end{name}")

    def _plain_statement(self, line: int) -> None:
        tokens = self._paragraph_rest()
        head: list[str] = []
        for position, token in enumerate(tokens):
            before, stop, after = (token + " ").partition(". ") if token[0] != "\\" else (token, "", "")
            head.append(before.rstrip() or " " if stop else token)
            if stop:
                self.begin_statement("proclaim", _kind_of(head, "theorem"), head, line)
                self.expander.stream.push([after, *tokens[position + 1 :], "\\endproclaim"])
                return
        self.expander.stream.push(tokens)

    def _abstract(self, command: str) -> None:
        is_ended = self._is_ended("abstract")
        if not is_ended or self.expander.follows("{") or self.inline or self.preamble:
            self.other_command(command)
        else:
            self.begin_statement("abstract", "abstract", [], self.line)

    def _end_statement(self, command: str) -> None:
        name = command[4:]
        index = next((place for place in reversed(range(len(self.opened))) if self.opened[place].name == name), None)
        if index is not None:
            self.close(index)
        elif not self.preamble:
            self.report(f"{command} without its \\{name}")


def _kind_of(head: list[str], otherwise: str) -> str:
    """The kind of statement that the first word of a head names."""
    words = join([token for token in _without_braces(head) if token[0] not in "\\{}$"]).lower().split()
    first = words[0].strip(".,:()") if words else ""
    return "proof" if first in _PROOFS else THEOREMS.get(first, otherwise)


def _without_braces(tokens: list[str]) -> list[str]:
    trimmed = [token for token in tokens if not token.isspace()]
    return trimmed[1:-1] if len(trimmed) > 1 and trimmed[0] == "{" and "}" not in trimmed[1:-1] else tokens
