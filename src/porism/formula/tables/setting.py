"""How operators are set, as data: TeX's kinds of atoms with the spaces between them, and the dictionary of MathML."""

from __future__ import annotations

ORD, OP, BIN, REL, OPEN, CLOSE, PUNCT, INNER = range(8)
"""TeX's kinds of atoms (The TeXbook, chapter 17)."""

_THIN, _MEDIUM, _THICK = 3, 4, 5

# Rows: the atom on the left; columns: the one on the right. Negative: not in scripts. A binary operator is never
# beside what makes it an ordinary symbol, so that those entries are not needed.
_SPACES = (
    # ORD       OP        BIN       REL       OPEN      CLOSE  PUNCT   INNER
    (0,         _THIN,    -_MEDIUM, -_THICK,  0,        0,     0,      -_THIN),
    (_THIN,     _THIN,    0,        -_THICK,  0,        0,     0,      -_THIN),
    (-_MEDIUM,  -_MEDIUM, 0,        0,        -_MEDIUM, 0,     0,      -_MEDIUM),
    (-_THICK,   -_THICK,  0,        0,        -_THICK,  0,     0,      -_THICK),
    (0,         0,        0,        0,        0,        0,     0,      0),
    (0,         _THIN,    -_MEDIUM, -_THICK,  0,        0,     0,      -_THIN),
    (-_THIN,    -_THIN,   0,        -_THIN,   -_THIN,   -_THIN, -_THIN, -_THIN),
    (-_THIN,    _THIN,    -_MEDIUM, -_THICK,  -_THIN,   0,     -_THIN, -_THIN),
)


def space_between(left: int, right: int, in_script: bool) -> int:
    """The space in mu that TeX leaves between two atoms (The TeXbook, page 170)."""
    space = _SPACES[left][right]
    return space if space >= 0 else 0 if in_script else -space


CLASS_ATOMS: dict[str, int] = {
    **dict.fromkeys(("equality", "order", "membership", "subset", "arrow", "logic", "relation"), REL),
    **dict.fromkeys(("additive", "multiplicative", "division", "set-operator"), BIN),
    **dict.fromkeys(("big-operator", "integral"), OP),
    "open": OPEN, "close": CLOSE, "separator": PUNCT, "dots": INNER,
}
"""Token class → kind of atom; all others are ordinary."""

LABEL_ATOMS: dict[str, int] = {
    **dict.fromkeys("¬∀∃∄∁/.⊤⊥", ORD), **dict.fromkeys("∧∨⊻⊼⋏⋎†‡⊺", BIN), **dict.fromkeys("!?", CLOSE), ":": REL,
    **dict.fromkeys("⋮⋰", ORD),
}
"""Label → kind of atom, where it is not that of its class."""

COMMAND_ATOMS: dict[str, int] = {"colon": PUNCT, "backslash": ORD, "triangle": ORD, "parallel": REL}
"""Command that a symbol was written with → kind of atom, where the label alone does not tell."""

_DICTIONARY: dict[str, dict[tuple[int, int], str]] = {
    "prefix": {
        (0, 0): "∼¬∀∃∄∴∵∁([{⟨⌊⌈⟦⟮∇∠∡∢+-±∓|!‖", (3, 3): "∑∏∐⋃⋂⋁⋀⨁⨂⨀⨄⨆⨅∫∬∭⨌∮∯∰∲∳", (3, 0): "∂",
    },
    "infix": {
        (4, 4): "∧∨⊻⊼⋏⋎∶∔⊕⊖⊎⊞⊟⊘/÷∩∪∖⊔⊓⋒⋓+-±∓", (3, 3): "⋅×*∘•⋆⊗⊙⊛⊚⊠⊡⋄⋊⋉≀⨿⋇.?@⊺%^", (0, 3): ",;:",
        (0, 0): "_", (5, 5): "|‖",
    },
    "postfix": {(0, 0): ")]}⟩⌋⌉⟧⟯⌣⌢′‵°&`'\"~¯ˆ˜‾_˙¨ˇ˘´⃛⃜⏞⏟⎴⎵⏜⏝˚|!‖%^"},
}
_FORMS = {
    form: {label: spaces for spaces, labels in groups.items() for label in labels}
    for form, groups in _DICTIONARY.items()
}
_FALLBACK = ("infix", "postfix", "prefix")


def default_spaces(label: str, form: str, is_explicit: bool = False) -> tuple[int, int]:
    """The spaces before and after an operator in mu without attributes (MathML Core, appendix B).

    ``form`` follows from its place in the row, or with ``is_explicit`` is an attribute.
    """
    for name in (form,) if is_explicit else (form, *_FALLBACK):
        widths = _FORMS[name].get(label)
        if widths is not None:
            return widths
    return 5, 5


SHOWN_SIGNS = {"-": "−", "*": "∗"}
"""Label of an operator → the character that is shown for it."""

EMPTY_SET, SLASHED_ZERO = "∅", "\ufe00"
"""The empty set, and Unicode's variation selector after it for the form of ``\\\\emptyset``."""

COMMAND_SIGNS: dict[str, str] = {
    "implies": "⟹", "Longrightarrow": "⟹", "impliedby": "⟸", "Longleftarrow": "⟸", "iff": "⟺",
    "Longleftrightarrow": "⟺", "longrightarrow": "⟶", "longleftarrow": "⟵", "longleftrightarrow": "⟷",
    "longmapsto": "⟼", "leqslant": "⩽", "geqslant": "⩾", "leqq": "≦", "geqq": "≧", "preceq": "⪯", "succeq": "⪰",
    "subseteqq": "⫅", "supseteqq": "⫆", "subsetneqq": "⫋", "supsetneqq": "⫌", "lneq": "⪇", "gneq": "⪈", "leadsto": "↝",
    "cdots": "⋯", "dotsb": "⋯", "dotsm": "⋯", "dotsi": "⋯", "Diamond": "◇",
    **dict.fromkeys(("emptyset", "empty"), EMPTY_SET + SLASHED_ZERO),
}
"""Command → the character that is shown where another form of the same symbol was written."""

COMMAND_SPACES: dict[str, int] = {"implies": 5, "impliedby": 5, "iff": 5}
"""Command → the space in mu on either side besides that of its kind."""

ACCENT_SIGNS = {"^": "ˆ", "~": "˜"}
"""Accent over a letter → the character that is shown for it."""
LINES_BESIDE = {"over": "‾", "under": "_"}
"""The line over or under several symbols."""

IDENTIFIERS = frozenset("∂")
"""Symbols that are set as letters."""

PREFIXES = frozenset("+-±∓")
"""Signs that have a form of their own before an operand."""

VERTICAL_ARROWS = frozenset("↑↓↕⇑⇓⇕↾↿⇂⇃⇈⇊")
"""Arrows that MathML would stretch to the height of their row."""
