"""What the source of a formula says about how it is set, and a layout tree does not keep: sizes of fences, styles."""

from __future__ import annotations

import re
from functools import cached_property
from unicodedata import decimal

from porism.formula.notation import notation_of
from porism.formula.tables.commands import MARKED_LIMITS
from porism.formula.tables.lookup import SYMBOLS, canonical_number
from porism.formula.tables.setting import COMMAND_SIGNS, SLASHED_ZERO
from porism.formula.tree import LayoutNode, LayoutTree

_COMMAND = re.compile(r"\\([A-Za-z]+)")
_NAME = re.compile(r"\\(?:operatorname\*?|mathrm|mathop)\s*\{([A-Za-z]+)\}|(\\(?!var)[A-Za-z]+)")
_SIZE = re.compile(r"\\(big|Big|bigg|Bigg)([lrm]?)\s*\Z")
_SIZES = {"big": "1.2em", "Big": "1.8em", "bigg": "2.4em", "Bigg": "3em"}
_LIMITS = re.compile(r"\s*\\(limits|nolimits)(?![A-Za-z])")
_DISPLAY = re.compile(r"\\displaystyle(?:\\(?:text)?color\s*\{[^{}]*\}|[\s{])*\Z")
_STRETCHING = re.compile(r"\\(left|right)(?![A-Za-z])")
_BOLD_ITALIC = re.compile(r"\\(?:boldsymbol|bm|pmb|mathbfit|symbfit)\s*(?:\{[^{}]*)?\Z")
_ITALIC = re.compile(r"\\(?:mathit|textit|it)\s*(?:\{[^{}]*)?\Z")
_BEGIN = r"(?:(?:\\left\s*)?(?:\\[A-Za-z]+|\\?[^\sA-Za-z\\])\s*)?\\begin\s*\{"
_PREAMBLE = re.compile(_BEGIN + r"(?:array|darray|tabular)\}\s*(?:\[\w\])?\s*\{([^{}]*)\}")
_SMALL = re.compile(_BEGIN + r"[A-Za-z]?smallmatrix\*?\}")
_ALIGNS = re.compile(r"\\.|&", re.DOTALL)
_PUNCTUATION = re.compile(r"(?:[\s}~]|\\[,;:!> ])*([,.;:])(?![,.;:])")
_FENCE_COMMANDS = frozenset((
    "langle", "rangle", "lfloor", "rfloor", "lceil", "rceil", "lvert", "rvert", "lVert", "rVert", "vert", "Vert",
    "lbrace", "rbrace", "lbrack", "rbrack", "lparen", "rparen", "lgroup", "rgroup", "lmoustache", "rmoustache",
    "llbracket", "rrbracket", "ulcorner", "urcorner", "llcorner", "lrcorner", "mid", "parallel", "backslash",
    "pmod", "pod",
))
"""Commands whose fences do not stretch: those that are one by themselves; one that another command makes stretches."""
_NARROW_ACCENTS = frozenset((
    "hat", "tilde", "bar", "vec", "dot", "ddot", "dddot", "ddddot", "check", "breve", "acute", "grave", "mathring",
))
_NUMBER = re.compile(r"[0-9.,\u2009]+")
_LIMIT_MARKS = {label: mark for mark, label in MARKED_LIMITS.items()}
_PLAIN_LIMITS = frozenset({*_LIMIT_MARKS, "lim", "operatorname", "mathrm", "mathop"})
_RULE = re.compile(r"\\(?:hline|toprule|midrule|bottomrule)(?![A-Za-z])")
_STACKS = re.compile(r"\\(?:atop|brace|brack)(?![A-Za-z])")
_DISPLAY_COMMANDS = frozenset(("dfrac", "cfrac", "dbinom"))
_TEXT_COMMANDS = frozenset(("tfrac", "tbinom", "sfrac", "nicefrac", "xfrac"))


class Hints:
    """Looks at the source around the nodes of one tree; of a source that is not LaTeX it says little."""

    def __init__(self, tree: LayoutTree) -> None:
        self.source = tree.source
        self.is_latex = bool(tree.source) and notation_of(tree.source) == "latex"
        self.has_commands = self.is_latex and "\\" in tree.source

    def written(self, node: LayoutNode) -> str:
        """The source of a node without what is around it."""
        return self.source[node.start:node.end]

    def command(self, node: LayoutNode) -> str:
        """The command that a node begins with, without its backslash."""
        if not self.has_commands:
            return ""
        match = _COMMAND.match(self.source, node.start)
        return match[1] if match is not None and node.end > node.start else ""

    def is_display(self, node: LayoutNode) -> bool:
        """Whether ``\\displaystyle`` is right before a node."""
        return self.has_commands and _DISPLAY.search(self.source, max(0, node.start - 40), node.start) is not None

    def name(self, node: LayoutNode) -> str:
        """The name that was written: letters in braces, or a command, with its backslash."""
        match = _NAME.match(self.source, node.start) if self.has_commands else None
        return (match[1] or match[2]) if match is not None else ""

    def number(self, node: LayoutNode) -> str:
        """A number as it was typed, with the commas and thin spaces between its groups; else an empty string."""
        written = self._content(node)
        if written == node.label:
            return written
        typed = written.replace("{,}", ",").replace("\\,", "\u2009").replace(" ", "")
        typed = "".join(str(decimal(char, char)) for char in typed)
        return typed if _NUMBER.fullmatch(typed) and canonical_number(typed) == node.label else ""

    def limit_mark(self, node: LayoutNode) -> tuple[str, str]:
        """The side and the mark of ``lim`` where a limit was written with one; else empty strings."""
        mark = _LIMIT_MARKS.get(node.label)
        if mark is None:
            return "", ""
        if self.is_latex:
            command = self.command(node)
            is_marked = bool(command) and command not in _PLAIN_LIMITS
        else:
            is_marked = self._content(node).strip() == "lim"
        return mark if is_marked else ("", "")

    def _content(self, node: LayoutNode) -> str:
        """The source of a node, in MathML what is between its tags."""
        written = self.written(node)
        return written if self.is_latex else written[written.find(">") + 1:written.rfind("<")]

    def style(self, node: LayoutNode) -> str:
        """``display`` or ``text`` for a fraction that its command sets so, else an empty string."""
        command = self.command(node)
        return "display" if command in _DISPLAY_COMMANDS else "text" if command in _TEXT_COMMANDS else ""

    def is_stack(self, node: LayoutNode) -> bool:
        """Whether two lines are a fraction without its line: ``n \\brace k``."""
        if not self.has_commands or node.elements is None or len(node.elements) != 2:
            return False
        if node.label != "lines" or node.over is not None or node.under is not None:
            return False
        over, under = ([symbol for cell in line for symbol in cell] for line in node.elements)
        return bool(over and under) and _STACKS.search(self.source, over[-1].end, under[0].start) is not None

    def size(self, node: LayoutNode) -> tuple[str, str]:
        """Height of a fence after ``\\big`` and its kin, and ``l``, ``r`` or ``m`` for its side; else empty strings."""
        if not self.has_commands:
            return "", ""
        match = _SIZE.search(self.source, max(0, node.start - 8), node.start)
        return (_SIZES[match[1]], match[2]) if match is not None else ("", "")

    def stretches(self, node: LayoutNode) -> bool:
        """Whether a fence is as high as what it encloses: after ``\\left`` and its kin, or made by a command."""
        if not self.is_latex:
            return bool(self.source) and 'stretchy="false"' not in self.source[node.start:node.end]
        if node.start == node.end:
            return True
        command = self.command(node)
        return bool(command) and command not in _FENCE_COMMANDS

    def is_narrow(self, mark: LayoutNode) -> bool:
        """Whether an accent keeps its width over what is wider."""
        if not self.is_latex:
            return 'stretchy="false"' in self.written(mark)
        return self.command(mark) in _NARROW_ACCENTS

    def punctuation(self, end: int) -> str:
        """The sign that is in the source after a row that ends there; trees leave out what ends a sentence."""
        match = _PUNCTUATION.match(self.source, end) if self.is_latex else None
        return match[1] if match is not None else ""

    def limits(self, node: LayoutNode) -> str:
        """``limits`` or ``nolimits`` where that follows an operator."""
        match = _LIMITS.match(self.source, node.end) if self.has_commands else None
        return match[1] if match is not None else ""

    def is_bold_italic(self, node: LayoutNode) -> bool:
        """Whether a bold letter was written with ``\\boldsymbol`` or ``\\bm``."""
        return self.has_commands and _BOLD_ITALIC.search(self.source, max(0, node.start - 60), node.start) is not None

    def is_italic(self, node: LayoutNode) -> bool:
        """Whether a name was written with ``\\mathit``."""
        return self.has_commands and _ITALIC.search(self.source, max(0, node.start - 60), node.start) is not None

    def sign(self, node: LayoutNode) -> str:
        """The form of a symbol that was written: by its command or as a character of its own; else an empty string."""
        if self.has_commands and self.source.startswith("\\", node.start):
            return COMMAND_SIGNS.get(self.command(node), "")
        written = self._content(node)
        char = written.removesuffix(SLASHED_ZERO)
        is_form = len(char) == 1 and not char.isascii() and SYMBOLS.get(char, ("",))[0] == node.label
        return written if is_form else ""

    def columns(self, node: LayoutNode) -> str:
        """The letters and bars of the preamble of an array: ``cc|c``."""
        match = _PREAMBLE.match(self.source, node.start) if self.has_commands else None
        return "".join(char for char in match[1] if char in "lcr|") if match is not None else ""

    @cached_property
    def has_rules(self) -> bool:
        """Whether there are rules between the lines of some array."""
        return self.has_commands and _RULE.search(self.source) is not None

    def has_rule(self, start: int, end: int) -> bool:
        """Whether a rule is between two offsets."""
        return _RULE.search(self.source, start, end) is not None

    def is_small(self, node: LayoutNode) -> bool:
        """Whether a matrix is as small as a script."""
        return self.has_commands and _SMALL.match(self.source, node.start) is not None

    def divisions(self, start: int, end: int) -> int:
        """How many ``&`` that align are between two offsets."""
        return _ALIGNS.findall(self.source, start, end).count("&") if self.is_latex else 0

    @cached_property
    def stretched(self) -> dict[int, int]:
        """Offset of each ``\\left`` → that of its ``\\right``, and the reverse."""
        partners: dict[int, int] = {}
        pending: list[int] = []
        for match in _STRETCHING.finditer(self.source) if self.has_commands else ():
            if match[1] == "left":
                pending.append(match.start())
            elif pending:
                partners[pending[-1]] = match.start()
                partners[match.start()] = pending.pop()
        return partners
