"""Arrows of diagrams, in the syntax of each package: what is read here are their labels."""

from __future__ import annotations

import re
from collections.abc import Callable

from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.skipping import skip_arguments
from porism.formula.latex.drawings import XY_OBJECT
from porism.formula.macros.tokens import EOF_TOKEN, PAR

Labels = list[list[str]]

MAX_ARROW_PARTS = 50
"""So many parts (styles, places, labels) of one arrow are read."""
MAX_LABEL_TOKENS = 2_000

DIAGRAMS = {
    "tikzcd": "tikzcd", "tikzcd*": "tikzcd", "CD": "CD", "CD*": "CD", "diagram": "diagram", "psmatrix": "psmatrix",
}
"""Environments that are diagrams → whose arrows they have."""
DIAGRAM_COMMANDS = {"\\xymatrix": "Xy-pic", "\\diagram": "diagram", "\\CD": "CD", "\\psmatrix": "psmatrix"}
"""Commands that begin a diagram: Xy-pic's in a group, the others up to ``\\enddiagram`` and so on."""

_TIKZ = re.compile(r"\\[lrud]{0,4}ar(?:row)?$")
_XY = re.compile(r"\\(?:[lrud]{0,4}ar|[lrudx]{1,4}(?:to|line|dashed|dotted|double)|[lrudx]{0,4}(?:upper|lower)?twocell|"
                 r"[lrudx]{1,4}(?:upper|lower)twocell|[lrudx]{1,4}compositemap)$")  # fmt: skip
_TAYLOR = re.compile(r"\\[lrud]{1,2}[A-Z][A-Za-z]*$")
_PS_CONNECTION = re.compile(r"\\[np]c(?:line|curve|arcbox|arc|bar|diagg?|angles?|loop|circle|box|LR|UR)$")
_PS_LABEL = re.compile(r"\\(?:[nt][abhlruv]put|[ABMablmr]put|uput|ncput)$")
_DIRECTION = re.compile(r"\s*(?:[lrud]+|\d+-\d+|[a-z]+(?:,[a-z]+)*|)\s*$")
_XY_PLACES = {"(": ")", '"': '"'}
_DROPPED = {
    "\\psset": "m", "\\psspan": "m", "\\hole": "", "\\hline": "", "\\restore": "",
}  # fmt: skip


class ArrowReader:
    """Reads the arrows of diagrams from an expander."""

    def __init__(self, expander: ProjectExpander) -> None:
        self._expander = expander
        self._syntaxes: list[tuple[re.Pattern[str], str, Callable[[str], Labels]]] = [
            (_TAYLOR, "diagram", self._taylor), (_XY, "Xy-pic diagram", self._xy),
            (_TIKZ, "tikzcd diagram", self._tikz), (_PS_LABEL, "psmatrix", self._ps_label),
            (_PS_CONNECTION, "psmatrix", self._ps_connection),
        ]

    def read(self, token: str, package: str) -> Labels | None:
        """The labels of the arrow that a command begins, each as tokens; None where the command is not an arrow."""
        if token in _DROPPED:
            skip_arguments(self._expander, _DROPPED[token])
            return []
        if token == "\\node" and package == "diagram":  # pb-diagram
            label = self._expander.group()
            return [label] if label else []
        if token in ("\\POS", "\\save") and package == "Xy-pic":
            return self._pen()
        for pattern, packages, reader in self._syntaxes:
            if package in packages and pattern.match(token):
                return reader(token)
        return None

    def _character(self) -> str | None:
        """The next token that is not a space; of a run of characters the first only."""
        token = self._expander.skip_spaces()
        if token is not None and len(token) > 1 and token[0] not in "\\\0$" and token != PAR:
            self._expander.stream.push([token[1:]])
            return token[0]
        return token

    def _back(self, token: str | None) -> None:
        self._expander.stream.push([token] if token is not None else [])

    def _follows(self, characters: str) -> bool:
        """Whether one of these characters is next; it stays unread."""
        token = self._character()
        self._back(token)
        return token is not None and token in characters

    def _up_to(self, end: str) -> list[str]:
        """The tokens before a character that is not inside braces; both are read. Nothing is read where
        it does not follow."""
        taken: list[str] = []
        depth = 0
        for _ in range(MAX_LABEL_TOKENS):
            token = self._expander.stream.next() if depth else self._character()
            if token is None or token in (PAR, EOF_TOKEN):
                self._back(token)
                break
            if token == end and depth == 0:
                return taken
            depth += (token == "{") - (token == "}")
            taken.append(token)
            if depth < 0:
                break
        self._expander.stream.push(taken)
        return []

    def _label(self) -> list[str]:
        """A label: a group, or one character or command; an accent or font has its argument too."""
        expander = self._expander
        token = self._character()
        self._back(token)
        if token is None or token in ("}", "&", "\\\\", PAR, EOF_TOKEN):
            return []
        label = expander.group() or []
        if token != "{" and token[0] == "\\" and self._follows("{") and token not in expander.macros:
            label += ["{", *(expander.group() or []), "}"]
        elif token in expander.macros:
            for argument in expander.macros[token].arguments:
                if argument.kind == "mandatory":
                    label += ["{", *(expander.group() or []), "}"]
        return label

    def _tikz(self, token: str) -> Labels:
        """``\\arrow[r, "f"]`` and ``\\arrow{r}[swap]{f}``."""
        expander = self._expander
        labels: Labels = []
        is_directed = token not in ("\\ar", "\\arrow")
        options = expander.optional()
        if options is not None:
            labels = quoted_labels(options)
            is_directed = is_directed or _has_direction(options)
        if not self._follows("{") or (is_directed and options is not None and token in ("\\ar", "\\arrow")):
            return labels
        if not is_directed:
            direction = expander.group() or []
            if not _DIRECTION.match("".join(direction)):
                labels.append(direction)
        for _ in range(MAX_ARROW_PARTS):
            options = expander.optional()
            if options is not None:
                labels += quoted_labels(options)
            if not self._follows("{"):
                break
            labels.append(expander.group() or [])
        return labels

    def _xy(self, token: str) -> Labels:
        """``\\ar@{->}@/^1em/[r]^-{f}_(.3)g|{h}``, ``\\rto^f``, ``\\rtwocell<5>^f_g{h}``."""
        expander = self._expander
        labels: Labels = []
        is_cell = "twocell" in token or "composite" in token
        is_aimed = "to" in token
        for _ in range(MAX_ARROW_PARTS):
            sign = self._character()
            if sign is None:
                break
            if sign == "@":
                self._style()
            elif sign == "[":
                self._up_to("]")
                is_aimed = True
            elif sign == "<":
                self._up_to(">")
            elif sign in _XY_PLACES and not is_aimed:
                self._up_to(_XY_PLACES[sign])
            elif sign == "=" and self._follows('"'):
                self._character()
                self._up_to('"')
            elif sign in ("'", "`") or (sign in (";", ",", "!") and not is_aimed):
                continue
            elif sign in ("^", "_", "|"):
                self._place()
                labels.append(self._label())
            elif sign == "{" and is_cell:
                self._back(sign)
                label = expander.group() or []
                labels.append(label[1:] if label[:1] in (["^"], ["_"]) else label)
            else:
                self._back(sign)
                break
        return [label for label in labels if label not in (["\\omit"], ["="], ["'"])]

    def _pen(self) -> Labels:
        """Xy-pic's ``\\POS`` and ``\\save``, up to the next arrow or cell: of what is drawn, the objects ``*{A}``."""
        stream = self._expander.stream
        labels: Labels = []
        before = ""
        for _ in range(MAX_LABEL_TOKENS):
            token = stream.next()
            if token is None or token in ("&", "\\\\", "}", PAR, EOF_TOKEN) or _XY.match(token):
                self._back(token)
                break
            if token == "{":
                self._back(token)
                group = self._expander.group() or []
                labels += [group] if XY_OBJECT.search(before) else []
            before = token if token != "]" else before
        return labels

    def _style(self) -> None:
        """``@{->}``, ``@<1ex>``, ``@/^1em/``, ``@(ul,ur)``, ``@[red]``, ``@*{[|2pt]}``."""
        sign = self._character()
        while sign in ("^", "_", "2", "3", "*", "!", "?"):
            sign = self._character()
        closers = {"<": ">", "/": "/", "(": ")", "[": "]", "`": "`"}
        if sign == "{":
            self._back(sign)
            self._expander.group()
        elif sign in closers:
            self._up_to(closers[sign])
        elif sign not in ("-", "=", ":", "."):
            self._back(sign)

    def _place(self) -> None:
        """Where on the arrow a label is: ``-``, ``<``, ``(.3)``, and what it is drawn as: ``*+{f}``."""
        for _ in range(MAX_ARROW_PARTS):
            sign = self._character()
            if sign == "(":
                self._up_to(")")
            elif sign == "!":
                self._expander.group()
            elif sign == "[":
                self._up_to("]")
            elif sign not in ("-", "<", ">", "+", "*", "=", "/"):
                self._back(sign)
                return

    def _taylor(self, token: str) -> Labels:
        """``\\rTo^{f}_{g}``, ``\\dTo<h``, ``\\rTo(2,3)^f``."""
        labels: Labels = []
        for _ in range(MAX_ARROW_PARTS):
            sign = self._character()
            if sign == "(":
                self._up_to(")")
            elif sign == "[":
                self._up_to("]")
            elif sign in ("^", "_", "<", ">", "~"):
                labels.append(self._label())
            else:
                self._back(sign)
                break
        return labels

    def _ps_connection(self, token: str) -> Labels:
        """``\\ncline[…]{->}{A}{B}^{f}``."""
        self._expander.optional()
        for _ in range(3):
            if self._follows("{"):
                self._expander.group()
        labels: Labels = []
        for _ in range(MAX_ARROW_PARTS):
            sign = self._character()
            if sign not in ("^", "_", "<", ">"):
                self._back(sign)
                break
            labels.append(self._label())
        return labels

    def _ps_label(self, token: str) -> Labels:
        """``\\naput[npos=.5]{$f$}``, a box."""
        self._expander.optional()
        if self._follows("("):
            self._up_to(")")
        label = self._expander.group()
        return [["\\mbox", "{", *label, "}"]] if label else []

    def amscd(self, rest: str) -> Labels:
        """The labels of an arrow of amscd: ``@>f>g>``, ``@VfVgV``; ``rest`` followed the ``@`` in its token."""
        self._back(rest or None)
        sign = self._character()
        if sign is None or sign not in "><AV()=|.":
            self._back(sign)
            return []
        return [self._up_to(sign), self._up_to(sign)] if sign in "><AV()" else []


def quoted_labels(options: list[str]) -> Labels:
    """What stands in quotes in the options of an arrow; without quotes, the formulas in it (``node {$f$}``)."""
    labels: Labels = []
    label: list[str] | None = None
    depth = 0
    for token in options:
        parts = token.split('"') if depth == 0 and token[0] != "\\" else [token]
        for number, part in enumerate(parts):
            if number:
                if label is not None:
                    labels.append(_without_braces(label))
                label = [] if label is None else None
            if part and label is not None:
                label.append(part)
        depth += (token == "{") - (token == "}")
    if labels:
        return labels
    dollars = [position for position, token in enumerate(options) if token == "$"]
    return [options[start + 1 : end] for start, end in zip(dollars[::2], dollars[1::2], strict=False)]


def _without_braces(tokens: list[str]) -> list[str]:
    depth = 0
    for position, token in enumerate(tokens):
        depth += (token == "{") - (token == "}")
        if depth == 0 and (position < len(tokens) - 1 or token != "}"):
            return tokens
    return tokens[1:-1]


def _has_direction(options: list[str]) -> bool:
    """Whether one of the options is a direction such as ``rd`` or ``from=1-1``."""
    entries = "".join(options).split(",")
    return any(re.fullmatch(r"\s*(?:[lrud]+|(?:from|to)\s*=.*)\s*", entry) for entry in entries)
