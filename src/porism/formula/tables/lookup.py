"""Which symbols mean the same, what a symbol is, and which class a label belongs to: the rules both parsers share.

The data are in :mod:`porism.formula.tables.symbols` and :mod:`porism.formula.tables.commands`; here they become
dictionaries. Everything that folds two spellings into one label happens through :data:`SYMBOLS` (LaTeX tokens and
Unicode characters) and :func:`character`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from porism.formula.tables.commands import NAME_SYNONYMS
from porism.formula.tables.symbols import SYMBOL_GROUPS

TOKEN_CLASSES = (
    "variable", "greek", "zero", "one", "number", "decimal", "constant", "function", "trigonometric", "logarithm",
    "limit", "equality", "order", "membership", "subset", "arrow", "logic", "relation", "additive", "multiplicative",
    "division", "set-operator", "big-operator", "integral", "open", "close", "bar", "separator", "accent", "prime",
    "dots", "fraction", "binomial", "root", "matrix", "group", "text", "wildcard", "error", "symbol",
)
"""Every value of :func:`token_class`."""

RELATION_CLASSES = frozenset({"equality", "order", "membership", "subset", "arrow", "logic", "relation"})

SYMBOLS: dict[str, tuple[str, str]] = {}
"""LaTeX token (``\\\\alpha``, ``x``, ``7``, ``≤``) → canonical label and kind."""

_CLASS_OF: dict[str, str] = {}
_KIND_OF: dict[str, str] = {}


def _blackboard_names() -> dict[str, tuple[str, str]]:
    """The Greek letters and fences of bboldx, which have no characters of their own: ``\\bbalpha``, ``\\bbLparen``."""
    names = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", (
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
        "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
    ).split(), strict=True))
    names |= dict(zip("()[]⟨⟩", ("Lparen", "Rparen", "Lbrack", "Rbrack", "Langle", "Rangle"), strict=True))
    return {
        f"\\{prefix}{name}": (char, "V" if char.isalpha() else "O")
        for prefix in ("bb", "bfbb", "txtbb", "txtbfbb") for char, name in names.items()
    }


def _fill_tables() -> None:
    for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ":
        SYMBOLS[letter] = (letter, "V")
    for digit in "0123456789":
        SYMBOLS[digit] = (digit, "N")
    for token_class, kind, lines in SYMBOL_GROUPS:
        # The semicolon is itself a symbol: an entry may start with it.
        for entry in re.split(r"(?<!\s)\s*;\s+|;\s*$", lines.strip()):
            words = entry.split()
            if not words:
                continue
            label = words[0]
            _CLASS_OF.setdefault(label, token_class)
            _KIND_OF.setdefault(label, kind)
            if len(label) == 1 and label not in "\\^_'~#&%$":
                SYMBOLS.setdefault(label, (label, kind))
            elif label.isascii() and label.isalpha():
                SYMBOLS.setdefault("\\" + label, (label, kind))
            for name in words[1:]:
                if name.isascii() and name.replace("@", "").isalpha():
                    SYMBOLS.setdefault("\\" + name, (label, kind))
                else:
                    SYMBOLS.setdefault(name, (label, kind))
    SYMBOLS.update(_blackboard_names())
    for token, label in {
        "\\{": "{", "\\}": "}", "\\|": "∥", "\\%": "%", "\\&": "&", "\\#": "#", "\\$": "$", "\\_": "_",
        "\\^": "^", "\\~": "~", ":=": "≔", "=:": "≕", '"': '"', "@": "@", "`": "`",
    }.items():
        SYMBOLS[token] = (label, "O")
    # What a function reads is not a symbol.
    for token in ("\\prime", "′", "\\", "{", "}", "^", "_", "~", "#", "&", "%", "$", "'", "\\div", "\\grad"):
        SYMBOLS.pop(token, None)


_fill_tables()

SCRIPT_CHARACTERS: dict[str, tuple[str, str]] = {
    **{char: ("above", plain) for char, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ°", "0123456789+-=()ni∘", strict=True)},
    **{char: ("below", plain) for char, plain in zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "0123456789+-=()", strict=True)},
    **{char: ("above", plain) for char, plain in zip(
        "ᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᶿᵠᵡ", "abcdefghjklmoprstuvwxyzABDEGHIJKLMNOPRTUVWβγθφχ",
        strict=True,
    )},
    **{char: ("below", plain) for char, plain in zip("ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", "aehijklmnoprstuvxβγρφχ", strict=True)},
}
"""Unicode characters that are scripts by themselves → side and plain character."""

VULGAR_FRACTIONS: dict[str, tuple[str, str]] = {
    "½": ("1", "2"), "⅓": ("1", "3"), "⅔": ("2", "3"), "¼": ("1", "4"), "¾": ("3", "4"), "⅕": ("1", "5"),
    "⅖": ("2", "5"), "⅗": ("3", "5"), "⅘": ("4", "5"), "⅙": ("1", "6"), "⅚": ("5", "6"), "⅛": ("1", "8"),
    "⅜": ("3", "8"), "⅝": ("5", "8"), "⅞": ("7", "8"),
}

PRIME_CHARACTERS: dict[str, int] = {"′": 1, "″": 2, "‴": 3, "⁗": 4, "’": 1}

_FONT_WORDS = {
    "DOUBLE-STRUCK": "bb", "BOLD": "bf", "SCRIPT": "cal", "FRAKTUR": "frak", "BLACK-LETTER": "frak", "SANS-SERIF": "sf",
    "MONOSPACE": "tt", "ITALIC": "",
}
_BLACKBOARD = {"C": "ℂ", "H": "ℍ", "N": "ℕ", "P": "ℙ", "Q": "ℚ", "R": "ℝ", "Z": "ℤ"}
_LETTERLIKE = frozenset("ℂℍℕℙℚℝℤℬℰℱℋℐℒℳℛℯℊℴℭℌℑℜℨℎℓ℘ϒϴ")
_CLOSING = dict(zip("([{⟨⌊⌈⟦|∥⟪⦃⦅⦇⦉⟅⟬⟮⎰⦀", ")]}⟩⌋⌉⟧|∥⟫⦄⦆⦈⦊⟆⟭⟯⎱⦀", strict=True))

MATRIX_FENCES: dict[tuple[str, str], str] = {pair: "".join(pair) for pair in _CLOSING.items()}
"""Fences that belong to the matrix that they enclose → its label."""

DROPPED_AT_END = frozenset({",", ".", ";", ":"})
"""Punctuation that ends a sentence and not the formula; dropped at the end of a formula and of a cell."""


def blackboard(letter: str) -> str:
    """The blackboard-bold form of a letter or digit (``R`` gives ``ℝ``), or the argument where there is none."""
    if letter in _BLACKBOARD:
        return _BLACKBOARD[letter]
    if len(letter) == 1 and letter.isascii():
        if "A" <= letter <= "Z":
            return chr(0x1D538 + ord(letter) - 65)
        if "a" <= letter <= "z":
            return chr(0x1D552 + ord(letter) - 97)
        if "0" <= letter <= "9":
            return chr(0x1D7D8 + ord(letter) - 48)
    return letter


def plain_blackboard(label: str) -> str:
    """The letter under a blackboard-bold label: ``ℝ`` gives ``R``."""
    return unicodedata.normalize("NFKC", label)


@lru_cache(maxsize=4096)
def character(char: str) -> tuple[str, str, str] | None:
    """Label, kind and font of one character; None for white space and what cannot be seen.

    Mathematical alphabets are folded to the plain letter and a font (``𝐱`` is ``x`` in ``bf``); blackboard bold keeps
    its own character. A character that cannot be text (a surrogate) is kind ``E``.
    """
    known = SYMBOLS.get(char)
    if known is not None:
        return (*known, "")
    code = ord(char)
    if char == "′":
        return "′", "O", ""
    if char == "\\":
        return "∖", "O", ""
    if 0xD800 <= code <= 0xDFFF or code == 0xFFFD:
        return "\ufffd", "E", ""
    category = unicodedata.category(char)
    if category[0] in "ZC" or 0xFE00 <= code <= 0xFE0F:  # the latter are variation selectors
        return None
    if 0x1D400 <= code <= 0x1D7FF or char in _LETTERLIKE:
        return _alphabet_character(char)
    plain = unicodedata.normalize("NFKC", char)
    if len(plain) != 1 or plain in "{}\\^_":
        plain = char
    known = SYMBOLS.get(plain)
    if known is not None:
        return (*known, "")
    category = unicodedata.category(plain)
    return plain, "V" if category[0] == "L" else "N" if category[0] == "N" else "O", ""


def _alphabet_character(char: str) -> tuple[str, str, str]:
    words = unicodedata.name(char, "").split()
    # The most telling word wins: a bold fraktur letter is fraktur.
    fonts = [_FONT_WORDS[word] for word in words if word in _FONT_WORDS]
    font = next((font for font in ("bb", "cal", "frak", "sf", "tt", "bf") if font in fonts), "")
    # One step only: NFKC would go on from 𝜙, which is ϕ, to φ.
    *_, code = unicodedata.decomposition(char).split() or (f"{ord(char):x}",)
    plain = chr(int(code, 16))
    if font == "bb":
        return blackboard(plain), "V", "bb"
    label, kind = SYMBOLS.get(plain, (plain, "V"))
    if font not in ("", "bf") and not plain.isascii():
        font = "bf" if "bf" in fonts else ""  # as fonts of LaTeX other than bold leave Greek letters alone
    if kind == "N" and font != "bf":
        font = ""  # and digits
    return label, kind, font if kind in "VN" else ""


def canonical_name(name: str) -> str:
    """The label of a written-out operator name: spaces gone, synonyms folded (``arctg`` is ``arctan``)."""
    name = " ".join(name.split())
    name = NAME_SYNONYMS.get(name, name.replace(" ", ""))
    known = SYMBOLS.get("\\" + name)
    if known is not None and known[1] == "V" and len(known[0]) > 1:
        return known[0]
    return name


def canonical_number(text: str) -> str:
    """The label of a number: group separators gone, a point for a decimal comma, and a zero before a leading point.

    A comma is a decimal one where what follows is not a group of three digits (``3{,}14``), or the number begins with
    0.
    """
    if text.isdecimal():
        return text
    text = "".join(text.replace("{,}", ",").replace("\\,", "").replace("\\", "").split())
    if "," in text:
        whole, *groups = text.split(",")
        is_decimal = len(groups) == 1 and "." not in text and (whole == "0" or len(groups[0]) != 3)
        text = f"{whole}.{groups[0]}" if is_decimal else whole + "".join(groups)
    return "0" + text if text[:1] == "." else text


@lru_cache(maxsize=1024)
def negated(label: str) -> str:
    """The label of a symbol struck through: ``=`` gives ``≠``; with a combining stroke where there is no other."""
    composed = "∤" if label == "|" else unicodedata.normalize("NFC", label + "\u0338")
    known = SYMBOLS.get(composed)
    return known[0] if known is not None else composed


def kind_of(label: str) -> str:
    """``V``, ``N`` or ``O`` for the label of a symbol, as the parsers choose it."""
    known = _KIND_OF.get(label)
    if known is not None:
        return known
    if label[:1].isdigit():
        return "N"
    return "V" if label[:1].isalpha() else "O"


_CLASS_OF_NAME = (
    ("INTEGRAL", "integral"), ("N-ARY", "big-operator"), ("HARPOON", "arrow"), ("ARROW", "arrow"), ("ARROWS", "arrow"),
    ("SUBSET", "subset"), ("SUPERSET", "subset"), ("ELEMENT", "membership"), ("CONTAINS", "membership"),
    ("LESS-THAN", "order"), ("GREATER-THAN", "order"), ("PRECEDES", "order"), ("SUCCEEDS", "order"),
    ("TURNSTILE", "logic"), ("EQUAL", "equality"), ("EQUALS", "equality"), ("EQUIVALENT", "equality"),
    ("IDENTICAL", "equality"), ("SIMILAR", "equality"), ("TILDE", "equality"), ("PLUS", "additive"),
    ("MINUS", "additive"), ("MULTIPLICATION", "multiplicative"), ("TIMES", "multiplicative"),
    ("CIRCLED", "multiplicative"), ("LOGICAL", "logic"), ("UNION", "set-operator"), ("INTERSECTION", "set-operator"),
)
"""Word of a character's Unicode name → its class; the first that is there counts."""


@lru_cache(maxsize=4096)
def _class_of_character(char: str) -> str:
    """The class of a sign that no table lists, by its category and name in Unicode."""
    category = unicodedata.category(char)
    if category in ("Ps", "Pe"):
        return "open" if category == "Ps" else "close"
    if category == "Sm" or 0x2190 <= ord(char) <= 0x21FF or 0x2900 <= ord(char) <= 0x2BFF:
        words = set(unicodedata.name(char, "").split())
        return next((sign_class for word, sign_class in _CLASS_OF_NAME if word in words), "symbol")
    return "symbol"


_CLASS_OF_KIND = {"R": "root", "M": "matrix", "G": "group", "T": "text", "W": "wildcard", "E": "error"}


def token_class(label: str, kind: str = "") -> str:
    """The class of a label, one of :data:`TOKEN_CLASSES`.

    The label alone decides for symbols. ``kind`` (of a layout node) settles structures: fraction, binomial, root,
    matrix, group, text, wildcard, error; without it a label of theirs is read as a symbol.
    """
    if kind:
        if kind == "F":
            return "binomial" if label == "choose" else "fraction"
        structure = _CLASS_OF_KIND.get(kind)
        if structure is not None:
            return structure
    known = _CLASS_OF.get(label)
    if known is not None:
        return known
    if label in ("choose", "√"):
        return "binomial" if label == "choose" else "root"
    first = label[:1]
    if first.isdigit() and kind != "V":
        if label in {"0", "1"}:
            return "zero" if label == "0" else "one"
        return "decimal" if "." in label else "number"
    if first.isalpha():
        return "variable" if len(label) == 1 else "function"
    if label.endswith("\u0338"):
        return token_class(label[:-1])
    return _class_of_character(label) if len(label) == 1 else "symbol"


def is_limit_operator(label: str) -> bool:
    """Whether what is over or under this symbol are its limits: ``∑``, ``⋃``, ``∫``, ``lim``, ``max``…"""
    return _CLASS_OF.get(label) in {"big-operator", "integral", "limit"} or label in {"det", "gcd", "Pr"}


def closing_fence(label: str) -> str:
    """The fence that closes this one (``(`` gives ``)``), or an empty string."""
    return _CLOSING.get(label, "")
