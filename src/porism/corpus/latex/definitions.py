"""What LaTeX projects declare beyond commands: environments of their own, theorems, boxes."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

from porism.corpus.latex.arrows import DIAGRAM_COMMANDS, DIAGRAMS
from porism.corpus.latex.drawings import DRAWING_COMMANDS
from porism.corpus.latex.macros import ProjectExpander, without_places
from porism.corpus.latex.tables import DRAWINGS, STANDARD_ENVIRONMENTS
from porism.formula.latex.commands import HANDLERS
from porism.formula.latex.macros import MACRO_TRIGGERS
from porism.formula.macros import declarations
from porism.formula.macros.declarations import number_of
from porism.formula.macros.definition import Argument, Body, Environment, Macro, body_of, counted_arguments
from porism.formula.macros.tokens import join
from porism.formula.tables.boxes import BOXES
from porism.formula.tables.commands import ACCENTS
from porism.formula.tables.lookup import SYMBOLS

_NAME = re.compile(r"\b(?:name|title)\s*=\s*(\{[^{}]*\}|[^,\]]*)")
_THEOREM_TITLE = re.compile(r"title\s*=.*?#(\d)")

_REGISTERS = {"newmuskip": "\\thinmuskip", "newtoks": "\\everypar"}
"""What declares a variable → a variable of TeX of that kind."""
_DRAWS = frozenset([
    *DRAWING_COMMANDS, *DIAGRAM_COMMANDS, *("\\" + name for name in BOXES), "\\includegraphics", "\\vcenter",
    "\\ooalign", "\\setbox", "\\rule", "\\mathpalette", "\\halign", "\\picture", "\\pgfpicture", "\\savebox", "\\sbox",
    "\\usebox", "\\rightarrowfill", "\\leftarrowfill", "\\rightarrowfill@", "\\leftarrowfill@", "\\arrowfill@",
    "\\leaders", "\\cleaders", "\\xleaders", "\\special", "\\pdfliteral", "\\@setfontsize", "\\fontsize",
    "\\selectfont", *DRAWINGS,
])  # fmt: skip
"""Commands and environments that put a symbol together from boxes and lines, or choose a size of letters."""
_MARKS = frozenset("\\" + name for name in ACCENTS)


@dataclass(frozen=True, slots=True)
class Theorem:
    """A declared theorem-like environment: what is printed at its head (``Main Theorem``) and how it is called."""

    printed: str
    tcolorbox: bool = False  # \begin{thm}{title}{label}


class ProjectDeclarations(declarations.Declarations):
    """Carries out the declarations of a project; installs itself in an expander."""

    expander: ProjectExpander

    def __init__(self, expander: ProjectExpander) -> None:
        super().__init__(expander)
        self.theorems: dict[str, Theorem] = {}
        expander.install({
            self._newregister: " ".join(_REGISTERS),
            self._newtheorem: "newtheorem newmdtheoremenv newshadetheorem newframedtheorem",
            self._spnewtheorem: "spnewtheorem",
            self._declaretheorem: "declaretheorem",
            self._newtcbtheorem: "newtcbtheorem NewTcbTheorem renewtcbtheorem",
            self._newtcolorbox: "newtcolorbox renewtcolorbox NewTColorBox DeclareTColorBox",
        })

    def expanded(self, body: list[str]) -> list[str]:
        return self.expander.expanded(body)

    def ordinary(self, character: str) -> tuple[str, ...]:
        return (character,) if character.isalnum() else ("\\mathchar", f"`{character}")

    def define_environment(
        self, name: str, arguments: tuple[Argument, ...], begin: list[str], end_arguments: tuple[Argument, ...],
        end: list[str],
    ) -> None:
        """Remembers an environment of the project; what LaTeX itself has means what it means there.

        Of one that a class or style file defines, only its arguments and the environments inside it are content.
        """
        if name in STANDARD_ENVIRONMENTS and name not in DIAGRAMS:
            return
        first, last = without_places(body_of(begin)), without_places(body_of(end))
        if self.expander.in_class:
            first, last = _content_of(first), _content_of(last)
        self.expander.environments[name] = Environment(Macro(arguments, first), Macro(end_arguments, last))

    def _newtheorem(self, command: str) -> None:
        reader = self.expander
        reader.star()
        if command == "\\newmdtheoremenv":
            reader.optional()
        name = reader.name()
        reader.optional()
        printed = reader.group()
        reader.optional()
        if name and printed is not None:
            self.theorems[name] = Theorem(_words(printed))

    def _newregister(self, command: str) -> None:
        """A variable of the project means one of TeX's own of its kind, so that assignments to it are known."""
        name = self.expander.control_word()
        if name is not None:
            self.expander.define(name, Macro((), ("\0" + _REGISTERS[command[1:]],)), everywhere=True)

    def _spnewtheorem(self, command: str) -> None:
        reader = self.expander
        reader.star()
        name = reader.name()
        reader.optional()
        printed = reader.group()
        reader.optional()
        reader.group()
        reader.group()
        if name and printed is not None:
            self.theorems[name] = Theorem(_words(printed))

    def _declaretheorem(self, command: str) -> None:
        reader = self.expander
        options = reader.optional()
        names = reader.name()
        options = options or reader.optional()
        match = _NAME.search(join(options or []))
        for name in filter(None, (entry.strip() for entry in names.split(","))):
            printed = match.group(1).strip("{} ") if match else name.rstrip("*").capitalize()
            self.theorems[name] = Theorem(_words(reader.expanded(reader.tokenize(printed))))

    def _newtcbtheorem(self, command: str) -> None:
        reader = self.expander
        reader.optional()
        name, printed = reader.name(), reader.group()
        reader.group()
        reader.group()
        if name and printed is not None:
            self.theorems[name] = Theorem(_words(printed), tcolorbox=True)

    def _newtcolorbox(self, command: str) -> None:
        """Remembered as an environment whose beginning prints the argument that the box has as its title."""
        reader = self.expander
        reader.optional()
        name = reader.name()
        if command.endswith("TColorBox"):
            arguments = self.specified(reader.group() or []) or ()
        else:
            count = number_of(reader.optional())
            arguments = counted_arguments(count, reader.optional() if count else None)
        options = reader.group()
        if not name or options is None:
            return
        title = _THEOREM_TITLE.search(join(options))
        begin: Body = ("\\paragraph", "{", int(title.group(1)), "}") if title else ()
        reader.environments[name] = Environment(Macro(arguments, begin), Macro((), ()))


def _content_of(body: Body) -> Body:
    """What a part of an environment's definition has of environments and arguments."""
    kept: list[str | int] = []
    position = 0
    while position < len(body):
        part = body[position]
        position += 1
        if isinstance(part, str) and part in ("\\begin", "\\end"):
            kept.append(part)
            position = _keep_groups(body, position, kept)
        elif isinstance(part, int):
            kept.extend(["\\paragraph", "{", part, "}"])
    return tuple(kept)


def _keep_groups(body: Body, position: int, kept: list[str | int]) -> int:
    """Keeps the groups and options at this position, such as the name of an environment; returns where they end."""
    ends = {"{": "}", "[": "]"}
    while position < len(body) and (opened := body[position]) in ends:
        depth = 0
        while position < len(body):
            part = body[position]
            kept.append(part)
            position += 1
            depth += (part == opened) - (part == ends[str(opened)])
            if depth == 0:
                break
    return position


def _words(tokens: list[str]) -> str:
    """A printed name in plain words: ``Lemma``, ``Main Theorem``."""
    plain = re.sub(r"\\[A-Za-z]+\*?|[{}$~]", " ", join(tokens))
    return " ".join(plain.split())


def is_only_appearance(name: str, macro: Macro, known: Set[str]) -> bool:
    """Whether a definition draws, with boxes or lines, a command that has a meaning in formulas already.

    The same holds for a command with a meaning in text (``known``) or in formulas that is defined by means of itself.
    It also holds for an accent that is defined by a style's private commands, ``\\wide@bar``. Commands of one letter
    (``\\P``, ``\\L``) are not counted among these: projects give them meanings of their own.
    """
    if name in macro.body and name in known:
        return True
    if len(name) < 3 or name in MACRO_TRIGGERS or (name not in SYMBOLS and name not in HANDLERS):
        return False
    parts = {part for part in macro.body if isinstance(part, str)}
    return name in parts or not _DRAWS.isdisjoint(parts) or (name in _MARKS and _is_machinery(parts))


def _is_machinery(parts: set[str]) -> bool:
    """Whether private commands of a style do the work, which a star does not choose between."""
    return "\\@ifstar" not in parts and any(part[0] == "\\" and "@" in part for part in parts)
