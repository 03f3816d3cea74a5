"""Collects the tokens of one formula of a LaTeX source, and carries out the commands among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from porism.corpus.latex.active import mathematical_character
from porism.corpus.latex.ams_tex import ENVIRONMENTS as AMS_TEX_ENVIRONMENTS
from porism.corpus.latex.arrows import DIAGRAM_COMMANDS, DIAGRAMS, ArrowReader
from porism.corpus.latex.diagrams import BEGIN, CELL, END
from porism.corpus.latex.drawings import DRAWING_COMMANDS, skip_drawing
from porism.corpus.latex.formula_environments import FormulaEnvironments
from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.omissions import pass_over
from porism.corpus.latex.overlays import take_overlay
from porism.corpus.latex.skipping import skip_arguments, skip_assignment, skip_box_size
from porism.corpus.latex.tables import (
    DROPPED_IN_MATH,
    MATH_ARGUMENTS,
    REFERENCES,
    SECTION_LEVELS,
    TEXT_IN_MATH,
)
from porism.formula.macros.tokens import EOF_TOKEN, PAR
from porism.formula.tables.boxes import BOXES
from porism.formula.tables.registers import ASSIGNMENTS

MAX_FORMULA_TOKENS = 200_000
_SPECIAL = frozenset("\0$\\{}^_&#~[]@ \n\t")
"""With one of these begins what is more than ordinary characters."""
_INNER_CLOSERS = {"\\(": "\\)", "\\[": "\\]"}
_STRUCTURE = frozenset(
    ["\\item", "\\documentclass", "\\caption", "\\paragraph"] + ["\\" + name for name in SECTION_LEVELS]
)
_STACKS = {"\\ialign": True, "\\halign": True, "\\ooalign": False, "\\oalign": False}
"""Commands that set lines below or over each other → whether a template comes first."""
_LINE_ENDS = ("\\cr", "\\crcr")
_FILL = frozenset(["\\hfil", "\\hfill", "\\hss", "\\hidewidth", "\\hfilneg", "\\m@th"])


@dataclass(frozen=True, slots=True)
class FormulaServices:
    """What reading formulas needs of the reader of the source.

    ``label`` is called with the name of each ``\\label``; ``reference`` gives the readable form of a reference
    command's argument; ``number`` reads a number; ``leave_file`` is called where a file ends that was
    read inside a formula.
    """

    expander: ProjectExpander
    arrows: ArrowReader
    number: Callable[[], int | None]
    label: Callable[[str], None]
    reference: Callable[[str, str], str]
    leave_file: Callable[[], None]


class FormulaCollector(FormulaEnvironments):
    """Reads the tokens of one formula up to its end."""

    def __init__(self, services: FormulaServices, closers: tuple[str, ...], environment: str | None) -> None:
        super().__init__(services.expander, closers, environment)
        self.services = services

    def run(self, command: str = "") -> list[str]:
        """The tokens up to the end of the formula, or of the diagram that ``command`` begins."""
        expander = self.expander
        if self.environment in DIAGRAMS or self.environment == "empheq":
            expander.optional()
        if self.environment in DIAGRAMS:
            self.out.append(BEGIN)
        if command:
            self._begin_diagram(command)
            if not self.opened:
                return []
        file_depth = expander.stream.file_depth
        while True:
            token = expander.next(self.pending > 0)
            if token == EOF_TOKEN and expander.stream.file_depth >= file_depth:
                self.services.leave_file()
                continue
            if token is None or token == EOF_TOKEN or (token == PAR and self._ends_at_paragraph()):
                expander.stream.push([token] if token else [])
                expander.report("a formula that is never closed")
                break
            if len(self.out) > MAX_FORMULA_TOKENS:
                expander.report("a formula that is too long; the rest is left out")
                break
            if self._take(token) or (command and not self.opened):
                break
        self._close_to(0)
        if self.environment in DIAGRAMS:
            self.out.append(END)
        return self.out

    def _take(self, token: str) -> bool:
        """Takes one token; whether it ends the formula."""
        first = token[0]
        if first not in _SPECIAL and self.package != "CD":
            self.box = self.owner = ""
            if self.pending:
                self.pending = max(0, self.pending - len(token.replace(" ", "")))
            self.out.append(token)
            return False
        if first == "\0":
            if token == CELL:
                self.out.append(token)
            elif token == END and (index := self._innermost(lambda entry: entry.closer == END)) is not None:
                self._close_to(index)
            token = token[1:]
            if not token.startswith("\\"):
                return False
            first = "\\"
        if token.isspace():
            self.out.append(" ")
            return False
        if first == "$":
            return self._dollar(token)
        if first == "\\":
            return self._command(token)
        if token == "{":
            self._begin_brace()
            return False
        if token == "}":
            self._end_brace()
            return False
        if first in "^_":
            self.pending, self.owner = 1, token
        elif first == "&":
            self.pending = 0
            self._next_cell(token)
            return False
        elif first == "#":
            self.pending = 0
        elif first == "~":
            token = " " if self.mode == "text" else "~"
        elif self.package == "CD" and "@" in token:
            token, _, rest = token.partition("@")
            self._push_labels(self.services.arrows.amscd(rest))
        elif token == "]" and self.opened and self.opened[-1].closer == "]":
            self._close_to(len(self.opened) - 1)
            return False
        elif first not in "[]":
            self.box = self.owner = ""
            self.pending = max(0, self.pending - len(token.replace(" ", "")))
        self.out.append(token)
        return False

    def _command(self, token: str) -> bool:
        """Takes a command; whether it ends the formula."""
        expander, name = self.expander, token[1:]
        if token in self.closers:
            return True
        if self.opened and token == self.opened[-1].closer:
            self._close_to(len(self.opened) - 1)
            return False
        if token == "\\begin":
            pass_over([token])
            self._begin(expander.expanded_name())
            return False
        if token == "\\end":
            return self._end(expander.expanded_name())
        if token in _STRUCTURE and self.mode != "text":
            expander.report("a formula that is never closed")
            expander.stream.push([token])
            return True
        if self.package:
            labels = self.services.arrows.read(token, self.package)
            if labels is not None:
                self._push_labels(labels)
                return False
        self.owner, self.box = token, ""
        self.pending = MATH_ARGUMENTS.get(name, 0)
        if not self._special(token, name):
            if token in TEXT_IN_MATH:
                self.box = token
            self.out.append(token)
        return False

    def _special(self, token: str, name: str) -> bool:
        """Commands that leave something else, or nothing, in a formula; False for all others."""
        expander, out = self.expander, self.out
        in_text = self.mode == "text"
        if take_overlay(expander, token):
            self.owner = ""
        elif token == "\\label":
            self.services.label(expander.expanded_name())
        elif token in ("\\(", "\\[") and in_text:
            out.append("$")
            self._open(_INNER_CLOSERS[token], "math", "$")
        elif token == "\\and":  # mathpartir: the next rule
            out.append("\\qquad ")
        elif token == "\\inferrule":
            self._rule()
        elif token == "\\ensuremath":
            if in_text and (tokens := expander.group()) is not None:
                expander.stream.push(["$", *tokens, "$"])
        elif token in REFERENCES or token == "\\cite":
            expander.star()
            text = self.services.reference(token, expander.expanded_name())
            out.extend(text if in_text else ["\\text", "{", text, "}"])
        elif name in DROPPED_IN_MATH:
            skip_arguments(expander, DROPPED_IN_MATH[name])
            out.append(" ")
        elif name in ASSIGNMENTS:
            skip_assignment(expander, name)
            out.append(" ")
        elif name in BOXES:
            self._box(token, BOXES[name])
        elif token == "\\tag":
            self._tag()
        elif token in ("\\eqno", "\\leqno"):  # plain TeX: the number is what follows
            out.extend(["\\tag", "{"])
            self._open(token, "math", "}")
        elif name in AMS_TEX_ENVIRONMENTS and not expander.follows("{"):
            opening, closing = AMS_TEX_ENVIRONMENTS[name]
            out.append(opening)
            self._open(f"\\end{name}", "math", closing, package="")
        elif token in _STACKS:
            stack = read_stack(expander, token)
            expander.stream.push(["$", *stack, "$"] if in_text else stack)
        elif token in ("\\mathchar", "\\char"):
            return self._character(token)
        elif "@" in token:  # of LaTeX's own machinery, such as \nolimits@: it prints nothing
            pass
        elif token == "\\mathchoice":
            self._first_of(4)
        elif token in ("\\bgroup", "\\begingroup"):
            expander.stream.push(["{"])
        elif token in ("\\egroup", "\\endgroup"):
            expander.stream.push(["}"])
        elif token == "\\includegraphics":
            skip_arguments(expander, "*oom")
            self._write("[figure]")
        elif token in DRAWING_COMMANDS:
            self._drawing(skip_drawing(expander, token))
        elif token in DIAGRAM_COMMANDS:
            self._begin_diagram(token)
        elif token == "\\hline" and self.opened and self.opened[-1].is_table:
            pass
        elif self.package and token in ("\\\\", "\\cr"):
            self._skip_line_option()
            out.append(CELL)
        elif self.package and token == "\\&":  # where tikz-cd's option "ampersand replacement" is set
            out.append(CELL)
        elif token in ("\\\\", "\\tabularnewline") and self.opened and self.opened[-1].is_table:
            self._skip_line_option()
            out.extend(["}", "\\\\", "\\text", "{"])
        elif token == "\\par" and in_text:
            out.append(" ")
        else:
            return False
        return True

    def _write(self, text: str) -> None:
        self.out.extend([text] if self.mode == "text" else ["\\text", "{", text, "}"])

    def _first_of(self, count: int) -> None:
        """Of so many groups the first: what ``\\mathchoice`` shows in a display."""
        groups = [self.expander.group() for _ in range(count)]
        self.expander.stream.push(["{", *(groups[0] or []), "}"])

    def _rule(self) -> None:
        """mathpartir's ``\\inferrule*[right=$\\to$I]{…}{…}``: the name of the rule is text."""
        self.out.append("\\inferrule*" if self.expander.star() else "\\inferrule")
        if self.expander.follows("["):
            self.expander.stream.next()
            self.out.append("[")
            self._open("]", "text", "]").owner = self.owner

    def _tag(self) -> None:
        expander = self.expander
        self.out.append("\\tag*" if expander.star() else "\\tag")
        self.box = "\\tag"
        if not expander.follows("{"):  # AMS-TeX: \tag 1.1
            token = expander.skip_spaces() or ""
            number = token.strip().strip('"')
            expander.stream.push([token] if token[:1] in ("$", "}", "\\", "\0") else ["{", number, "}"])

    def _character(self, command: str) -> bool:
        """``\\mathchar`\\=``, ``\\mathchar"303A``: the character itself; False where its font has no name for it."""
        stream = self.expander.stream
        token = self.expander.skip_spaces()
        if token is not None and token[0] == "`":
            quoted = token[1:] or stream.next() or ""
            stream.push([quoted[1:]] if quoted[:1] != "\\" and quoted[1:] else [])
            self._symbol(quoted[1:] if quoted[:1] == "\\" else quoted[:1])
            return True
        stream.push([token] if token is not None else [])
        number = self.services.number() if command == "\\mathchar" else None
        if number is None:
            return False
        character = mathematical_character(number)
        if character:
            self._symbol(character)
        else:
            stream.push([f"{number} "])
        return bool(character)

    def _symbol(self, character: str) -> None:
        """Writes a character that stands for itself."""
        self.box = self.owner = ""
        self.out.append("\\" + character if character in tuple("{}#$%&_") else character)

    def _skip_line_option(self) -> None:
        self.expander.star()
        token = self.expander.stream.next()
        self.expander.stream.push([token] if token is not None else [])
        if token == "[":
            self.expander.optional()

    def _box(self, token: str, signature: str) -> None:
        """A box: its size and place go, its content is text."""
        expander = self.expander
        for kind in signature:
            if kind == "s":
                skip_box_size(expander)
            else:
                skip_arguments(expander, kind)
        content = expander.skip_spaces()
        expander.stream.push([content] if content is not None else [])
        if content is None or content in ("}", PAR, EOF_TOKEN) or content[0] in "$&":
            return
        if content not in ("{", "\\bgroup"):
            expander.stream.push(["{", *(expander.group() or []), "}"])
        if self.mode != "text":
            self.out.append(token if token in TEXT_IN_MATH else "\\text")
        self.box = token


def read_stack(expander: ProjectExpander, command: str) -> list[str]:
    """The lines of an alignment as mathematics: of two, one over the other; of more, a stack."""
    skip_box_size(expander)
    lines: list[list[str]] = [[]]
    depth = 0
    for token in expander.group() or []:
        depth += (token == "{") - (token == "}")
        if depth == 0 and token in _LINE_ENDS:
            lines.append([])
        else:
            lines[-1].append(token)
    shown = [line for line in map(_mathematics, lines[1:] if _STACKS[command] else lines) if line]
    if len(shown) == 2:
        over, base = shown if _STACKS[command] else reversed(shown)
        return ["\\overset", "{", *over, "}", "{", *base, "}"]
    stack = [token for line in shown for token in (*line, "\\\\")][:-1]
    return ["\\substack", "{", *stack, "}"] if len(shown) > 1 else stack


def _mathematics(line: list[str]) -> list[str]:
    """A line as mathematics: a formula without its dollars, or a box of text."""
    kept: list[str] = []
    position = 0
    while position < len(line):
        token = line[position]
        position += 1
        if token == "\\noalign":
            position = line.index("}", position) + 1 if "}" in line[position:] else len(line)
        elif token not in _FILL and not (token.isspace() and not kept):
            kept.append(token)
    while kept and kept[-1].isspace():
        kept.pop()
    if not kept:
        return []
    inner = kept[1:-1]
    return inner if kept[0] == kept[-1] == "$" and "$" not in inner else ["\\mbox", "{", *kept, "}"]
