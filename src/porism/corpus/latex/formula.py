"""One formula of a LaTeX source: from its opening delimiter to its end, the project's macros expanded inside."""

from __future__ import annotations

import re
from collections.abc import Callable

from porism.corpus.latex.macros import Expander
from porism.corpus.latex.tables import (
    BARE_ENVIRONMENTS,
    DIAGRAMS,
    DROPPED_IN_MATH,
    LENGTHS,
    MATH_ARGUMENTS,
    REFERENCES,
    SECTION_LEVELS,
    TEXT_IN_MATH,
)
from porism.corpus.latex.tokens import tokenize
from porism.formula.macros.tokens import EOF_TOKEN, PAR, join

MAX_FORMULA_TOKENS = 200_000
_SPACES = re.compile(r"\s+")
_QUOTED = re.compile(r'"((?:\{[^{}]*\}|[^"{}])*)"')
_CLOSERS = {"$": ("$", "$$"), "$$": ("$$", "$"), "\\(": ("\\)",), "\\[": ("\\]",)}
DIMENSION = re.compile(
    r"\s*=?\s*(?:[-+]?\s*[\d.,]*\s*(?:pt|mm|cm|in|ex|em|mu|bp|pc|sp|dd|cc|fil{1,3}|true\s*\w\w)\b|[-+]?\d+)?"
    r"(?:\s*(?:plus|minus)\s*[-\d.]*\s*(?:pt|mm|cm|in|ex|em|mu|fil{1,3})\b){0,2}"
)
_ARROW = re.compile(r"\\[lrud]{0,4}ar(?:row)?$")
_DRAWING = frozenset(["\\POS", "\\dir", "\\save"])  # Xy-pic's pen: what is drawn with it is no formula
_STRUCTURE = frozenset(
    ["\\item", "\\documentclass", "\\caption", "\\paragraph"] + ["\\" + name for name in SECTION_LEVELS]
)


class FormulaReader:
    """Reads formulas from an expander.

    :param label: called with the name of each ``\\label`` inside a formula.
    :param reference: the readable form of a reference command's argument.
    """

    def __init__(
        self, expander: Expander, label: Callable[[str], None], reference: Callable[[str, str], str]
    ) -> None:
        self.expander, self._label, self._reference = expander, label, reference
        self._diagram = self.is_diagram = False
        self.unexpanded = 0
        """How many formulas still hold a macro that the project defines."""

    def read(self, opener: str, environment: str | None = None) -> str:
        """The LaTeX of the formula that ``opener`` (``$``, ``\\[``…) or the environment has begun.

        The formula ends at its closing delimiter; where that is missing, at the first thing that cannot be in a
        formula (a blank line, a section, the end of the file), and that is reported.
        """
        self.expander.math = True
        depth = self.expander.depth
        try:
            tokens = self._collect(_CLOSERS.get(opener, ()), environment)
        finally:
            self.expander.math = False
            self.expander.end_groups(depth)
        self.is_diagram = self._diagram
        if not _DRAWING.isdisjoint(tokens):
            self.is_diagram = True
            return ""
        macros = self.expander.macros
        if any(token in macros for token in tokens):
            self.unexpanded += 1
        source = _SPACES.sub(" ", join(tokens)).strip()
        if source and environment and environment not in BARE_ENVIRONMENTS:
            name = "matrix" if environment in DIAGRAMS else environment
            source = f"\\begin{{{name}}} {source} \\end{{{name}}}"
        return source

    def group(self) -> str:
        """The formula in the group or single token that follows (``\\ensuremath{…}``)."""
        tokens = self.expander.group()
        if tokens is None:
            return ""
        frames = self.expander.stream.swap([*tokens, "\\)"])
        try:
            return self.read("\\(")
        finally:
            self.expander.stream.restore(frames)

    def _collect(self, closers: tuple[str, ...], environment: str | None) -> list[str]:
        expander = self.expander
        out: list[str] = []
        braces: list[bool] = []  # of each open brace: whether it holds text
        opened: list[str] = []  # environments inside the formula
        dollar_at: list[int] = []  # brace depths at which a $ inside text has opened a formula
        pending = 0
        text_next = False
        self._diagram = environment in DIAGRAMS
        if self._diagram or environment == "empheq":
            expander.optional()
        while True:
            token = expander.next(pending > 0)
            if token is None or token == EOF_TOKEN or (token == PAR and closers and closers[0] in ("$", "\\)")):
                expander.stream.push([token] if token else [])
                expander.report("a formula that is never closed")
                return out
            first = token[0]
            if first == "\0":
                token = token[1:]
                if not token.startswith("\\"):
                    continue
                first = "\\"
            if first.isspace() and token.isspace():
                out.append(" ")
                continue
            if first == "$":
                if dollar_at and dollar_at[-1] == len(braces):
                    dollar_at.pop()
                    out.append("$")
                elif braces and braces[-1]:
                    if token == "$":
                        dollar_at.append(len(braces))
                        out.append("$")
                elif token in closers:
                    if token != closers[0]:
                        if token == "$$":
                            expander.stream.push(["$"])
                        else:
                            expander.report("a display formula opened by $$ and closed by $")
                    return out
                elif not braces:
                    expander.report("a $ inside a display formula")
                continue
            if token in closers:
                return out
            if len(out) > MAX_FORMULA_TOKENS:
                expander.report("a formula that is too long; the rest is left out")
                return out
            if token == "{":
                braces.append(text_next)
                text_next, pending = False, max(0, pending - 1)
                expander.begin_group()
            elif token == "}":
                if not braces:
                    expander.report("a closing brace without an opening one in a formula")
                    continue
                braces.pop()
                expander.end_groups(max(0, expander.depth - 1))
                while dollar_at and dollar_at[-1] > len(braces):
                    dollar_at.pop()
                    out.append("$")
            elif first == "\\":
                name = token[1:]
                if token == "\\begin":
                    inner = expander.name()
                    if self._begin(inner):
                        continue
                    opened.append(inner)
                    if inner in DIAGRAMS:
                        self._diagram = True
                        expander.optional()
                        inner = "matrix"
                    out.append(f"\\begin{{{inner}}}")
                    pending = 0
                    continue
                if token == "\\end":
                    inner = expander.name()
                    if opened and opened[-1] == inner:
                        opened.pop()
                        out.append(f"\\end{{{'matrix' if inner in DIAGRAMS else inner}}}")
                    elif inner == environment and not opened:
                        return out
                    elif inner in expander.environments and inner not in opened:
                        expander.push_body(expander.environments[inner].end, [])
                    elif inner in opened:
                        while opened and (last := opened.pop()):
                            out.append(f"\\end{{{last}}}")
                            if last == inner:
                                break
                    else:
                        expander.report(f"\\end{{{inner}}} inside a formula that it does not close")
                        if inner != environment:
                            expander.stream.push(["\\end", "{", inner, "}"])
                        return out
                    continue
                if token in _STRUCTURE:
                    expander.report("a formula that is never closed")
                    expander.stream.push([token])
                    return out
                text_next = token in TEXT_IN_MATH
                pending = MATH_ARGUMENTS.get(name, 0)
                if self._special(token, name, out, in_text=bool(braces and braces[-1])):
                    continue
                out.append(token)
                continue
            elif first in "^_":
                pending = 1
            elif first == "&" or first == "#":
                pending = 0
            elif first == "~":
                token = " " if braces and braces[-1] else "~"
            else:
                text_next = False
                if pending and first not in "[]":
                    pending = max(0, pending - len(token.replace(" ", "")))
            out.append(token)

    def _begin(self, name: str) -> bool:
        """Begins an environment of the project inside a formula; False for any other."""
        environment = self.expander.environments.get(name)
        if environment is None or self.expander.stream.fuel <= 0:
            return False
        values = self.expander.arguments(environment.begin)
        if values is None:
            return False
        self.expander.push_body(environment.begin, values)
        return True

    def _special(self, token: str, name: str, out: list[str], *, in_text: bool) -> bool:
        """Commands that leave something else, or nothing, in a formula; False for all others."""
        expander = self.expander
        if token == "\\label":
            self._label(expander.name())
        elif token == "\\ensuremath" or name in ("displaylimits", "mathsurround"):
            pass
        elif token in REFERENCES or token == "\\cite":
            expander.star()
            text = self._reference(token, expander.name())
            out.extend(text if in_text else ["\\text", "{", text, "}"])
        elif name in DROPPED_IN_MATH:
            skip_arguments(expander, DROPPED_IN_MATH[name])
            out.append(" ")
        elif name in LENGTHS:
            skip_dimension(expander)
            out.append(" ")
        elif token in ("\\intertext", "\\shortintertext"):
            out.append("\\text")
        elif token == "\\bgroup" or token == "\\begingroup":
            expander.stream.push(["{"])
        elif token == "\\egroup" or token == "\\endgroup":
            expander.stream.push(["}"])
        elif self._diagram and _ARROW.match(token):
            self._arrow()
        elif token == "\\xymatrix":
            self._diagram = True
            expander.stream.push(self.xymatrix())
        else:
            return False
        return True

    def _arrow(self) -> None:
        """An arrow of a diagram: to its label (tikzcd's ``"f"``), or with the scripts that follow (Xy-pic's ``^f``)."""
        expander = self.expander
        while (token := expander.skip_spaces()) is not None and token[0] == "@":  # Xy-pic's styles: @{->} @/^/
            if token[-1] in "@":
                expander.group()
        if token is not None:
            expander.stream.push([token])
        labels = [label.strip("{}") for label in _QUOTED.findall(join(expander.optional() or []))]
        arrow = ["\\xrightarrow", "{", *tokenize(", ".join(labels)), "}"] if labels else ["\\to"]
        expander.stream.push([*arrow, " "])

    def xymatrix(self) -> list[str]:
        """The tokens of Xy-pic's matrix (its command has been read), as a matrix."""
        cells = self.xymatrix_cells()
        return [*_environment("\\begin"), *cells, *_environment("\\end")] if cells else []

    def xymatrix_cells(self) -> list[str]:
        """The tokens inside Xy-pic's matrix (its command has been read)."""
        expander = self.expander
        for _ in range(50):  # options: @C+2pc, @R=1em
            token = expander.skip_spaces()
            if token is None or token == "{" or token[0] in "$&" or token == PAR:
                break
        if token is not None:
            expander.stream.push([token])
        return (expander.group() if token == "{" else None) or []


def _environment(command: str) -> list[str]:
    return [command, "{", "matrix", "}"]


def skip_arguments(expander: Expander, signature: str) -> None:
    """Reads and drops the arguments of a command: ``m`` mandatory, ``o`` optional, ``*`` a star."""
    for kind in signature:
        if kind == "m":
            expander.group()
        elif kind == "o":
            expander.optional()
        else:
            expander.star()


def skip_dimension(expander: Expander) -> None:
    """Reads and drops the dimension after a command such as ``\\kern``."""
    token = expander.skip_spaces()
    if token is None:
        return
    if token[0] in "\\{}$\0&^_#~" or token == PAR:
        expander.stream.push([token])
        return
    found = DIMENSION.match(token)
    expander.stream.push([token[found.end() :]] if found and token[found.end() :] else [])
