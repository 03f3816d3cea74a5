"""Formulas of TeXmacs as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from porism.corpus.latex.tables import words
from porism.corpus.texmacs.tree import Node, Part, Symbol
from porism.formula.tables.lookup import SYMBOLS

_RUN = re.compile(r"[A-Za-z]{2,}")
_SPECIAL = re.compile(r"[#%&$_{}]")
_NAMES = {
    "less": "<", "gtr": ">", "assign": ":=", "backassign": "=:", "um": "-", "upl": "+", "point": ".", "comma": ",",
    "mathd": "d", "mathe": "e", "mathi": "i", "mathpi": r"\pi ", "nobracket": "", "nosymbol": "", "noplus": "",
    "nocomma": "", "nospace": "", "notin": r"\notin ", "of": "", "neq": r"\neq ", "divides": r"\mid ",
    "ldots": r"\ldots ", "bflux": "", "precdot": r"\prec ", "longminus": "-", "ast": r"\ast ", "suchthat": "|",
}
_ALPHABETS = {"bbb": "mathbb", "cal": "mathcal", "frak": "mathfrak", "b": "mathbf", "bf": "mathbf", "up": "mathrm",
              "rm": "mathrm", "b-cal": "mathcal", "b-up": "mathbf", "ss": "mathsf"}
_LETTER = re.compile(r"((?:b-)?[a-z]+)-([A-Za-z0-9])\Z")
_BIG = {
    "sum": "sum", "prod": "prod", "int": "int", "oint": "oint", "iint": "iint", "iiint": "iiint", "amalg": "coprod",
    "cup": "bigcup", "cap": "bigcap", "sqcup": "bigsqcup", "vee": "bigvee", "wedge": "bigwedge", "odot": "bigodot",
    "otimes": "bigotimes", "oplus": "bigoplus", "uplus": "biguplus", "coprod": "coprod", "idotsint": "idotsint",
    "intlim": "int", "ointlim": "oint", "upint": "int",
}
_ACCENTS = {
    "^": "widehat", "~": "widetilde", "bar": "bar", "wide-bar": "overline", "vect": "vec", "dot": "dot",
    "ddot": "ddot", "check": "check", "breve": "breve", "acute": "acute", "grave": "grave", "abovering": "mathring",
    "overbrace": "overbrace", "underbrace": "underbrace", "wide-varrightarrow": "overrightarrow",
    "wide-varleftarrow": "overleftarrow", "invbreve": "widehat", "wide-sqoverbrace": "overbrace", "dddot": "dddot",
}
_FONTS = {
    ("math-font", "cal"): "mathcal", ("math-font", "cal*"): "mathscr", ("math-font", "Bbb"): "mathbb",
    ("math-font", "Bbb*"): "mathbb", ("math-font", "Euler"): "mathfrak", ("font-series", "bold"): "mathbf",
    ("math-font-series", "bold"): "mathbf", ("math-font-family", "mr"): "mathrm",
    ("math-font-shape", "right"): "mathrm", ("font-shape", "right"): "mathrm",
    ("math-font-family", "ms"): "mathsf", ("font-family", "ss"): "mathsf",
    ("math-font-family", "mt"): "mathtt", ("font-family", "tt"): "mathtt", ("math-font-series", "medium"): "",
    ("mode", "text"): "text",
}
_WRAPPED = {
    "frac": r"\frac{%s}{%s}", "dfrac": r"\frac{%s}{%s}", "tfrac": r"\frac{%s}{%s}", "cfrac": r"\cfrac{%s}{%s}",
    "frac*": "%s/%s", "binom": r"\binom{%s}{%s}", "rsub": "_{%s}", "rsup": "^{%s}", "lsub": "{}_{%s}",
    "lsup": "{}^{%s}", "neg": r"\not{%s}", "op": r"\operatorname{%s}",
    "mathbb": r"\mathbb{%s}", "mathcal": r"\mathcal{%s}", "mathbf": r"\mathbf{%s}", "overline": r"\overline{%s}",
    "underline": r"\underline{%s}", "math-bf": r"\mathbf{%s}", "mathop": r"\operatorname{%s}", "mathrm": r"\mathrm{%s}",
    "math-up": r"\mathrm{%s}", "math-ss": r"\mathsf{%s}", "math-tt": r"\mathtt{%s}", "frakup": r"\mathfrak{%s}",
}
_MATRICES = {"matrix": "pmatrix", "bmatrix": "bmatrix", "det": "vmatrix", "choice": "cases", "bmatrix*": "bmatrix"}
_TABLES = words(
    "tabular tabular* block block* stack tformat table wide-tabular eqnarray eqnarray* align align* aligned gather "
    "gather* multline multline* split aligned* matrix*"
)
_NOTHING = words(
    "label cwith twith eq-number no-eq-number yes-number nonumber space hspace phantom htab htab* no-break break "
    "page-break new-line line-break next-line vspace index assign marginal-note postscript image specific eq-number*"
)

Macros = Mapping[str, tuple[list[str], list[Part]]]
"""Macros of the document: their parameters and what they stand for."""
MAX_EXPANSIONS = 2_000
"""So many macros are expanded in a formula, each part of their arguments counted as one."""
MAX_TEXT_EXPANSIONS = 50_000
"""So many are in the text of a document."""
MAX_FORMULA_DEPTH = 200
"""What is deeper in a formula, macros expanded, is left out."""


class FormulaWriter:
    """Writes formulas as LaTeX.

    :param macros: of the document.
    :param text_of: what a text in a formula reads.
    """

    def __init__(self, macros: Macros, text_of: Callable[[list[Part]], str]) -> None:
        self._macros, self._text_of = macros, text_of
        self._depth = 0
        self.fuel = MAX_TEXT_EXPANSIONS
        """How many macros may still be expanded in a formula, or in the text of the document."""

    def latex(self, parts: list[Part]) -> str:
        """The LaTeX of a formula."""
        fuel, self.fuel = self.fuel, MAX_EXPANSIONS
        latex = " ".join(self._parts(parts).split())
        self.fuel = fuel
        return latex

    def expanded(self, node: Node) -> list[Part] | None:
        """What a macro of the document stands for, with its arguments; None for any other tag."""
        if node.tag not in self._macros or self.fuel <= 0:
            return None
        self.fuel -= 1
        return self._expanded(node)

    def _parts(self, parts: list[Part]) -> str:
        if self._depth >= MAX_FORMULA_DEPTH:
            return ""
        self._depth += 1
        pieces: list[str] = []
        for part in parts:
            if isinstance(part, Symbol):
                pieces.append(_symbol(part))
            elif isinstance(part, str):
                pieces.append(_letters(part))
            else:
                piece = self._node(part)
                if part.tag.startswith("rsu") and pieces and pieces[-1][:2] == piece[:2] and piece:
                    piece = f"{{}}{piece}"  # two superscripts in a row
                pieces.append(piece)
        self._depth -= 1
        return "".join(pieces)

    def _node(self, node: Node) -> str:
        tag, arguments = node.tag, node.arguments
        if (body := self.expanded(node)) is not None:
            return self._parts(body)
        if tag in _NOTHING:
            return " "
        if tag in _WRAPPED:
            template = _WRAPPED[tag]
            return template % tuple(self._parts(node.argument(number)) for number in range(template.count("%s")))
        if tag == "sqrt":
            root = f"[{self._parts(node.argument(1))}]" if len(arguments) > 1 else ""
            return f"\\sqrt{root}{{{self._parts(node.argument(0))}}}"
        if tag in ("rprime", "lprime"):
            return self._parts(node.last).replace(r"\dag", r"^\dagger").replace("`", "^{\\backprime}")
        if tag in ("around", "around*"):
            left, inner, right = (self._parts(node.argument(number)).strip() for number in range(3))
            if tag == "around":
                return f"{left}{inner}{right}"
            return f"\\left{left or '.'} {inner} \\right{right or '.'}"
        if tag in ("left", "mid", "right"):
            return f" {self._parts(node.argument(0)).strip()} "
        if tag == "big":
            name = "".join(part for part in node.argument(0) if isinstance(part, str)).strip()
            return f"\\{_BIG[name]} " if name in _BIG else "" if name == "." else self._parts(node.argument(0))
        if tag in ("wide", "wide*"):
            return self._accented(node)
        if tag in ("above", "below"):
            command = "overset" if tag == "above" else "underset"
            return f"\\{command}{{{self._parts(node.argument(1))}}}{{{self._parts(node.argument(0))}}}"
        if tag == "long-arrow":
            names = [part for part in node.argument(0) if isinstance(part, str)]
            arrow = "xleftarrow" if any("left" in name for name in names) else "xrightarrow"
            below = f"[{self._parts(node.argument(2))}]" if len(arguments) > 2 else ""
            return f"\\{arrow}{below}{{{self._parts(node.argument(1))}}}"
        if tag in ("text", "mbox"):
            return f"\\text{{{self._text_of(node.last)}}}"
        if tag == "with":
            return self._with(node)
        if tag in _MATRICES:
            return f"\\begin{{{_MATRICES[tag]}}} {self._rows(node)} \\end{{{_MATRICES[tag]}}}"
        if tag in _TABLES:
            return self._table(node)
        if not node.last and (symbol := _symbol(tag)):
            return symbol
        return self._parts(node.last)

    def _expanded(self, node: Node) -> list[Part]:
        """What a macro stands for, with its arguments."""
        names, body = self._macros[node.tag]
        values = dict(zip(names, node.arguments, strict=False))

        def put(parts: list[Part]) -> list[Part]:
            filled: list[Part] = []
            for part in parts:
                if isinstance(part, Node) and part.tag in ("arg", "value"):
                    value = values.get("".join(name for name in part.last if isinstance(name, str)), [])
                    self.fuel -= len(value)
                    filled += value if self.fuel > 0 else []
                elif isinstance(part, Node):
                    filled.append(Node(part.tag, part.line, [put(argument) for argument in part.arguments]))
                else:
                    filled.append(part)
            return filled

        return put(body)

    def _accented(self, node: Node) -> str:
        name = "".join(part for part in node.argument(1) if isinstance(part, str)).strip()
        base = self._parts(node.argument(0))
        if node.tag == "wide*":
            return f"\\{'underbrace' if 'brace' in name else 'underline'}{{{base}}}"
        accent = _ACCENTS.get(name, "widehat")
        if accent in ("widehat", "widetilde") and len(base.strip()) == 1:
            accent = accent.removeprefix("wide")
        return f"\\{accent}{{{base}}}"

    def _with(self, node: Node) -> str:
        stated = [
            "".join(part for part in argument if isinstance(part, str)).strip() for argument in node.arguments[:-1]
        ]
        fonts = [font for pair in zip(stated[::2], stated[1::2], strict=False) if (font := _FONTS.get(pair))]
        if "text" in fonts:
            return f"\\text{{{self._text_of(node.last)}}}"
        latex = self._parts(node.last)
        return f"\\{fonts[0]}{{{latex}}}" if fonts else latex

    def _table(self, node: Node) -> str:
        rows = self._rows(node)
        return f"\\begin{{aligned}} {rows} \\end{{aligned}}" if "&" in rows or r"\\" in rows else rows

    def _rows(self, node: Node) -> str:
        """The rows below a tag of a table, or its content where it has none."""
        waiting: list[Part] = list(reversed(node.last))
        rows: list[str] = []
        while waiting:
            part = waiting.pop()
            if not isinstance(part, Node):
                continue
            if part.tag == "row":
                cells = [
                    self._parts(cell.last) if isinstance(cell, Node) else ""
                    for argument in part.arguments for cell in argument if isinstance(cell, Node)
                ]
                rows.append(" & ".join(cells))
            else:
                waiting.extend(reversed([inner for argument in part.arguments for inner in argument]))
        return r" \\ ".join(rows) if rows else self._parts(node.last)


def _symbol(name: str) -> str:
    """The LaTeX of a symbol."""
    if name in _NAMES:
        return _NAMES[name]
    letter = _LETTER.match(name)
    if letter is not None and letter.group(1) in _ALPHABETS:
        return f"\\{_ALPHABETS[letter.group(1)]}{{{letter.group(2)}}}"
    bold = name.removeprefix("b-")
    if bold != name and f"\\{bold}" in SYMBOLS:
        return f"\\boldsymbol{{\\{bold}}}"
    return f"\\{name} " if name.isalpha() and name.isascii() else ""


def _letters(text: str) -> str:
    """Text of a formula: runs of letters are names of functions, a star is a product that is not written."""
    text = _SPECIAL.sub(r"\\\g<0>", text).replace("*", " ")
    return _RUN.sub(_name, text)


def _name(match: re.Match[str]) -> str:
    run = match.group()
    if f"\\{run}" in SYMBOLS:
        return f"\\{run} "
    return f"d {run[1]}" if run[0] == "d" and len(run) == 2 else f"\\operatorname{{{run}}}"
