"""A layout tree as AsciiMath or Typst, which the readers of these notations read back."""

from __future__ import annotations

from dataclasses import dataclass

from porism.formula.layout import child_rows, mark_order
from porism.formula.plain.dialects import DIALECTS, Dialect
from porism.formula.tables.commands import ACCENTS
from porism.formula.tables.lookup import SYMBOLS, plain_blackboard, token_class
from porism.formula.tables.notations import SYMBOL_NAMES
from porism.formula.tables.structures import STRUCTURE_NAMES
from porism.formula.tree import LayoutNode, LayoutTree, Row
from porism.formula.writers.grouping import has_scripts
from porism.types import PlainNotation

_FONTS = {
    "bb": "\\mathbb{", "bf": "\\mathbf{", "cal": "\\mathcal{", "frak": "\\mathfrak{", "rm": "\\mathrm{",
    "sf": "\\mathsf{", "tt": "\\mathtt{", "it": "\\mathit{",
}
_GREEK = {label: token[1:] for token, (label, _) in reversed(SYMBOLS.items())
          if token[0] == "\\" and token_class(label) == "greek"}
_FUNCTIONS = frozenset({"function", "trigonometric", "logarithm"})
_STRUCTURAL = frozenset('/_^&#\\"@')
"""Signs that say how something is written."""
_TIGHT = frozenset("([{,;)]}⟩⌋⌉⟧")
"""Signs with no space on the side of what they enclose or end."""


@dataclass(frozen=True)
class _Style:
    """How one notation writes what is not a symbol."""

    notation: PlainNotation
    calls: bool
    """Whether arguments are separated by commas in one pair of parentheses."""
    nothing: str
    """An empty base of scripts."""

    @property
    def dialect(self) -> Dialect:
        return DIALECTS[self.notation]

    def call(self, opening: str, *arguments: str) -> str:
        """A structure by the LaTeX that it opens with."""
        name = STRUCTURE_NAMES[self.notation][opening]
        return name + ("(" + ", ".join(arguments) + ")" if self.calls else "".join(f"({part})" for part in arguments))

    def symbol(self, label: str) -> str:
        """The name of a symbol, or its character."""
        if label.isascii() and label not in _STRUCTURAL and self.dialect.symbols.get(label, label) == label:
            return label
        names = SYMBOL_NAMES[self.notation].get(label)
        if names is not None:
            return names[0]
        return _GREEK.get(label, label)

    def name(self, label: str) -> str:
        """A name of several letters."""
        if self.dialect.symbols.get(label) == label:
            return label
        return f'op("{label}")' if self.calls else f"rm({label})"


_ASCIIMATH = _Style("asciimath", False, "{::}")
_TYPST = _Style("typst", True, '""')


def to_asciimath(tree: LayoutTree) -> str:
    """The tree as AsciiMath: ``sum_(i = 1)^n (a)/(b)``."""
    return _write(tree, _ASCIIMATH)


def to_typst(tree: LayoutTree) -> str:
    """The tree as Typst mathematics: ``sum_(i = 1)^n frac(a, b)``."""
    return _write(tree, _TYPST)


def _write(tree: LayoutTree, style: _Style) -> str:
    texts: dict[int, str] = {}
    stack: list[tuple[Row, bool, bool]] = [(tree.row, False, False)]
    while stack:
        row, is_argument, is_ready = stack.pop()
        if is_ready:
            texts[id(row)] = _row(row, texts, style, is_argument)
            continue
        stack.append((row, is_argument, True))
        for node in row:
            takes_arguments = style.calls and (node.kind in "FRM" or node.over is not None or node.under is not None)
            stack.extend((child, takes_arguments, False) for child in child_rows(node))
    return texts[id(tree.row)]


def _row(row: Row, texts: dict[int, str], style: _Style, is_argument: bool) -> str:
    named = _named_signs(row) if is_argument else frozenset()
    parts: list[str] = []
    for number, node in enumerate(row):
        before = row[number - 1] if number else None
        if number in named:
            text = _with_scripts(node, SYMBOL_NAMES[style.notation][node.label][0], texts, style)
        else:
            text = _node(node, texts, style, before)
        if not text:
            continue
        if parts and not _is_tight(parts[-1], text):
            parts.append(" ")
        parts.append(text)
    return "".join(parts)


def _is_tight(before: str, after: str) -> bool:
    """Whether two pieces are written without a space between them."""
    if after == "!" or (after[0] == "!" and len(after) > 1 and after[1] in "^_'"):
        return before[-1].isalnum() or before[-1] in ")]}!"
    if before in ("(", "[", "{", "⟨", "⌊", "⌈"):
        return after[0].isalnum() or after[0] in "([\"-"
    return after[0] in _TIGHT - set("([{") and (before[-1].isalnum() or before[-1] in ")]\"'")


def _named_signs(row: Row) -> frozenset[int]:
    """Where commas, and brackets without a partner, would end an argument: these are written by name."""
    named: list[int] = []
    opened: list[int] = []
    commas: list[list[int]] = [[]]
    for number, node in enumerate(row):
        if node.kind != "O":
            continue
        kind = token_class(node.label)
        if kind == "open" and node.label in "([{":
            opened.append(number)
            commas.append([])
        elif kind == "close" and node.label in ")]}":
            if opened:
                opened.pop()
                commas.pop()
            else:
                named.append(number)
        elif node.label in ",;&":
            commas[-1].append(number)
    named += opened
    for numbers in commas:
        named += numbers
    return frozenset(named)


def _node(node: LayoutNode, texts: dict[int, str], style: _Style, before: LayoutNode | None) -> str:
    text = _core(node, texts, style, before)
    if node.kind == "F":
        if has_scripts(node):
            text = f"({text})"
    else:
        for slot in mark_order(node):
            row = node.over if slot == "over" else node.under
            if row is not None:
                text = _marked(text, slot, row, texts, style)
    return _with_scripts(node, text, texts, style)


def _with_scripts(node: LayoutNode, text: str, texts: dict[int, str], style: _Style) -> str:
    above = node.above or []
    primes = 0
    while primes < len(above) and above[primes].label == "′" and not child_rows(above[primes]):
        primes += 1
    if node.below is not None:
        text += "_" + _operand(node.below, texts[id(node.below)])
    text += "'" * primes
    if primes < len(above):
        rest = texts[id(above)] if not primes else texts[id(above)].split(" ", primes)[-1]
        text += "^" + (_operand(above, rest) if not primes else f"({rest})")
    if node.pre_below is not None or (node.pre_above is not None and node.kind != "R"):
        before = style.nothing
        if node.pre_below is not None:
            before += "_" + _operand(node.pre_below, texts[id(node.pre_below)])
        if node.pre_above is not None and node.kind != "R":
            before += "^" + _operand(node.pre_above, texts[id(node.pre_above)])
        text = f"{before} {text}"
    return text


def _operand(row: Row, text: str) -> str:
    """A script, in parentheses unless it is one letter, number or name."""
    return text if len(row) == 1 and row[0].kind in "VN" and text.isalnum() else f"({text})"


def _marked(text: str, slot: str, row: Row, texts: dict[int, str], style: _Style) -> str:
    """A symbol with what is right over or under it."""
    mark = row[0] if len(row) == 1 and row[0].kind == "O" else None
    inside = text[1:-1] if text[:1] == "(" and text[-1:] == ")" else text
    names = STRUCTURE_NAMES[style.notation]
    for command, placed in ACCENTS.items():
        if mark is not None and placed == (slot, mark.label) and f"\\{command}{{" in names:
            marked = style.call(f"\\{command}{{", inside)
            note = mark.above if slot == "over" else mark.below
            if note is not None:
                sign = "^" if slot == "over" else "_"
                marked += sign + f"({texts[id(note)]})"
            return marked
    if style.calls:
        return f"limits({inside})" + ("^" if slot == "over" else "_") + f"({texts[id(row)]})"
    return style.call("\\overset{" if slot == "over" else "\\underset{", texts[id(row)], inside)


def _core(node: LayoutNode, texts: dict[int, str], style: _Style, before: LayoutNode | None) -> str:
    """A node without its scripts and marks."""
    kind, label = node.kind, node.label
    if kind in "VN":
        return _letters(node, style)
    if kind == "F":
        over, under = (texts[id(row)] if row is not None else "" for row in (node.over, node.under))
        if label == "choose":
            return style.call("\\binom{", over, under)
        if style.calls or (before is not None and token_class(before.label, before.kind) in _FUNCTIONS):
            return style.call("\\frac{", over, under)
        return f"({over})/({under})"
    if kind == "R":
        within = texts[id(node.within)] if node.within is not None else ""
        if node.pre_above is not None:
            return style.call("\\sqrt[", texts[id(node.pre_above)], within)
        return style.call("\\sqrt{", within)
    if kind == "M":
        return _matrix(node, texts, style)
    if kind == "G":
        within = texts[id(node.within)] if node.within else ""
        return f"({within})" if within else style.nothing
    if kind == "T":
        return '"' + label.replace('"', "”") + '"'
    if kind == "W":
        return "?" + label
    return style.symbol(label) if kind == "O" else label


def _letters(node: LayoutNode, style: _Style) -> str:
    label, font = node.label, node.font
    if font == "bb":
        return style.symbol(label) if label in SYMBOL_NAMES[style.notation] else style.call(
            _FONTS["bb"], plain_blackboard(label)
        )
    if node.kind == "V" and len(label) > 1:
        if font and font != "rm":
            return style.call(_FONTS[font], f'"{label}"' if style.calls else label)
        return style.name(label)
    text = style.symbol(label)
    return style.call(_FONTS[font], text) if font in _FONTS else text


def _matrix(node: LayoutNode, texts: dict[int, str], style: _Style) -> str:
    lines = [[texts[id(cell)] for cell in line] for line in node.elements or []]
    label = node.label
    if style.calls:
        if label == "lines":
            return " \\ ".join(" ".join(line) for line in lines)
        if label == "{":
            return "cases(" + ", ".join(" & ".join(line) for line in lines) + ")"
        fence = {"()": "", "": "delim: #none, ", "∥∥": 'delim: "||", '}.get(label, f'delim: "{label[:1]}", ')
        return f"mat({fence}" + "; ".join(", ".join(line) for line in lines) + ")"
    opening, closing = {"": ("{:", ":}"), "lines": ("{:", ":}"), "{": ("{", ":}")}.get(label, (label[:1], label[1:]))
    inner = "[]" if label == "[]" else "()"
    return opening + ", ".join(inner[0] + ", ".join(line) + inner[1] for line in lines) + closing
