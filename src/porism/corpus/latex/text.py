"""The running text of a LaTeX source: commands become what they print, formulas stay in place.

Here are tokens, groups and formulas; :mod:`porism.corpus.latex.text_commands` has the commands, and
:mod:`porism.corpus.latex.environments` the environments.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from porism.corpus.latex.active import ActiveCharacters
from porism.corpus.latex.conditionals import Conditionals, Expansion
from porism.corpus.latex.counters import Counters
from porism.corpus.latex.definitions import ProjectDeclarations, is_only_appearance
from porism.corpus.latex.diagrams import diagram_text
from porism.corpus.latex.formula import FormulaReader
from porism.corpus.latex.languages import Languages
from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.programming import Programming
from porism.corpus.latex.skipping import skip_arguments
from porism.corpus.latex.tables import DROPPED, KEPT_COMMANDS, SYMBOLS
from porism.corpus.latex.tokens import tokenize
from porism.corpus.references import reference_text
from porism.corpus.units import Parts, tidy
from porism.formula.macros.tokens import EOF_TOKEN, PAR, join
from porism.formula.tables.text_accents import TEXT_ACCENTS
from porism.types import Content, Formula

MAX_INLINE_DEPTH = 3

_LIGATURES = {"``": "“", "''": "”", "---": "—", "--": "–", "`": "‘", "'": "'"}
_LIGATURE = re.compile("``|''|---?|[`']")
_BOX = re.compile(r"\\(?:text|mbox|hbox)\s*\{(.*)\}", re.DOTALL)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


@dataclass(slots=True)
class TextGroup:
    """A group (``{``) or environment that has begun and not ended."""

    name: str
    depth: int
    line: int
    close: Callable[[], None] | None = None
    unit: bool = False


class LabelKinds:
    """Label → what it names (``lemma``), of what has been read."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._before: dict[str, str | None] = {}

    def kind_of(self, label: str) -> str | None:
        """What the label names; None where that has not been read."""
        kind = self._kinds.get(label)
        self._before.setdefault(label, kind)
        return kind

    def add(self, label: str, kind: str) -> None:
        """The label names this, unless it names something already."""
        if self.kind_of(label) is None:
            self._kinds[label] = kind

    def set(self, label: str, kind: str) -> None:
        """The label names this."""
        self.kind_of(label)
        self._kinds[label] = kind

    def watch(self) -> None:
        """From here on, :meth:`watched` collects what is looked up or given."""
        self._before = {}

    def watched(self) -> dict[str, tuple[str | None, str | None]]:
        """Each label that was looked up or given since :meth:`watch`: what it named then, and what it names now."""
        return {label: (kind, self._kinds.get(label)) for label, kind in self._before.items()}

    def fit(self, watched: dict[str, tuple[str | None, str | None]]) -> bool:
        """Whether the labels name what they named at the beginning of what was watched."""
        return all(self._kinds.get(label) == before for label, (before, _) in watched.items())

    def replay(self, watched: dict[str, tuple[str | None, str | None]]) -> None:
        """Gives what was given while it was watched."""
        self._kinds.update({label: after for label, (_, after) in watched.items() if after is not None})


class LatexText:
    """Reads tokens and writes text and formulas to the current output; knows no commands, environments or units."""

    def __init__(self) -> None:
        self.expander = ProjectExpander(self.report, KEPT_COMMANDS)
        self.expander.keeps_meaning = lambda name, macro: is_only_appearance(name, macro, self.expander.known)
        self.declarations = ProjectDeclarations(self.expander)
        self.conditionals = Conditionals(self.expander)
        self.active = ActiveCharacters(self.expander, self.conditionals.conditions)
        Counters(self.expander, self.conditionals.conditions)
        Expansion(self.expander, self.conditionals)
        Programming(self.expander, self.conditionals)
        self.languages = Languages(self.expander)
        self.labels = LabelKinds()
        self.formulas = FormulaReader(
            self.expander, self._formula_label, self._reference_text, self.leave_file,
            self.conditionals.conditions.registers.number,
        )
        self.preamble = True
        self.out: Parts = []
        self.opened: list[TextGroup] = []
        self.inline = 0
        self._names: Counter[str] = Counter()
        self.commands = self._command_table()
        self.expander.known = frozenset(self.commands).difference(TEXT_ACCENTS) | {f"\\{name}" for name in DROPPED}

    @property
    def line(self) -> int:
        """The line that is being read."""
        return 1

    def report(self, problem: str) -> None:
        """Reports a problem at the current place."""

    def label(self, name: str) -> None:
        """A ``\\label``."""

    def mark_line(self, line: int) -> None:
        """What is written next is of this line of the file."""

    def leave_file(self) -> None:
        """A file that was read inside another one has been read to its end."""

    def end_of_file(self) -> None:
        """A file has been read to its end, between paragraphs."""

    def begin_document(self) -> None:
        """``\\begin{document}``."""
        self.preamble = False

    def end_document(self) -> None:
        """``\\end{document}``: what follows is not part of it."""
        self.expander.stream.drop_all()

    def begin_unit(self, name: str, command: str) -> bool:
        """Begins a theorem-like environment or a proof; False where the environment is neither.

        :param command: the ``\\begin`` that was read.
        """
        return False

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
            self.active.preamble_token(first)
        elif first == "{":
            self.open("{")
        elif first == "}":
            if self.opened and self.opened[-1].name == "{":
                self.close(len(self.opened) - 1)
        elif first == "$":
            self._formula(token, display=token == "$$")
        elif first in "~&":
            self._tie(token)
        elif first != "#":
            if not token.isspace():
                self.mark_line(self.line)
            text = self.languages.printed(token) if '"' in token else token
            self.out.append(_LIGATURE.sub(lambda match: _LIGATURES[match.group()], text))

    def _tie(self, token: str) -> None:
        """A tie or the end of a cell; with ``"`` before it, a tie is a shorthand of some languages."""
        last = self.out[-1] if self.out else ""
        if token == "~" and isinstance(last, str) and last.endswith('"') and self.languages.printed('"~') != '"~':
            self.out[-1] = last[:-1] + self.languages.printed('"~')
        else:
            self.out.append(" ")

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
        self.opened.append(TextGroup(name, self.expander.depth, self.line if name != "{" else 0, close, unit))
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

    def _command_table(self) -> dict[str, Callable[[str], None]]:
        """What reads each command that is not dropped, printed as a symbol, or unknown."""
        return {}

    def _formula(self, opener: str, environment: str | None = None, *, display: bool) -> None:
        line = self.line
        source = self.formulas.read(opener, environment)
        self.mark_line(line)
        self._formula_part(source, display=display)

    def _formula_part(self, source: str, *, display: bool = False) -> None:
        """Writes a formula that was read, and the diagrams in it."""
        if self.preamble:
            return
        if source:
            self.out.append(Formula(source, display=display))
        for sources in self.formulas.diagrams:
            self.out.extend(diagram_text(map(self._diagram_part, sources)))

    def _diagram_part(self, source: str) -> Content:
        """What a diagram shows in one place: a text where it is in a box, or a formula."""
        box = _BOX.fullmatch(source)
        if box is not None and _is_balanced(box.group(1)):
            return self.content(tokenize(box.group(1)))
        return Content.of(Formula(source))

    def _command(self, token: str) -> None:
        handler = self.commands.get(token)
        if handler is not None:
            handler(token)
        else:
            self.other_command(token)

    def other_command(self, token: str) -> None:
        """A command that has no handler: dropped, printed as a symbol, or unknown."""
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

    def _raw_option(self) -> None:
        """Drops an optional argument; the file is not touched where there is none, so that raw text can follow."""
        file = self.expander.stream.raw_file
        if file is None or file.text.startswith("[", file.pos):
            self._option()

    def _reference_text(self, command: str, labels: str) -> str:
        before = self.out[-1] if self.out else ""
        if before == " " and len(self.out) > 1:  # of a tie
            before = self.out[-2]
        return reference_text(command, labels, self.labels.kind_of, before if isinstance(before, str) else "")

    def _formula_label(self, name: str) -> None:
        self.labels.set(name, "equation")
        self.label(name)


def _is_balanced(source: str) -> bool:
    """Whether each brace has its partner, after or before it."""
    depth = 0
    for brace in _BRACE.findall(source):
        depth += (brace == "{") - (brace == "}")
        if depth < 0:
            return False
    return depth == 0
