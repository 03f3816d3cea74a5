r"""Notebooks of Mathematica: text cells with their formulas, whose boxes become LaTeX.

Input and output are passed over. An expression (``Cell["text", "Section"]``) is read without recursion.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from porism.corpus.base import clean
from porism.corpus.latex.tables import words
from porism.corpus.mathtext import split_parts
from porism.corpus.sections import FileUnits, kind_of
from porism.corpus.text_reader import TextFileReader
from porism.corpus.units import Parts, tidy
from porism.errors import OnProblem, Problem
from porism.formula.tables.lookup import SYMBOLS
from porism.types import Content, Document, Formula

MAX_DEPTH = 200
"""Expressions within expressions are read to this depth; deeper ones are passed over."""

_TOKEN = re.compile(
    r'\(\*(?:[^*]|\*(?!\)))*+(?:\*\))?|"(?P<string>(?:[^"\\]|\\.)*+)"?|(?P<open>[\[{])|(?P<close>[\]}])|(?P<comma>,)'
    r"|(?P<word>[A-Za-z$][\w$`]*|-?[0-9][\w.`*^]*)|(?P<rule>->|:>)",
    re.DOTALL,
)
_NAMED = re.compile(r"\\\[([A-Za-z]+)\]|\\:([0-9a-fA-F]{4})|\\([\"\\<>])|\\\n")
_LINEAR = re.compile(r"\\!|\\\(|\\\)|\\\*")
_LETTERS = re.compile(r"[A-Za-z]{2,}")
_SPECIAL = re.compile(r"[{}&%#$]")
_HEADINGS = {
    "Chapter": 1, "Section": 2, "Subsection": 3, "Subsubsection": 4, "Subsubsubsection": 5, "Part": 1,
}
_FORMULAS = words("DisplayFormula DisplayFormulaNumbered EquationNumbered Equation")
_PASSED_OVER = words(
    "Input Output Code Print Message MSG PrintTemporary Program ExternalLanguage InitializationCell Author Affiliation "
    "Abstract-Author Date Department"
)
_ITEMS = words("Item ItemNumbered Subitem SubitemNumbered ItemParagraph ItemEquation Subsubitem")
_CHARACTERS = {
    "Element": r"\in", "NotElement": r"\notin", "Infinity": r"\infty", "Sum": r"\sum", "Product": r"\prod",
    "Integral": r"\int", "ContourIntegral": r"\oint", "Rule": r"\to", "RightArrow": r"\to", "LongRightArrow":
    r"\longrightarrow", "Implies": r"\implies", "DoubleRightArrow": r"\Rightarrow", "Equivalent": r"\Leftrightarrow",
    "LessEqual": r"\leq", "GreaterEqual": r"\geq", "LessSlantEqual": r"\leqslant", "NotEqual": r"\neq",
    "Equal": "=", "TildeEqual": r"\simeq", "TildeTilde": r"\approx", "TildeFullEqual": r"\cong", "Tilde": r"\sim",
    "Congruent": r"\equiv", "Proportional": r"\propto", "Subset": r"\subset", "SubsetEqual": r"\subseteq",
    "Superset": r"\supset", "SupersetEqual": r"\supseteq", "Union": r"\cup", "Intersection": r"\cap",
    "EmptySet": r"\emptyset", "ForAll": r"\forall", "Exists": r"\exists", "And": r"\wedge", "Or": r"\vee",
    "Not": r"\neg", "PartialD": r"\partial", "Del": r"\nabla", "Times": r"\times", "CenterDot": r"\cdot",
    "CircleTimes": r"\otimes", "CirclePlus": r"\oplus", "PlusMinus": r"\pm", "MinusPlus": r"\mp", "Divide": r"\div",
    "Star": r"\star", "SmallCircle": r"\circ", "Cross": r"\times", "Wedge": r"\wedge", "Backslash": r"\setminus",
    "Ellipsis": r"\ldots", "CenterEllipsis": r"\cdots", "VerticalEllipsis": r"\vdots", "DotlessI": r"\imath",
    "ImaginaryI": "i", "ImaginaryJ": "j", "ExponentialE": "e", "DifferentialD": "d", "Degree": r"{}^\circ",
    "Prime": "'", "Transpose": r"{}^T", "ConjugateTranspose": r"{}^\dagger", "Dagger": r"\dagger", "HBar": r"\hbar",
    "LeftAngleBracket": r"\langle", "RightAngleBracket": r"\rangle", "LeftFloor": r"\lfloor", "RightFloor": r"\rfloor",
    "LeftCeiling": r"\lceil", "RightCeiling": r"\rceil", "LeftBracketingBar": "|", "RightBracketingBar": "|",
    "LeftDoubleBracketingBar": r"\|", "RightDoubleBracketingBar": r"\|", "VerticalBar": "|", "Aleph": r"\aleph",
    "Minus": "-", "LongEqual": "=", "VerticalSeparator": "|", "Perpendicular": r"\perp", "Precedes": r"\prec",
    "Succeeds": r"\succ", "Colon": ":", "Therefore": r"\therefore", "CurlyEpsilon": r"\varepsilon",
    "CurlyPhi": r"\varphi", "CurlyTheta": r"\vartheta", "FinalSigma": r"\varsigma", "LeftArrow": r"\leftarrow",
    "LeftRightArrow": r"\leftrightarrow", "ScriptL": r"\ell",
    "WeierstrassP": r"\wp", "Piecewise": r"\{", "Dash": "–", "LongDash": "—",
}
_ALPHABETS = {"DoubleStruck": "mathbb", "Script": "mathcal", "Gothic": "mathfrak", "Formal": ""}
_ALPHABET_NAME = re.compile(r"(DoubleStruck|Script|Gothic|Formal)(Capital)?([A-Z])\Z")
_TRANSPARENT = words(
    "List RowBox BoxData FormBox StyleBox TagBox InterpretationBox ButtonBox AdjustmentBox Cell TextData FrameBox "
    "TemplateBox ErrorBox ItemBox PanelBox TooltipBox"
)
"""Boxes that are what their first argument is, or a list of all."""
_ACCENTS = {
    "Acute": "\u0301", "Grave": "\u0300", "Hat": "\u0302", "Tilde": "\u0303", "DoubleDot": "\u0308", "Ring": "\u030a",
    "Cup": "\u0306", "Hacek": "\u030c", "Caron": "\u030c", "Bar": "\u0304", "DoubleAcute": "\u030b",
    "Cedilla": "\u0327",
}
_ACCENTED = re.compile(rf"(Capital)?([A-Z])({'|'.join(_ACCENTS)})\Z")
_SCRIPTS = {
    "SuperscriptBox": "{0}^{{{1}}}", "SubscriptBox": "{0}_{{{1}}}", "SubsuperscriptBox": "{0}_{{{1}}}^{{{2}}}",
    "UnderoverscriptBox": "{0}_{{{1}}}^{{{2}}}", "FractionBox": r"\frac{{{0}}}{{{1}}}", "SqrtBox": r"\sqrt{{{0}}}",
    "RadicalBox": r"\sqrt[{1}]{{{0}}}",
}
_OVER = {"_": "overline", "^": "hat", "~": "tilde", r"\overline": "overline", "→": "vec", r"\to": "vec", ".": "dot",
         "..": "ddot", "¯": "overline", "-": "bar", "OverBar": "overline"}
_BIG = words(r"\sum \prod \bigcup \bigcap \int \lim \max \min \sup \inf")


@dataclass(slots=True)
class Expression:
    """``head[arguments]``; a list has the head ``List``. Strings keep their quotation mark at the beginning."""

    head: str
    line: int
    arguments: list[str | Expression] = field(default_factory=list)


class MathematicaReader(TextFileReader):
    """Reads notebooks of Mathematica."""

    name = "mathematica"
    extensions = (".nb",)

    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        root = parse(text)
        notebook = next((part for part in _expressions(root) if part.head == "Notebook"), None)
        if notebook is None:
            on_problem(Problem(f"{name}:1", "has no notebook of Mathematica"))
            return
        if root.head:
            last = text.count("\n") + 1
            on_problem(Problem(f"{name}:{last}", f"breaks off ({root.head} has no end); what could be read is kept"))
        units = FileUnits(name, source, on_problem, fallback=Content(clean(PurePosixPath(name).stem)))
        waiting = list(reversed(notebook.arguments[:1]))
        while waiting:
            part = waiting.pop()
            if not isinstance(part, Expression):
                continue
            if part.head == "Cell":
                first = part.arguments[0] if part.arguments else ""
                if isinstance(first, Expression) and first.head == "CellGroupData":
                    waiting += reversed(first.arguments[:1])
                else:
                    _read_cell(part, first, units)
            elif part.head == "List":
                waiting += reversed(part.arguments)
        yield from units.documents()


def parse(text: str) -> Expression:
    """All expressions of a text, below one, whose head is that of the expression that is never ended, if any."""
    root = Expression("", 1)
    stack = [root]
    word, line, deeper, counted = "", 1, 0, 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "open":
            line += text.count("\n", counted, match.start())
            counted = match.start()
            if len(stack) > MAX_DEPTH:
                deeper += 1
            else:
                opened = Expression("List" if match.group() == "{" else word, line)
                stack[-1].arguments.append(opened)
                stack.append(opened)
        elif kind == "close" and deeper:
            deeper -= 1
        elif kind == "close" and len(stack) > 1:
            if word:
                stack[-1].arguments.append(word)
            stack.pop()
        elif kind == "comma" and word and not deeper:
            stack[-1].arguments.append(word)
        elif kind == "string" and not deeper:
            stack[-1].arguments.append(f'"{match["string"]}')
        if kind is not None:
            word = match.group() if kind == "word" else ""
    root.head = stack[-1].head
    return root


def _expressions(expression: Expression) -> Iterator[Expression]:
    return (part for part in expression.arguments if isinstance(part, Expression))


def _read_cell(cell: Expression, content: str | Expression, units: FileUnits) -> None:
    """A cell with its style."""
    style = next((_text(part) for part in cell.arguments[1:2] if isinstance(part, str)), "")
    if style in _PASSED_OVER:
        return
    if style in _FORMULAS:
        parts: Parts = [Formula(latex, display=True)] if (latex := _latex(content)) else []
    else:
        parts = list(_parts(content))
    if style in ("Title", "Subtitle") and units.title is None:
        units.title = tidy(parts)
    elif style in _HEADINGS:
        units.heading(_HEADINGS[style], tidy(parts), cell.line)
    elif (kind := kind_of(style)) is not None:
        units.begin(kind, None, cell.line)
        units.add(*parts)
        units.end()
    else:
        units.add("\n- " if style in _ITEMS else "\n\n")
        units.at(cell.line)
        units.add(*parts)


def _parts(content: str | Expression) -> Iterator[str | Formula]:
    """Text and formulas of a text cell."""
    waiting: list[str | Expression] = [content]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            if part.startswith('"'):
                yield from split_parts(_text(part, in_text=True))
        elif part.head == "BoxData" and not _is_formula(part):
            yield from _code(part)
        elif part.head == "BoxData":
            if latex := _latex(part):
                yield Formula(latex)
        elif part.head in ("TextData", "List"):
            waiting += reversed(part.arguments)
        elif part.arguments and not part.head.endswith("Rule"):
            waiting.append(part.arguments[0])


def _is_formula(box: Expression) -> bool:
    """Whether boxes in running text are a formula, and not a piece of code: they have a form, or more than rows."""
    waiting = [box]
    while waiting:
        part = waiting.pop()
        if part.head in _SCRIPTS or part.head in ("FormBox", "OverscriptBox", "UnderscriptBox", "GridBox"):
            return True
        if part.head in _TRANSPARENT:
            waiting += _expressions(part)
    return False


def _code(box: Expression) -> Iterator[str]:
    """The strings of boxes that are code."""
    waiting: list[str | Expression] = [box]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield _text(part) if part.startswith('"') else ""
        elif part.head in _TRANSPARENT:
            waiting += reversed(part.arguments if part.head == "List" else part.arguments[:1])


def _text(string: str, *, in_text: bool = False) -> str:
    """The text of a string of Mathematica; symbols are LaTeX, and in running text between dollars."""

    def character(match: re.Match[str]) -> str:
        if match.group(2):
            return chr(int(match.group(2), 16))
        if match.group(3):
            return match.group(3) if match.group(3) in '"\\' else ""
        symbol = _symbol(match.group(1)) if match.group(1) else ""
        return f"${symbol.strip()}$" if in_text and symbol.startswith("\\") else symbol

    return clean(_LINEAR.sub("", _NAMED.sub(character, string.removeprefix('"'))))


def _symbol(name: str) -> str:
    """The LaTeX of a named character."""
    if name in _CHARACTERS:
        latex = _CHARACTERS[name]
        return f"{latex} " if latex.startswith("\\") else latex
    if (letter := _ALPHABET_NAME.match(name)) is not None:
        character = letter.group(3) if letter.group(2) else letter.group(3).lower()
        font = _ALPHABETS[letter.group(1)]
        return f"\\{font}{{{character}}}" if font else character
    if (accented := _ACCENTED.match(name)) is not None:
        letter_itself = accented.group(2) if accented.group(1) else accented.group(2).lower()
        return unicodedata.normalize("NFC", f"{letter_itself}{_ACCENTS[accented.group(3)]}")
    greek = name.removeprefix("Capital")
    greek = greek if greek != name else greek.lower()
    return f"\\{greek} " if f"\\{greek}" in SYMBOLS else " " if name.endswith(("Space", "Times", "Comma")) else ""


def _latex(content: str | Expression) -> str:
    return " ".join(_box(content).split())


def _box(box: str | Expression) -> str:
    """The LaTeX of a box; recursion is as deep as the parser allows."""
    if isinstance(box, str):
        return _letters(_text(box)) if box.startswith('"') else "" if box.isidentifier() else box
    values = box.arguments
    if box.head in _SCRIPTS:
        inner = [_box(value).strip() for value in values[:3]] + ["", "", ""]
        if box.head.startswith("Su") and len(inner[0]) > 1 and not inner[0].startswith("\\"):
            inner[0] = f"{{{inner[0]}}}"
        return _SCRIPTS[box.head].format(*inner)
    if box.head in ("OverscriptBox", "UnderscriptBox"):
        base, mark = ([_box(value).strip() for value in values[:2]] + ["", ""])[:2]
        if base in _BIG:
            return f"{base}{'^' if box.head[0] == 'O' else '_'}{{{mark}}}"
        if mark in _OVER:
            return f"\\{_OVER[mark] if box.head[0] == 'O' else 'underline'}{{{base}}}"
        return f"\\{'overset' if box.head[0] == 'O' else 'underset'}{{{mark}}}{{{base}}}"
    if box.head == "GridBox":
        rows = [
            " & ".join(_box(cell) for cell in row.arguments)
            for row in _expressions(values[0]) if row.head == "List"
        ] if values and isinstance(values[0], Expression) else []
        return "\\begin{matrix} " + " \\\\ ".join(rows) + " \\end{matrix}"
    if box.head not in _TRANSPARENT:  # graphics, and what is dynamic
        return ""
    return "".join(map(_box, values if box.head == "List" else values[:1]))


def _letters(text: str) -> str:
    """Text in a box: a run of letters is a name; spaces and operators stay."""
    if text.startswith("\\") or not text.isascii():
        return text
    return _LETTERS.sub(_name, _SPECIAL.sub(r"\\\g<0>", text))


def _name(match: re.Match[str]) -> str:
    run = match.group()
    return f"\\{run} " if f"\\{run}" in SYMBOLS else f"\\operatorname{{{run}}}"
