"""Commands, fonts, accents and environments of LaTeX as data.

Names are without the backslash. What is not here and not a symbol of :mod:`porism.formula.tables.symbols` is an
unknown command and becomes a leaf that keeps its name.
"""

from __future__ import annotations

ACCENTS: dict[str, tuple[str, str]] = {
    "hat": ("over", "^"), "widehat": ("over", "^"), "tilde": ("over", "~"), "widetilde": ("over", "~"),
    "bar": ("over", "¯"), "overline": ("over", "¯"), "vec": ("over", "→"), "overrightarrow": ("over", "→"),
    "overleftarrow": ("over", "←"), "overleftrightarrow": ("over", "↔"), "dot": ("over", "˙"), "ddot": ("over", "¨"),
    "dddot": ("over", "⃛"), "ddddot": ("over", "⃜"), "check": ("over", "ˇ"), "widecheck": ("over", "ˇ"),
    "breve": ("over", "˘"), "acute": ("over", "´"), "grave": ("over", "`"), "mathring": ("over", "˚"),
    "overbrace": ("over", "⏞"), "overbracket": ("over", "⎴"), "overparen": ("over", "⏜"), "wideparen": ("over", "⏜"),
    "underline": ("under", "¯"), "underbar": ("under", "¯"), "underbrace": ("under", "⏟"),
    "underbracket": ("under", "⎵"), "underparen": ("under", "⏝"), "underrightarrow": ("under", "→"),
    "underleftarrow": ("under", "←"), "utilde": ("under", "~"),
}
"""Command with one argument → where its mark goes, and the mark."""

BRACES = frozenset("⏞⏟⎴⎵⏜⏝")
"""Marks that carry a note of their own: ``\\underbrace{x}_n`` labels the brace."""

MARKS = frozenset(mark for _, mark in ACCENTS.values())
"""Everything that is an accent where it is over or under a symbol."""

ACCENT_SYNONYMS: dict[str, str] = {
    "ˆ": "^", "̂": "^", "˜": "~", "∼": "~", "̃": "~", "‾": "¯", "ˉ": "¯", "̄": "¯", "̅": "¯", "_": "¯",
    "―": "¯", "⃗": "→", "⟶": "→", "⟵": "←", "⃖": "←", "⃡": "↔", "̇": "˙", "·": "˙", "⋅": "˙", "∙": "˙", "̈": "¨",
    "..": "¨", "̌": "ˇ", "̆": "˘", "́": "´", "̀": "`", "̊": "˚", "-": "¯", "−": "¯", "–": "¯", "…": "⃛", "...": "⃛",
    "︷": "⏞", "︸": "⏟",
}
"""What a mark over or under something may be written as → the mark (combining characters too)."""

COMBINING_BELOW: dict[str, str] = {"̲": "¯", "̱": "¯", "̠": "¯", "̰": "~", "⃮": "←", "⃯": "→", "̭": "^", "̮": "˘"}
"""Combining characters that are a mark under the character before them → the mark."""

FONTS: dict[str, str] = {
    "mathbb": "bb", "Bbb": "bb", "mathds": "bb", "mathbbm": "bb", "mathbf": "bf", "boldsymbol": "boldsymbol",
    "bm": "boldsymbol",
    "bold": "bf", "pmb": "boldsymbol", "symbf": "bf", "boldmath": "", "mathcal": "cal", "mathscr": "cal",
    "mathfrak": "frak",
    "mathit": "it", "mathrm": "rm", "mathup": "rm", "mathsf": "sf", "mathtt": "tt", "mathnormal": "",
    "mathbfit": "boldsymbol",
    "mathbfup": "bf", "mathbffrak": "frak", "mathbfcal": "cal", "mathbfscr": "cal", "mathsfbf": "sf", "frak": "frak",
}
"""Command that sets its argument in a font → the font; ``boldsymbol`` is bold for all symbols, not for letters only."""

FONT_SWITCHES: dict[str, str] = {
    "rm": "rm", "bf": "bf", "it": "it", "sf": "sf", "tt": "tt", "cal": "cal", "scr": "cal", "mit": "", "sl": "it",
    "bb": "bb", "rmfamily": "rm", "bfseries": "bf", "itshape": "it", "sffamily": "sf", "ttfamily": "tt",
    "upshape": "rm", "normalfont": "rm", "em": "it",
}
"""Command that sets the rest of its group in a font → the font."""

WORD_FONTS = frozenset({"bf", "it", "rm", "sf", "tt"})
"""Fonts in which adjacent letters are one name: ``\\mathrm{lcm}``."""

FRACTIONS: dict[str, tuple[str, str, str]] = {
    "frac": ("/", "", ""), "dfrac": ("/", "", ""), "tfrac": ("/", "", ""), "cfrac": ("/", "", ""),
    "sfrac": ("/", "", ""), "nicefrac": ("/", "", ""), "xfrac": ("/", "", ""), "flatfrac": ("/", "", ""),
    "binom": ("choose", "", ""), "dbinom": ("choose", "", ""), "tbinom": ("choose", "", ""),

}
"""Two arguments (or infix) → label of the fraction and the fences around it."""

INFIX: dict[str, tuple[str, str, str]] = {
    "over": ("/", "", ""), "choose": ("choose", "", ""), "atop": ("lines", "", ""), "brace": ("lines", "{", "}"),
    "brack": ("lines", "[", "]"),
}
"""Infix commands that split their group in two → label (``lines`` stacks both parts) and fences around it."""

TEXT_COMMANDS = frozenset({
    "text", "mbox", "hbox", "vbox", "textrm", "textbf", "textit", "texttt", "textsf", "textnormal", "textup", "textsc",
    "textsl", "emph", "intertext", "shortintertext", "mathchoice@text", "makebox",
})
NAME_COMMANDS = frozenset({"operatorname", "operatornamewithlimits", "mathopname"})

ARROWS: dict[str, str] = {
    "xrightarrow": "→", "xleftarrow": "←", "xleftrightarrow": "↔", "xRightarrow": "⇒", "xLeftarrow": "⇐",
    "xLeftrightarrow": "⇔", "xmapsto": "↦", "xhookrightarrow": "↪", "xhookleftarrow": "↩", "xlongequal": "=",
    "xtwoheadrightarrow": "↠", "xrightharpoonup": "⇀", "xrightleftharpoons": "⇌",
}
"""Arrow with a note above it and, as an option, one below it."""

_TRANSPARENT = """
    displaystyle textstyle scriptstyle scriptscriptstyle tiny Tiny scriptsize footnotesize small normalsize large
    Large LARGE huge Huge limits nolimits displaylimits mathop mathbin mathrel mathord mathopen mathclose
    mathpunct mathinner mathstrut strut ensuremath nonumber notag hline vfill par newline linebreak
    nolinebreak allowbreak nobreak noindent centering big Big bigg Bigg bigl Bigl biggl Biggl bigr Bigr biggr
    Biggr bigm Bigm biggm Biggm boxed cancel bcancel xcancel sout smash mathsurround relax protect null
    begingroup endgroup bgroup egroup unboldmath boldmath nonscript leavevmode ignorespaces unskip toprule midrule
    bottomrule today cdotp@ phantomsection displayindent removelastskip mathllap mathrlap mathclap
    shoveleft shoveright lx@ vcenter
"""
TRANSPARENT = frozenset(_TRANSPARENT.split())
"""Commands without a meaning for the layout: size, style, limits, boxes. Arguments are read as they are."""

DROPPED: dict[str, int] = {
    "label": 1, "tag": 1, "color": 1, "vspace": 1, "require": 1, "phantom": 1, "hphantom": 1,
    "vphantom": 1, "cline": 1, "ref": 1, "eqref": 1, "cite": 1, "rule": 2, "pagecolor": 1, "href": 1, "hypertarget": 1,
    "textcolor": 1, "class": 1, "cssId": 1, "style": 1, "vadjust": 1, "footnote": 1,
    "arraystretch": 0, "hdotsfor": 1, "bbox": 0, "setlength": 2, "mmlToken": 1, "multicolumn": 2,
    "usepackage": 1, "enclose": 1, "hyperlink": 1, "definecolor": 3, "pagebreak": 0,
    "index": 1,
}
"""Commands whose first arguments (so many) are dropped; options in brackets before them too."""

DIMENSION_COMMANDS: dict[str, bool] = {
    "hskip": True, "mskip": True, "kern": True, "mkern": True, "vskip": False, "raise": False, "lower": False,
    "moveleft": False, "moveright": False,
}
"""Commands that are followed by a bare dimension, as in ``\\kern 2pt`` → whether it is a horizontal space."""

ENVIRONMENTS: dict[str, tuple[str, str, str]] = {
    "matrix": ("matrix", "", ""), "pmatrix": ("matrix", "()", ""), "bmatrix": ("matrix", "[]", ""),
    "Bmatrix": ("matrix", "{}", ""), "vmatrix": ("matrix", "||", ""), "Vmatrix": ("matrix", "∥∥", ""),
    "smallmatrix": ("matrix", "", ""), "psmallmatrix": ("matrix", "()", ""), "bsmallmatrix": ("matrix", "[]", ""),
    "vsmallmatrix": ("matrix", "||", ""), "array": ("matrix", "", "m"), "tabular": ("matrix", "", "m"),
    "darray": ("matrix", "", "m"), "CD": ("matrix", "", ""), "cases": ("cases", "{", ""), "dcases": ("cases", "{", ""),
    "rcases": ("matrix", "}", ""), "numcases": ("cases", "{", "m"), "aligned": ("lines", "", "o"),
    "align": ("lines", "", ""), "alignat": ("lines", "", "m"), "alignedat": ("lines", "", "m"),
    "flalign": ("lines", "", ""), "split": ("lines", "", ""), "gather": ("lines", "", ""),
    "gathered": ("lines", "", "o"), "multline": ("lines", "", ""), "eqnarray": ("lines", "", ""),
    "subarray": ("lines", "", "m"), "xalignat": ("lines", "", "m"), "multlined": ("lines", "", "o"),
    "IEEEeqnarray": ("lines", "", "m"), "dmath": ("lines", "", ""), "equation": ("group", "", ""),
    "math": ("group", "", ""), "displaymath": ("group", "", ""), "document": ("group", "", ""),
    "subequations": ("group", "", ""), "center": ("group", "", ""),
}
"""Environment → what it makes, its fences, and its arguments (``m`` in braces, ``o`` optional); without a star."""

BRACED_ENVIRONMENTS: dict[str, str] = {
    "matrix": "matrix", "pmatrix": "pmatrix", "bmatrix": "bmatrix", "vmatrix": "vmatrix", "Vmatrix": "Vmatrix",
    "cases": "cases", "eqalign": "aligned", "eqalignno": "aligned", "leqalignno": "aligned",
    "displaylines": "gathered", "substack": "gathered", "array": "matrix", "smallmatrix": "matrix",
    "bordermatrix": "pmatrix", "aligned": "aligned",
}
"""Plain TeX's ``\\matrix{…}`` and its kin, and ``\\substack{…}`` → the environment that they stand for."""

NAME_SYNONYMS: dict[str, str] = {
    "lim sup": "limsup", "lim inf": "liminf", "arg max": "argmax", "arg min": "argmin", "ess sup": "esssup",
    "inj lim": "injlim",
}
