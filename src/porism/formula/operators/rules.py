"""What each symbol does in an operator tree, as data: its role, the label of its node, and whether order counts.

A row of symbols is read level by level, from the loosest binding to the tightest::

    , ; . \\ text       items of a list; a quad divides statements too
    ∀ ∃                 a quantifier binds what follows it up to a comma, colon or full stop
    :                   map, ratio, condition
    ⇔ ⇒ ∨ ∧             logic (∧ and ∨ only between statements, else they bind as × does)
    = < ∈ → …           one chain of relations
    + - ± ∪ ∖ ⊕ ¬ ∂     a flat sum of signed terms
    · / ∘ ⊗ ∩ mod       a flat product, juxtaposition included, read from the left
    sin, ∑, lim, ∫      prefix functions and big operators within a product
    ! % ° ′ scripts     what is written after or around one symbol

Vocabulary of operator-tree labels (all lower case; kind ``U`` where the order of operands does not count):

================  ==================================================================================================
with scripts      an operator with scripts or notes is another one: its label says how it is marked, and the operator as
                  it is written is the last child, as in ``times_sub(A, B, sub(×, S))`` and ``to_overset(A, B, …)``
relations         ``eq neq equiv approx sim simeq cong propto lt gt leq geq ll gg in notin ni subset subseteq …``; a
                  chain of different relations joins their labels in order: ``lt-eq`` for ``a<b=c``
logic             ``and or implies iff not forall exists exists1 nexists``; ``forall`` holds binding and statement
sums, products    ``plus neg pm mp times divide mod union inter setminus oplus otimes compose …``; ``a-b`` is
                  ``plus(a, neg(b))``
scripts           ``sup sub subsup`` (base, below, above), ``prescript``, ``prime prime2 prime3 … primes``, ``factorial
                  factorial2 percent degree``, ``at`` (evaluation bar)
application       ``apply`` (function, arguments); ``sin log gcd …``: one node that holds its arguments (``\\sup``
                  is ``supremum``)
big operators     ``sum prod int oint bigcup lim …``: body, then lower and upper bound, then ``diff`` of the variable
calculus          ``diff`` (differential), ``deriv`` (body, differentials: ``d/dx`` applied)
fractions, roots  ``divide binom sqrt root`` (radicand, index)
fences            ``abs norm floor ceil set setbuilder inner tuple open closed closed_open open_closed group fence``;
                  round brackets around one expression leave no node
lists             ``list`` (commas), ``sequence`` (semicolons, line breaks), ``colon``, ``given``, ``modulo``
arrays            ``matrix det vmatrix`` of ``row``; ``cases`` of ``branch`` (value, condition); ``lines``
decoration        ``bar hat tilde vec dot ddot widehat overline underline overbrace overset underset …``
================  ==================================================================================================
"""

from __future__ import annotations

from typing import NamedTuple

from porism.formula.tables.alphabets import styled
from porism.formula.tables.lookup import RELATION_CLASSES, token_class

# Roles of symbols. Numbers, because the reader of a row compares them for every symbol.
LEAF = 0
ADD = 1
MULTIPLY = 2
RELATION = 3
OPEN = 4
CLOSE = 5
COMMA = 6
FUNCTION = 7
BIG = 8
INTEGRAL = 9
POSTFIX = 10
LOGIC = 11
LATTICE = 12
QUANTIFIER = 13
COLON = 14
BAR = 15
MODULO = 16
PREFIX = 17
SEMICOLON = 18
NOTHING = 19
DIVIDE = 20


class Rule(NamedTuple):
    """The role of a symbol, the label of the node that it makes, and whether its operands may be swapped."""

    role: int
    label: str
    unordered: bool = False


_SYMMETRIC_RELATIONS = {
    "=": "eq", "≠": "neq", "≡": "equiv", "≢": "nequiv", "≈": "approx", "≉": "napprox", "∼": "sim", "≁": "nsim",
    "≃": "simeq", "≄": "nsimeq", "≅": "cong", "≇": "ncong", "≍": "asymp", "∦": "nparallel", "⊥": "perp", "≐": "doteq",
    "↔": "leftrightarrow", "⇌": "rightleftharpoons", "≊": "approxeq",
}
_ORDERED_RELATIONS = {
    "<": "lt", ">": "gt", "≤": "leq", "≥": "geq", "≰": "nleq", "≱": "ngeq", "≮": "nlt", "≯": "ngt", "≪": "ll",
    "≫": "gg", "≲": "lesssim", "≳": "gtrsim", "∝": "propto", "∈": "in", "∉": "notin", "∋": "ni", "∌": "notni",
    "⊂": "subset", "⊆": "subseteq", "⊊": "subsetneq", "⊃": "supset", "⊇": "supseteq", "⊋": "supsetneq",
    "⊄": "nsubset", "⊈": "nsubseteq", "⊉": "nsupseteq", "⊅": "nsupset", "≺": "prec", "≻": "succ", "≼": "preceq",
    "≽": "succeq", "⊣": "dashv", "∤": "ndivides", "→": "to", "←": "gets", "↦": "mapsto", "↪": "hookrightarrow",
    "↩": "hookleftarrow", "↠": "onto", "↣": "rightarrowtail", "⇝": "leadsto", "⇀": "rightharpoonup",
    "⇁": "rightharpoondown", "↗": "increases", "↘": "decreases", "↑": "uparrow", "↓": "downarrow", "⊲": "normal",
    "⊴": "normaleq", "⊳": "normalin", "⊵": "normalineq", "⊑": "sqsubseteq", "⊒": "sqsupseteq", "⊏": "sqsubset",
    "⊐": "sqsupset", "≔": "assign", "≕": "assigned", "≜": "defeq", "≝": "defeq", "≟": "questeq",
}
_LOGIC = {
    "⇔": ("iff", True), "⇒": ("implies", False), "⇐": ("implied", False), "∴": ("therefore", False),
    "∵": ("because", False), "⇏": ("nimplies", False), "⇎": ("niff", True), "⊢": ("proves", False),
    "⊬": ("nproves", False), "⊨": ("models", False), "⊭": ("nmodels", False), "⊩": ("forces", False),
}
_RELATION_NAMES = _ORDERED_RELATIONS | {sign: name for sign, (name, _) in _LOGIC.items()}
MIRRORED_SIGNS = {
    sign: mirrored
    for pair in "<> ≤≥ ≪≫ ≲≳ ∈∋ ∉∌ ⊂⊃ ⊆⊇ ⊊⊋ ⊄⊅ ⊈⊉ ≺≻ ≼≽ ≮≯ ≰≱ ⊏⊐ ⊑⊒ ⊲⊳ ⊴⊵ →← ⇒⇐ ∴∵".split()
    for sign, mirrored in zip(pair, pair[::-1], strict=True)
}
"""Signs of relations to those that say the same with their sides swapped."""
MIRRORED = {_RELATION_NAMES[sign]: _RELATION_NAMES[mirrored] for sign, mirrored in MIRRORED_SIGNS.items()}
"""The same by the labels of operators."""
_ADDITIVE = {
    "+": "plus", "-": "neg", "±": "pm", "∓": "mp", "∪": "union", "⊔": "sqcup", "⊎": "uplus", "∖": "setminus",
    "⊕": "oplus", "⊖": "ominus", "∔": "dotplus", "△": "symdiff", "⨿": "amalg", "⊞": "boxplus", "⊟": "boxminus",
    "⋓": "union",
}
_UNORDERED_ADDITIVE = frozenset({"plus", "union", "sqcup", "uplus", "oplus", "dotplus", "symdiff", "amalg", "boxplus"})
ADDITIVE_LABELS = frozenset(_ADDITIVE.values())
_MULTIPLICATIVE = {
    "⋅": "times", "×": "times", "*": "times", "/": "divide", "÷": "divide", "∘": "compose", "⊗": "otimes",
    "⊙": "odot", "∩": "inter", "⊓": "sqcap", "⋆": "star", "★": "star", "•": "bullet", "⋊": "rtimes", "⋉": "ltimes",
    "≀": "wr", "⊠": "boxtimes", "⊡": "boxdot", "⊛": "circledast", "⋈": "join", "⋄": "diamond", "⋇": "divide",
    "⊘": "oslash", "⋒": "inter",
}
_UNORDERED_MULTIPLICATIVE = frozenset({"times", "inter", "sqcap", "otimes", "odot"})
_BIG = {
    "∑": "sum", "∏": "prod", "∐": "coprod", "⋃": "bigcup", "⋂": "bigcap", "⨁": "bigoplus", "⨂": "bigotimes",
    "⨀": "bigodot", "⋁": "bigvee", "⋀": "bigwedge", "⨆": "bigsqcup", "⨅": "bigsqcap", "⨄": "biguplus", "lim": "lim",
    "limsup": "limsup", "liminf": "liminf", "colim": "colim", "injlim": "colim", "projlim": "lim", "plim": "lim",
}
_INTEGRALS = {
    "∫": "int", "∬": "iint", "∭": "iiint", "⨌": "iiiint", "∮": "oint", "∯": "oiint", "∰": "oiiint", "∲": "oint",
    "∳": "oint", "∱": "int", "⨍": "fint", "⨎": "fint", "⨏": "fint", "⨑": "int", "⨕": "oint", "⨖": "oint", "⨋": "sumint",
}
BINARY_FORMS = {
    "bigcup": "union", "bigcap": "inter", "bigoplus": "oplus", "bigotimes": "otimes", "bigvee": "or", "bigwedge": "and",
    "biguplus": "uplus", "bigsqcup": "sqcup", "coprod": "amalg",
}
"""Big operators that are written between two operands, to what they mean there."""
BIG_FORMS = {small: big for big, small in BINARY_FORMS.items()} | {"odot": "bigodot", "sqcap": "bigsqcap"}
"""Operators that are written before one operand, with bounds as scripts, to the big operator that they mean there."""

LEADING_FORMS = {"union": "bigcup", "inter": "bigcap"}
"""Operators that without an operand before them are those of a family (``\\cup\\mathcal A``), to the big operator."""

INTEGRALS = frozenset(_INTEGRALS)
INTEGRAL_VARIABLES = {"iint": 2, "iiint": 3, "iiiint": 4, "oiint": 2, "oiiint": 3}
"""How many differentials end an integral; one where it is not here."""

_FUNCTIONS = (
    "sin cos tan cot sec csc arcsin arccos arctan arccot arcsec arccsc sinh cosh tanh coth sech csch arcsinh arccosh "
    "arctanh sinc log ln lg lb exp det dim ker hom deg arg gcd lcm max min sup inf argmax argmin esssup essinf Pr ℜ ℑ "
    "sgn sign tr Tr rank im coker ord Var Cov erf erfc Li Ei Si Ci grad curl div rot End Aut Gal Hom Ext Tor Spec "
    "Res span diag cis card"
)
_FUNCTION_SYNONYMS = {
    "ℜ": "re", "ℑ": "im", "sign": "sgn", "Tr": "tr", "Pr": "pr", "lb": "lg", "sup": "supremum",
    "inf": "infimum", "esssup": "supremum", "essinf": "infimum",
}
EXTREMA = frozenset({"max", "min", "supremum", "infimum", "argmax", "argmin", "gcd", "lcm"})
"""Functions that take the whole product after them when they carry a subscript, as big operators do."""

_POSTFIX = {"!": "factorial", "%": "percent", "°": "degree", "′": "prime", "‵": "backprime"}
_OPEN = "([{⟨⌊⌈⟦⟮⌜⌞⎰"
_CLOSE = ")]}⟩⌋⌉⟧⟯⌝⌟⎱"
_QUANTIFIERS = {"∀": "forall", "∃": "exists", "∄": "nexists"}
_NOTHING = ("", "\u2061", "\u2062", "\u2063", "\u2064")

FENCES = {
    "()": "tuple", "[]": "closed", "[)": "closed_open", "(]": "open_closed", "][": "open", "{}": "set", "⟨⟩": "inner",
    "⌊⌋": "floor", "⌈⌉": "ceil", "||": "abs", "∥∥": "norm", "⟦⟧": "bracket", "⌊⌉": "round", "[[": "closed_open",
    "]]": "open_closed", "⟪⟫": "double_angle", "⦃⦄": "double_brace", "⦅⦆": "double_parenthesis", "⦇⦈": "banana",
    "⟅⟆": "bag", "⌜⌝": "corners", "|⟩": "ket", "∣⟩": "ket", "⟨|": "bra", "⟨∣": "bra",
}
"""Opening and closing fence to the label of the node that they make."""

FUNCTION_LETTERS = frozenset("fghFGHOϕφψΦΨζΓ℘μ𝒪")
"""Letters that are read as functions before a round bracket; others are when declared (``u:A→B``) or used as such."""

SPELLED = frozenset({
    "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "log", "ln", "exp",
    "gcd", "lcm", "max", "min", "sup", "inf", "det", "deg", "dim", "ker", "arg", "sgn", "Var", "Cov", "Pr",
})
"""Functions that are recognised before a round bracket when they are written as separate letters (``sin(x)``)."""

MAX_SPELLED_LENGTH = max(map(len, SPELLED))

OPERATOR_LETTERS = frozenset({"P", "E", "𝔼", "ℙ"})
"""Letters that apply to square brackets as well (``E[X]``)."""

ACCENTS = {
    "¯": "bar", "^": "hat", "~": "tilde", "→": "vec", "←": "vecleft", "↔": "vecboth", "˙": "dot", "¨": "ddot",
    "⃛": "dddot", "⃜": "ddddot", "ˇ": "check", "˘": "breve", "´": "acute", "`": "grave", "˚": "ring", "⏞": "overbrace",
    "⏟": "underbrace", "⎴": "overbracket", "⎵": "underbracket", "⏜": "overparen", "⏝": "underparen", "⌢": "overparen",
}
"""A lone symbol over or under another, to the label of the node that it makes."""

CONNECTIVES = frozenset({
    "if", "and", "or", "when", "for", "where", "otherwise", "such", "iff", "then", "with", "is", "are", "so", "but",
    "because", "since", "as", "in", "that", "let", "s.t.", "i.e.", "hence", "implies", "from", "by", "on", "at", "the",
    "a", "an", "else", "unless", "to", "which", "while", "has", "have", "means", "not", "st", "ie", "given",
})
"""First words of text that joins statements and is in no product."""

WIDE_SPACE = "\u2003"
"""Stands between statements that only a wide space divides."""


def _build() -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    for symbol, label in _SYMMETRIC_RELATIONS.items():
        rules[symbol] = Rule(RELATION, label, True)
    for symbol, label in _ORDERED_RELATIONS.items():
        rules[symbol] = Rule(RELATION, label)
    for symbol, (label, unordered) in _LOGIC.items():
        rules[symbol] = Rule(LOGIC, label, unordered)
    for symbol, label in _ADDITIVE.items():
        rules[symbol] = Rule(ADD, label, label in _UNORDERED_ADDITIVE)
    for symbol, label in _MULTIPLICATIVE.items():
        rules[symbol] = Rule(MULTIPLY, label, label in _UNORDERED_MULTIPLICATIVE)
    for symbol, label in _BIG.items():
        rules[symbol] = Rule(BIG, label)
    for symbol, label in _INTEGRALS.items():
        rules[symbol] = Rule(INTEGRAL, label)
    for name in (*_FUNCTIONS.split(), *_FUNCTION_SYNONYMS):
        rules[name] = Rule(FUNCTION, _FUNCTION_SYNONYMS.get(name, name))
    for symbol, label in _POSTFIX.items():
        rules[symbol] = Rule(POSTFIX, label)
    for symbol in _OPEN:
        rules[symbol] = Rule(OPEN, symbol)
    for symbol in _CLOSE:
        rules[symbol] = Rule(CLOSE, symbol)
    for symbol, label in _QUANTIFIERS.items():
        rules[symbol] = Rule(QUANTIFIER, label)
    for symbol in _NOTHING:
        rules[symbol] = Rule(NOTHING, symbol)
    rules["|"] = Rule(BAR, "divides")
    rules["∥"] = Rule(BAR, "parallel", True)
    rules["∣"] = Rule(BAR, "divides")
    for symbol in "∞∅⊤ℵℶ":
        rules[symbol] = Rule(LEAF, "C")
    rules["∧"] = Rule(LATTICE, "and", True)
    rules["∨"] = Rule(LATTICE, "or", True)
    rules["⊻"] = Rule(LATTICE, "xor", True)
    rules["⋏"], rules["⋎"] = rules["∧"], rules["∨"]
    rules["¬"] = Rule(PREFIX, "not")
    rules["∂"] = Rule(PREFIX, "partial")
    rules["∇"] = Rule(PREFIX, "nabla")
    rules[","] = Rule(COMMA, "list")
    rules["."] = Rule(COMMA, "list")
    rules[";"] = Rule(SEMICOLON, "sequence")
    rules[":"] = rules["∶"] = Rule(COLON, "colon")
    rules["mod"] = Rule(MODULO, "mod")
    rules[WIDE_SPACE] = Rule(DIVIDE, "list")
    return rules


RULES: dict[str, Rule] = _build()
"""The rule of each symbol that is not a plain operand."""

NABLA_PRODUCTS = {"⋅": "div", "·": "div", "×": "curl"}
"""What ``∇`` becomes before a sign of a product: a divergence, a curl."""

PREFIX_LABELS = frozenset(rule.label for rule in RULES.values() if rule.role in (FUNCTION, BIG, INTEGRAL, PREFIX))
"""Labels of known functions, big operators and what else is written before its operand."""

UNORDERED = frozenset({rule.label for rule in RULES.values() if rule.unordered} | {"set"})
"""Labels of nodes of kind ``U``."""

PREPASS = frozenset({"|", "∥", "⟨", "⟩", "∧", "∨", "⊻", "(", ":", "d", *_INTEGRALS})
"""Symbols whose role depends on more of the row than what is before them."""

_LEAF_RULE = Rule(LEAF, "")
_ROLE_OF_CLASS = {
    "additive": ADD, "multiplicative": MULTIPLY, "set-operator": MULTIPLY, "division": MULTIPLY, "big-operator": BIG,
    "integral": INTEGRAL, "open": OPEN, "close": CLOSE,
}


def rule_of_unknown(label: str, kind: str) -> Rule:
    """The rule of a symbol that :data:`RULES` does not name, by its token class.

    A written-out name (two letters or more) is a function, and a relation struck through is another relation.
    """
    if label[-1:] == "\u0338":
        rule = RULES.get(label[:-1])
        if rule is not None and rule.role in (RELATION, LOGIC):
            return Rule(rule.role, "n" + rule.label, rule.unordered)
    if kind == "V" and len(label) > 1 and label.isalpha():
        return Rule(FUNCTION, label)
    if kind != "O":
        return _LEAF_RULE
    group = token_class(label, kind)
    role = RELATION if group in RELATION_CLASSES else _ROLE_OF_CLASS.get(group)
    return _LEAF_RULE if role is None else Rule(role, label)


_CONSTANT_LETTERS = frozenset("eπℂℍℕℙℚℝℤ𝔼𝔽ℵ")


def is_fixed_name(label: str) -> bool:
    """Whether a leaf of kind V is not a variable that could as well have another name: ``π``, ``e``, ``ℝ``,
    ``rank``."""
    return label in _CONSTANT_LETTERS or (len(label) > 1 and label.isalpha())


_LETTERS_OF_FONTS = {
    font: {letter: styled(letter, font) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"}
    for font in ("cal", "frak")
}


def leaf_label(label: str, font: str) -> str:
    """The label of a leaf: calligraphic and Fraktur letters are kept apart as their Unicode letters (``ℱ``, ``𝔤``), as
    those of blackboard bold are already; other fonts are not."""
    table = _LETTERS_OF_FONTS.get(font)
    return table.get(label, label) if table is not None else label
