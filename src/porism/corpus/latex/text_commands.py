"""What the commands of LaTeX print in running text: items, references, footnotes, links, accents, drawings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from porism.corpus.latex.arrows import DIAGRAM_COMMANDS
from porism.corpus.latex.diagrams import diagram_text
from porism.corpus.latex.drawings import DRAWING_COMMANDS, skip_drawing
from porism.corpus.latex.formula import PROOF_COMMANDS
from porism.corpus.latex.skipping import skip_arguments, skip_assignment
from porism.corpus.latex.tables import CITATIONS, REFERENCES
from porism.corpus.latex.text import LatexText
from porism.corpus.latex.tokens import tokenize
from porism.formula.latex.drawings import drawn_contents
from porism.formula.tables.packages import siunitx
from porism.formula.tables.registers import ASSIGNMENTS
from porism.formula.tables.text_accents import TEXT_ACCENTS
from porism.types import Content

FORMULA_COMMANDS = {
    "fitchprf": "mm", "fitchctx": "m",
    "qty": "omm", **{name: re.sub("[^om]", "", signature) for name, (signature, _) in siunitx.HANDLED.items()},
}
"""Commands that are formulas, of siunitx and lplfitch → their arguments: ``o`` in brackets, ``m`` in braces."""
_RAW_GROUP = re.compile(r"\s*\{([^{}\n]*)\}")
_VERB = re.compile(r"\*?([^A-Za-z\s])(.*?)\1")


class TextCommands(LatexText):
    """Reads the commands of running text."""

    def _command_table(self) -> dict[str, Callable[[str], None]]:
        table: dict[str, Callable[[str], None]] = {
            "\\(": lambda _: self._math("\\(", display=False),
            "\\[": lambda _: self._math("\\[", display=True),
            "\\]": lambda _: self.report("\\] without \\["),
            "\\)": lambda _: self.report("\\) without \\("),
            "\\\\": self._newline,
            "\\ensuremath": lambda _: self._formula_part(self.formulas.group()),
            "\\item": self._item,
            **dict.fromkeys(PROOF_COMMANDS, self._proof),
            "\\includegraphics": self._graphics,
            "\\label": self._label,
            "\\footnote": self._footnote,
            **dict.fromkeys(("\\footnotetext", "\\marginpar", "\\marginnote", "\\sidenote"), self._footnote),
            "\\caption": self._caption,
            **dict.fromkeys(("\\paragraph", "\\subparagraph"), self._paragraph),
            **dict.fromkeys(("\\verb", "\\lstinline"), self._verb),
            **dict.fromkeys(("\\url", "\\nolinkurl", "\\path"), lambda _: self._text(self._raw_argument())),
            "\\href": self._href,
            "\\hyperref": lambda _: skip_arguments(self.expander, "o"),
            "\\texorpdfstring": self._first_of_two,
            **dict.fromkeys(("\\bgroup", "\\begingroup"), lambda _: self.token("{")),
            **dict.fromkeys(("\\egroup", "\\endgroup"), lambda _: self.token("}")),
            "\\eqno": self._newline,
            "\\enquote": self._enquote,
        }
        table.update(dict.fromkeys(REFERENCES, self._reference))
        table.update(dict.fromkeys(CITATIONS, self._citation))
        table.update(dict.fromkeys(TEXT_ACCENTS, self._accent))
        table.update(dict.fromkeys(
            ("\\" + name for name in ASSIGNMENTS), lambda command: skip_assignment(self.expander, command[1:])
        ))
        table.update(dict.fromkeys(("\\" + name for name in FORMULA_COMMANDS), self._formula_command))
        table.update(dict.fromkeys(DIAGRAM_COMMANDS, self._diagram))
        table.update(dict.fromkeys(DRAWING_COMMANDS, lambda command: self._drawn(skip_drawing(self.expander, command))))
        return table

    def _math(self, opener: str, *, display: bool) -> None:
        if not self.preamble:
            self._formula(opener, display=display)

    def _diagram(self, command: str) -> None:
        if self.preamble:
            return
        self.formulas.read_diagram(command)
        self._formula_part("")

    def _formula_command(self, command: str) -> None:
        """A formula without dollars in running text: a number with its unit, ``\\SI{3}{\\metre}``."""
        tokens = [command]
        for kind in FORMULA_COMMANDS[command[1:]]:
            if kind == "o" and (option := self.expander.optional()) is not None:
                tokens += ["[", *option, "]"]
            elif kind == "m" and (argument := self.expander.group()) is not None:
                tokens += ["{", *argument, "}"]
        self._formula_part(self.formulas.formula_of(tokens))

    def _proof(self, command: str) -> None:
        if not self.preamble:
            self._formula_part(self.formulas.read_proof(command), display=True)

    def _drawn(self, source: str) -> None:
        """Writes that there is a drawing, and the texts and formulas that it shows."""
        if self.preamble:
            return
        shown: list[Content] = []
        for content in drawn_contents(source):
            if content.startswith("\\text{"):
                shown.append(self._diagram_part(content))
            else:
                formula = self.formulas.formula_of(tokenize(content))
                diagrams = [each for diagram in self.formulas.diagrams for each in diagram]
                shown.extend(map(self._diagram_part, [formula, *diagrams] if formula else diagrams))
        self.out.extend(diagram_text(shown))

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
        self.label(self.expander.expanded_name())

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
        title = self.expander.group() if self.expander.follows("{") else None
        if any(not token.isspace() for token in title or ()):
            self.expander.stream.push(["{", *(title or ()), "}"])
            self._wrapped("\n\n", ": ")
        elif not self.preamble:
            self.out.append("\n\n")

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
        match = file.match(_VERB) or file.match(_RAW_GROUP) if file is not None else None
        if match is not None:
            self._text(match.group(match.lastindex or 0))

    def _raw_argument(self) -> str:
        """An argument in which ``%`` and ``#`` are characters."""
        file = self.expander.stream.raw_file
        match = file.match(_RAW_GROUP) if file is not None else None
        return re.sub(r"\\([%#_&~])", r"\1", match.group(1) if match else self.expander.name())

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
        self._text(self._reference_text(command, self.expander.expanded_name()))

    def _citation(self, command: str) -> None:
        self.expander.star()
        notes = [self.content(note).to_latex() for note in (self.expander.optional(), self.expander.optional()) if note]
        keys = ", ".join(key.strip() for key in self.expander.name().split(","))
        self._text(f"[{'; '.join([keys, *notes])}]")

    def _accent(self, command: str) -> None:
        argument = self.expander.group()
        if argument is None:
            return
        text = self.content(argument).text
        text = {"ı": "i", "ȷ": "j"}.get(text, text)
        self._text(unicodedata.normalize("NFC", text[:1] + TEXT_ACCENTS[command] + text[1:]) if text else "")
