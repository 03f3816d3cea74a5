"""The running text of a LaTeX source: commands become what they print, formulas stay in place."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from porism.corpus.latex.conditionals import Conditionals
from porism.corpus.latex.definitions import Declarations
from porism.corpus.latex.diagrams import DIAGRAM, diagram_parts
from porism.corpus.latex.formula import FormulaReader, skip_arguments, skip_dimension
from porism.corpus.latex.labels import LabelKinds
from porism.corpus.latex.macros import Expander
from porism.corpus.latex.tables import (
    ACCENTS,
    CITATIONS,
    DRAWINGS,
    DROPPED,
    ENVIRONMENT_ARGUMENTS,
    KEPT_COMMANDS,
    LENGTHS,
    LISTS,
    MATH_ENVIRONMENTS,
    REFERENCES,
    SKIPPED_ENVIRONMENTS,
    SYMBOLS,
    TABLES,
    VERBATIM_ENVIRONMENTS,
)
from porism.corpus.latex.tokens import EOF_TOKEN, PAR, join
from porism.corpus.references import reference_text
from porism.corpus.units import Parts, tidy
from porism.types import Content, Formula

MAX_INLINE_DEPTH = 3

_LIGATURES = {"``": "“", "''": "”", "---": "—", "--": "–", "`": "‘", "'": "'"}
_LIGATURE = re.compile("``|''|---?|[`']")
_RAW_GROUP = re.compile(r"\s*\{([^{}\n]*)\}")
_VERB = re.compile(r"\*?([^A-Za-z\s])(.*?)\1")


@dataclass(slots=True)
class Opened:
    """A group (``{``) or environment that has begun and not ended."""

    name: str
    depth: int
    line: int
    close: Callable[[], None] | None = None
    unit: bool = False


class LatexText:
    """Reads tokens and writes text and formulas to the current output; knows nothing of units."""

    def __init__(self) -> None:
        self.expander = Expander(self.report, KEPT_COMMANDS)
        self.declarations = Declarations(self.expander)
        self.conditionals = Conditionals(self.expander)
        self.labels = LabelKinds()
        self.formulas = FormulaReader(self.expander, self._formula_label, self._reference_text)
        self.preamble = True
        self.out: Parts = []
        self.opened: list[Opened] = []
        self.inline = 0
        self._names: Counter[str] = Counter()
        self._values: dict[str, list[list[Sequence[str]]]] = {}
        self.commands: dict[str, Callable[[str], None]] = self._command_table()
        self.expander.known = frozenset(self.commands).difference(ACCENTS) | {f"\\{name}" for name in DROPPED}

    # what a subclass says ----------------------------------------------------------------------------------------

    @property
    def line(self) -> int:
        """The line that is being read."""
        return 1

    def report(self, what: str) -> None:
        """Reports a problem at the current place."""

    def label(self, name: str) -> None:
        """A ``\\label``."""

    def end_of_file(self) -> None:
        """A file has been read to its end."""

    def begin_unit(self, name: str) -> bool:
        """Begins a theorem-like environment or a proof; False where the environment is neither."""
        return False

    # tokens ----------------------------------------------------------------------------------------------------

    def token(self, token: str) -> None:
        """Takes one token."""
        first = token[0]
        if first == "\0":
            if token == EOF_TOKEN:
                self.end_of_file()
                return
            token = token[1:]
            if not token.startswith("\\"):
                return
            first = "\\"
        if first == "\\":
            self._command(token)
        elif self.preamble:
            return
        elif first == "{":
            self.open("{")
        elif first == "}":
            if self.opened and self.opened[-1].name == "{":
                self.close(len(self.opened) - 1)
        elif first == "$":
            self._formula(token, display=token == "$$")
        elif first in "~&":
            self.out.append(" ")
        elif first != "#":
            self.out.append(_LIGATURE.sub(_ligature, token))

    def content(self, tokens: Sequence[str]) -> Content:
        """An argument as content: a title, the label of an item."""
        if self.inline >= MAX_INLINE_DEPTH:
            return Content.of(join(tokens))
        frames = self.expander.stream.swap(tokens)
        out, opened, names, preamble = self.out, self.opened, self._names, self.preamble
        self.out, self.opened, self._names, self.preamble = [], [], Counter(), False
        depth = self.expander.depth
        self.inline += 1
        try:
            while (token := self.expander.next()) is not None:
                self.token(token)
            result = tidy(self.out)
        finally:
            self.inline -= 1
            self.expander.end_groups(depth)
            self.out, self.opened, self._names, self.preamble = out, opened, names, preamble
            self.expander.stream.restore(frames)
        return Content(" ".join(result.text.split()), result.formulas)

    def open(self, name: str, close: Callable[[], None] | None = None, *, unit: bool = False) -> None:
        """Begins a group or environment."""
        self.opened.append(Opened(name, self.expander.depth, self.line if name != "{" else 0, close, unit))
        self._names[name] += 1
        self.expander.begin_group()

    def close(self, index: int) -> None:
        """Ends the group or environment at this place of the stack, and all that began inside it."""
        while len(self.opened) > index:
            entry = self.opened.pop()
            self._names[entry.name] -= 1
            self.expander.end_groups(entry.depth)
            if entry.close is not None:
                entry.close()

    def _formula(self, opener: str, environment: str | None = None, *, display: bool) -> None:
        source = self.formulas.read(opener, environment)
        if self.preamble:
            return
        if self.formulas.is_diagram:
            self.out.extend(diagram_parts(source))
        elif source:
            self.out.append(Formula(source, display=display))

    # commands --------------------------------------------------------------------------------------------------

    def _command(self, token: str) -> None:
        handler = self.commands.get(token)
        if handler is not None:
            handler(token)
            return
        symbol = SYMBOLS.get(token)
        if symbol is not None:
            self._text(symbol)
            if len(symbol) == 1 and symbol.isalpha():  # stra\ss e
                self._swallow_space()
            return
        signature = DROPPED.get(token[1:])
        if signature is not None:
            skip_arguments(self.expander, signature)
            return
        if self.preamble or len(token) < 2:
            return
        if token[1].isalpha():  # unknown: its arguments are text, its options are not
            self._swallow_space(star=True)
            self._raw_option()

    def _text(self, text: str) -> None:
        if not self.preamble:
            self.out.append(text)

    def _swallow_space(self, *, star: bool = False) -> None:
        """Drops the blanks after a control word, as TeX does, and a star."""
        token = self.expander.stream.next()
        if token is None:
            return
        if token[0].isspace() and token != PAR:
            token = token.lstrip()
        elif star and token[0] == "*":
            token = token[1:]
        self.expander.stream.push([token] if token else [])

    def _option(self) -> None:
        token = self.expander.stream.next()
        if token is not None:
            self.expander.stream.push([token])
        if token == "[":
            self.expander.optional()

    def _command_table(self) -> dict[str, Callable[[str], None]]:
        table: dict[str, Callable[[str], None]] = {
            "\\begin": self._begin,
            "\\end": self._end,
            "\\(": lambda _: self._math("\\(", display=False),
            "\\[": lambda _: self._math("\\[", display=True),
            "\\]": lambda _: self.report("\\] without \\["),
            "\\)": lambda _: self.report("\\) without \\("),
            "\\\\": self._newline,
            "\\ensuremath": self._ensuremath,
            "\\xymatrix": self._xymatrix,
            "\\item": self._item,
            "\\xygraph": self._drawing,
            "\\tikz": self._drawing,
            "\\xy": lambda _: self._raw_drawing("\\endxy"),
            "\\includegraphics": self._graphics,
            "\\label": self._label,
            "\\footnote": self._footnote,
            "\\footnotetext": self._footnote,
            "\\caption": self._caption,
            "\\paragraph": self._paragraph,
            "\\subparagraph": self._paragraph,
            "\\verb": self._verb,
            "\\lstinline": self._verb,
            "\\url": self._url,
            "\\nolinkurl": self._url,
            "\\path": self._url,
            "\\href": self._href,
            "\\hyperref": lambda _: skip_arguments(self.expander, "o"),
            "\\texorpdfstring": self._first_of_two,
            "\\bgroup": lambda _: self.token("{"),
            "\\egroup": lambda _: self.token("}"),
            "\\begingroup": lambda _: self.token("{"),
            "\\endgroup": lambda _: self.token("}"),
            "\\eqno": self._newline,
            "\\enquote": self._enquote,
        }
        table.update(dict.fromkeys(REFERENCES, self._reference))
        table.update(dict.fromkeys(CITATIONS, self._citation))
        table.update(dict.fromkeys(ACCENTS, self._accent))
        table.update(dict.fromkeys(("\\" + name for name in LENGTHS), lambda _: skip_dimension(self.expander)))
        return table

    def _math(self, opener: str, *, display: bool) -> None:
        if not self.preamble:
            self._formula(opener, display=display)

    def _ensuremath(self, command: str) -> None:
        source = self.formulas.group()
        if source:
            self._formula_part(source)

    def _formula_part(self, source: str, *, display: bool = False) -> None:
        if not self.preamble:
            self.out.append(Formula(source, display=display))

    def _xymatrix(self, command: str) -> None:
        tokens = self.formulas.xymatrix_cells()
        if tokens:
            self.expander.stream.push(["\\[", "\\xymatrix", "{", *tokens, "}", "\\]"])

    def _drawing(self, command: str) -> None:
        """A drawing in a group, or one command of TikZ that ends with a semicolon."""
        self.expander.star()
        self._option()
        token = self.expander.skip_spaces()
        self.expander.stream.push([token] if token is not None else [])
        if token == "{":
            self.expander.group()
            self._text(DIAGRAM)
        else:
            self._raw_drawing(";")

    def _raw_drawing(self, end: str) -> None:
        file = self.expander.stream.file
        if file is not None:
            self.expander.stream.drop_expansions()
            if file.until(end) is None:
                self.report(f"a drawing without its {end}")
        self._text(DIAGRAM)

    def _graphics(self, command: str) -> None:
        skip_arguments(self.expander, "*oom")
        self._text("[figure]")

    def _newline(self, command: str) -> None:
        self.expander.star()
        self._option()
        self._text("\n")

    def _item(self, command: str) -> None:
        label = self.expander.optional()
        self._text("\n- ")
        if label:
            content = self.content(label)
            if content and not self.preamble:
                self.out.extend([*content.parts, " "])

    def _label(self, command: str) -> None:
        self._option()
        self.label(self.expander.name())

    def _footnote(self, command: str) -> None:
        self.expander.optional()
        self._wrapped(" (", ") ")

    def _enquote(self, command: str) -> None:
        self.expander.star()
        self._wrapped("“", "”")

    def _caption(self, command: str) -> None:
        self.expander.star()
        self.expander.optional()
        self._wrapped("\n\n", "\n\n")

    def _paragraph(self, command: str) -> None:
        self.expander.star()
        self.expander.optional()
        self._wrapped("\n\n", ": ")

    def _wrapped(self, before: str, after: str) -> None:
        """The group that follows stays running text, between these two."""
        token = self.expander.skip_spaces()
        if token != "{":
            self.expander.stream.push([token] if token is not None else [])
            return
        if self.preamble:
            self.expander.stream.push([token])
            self.expander.group()
            return
        self.out.append(before)
        self.open("{", lambda: self.out.append(after))

    def _verb(self, command: str) -> None:
        if command == "\\lstinline":
            self._raw_option()
        file = self.expander.stream.raw_file
        found = file.match(_VERB) or file.match(_RAW_GROUP) if file is not None else None
        if found is not None:
            self._text(found.group(found.lastindex or 0))

    def _raw_argument(self) -> str:
        """An argument in which ``%`` and ``#`` are characters."""
        file = self.expander.stream.raw_file
        found = file.match(_RAW_GROUP) if file is not None else None
        return re.sub(r"\\([%#_&~])", r"\1", found.group(1) if found else self.expander.name())

    def _url(self, command: str) -> None:
        self._text(self._raw_argument())

    def _raw_option(self) -> None:
        """Drops an optional argument; the file is not touched where there is none, so that raw text can follow."""
        file = self.expander.stream.raw_file
        if file is None or file.text.startswith("[", file.pos):
            self._option()

    def _href(self, command: str) -> None:
        self._raw_option()
        self._raw_argument()

    def _first_of_two(self, command: str) -> None:
        first = self.expander.group() or []
        self.expander.group()
        self.expander.stream.push(["{", *first, "}"])

    def _reference(self, command: str) -> None:
        self.expander.star()
        self.expander.optional()
        self._text(self._reference_text(command, self.expander.name()))

    def _reference_text(self, command: str, labels: str) -> str:
        before = self.out[-1] if self.out else ""
        if before == " " and len(self.out) > 1:  # of a tie
            before = self.out[-2]
        return reference_text(command, labels, self.labels.kind_of, before if isinstance(before, str) else "")

    def _formula_label(self, name: str) -> None:
        self.labels.set(name, "equation")
        self.label(name)

    def _citation(self, command: str) -> None:
        self.expander.star()
        notes = [
            self.content(note).to_latex() for note in (self.expander.optional(), self.expander.optional()) if note
        ]
        keys = ", ".join(key.strip() for key in self.expander.name().split(","))
        self._text(f"[{'; '.join([keys, *notes])}]")

    def _accent(self, command: str) -> None:
        argument = self.expander.group()
        if argument is None:
            return
        text = self.content(argument).text
        text = {"ı": "i", "ȷ": "j"}.get(text, text)
        self._text(unicodedata.normalize("NFC", text[:1] + ACCENTS[command] + text[1:]) if text else "")

    # environments ----------------------------------------------------------------------------------------------

    def _begin(self, command: str) -> None:
        name = self.expander.name()
        if not name:
            return
        if name == "document":
            self.preamble = False
            return
        if name in SKIPPED_ENVIRONMENTS or name in VERBATIM_ENVIRONMENTS:
            self._raw_environment(name, keep=name in VERBATIM_ENVIRONMENTS)
            if name in DRAWINGS:
                self._text(f" {DIAGRAM} ")
            return
        if self.preamble:
            return
        if not self.inline and self.begin_unit(name):
            return
        environment = self.expander.environments.get(name)
        if environment is not None and name not in MATH_ENVIRONMENTS:
            self._project_environment(name)
            return
        if name in MATH_ENVIRONMENTS:
            self._formula("", name, display=name != "math")
            return
        if name in TABLES:
            skip_arguments(self.expander, TABLES[name])
        elif name in ENVIRONMENT_ARGUMENTS:
            skip_arguments(self.expander, ENVIRONMENT_ARGUMENTS[name])
        else:
            self._option()
        self.out.append("\n" if name in LISTS else "\n\n")
        self.open(name, lambda: self.out.append("\n\n"))

    def _project_environment(self, name: str) -> None:
        """Puts the beginning of a ``\\newenvironment`` in front of what is to be read; its end follows at ``\\end``."""
        environment = self.expander.environments[name]
        if self.expander.stream.fuel <= 0:
            self.expander.stream.drop_expansions()
            self.report(f"the environment {name} expands without end, or to too much")
            return
        values = self.expander.arguments(environment.begin)
        self._values.setdefault(name, []).append(values or [])
        if values is not None:
            self.expander.push_body(environment.begin, values)

    def _end(self, command: str) -> None:
        name = self.expander.name()
        if name == "document":
            if not self.inline:
                self.expander.stream.drop_all()
            return
        if self.preamble or not name:
            return
        if self._values.get(name):
            self.expander.push_body(self.expander.environments[name].end, self._values[name].pop())
            return
        if self._names[name] <= 0:
            self.report(f"\\end{{{name}}} without its \\begin")
            return
        index = len(self.opened) - 1
        while self.opened[index].name != name:
            if self.opened[index].name != "{":
                self.report(f"\\begin{{{self.opened[index].name}}} of line {self.opened[index].line} is never ended")
            index -= 1
        self.close(index)

    def _raw_environment(self, name: str, *, keep: bool) -> None:
        """An environment whose content is not LaTeX: text kept as it is, or passed over."""
        end = f"\\end{{{name}}}"
        file = self.expander.stream.raw_file
        raw = file.until(end) if file is not None else None
        if raw is not None:
            if keep and not self.preamble:
                self.out.extend(["\n\n", raw, "\n\n"])
            return
        if file is not None:
            self.report(f"\\begin{{{name}}} is never ended")
            return
        taken: list[str] = []  # from an expansion: token by token
        while (token := self.expander.stream.next()) is not None:
            if token == "\\end":
                if self.expander.name() == name:
                    break
            elif token == EOF_TOKEN:
                self.expander.stream.push([token])
                break
            taken.append(token)
        if keep and not self.preamble:
            self.out.append(join(taken))


def _ligature(match: re.Match[str]) -> str:
    return _LIGATURES[match.group()]
