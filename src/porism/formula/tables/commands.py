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
    "underleftarrow": ("under", "←"), "utilde": ("under", "~"), "undertilde": ("under", "~"),
    "underleftrightarrow": ("under", "↔"), "vv": ("over", "→"), "widebar": ("over", "¯"), "overarc": ("over", "⏜"),
    "underarc": ("under", "⏝"), "overgroup": ("over", "⏜"), "undergroup": ("under", "⏝"),
    "Overrightarrow": ("over", "⇒"), "overrightharpoon": ("over", "⇀"), "overleftharpoon": ("over", "↼"),
    "Hat": ("over", "^"), "Check": ("over", "ˇ"), "Tilde": ("over", "~"), "Acute": ("over", "´"),
    "Grave": ("over", "`"), "Dot": ("over", "˙"), "Ddot": ("over", "¨"), "Breve": ("over", "˘"), "Bar": ("over", "¯"),
    "Vec": ("over", "→"),
}
"""Command with one argument → where its mark goes, and the mark."""

BRACES = frozenset("⏞⏟⎴⎵⏜⏝")
"""Marks that carry a note of their own: ``\\underbrace{x}_n`` labels the brace."""

MARKS = frozenset(mark for _, mark in ACCENTS.values())
"""Everything that is an accent where it is over or under a symbol."""

MARKED_LIMITS: dict[tuple[str, str], str] = {
    ("over", "¯"): "limsup", ("under", "¯"): "liminf", ("under", "→"): "injlim", ("under", "←"): "projlim",
}
"""Mark on ``lim`` → the limit that it makes of it."""

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
    "mathbb": "bb", "Bbb": "bb", "mathds": "bb", "mathbbm": "bb", "mathbbmss": "bb", "mathbbmtt": "bb",
    "mathbfbb": "bb", "mathbf": "bf", "boldsymbol": "boldsymbol",
    "bm": "boldsymbol",
    "bold": "bf", "pmb": "boldsymbol", "symbf": "bf", "symbfit": "bf", "symbfup": "bf",
    "symbb": "bb", "symbbit": "bb", "symcal": "cal", "symscr": "scr", "symbfcal": "cal", "symbfscr": "scr",
    "symfrak": "frak", "symbffrak": "frak", "symsf": "sf", "symsfit": "sf", "symsfup": "sf", "symbfsf": "sf",
    "symbfsfit": "sf", "symbfsfup": "sf", "mathsfup": "sf", "mathbfsfup": "sf", "symtt": "tt", "symit": "it",
    "symrm": "rm", "symup": "rm", "symnormal": "", "boldmath": "", "mathcal": "cal", "mathscr": "scr",
    "mathfrak": "frak",
    "mathit": "it", "mathrm": "rm", "mathup": "rm", "mathsf": "sf", "mathtt": "tt", "mathnormal": "",
    "mathbfit": "boldsymbol",
    "mathbfup": "bf", "mathbffrak": "frak", "mathbfcal": "cal", "mathbfscr": "scr", "mathsfbf": "sf",
    "mathsfit": "sf", "mathsfbfit": "sf", "mathbfsf": "sf", "mathbfsfit": "sf", "frak": "frak",
}
"""Command that sets its argument in a font → the font.

``boldsymbol`` is bold for all symbols, not for letters only; ``scr`` is ``cal`` in another hand.
"""

FONT_SWITCHES: dict[str, str] = {
    "rm": "rm", "bf": "bf", "it": "it", "sf": "sf", "tt": "tt", "cal": "cal", "scr": "scr", "mit": "", "sl": "it",
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

INFIX_WITH_FENCES: dict[str, tuple[str, bool, bool]] = {
    "above": ("/", False, True), "overwithdelims": ("/", True, False), "atopwithdelims": ("lines", True, False),
    "abovewithdelims": ("/", True, True),
}
"""Infix commands that are followed by more → label, and whether two fences and whether a thickness come after them."""

TEXT_COMMANDS: dict[str, str] = {
    **dict.fromkeys((
        "text", "mbox", "hbox", "vbox", "textrm", "textnormal", "textup", "textsc", "mathchoice@text",
        "makebox", "textclap", "textllap", "textrlap",
    ), "rm"),
    "textbf": "bf", "textit": "it", "textsl": "it", "emph": "it", "texttt": "tt", "textsf": "sf",
    "textbb": "bb", "textbfbb": "bb",
}
"""Command whose argument is text → the font of a letter that is alone in it."""
FUNCTION_NAMES = frozenset({"grad", "curl", "rot", "div", "sign", "dom"})
"""Names of functions whose commands, where there are any, are something else."""
NAME_COMMANDS = frozenset({"operatorname", "operatornamewithlimits", "mathopname"})

ARROWS: dict[str, str] = {
    "xrightarrow": "→", "xleftarrow": "←", "xleftrightarrow": "↔", "xRightarrow": "⇒", "xLeftarrow": "⇐",
    "xLeftrightarrow": "⇔", "xmapsto": "↦", "xhookrightarrow": "↪", "xhookleftarrow": "↩", "xlongequal": "=",
    "xtwoheadrightarrow": "↠", "xtwoheadleftarrow": "↞", "xrightharpoonup": "⇀", "xrightharpoondown": "⇁",
    "xleftharpoonup": "↼", "xleftharpoondown": "↽", "xrightleftharpoons": "⇌", "xleftrightharpoons": "⇋",
    "xrightleftarrows": "⇄", "xleftrightarrows": "⇆", "xlongrightarrow": "→", "xlongleftarrow": "←",
    "xLongrightarrow": "⇒", "xLongleftarrow": "⇐", "xlongleftrightarrow": "↔", "xLongleftrightarrow": "⇔",
    "xequal": "=", "xtofrom": "⇄", "xlongmapsto": "↦", "xrightarrowtail": "↣", "xleftarrowtail": "↢",
    "xnrightarrow": "↛",
}
"""Arrow with a note above it and, as an option, one below it."""

_TRANSPARENT = """
    displaystyle textstyle scriptstyle scriptscriptstyle tiny Tiny scriptsize footnotesize small normalsize large
    Large LARGE huge Huge limits nolimits displaylimits mathop mathbin mathrel mathord mathopen mathclose
    mathpunct mathinner mathstrut strut ensuremath nonumber notag hline vfill par linebreak
    goodbreak badbreak oldstyle
    nolinebreak allowbreak nobreak noindent centering big Big bigg Bigg bigl Bigl biggl Biggl bigr Bigr biggr
    Biggr bigm Bigm biggm Biggm boxed sout mathsurround relax protect null
    raggedright raggedleft arraybackslash
    begingroup endgroup bgroup egroup unboldmath boldmath nonscript leavevmode ignorespaces unskip toprule midrule
    bottomrule today cdotp@ phantomsection displayindent removelastskip
    empheql empheqr empheqbigl empheqbigr lx@ vcenter MTFlushSpaceAbove adjustlimits lefteqn mathmbox
"""
TRANSPARENT = frozenset(_TRANSPARENT.split())
"""Commands without a meaning for the layout: size, style, limits, boxes. Arguments are read as they are."""

DIMENSION_COMMANDS: dict[str, bool] = {
    "hskip": True, "mskip": True, "kern": True, "mkern": True, "vskip": False, "raise": False, "lower": False,
    "moveleft": False, "moveright": False,
}
"""Commands that are followed by a bare dimension, as in ``\\kern 2pt`` → whether it is a horizontal space."""

ENVIRONMENTS: dict[str, tuple[str, str]] = {
    "matrix": ("matrix", ""), "pmatrix": ("matrix", "()"), "bmatrix": ("matrix", "[]"), "Bmatrix": ("matrix", "{}"),
    "vmatrix": ("matrix", "||"), "Vmatrix": ("matrix", "∥∥"), "smallmatrix": ("matrix", ""),
    "psmallmatrix": ("matrix", "()"), "bsmallmatrix": ("matrix", "[]"), "Bsmallmatrix": ("matrix", "{}"),
    "vsmallmatrix": ("matrix", "||"), "Vsmallmatrix": ("matrix", "∥∥"), "array": ("matrix", ""),
    "tabular": ("matrix", ""), "darray": ("matrix", ""), "CD": ("matrix", ""), "NiceMatrix": ("matrix", ""),
    "pNiceMatrix": ("matrix", "()"), "bNiceMatrix": ("matrix", "[]"), "BNiceMatrix": ("matrix", "{}"),
    "vNiceMatrix": ("matrix", "||"), "VNiceMatrix": ("matrix", "∥∥"), "NiceArray": ("matrix", ""),
    "pNiceArray": ("matrix", "()"), "bNiceArray": ("matrix", "[]"), "cases": ("cases", "{"), "dcases": ("cases", "{"),
    "rcases": ("matrix", "}"), "drcases": ("matrix", "}"), "aligned": ("lines", ""), "align": ("lines", ""),
    "alignat": ("lines", ""), "alignedat": ("lines", ""), "flalign": ("lines", ""), "split": ("lines", ""),
    "gather": ("lines", ""), "gathered": ("lines", ""), "lgathered": ("lines", ""), "rgathered": ("lines", ""),
    "multline": ("lines", ""), "eqnarray": ("lines", ""), "subarray": ("matrix", ""), "crampedsubarray": ("matrix", ""),
    "xalignat": ("lines", ""), "xxalignat": ("lines", ""), "multlined": ("lines", ""), "IEEEeqnarray": ("lines", ""),
    "IEEEeqnarraybox": ("lines", ""), "dmath": ("lines", ""), "dgroup": ("lines", ""), "equation": ("group", ""),
    "math": ("group", ""), "displaymath": ("group", ""), "document": ("group", ""), "subequations": ("group", ""),
    "center": ("group", ""), "indentalign": ("group", ""),
}
"""Environment, without a star → what it makes, and its fences."""

BRACED_ENVIRONMENTS: dict[str, str] = {
    "matrix": "matrix", "pmatrix": "pmatrix", "bmatrix": "bmatrix", "vmatrix": "vmatrix", "Vmatrix": "Vmatrix",
    "eqalign": "aligned",
    "displaylines": "gathered", "substack": "gathered",
    "crampedsubstack": "gathered", "array": "matrix", "smallmatrix": "matrix",
    "bordermatrix": "pmatrix", "aligned": "aligned",
}
"""Plain TeX's ``\\matrix{…}`` and its kin, and ``\\substack{…}`` → the environment that they stand for."""

NAME_SYNONYMS: dict[str, str] = {
    "lim sup": "limsup", "lim inf": "liminf", "arg max": "argmax", "arg min": "argmin", "ess sup": "esssup",
    "ess inf": "essinf", "inj lim": "injlim", "proj lim": "projlim",
    "Re": "ℜ", "Im": "ℑ", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "acsc": "arccsc", "asec": "arcsec",
    "acot": "arccot",
}
