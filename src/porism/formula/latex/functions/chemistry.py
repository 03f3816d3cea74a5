"""The language of mhchem's ``\\ce``: chemical formulas and reactions, as LaTeX for mathematics.

It follows the manual of mhchem (version 4): numbers before a formula and after an element, charges, isotopes, states,
bonds, addition compounds, precipitates and gases, arrows with notes, and text or mathematics in braces or dollars.
"""

from __future__ import annotations

import re

from porism.formula.latex.functions.call import Call, tex
from porism.formula.tables.lookup import SYMBOLS
from porism.formula.tables.packages.mhchem import ARROWS, BONDS, STATES

_ARROW = re.compile("|".join(re.escape(arrow) for arrow in sorted(ARROWS, key=len, reverse=True)))
_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"\((\d+)/(\d+)\)|(\d+)/(\d+)|\d*[.,]?\d+")
_COUNT = re.compile(r"[0-9]+")
_DOTS = re.compile(r"[*•]|\.+")
_ELEMENT = re.compile(r"[A-Z][a-z]?")
_LETTERS = re.compile(r"[a-zA-Z]+")
_STATE = re.compile(rf"\((?:{'|'.join(STATES)}|aq,\s*\$?\\infty\$?)\)")
_SCRIPT = re.compile(
    r"\{|\$[^$]*\$|\\[A-Za-z]+|[+-]?[0-9]+[.•]?(?:[+-](?![A-Za-z]))?|[.•]?[+-]|[.•]|[a-zA-Z](?:[+-](?![A-Za-z]))?|\S"
)
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|.|$)", re.DOTALL)
_GAS_OR_PRECIPITATE = re.compile(r"\(([v^])\)")
_OF_CHEMISTRY = frozenset(r"\frac \overset \underset \overbrace \underbrace \cancel".split())
"""Commands whose arguments are chemical formulas too."""
_ROMAN = re.compile(r"[IVX]+")
_DEPTH = 20

START, ATOM, SPACE = range(3)
"""What is before the place that is read: nothing that takes a script, an atom, or white space."""


def chemistry(call: Call) -> list[str]:
    """``\\ce{2H2 + O2 -> 2H2O}``."""
    return tex(_ChemistryReader(call.text(0), 0).read())


class _ChemistryReader:
    def __init__(self, source: str, depth: int) -> None:
        self._source, self._depth = source, depth
        self._position = 0
        self._after = START
        self._out: list[str] = []
        self._before: dict[str, str] = {}
        """Scripts that wait for the atom that they stand before: ``^{14}C``."""

    def read(self) -> str:
        source = self._source
        while self._position < len(source):
            self._step(source, source[self._position])
        self._flush()
        return "".join(self._out)

    def _step(self, source: str, char: str) -> None:
        if match := self._match(_SPACE):
            self._flush()
            self._after = SPACE if self._after != START else START
        elif (match := self._match(_ARROW)) is not None:
            self._arrow(match[0])
        elif (match := self._match(_GAS_OR_PRECIPITATE)) is not None:
            self._put(r"\text{↓}" if match[1] == "v" else r"\text{↑}", START)
        elif (match := self._match(_STATE)) is not None:
            self._put(rf"\text{{{match[0]}}}", ATOM)
        elif self._after == ATOM and (match := self._match(_DOTS)) is not None:
            self._put(r"\cdots " if len(match[0]) > 2 else r"\cdot ", START)
        elif self._after == ATOM and (match := self._match(_COUNT)) is not None:
            self._out.append(f"_{{{match[0]}}}")
        elif (char.isdigit() or char in "(.,") and (match := self._match(_NUMBER)) is not None:
            self._number(match)
        elif char in "^_":
            self._script(char)
        elif char in "+-–−":
            self._sign(char)
        elif char in "=#":
            self._position += 1
            self._put("=" if char == "=" else r"\equiv ", START)
        elif char == "$":
            end = source.find("$", self._position + 1)
            end = end if end > 0 else len(source)
            self._atom(source[self._position + 1:end], end + 1)
        elif char == "{":
            self._atom(_text(self._group()))
        elif char == "\\":
            self._command()
        elif char.isascii() and char.isalpha():
            self._letters()
        else:
            self._position += 1
            self._put(char, ATOM if char in ")]'" else START)

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self._source, self._position)
        if match is not None:
            self._position = match.end()
        return match

    def _put(self, tex: str, after: int) -> None:
        self._flush()
        self._out.append(tex)
        self._after = after

    def _atom(self, tex: str, position: int | None = None) -> None:
        """Adds an atom, with the scripts that waited for it."""
        if position is not None:
            self._position = position
        if self._before:
            above, below = self._before.get("^", ""), self._before.get("_", "")
            self._before = {}
            tex = rf"\prescript{{{above}}}{{{below}}}{{{tex}}}"
        self._out.append(tex)
        self._after = ATOM

    def _flush(self) -> None:
        """Writes scripts that no atom has come for."""
        for sign, script in self._before.items():
            self._out.append(f"{{}}{sign}{{{script}}}")
        self._before = {}

    def _ends(self, position: int) -> bool:
        """Whether nothing that belongs to the same formula is at this place."""
        return self._source[position:position + 1] in ("", " ", "\n", "\t", ")", "]", "}", ",", ";", "&", "/", "\\")

    def _arrow(self, arrow: str) -> None:
        bare, noted = ARROWS[arrow]
        notes: list[str] = []
        while len(notes) < 2 and self._source.startswith("[", self._position):
            notes.append(self._inner(self._group("[", "]")))
        if not any(notes):
            self._put(bare, START)
        else:
            below = f"[{{{notes[1]}}}]" if len(notes) > 1 and notes[1] else ""
            self._put(f"{noted}{below}{{{notes[0]}}}", START)

    def _inner(self, source: str) -> str:
        return _ChemistryReader(source, self._depth + 1).read() if self._depth < _DEPTH else _text(source)

    def _group(self, opening: str = "{", closing: str = "}") -> str:
        """The text between the brace or bracket here and the one that closes it."""
        depth = 0
        start = self._position + 1
        for position in range(self._position, len(self._source)):
            char = self._source[position]
            depth += (char == opening) - (char == closing)
            if depth == 0:
                self._position = position + 1
                return self._source[start:position]
        self._position = len(self._source)
        return self._source[start:]

    def _number(self, match: re.Match[str]) -> None:
        over, under = match[1] or match[3], match[2] or match[4]
        self._put(rf"\frac{{{over}}}{{{under}}}" if over else match[0].replace(",", "{,}"), START)

    def _script(self, sign: str) -> None:
        self._position += 1
        if sign == "^" and self._after != ATOM and self._ends(self._position):
            self._put(r"\text{↑}", START)
            return
        script = self._script_text()
        if self._after == ATOM:
            self._out.append(f"{sign}{{{script}}}")
        else:
            self._before[sign] = script

    def _script_text(self) -> str:
        match = self._match(_SCRIPT)
        if match is None:
            return ""
        if match[0] == "{":
            self._position -= 1
            content = self._group()
        else:
            content = match[0]
        if content[:1] == "$" or content[:1] == "\\":
            return content.strip("$")
        if _ROMAN.fullmatch(content):
            return rf"\mathrm{{{content}}}"
        if _STATE.fullmatch(content):
            return rf"\text{{{content}}}"
        if re.fullmatch(r"[0-9a-z+\-.•(),\s/]*", content):
            return content.replace(".", r"\bullet ").replace("•", r"\bullet ")
        return self._inner(content)

    def _sign(self, char: str) -> None:
        start = self._position
        while self._source[self._position:self._position + 1] == char:
            self._position += 1
        run = self._source[start:self._position].replace("–", "-").replace("−", "-")
        if run == "-" and self._follows_prefix() and self._source[self._position:self._position + 1].isalpha():
            self._put(r"\text{-}", START)
        elif self._after == ATOM and self._ends(self._position):
            self._out.append(f"^{{{run}}}")
        else:
            self._put(run, START)

    def _follows_prefix(self) -> bool:
        """Whether a hyphen here is none of the bonds: after a Greek or small letter, or a script above."""
        before = self._out[-1] if self._out else ""
        return before.startswith("^") or (before.startswith("\\") and before.endswith(" ")) or before.islower()

    def _letters(self) -> None:
        source = self._source
        letters = _LETTERS.match(source, self._position)
        run = letters[0] if letters is not None else ""
        if run == "v" and self._after != ATOM and self._ends(self._position + 1):
            self._position += 1
            self._put(r"\text{↓}", START)
        elif source[self._position].isupper() and (element := self._match(_ELEMENT)) is not None:
            self._atom(rf"\mathrm{{{element[0]}}}")
        elif self._after != ATOM and re.match(r"[a-z](?=[\sA-Z(\[$]|-[A-Z])", source[self._position:]):
            self._put(source[self._position], START)
            self._position += 1
        else:
            lower = re.match(r"[a-z]+", source[self._position:])
            word = lower[0] if lower is not None else run
            self._position += len(word)
            self._atom(rf"\mathrm{{{word}}}")

    def _command(self) -> None:
        match = self._match(_COMMAND)
        name = match[0] if match is not None else "\\"
        if name in ("\\bond", "\\ce"):
            self._spaces()
            content = self._group() if self._source.startswith("{", self._position) else ""
            if name == "\\bond":
                self._put(BONDS.get(content, rf"\text{{{content}}}"), START)
            else:
                self._atom(self._inner(content))
        elif name == "\\ca":
            self._put(r"\sim ", START)
        elif name in ("\\\\", "\\,", "\\;", "\\:", "\\ ", "\\quad", "\\qquad"):
            self._put(name + " ", START if name == "\\\\" else SPACE)
        else:
            arguments = ""
            while self._source[self._position:self._position + 1] in ("{", "["):
                opening = self._source[self._position]
                closing = "}" if opening == "{" else "]"
                content = self._group(opening, closing)
                arguments += opening + (self._inner(content) if name in _OF_CHEMISTRY else content) + closing
            if not arguments and SYMBOLS.get(name, ("", ""))[1] == "V":
                self._spaces()  # they end the name of a letter
            self._atom(f"{name}{arguments or ' '}")

    def _spaces(self) -> None:
        self._match(_SPACE)


def _text(content: str) -> str:
    """What is in braces: words as text, anything else as mathematics."""
    if re.fullmatch(r"[\w\s,.;:'()+\-]*", content) or "$" in content:
        return rf"\text{{{content}}}"
    return f"{{{content}}}"
