"""The arguments and cells of a plain formula: what separates them, and those that have names."""

from __future__ import annotations

from porism.formula.plain.matrices import environment_of
from porism.formula.plain.operands import F, OperandReader, PlainToken

_ARGUMENTS = frozenset(
    "augment gap row-gap column-gap row gap column align size limits reverse alternate stretch dotless fill font "
    "weight style stroke inset angle cross inverted length".split()
)
"""Names of Typst's arguments that only say how something looks."""
_ATTACHED = {"t": "}^{", "tr": "}^{", "b": "}_{", "br": "}_{"}


class ArgumentReader(OperandReader[F]):
    """Reads what is between arguments."""

    def separator(self, text: str, token: PlainToken) -> bool:
        """Reads what separates arguments or cells; whether it does so here."""
        frame, structure = self.frame, self.frame.structure
        if text not in ",;&@" or (structure is None and text != "&"):
            return False
        is_table = structure is not None and structure.opening.startswith("\\begin")
        if structure is None and self.dialect.calls and not self.outer:  # aligns the lines of a display
            self.settle(is_multiplied=False)
            self.pieces.add("&", token.start, token.end)
            frame.operand, frame.group, frame.is_loose = -1, None, True
            return True
        if structure is None or (text != "," and not is_table):
            return text == "&"
        if text == "," and not structure.separator and structure.arguments:
            return False
        self.missing()
        self.settle(is_multiplied=False)
        self.pieces.close(structure.separator if text == "," else "&" if text == "&" else "\\\\")
        frame.separators += 1
        frame.operand, frame.group, frame.is_loose = -1, None, True
        return True

    def named_argument(self, name: str, following: PlainToken) -> bool:
        """Reads the name of an argument, as in ``mat(delim: "[", …)``; whether this is one."""
        structure = self.frame.structure
        if structure is None or following.text != ":" or self.tokens[self.i - 1].text not in ("(", ",", ";"):
            return False
        self.i += 1
        if name == "delim" and self.i + 1 < len(self.tokens) - 1:
            self.i += 1
            if self.tokens[self.i].text == "#" and self.i + 1 < len(self.tokens) - 1:
                self.i += 1
            environment = environment_of(self.tokens[self.i].text.strip('"'))
            waiting = self.outer[-1].waiting[-1]
            if "pmatrix" in structure.opening:
                changed = structure._replace(closing=f"\\end{{{environment}}}")
                self.pieces.texts[waiting.start] = f"\\begin{{{environment}}}"
                waiting.structure = self.frame.structure = changed
            if self.tokens[self.i + 1].text == ",":
                self.i += 1
        elif name in _ATTACHED:
            self.pieces.close(_ATTACHED[name])
        else:
            if name not in _ARGUMENTS:
                self.problem(self.tokens[self.i - 1].start, f"unknown argument {name}")
            self._skip_argument()
        return True

    def _skip_argument(self) -> None:
        """Passes over the value of an argument, and the comma after it."""
        depth = 0
        while self.i + 1 < len(self.tokens) - 1:
            text = self.tokens[self.i + 1].text
            depth += (text in "([{") - (text in ")]}")
            if depth < 0:
                return
            self.i += 1
            if text == "," and not depth:
                return
