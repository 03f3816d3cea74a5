"""Which fonts are set in which encoding, by their names, and what the names of glyphs mean."""

from __future__ import annotations

import re
from typing import NamedTuple

from porism.corpus.pdf.encodings import DRAWING, LETTERS, MSAM, MSBM, OML, OMS, OT1

OMX_NAME = "OMX"


class Family(NamedTuple):
    """Fonts of one kind: a pattern of their names, the encoding of their codes, and what their characters are.

    ``encoding`` is a table, ``OMX`` for fonts of large signs, or empty where the names of glyphs or Unicode say more.
    ``style`` is a style of text fonts or, of a mathematical font, that of its letters; ``is_math`` says which.
    """

    pattern: str
    encoding: str
    style: str
    is_math: bool


FAMILIES = tuple(
    (re.compile(family.pattern), family) for family in (
        Family(r"STIXMath(Script|Callig)", "", "cal", True),
        Family(r"[Tt]xsyc|[Pp]xsyc|Kp--M-Sy[cd]|.*Symbol[ABC]-|stxscr", "", "cal", True),
        Family(r"CMEX|LMMathExtension|[Pp]xexa?|[Tt]xexa?s?$|EUEX|.*-Extension-\d|Kp--M-Ex", OMX_NAME, "", True),
        Family(r"CMMIB|LMMathItalic.*Bold|NewTXBMI|[Rr]?txbmi|[Rr]?pxbmi|.*Bold.*-MathItalic-", OML, "bi", True),
        Family(r"CMMI|LMMathItalic|EURM|[Rr]?[tp]xmi|New[TP]XMI|.*-MathItalic-\d|ntxmi|zplmi", OML, "", True),
        Family(r"CMBSY", OMS, "cal", True),
        Family(r"CMSY|LMMathSymbols|[Tt]xsys?$|[Pp]xsys?$|.*-Symbol-\d|Kp--M-Sy-", OMS, "cal", True),
        Family(r"MSAM|[Tt]xsya|[Pp]xsya|Kp--M-Sya", MSAM, "", True),
        Family(r"MSBM|[Tt]xsyb|[Pp]xsyb|Kp--M-Syb", MSBM, "bb", True),
        Family(r"EUFM|EUFB|[Tt]xmia|[Pp]xmia", LETTERS, "frak", True),
        Family(r"EUS[MB]|rsfs|RSFS|[Bb]oondox-?[Cc]al|.*Calligra|.*-Cal$|.*MathScript", LETTERS, "cal", True),
        Family(r"BBM|bbm|BBOLD|DSROM|dsrom|BBM?SS|.*Black[Bb]oard|Boondox-?DS", LETTERS, "bb", True),
        Family(r"Kp--M-Italic|Fourier-Math-Letters-Italic|PazoMath-Italic|STIXMath-Italic", "", "", True),
        Family(r"STIXMathSans", "", "sf", True),
        Family(r"OpenSymbol", "", "rm", True),
        Family(r"Kp--M|Fourier-Math|PazoMath|STIX(Two)?Math|StandardSym|Symbol$|.*Math|Asana", "", "rm", True),
        Family(r"XY(DASH|[AB]TIP|BSQL|CIRC|CM[AB]T|EU[AB]T)|L(INE|CIRCLE)W?\d", DRAWING, "", False),
        Family(r"CMBX(?!TI)|CMB\d", OT1, "bf", False),
        Family(r"CM(TI|SL|BXTI|BXSL|U)\d", OT1, "it", False),
        Family(r"CMSS", OT1, "sf", False),
        Family(r"CM(TT|TCSC|SLTT|ITT)|CMVTT", "", "tt", False),
        Family(r"CM(R|CSC|FIB|DUNH)\d|MR?T?EUR|[Rr]txr$|[Rr]pxr$|.*-OT1-\d", OT1, "rm", False),
    )
)
"""The first that fits counts."""

_STYLES = (
    ("tt", re.compile(r"Mono|Courier|Typewriter|Cursor|Consol|[a-z]tt\b|TT\d|LMMono|Inconsolata|Nimbus ?Mon|Menlo")),
    ("bi", re.compile(r"Bold.?(Ital|Obli)|Demi.?(Ital|Obli)|Medi.?Ital|BoldIt|-BdIt|BXTI|CMMIB")),
    ("it", re.compile(r"Ital|Obli|Slanted|-It\b|[a-z]It$|,It|SFTI|SFSL|LMRomanSlant")),
    ("bf", re.compile(r"Bold|Demi|Black|Heavy|-Medi$|-Bd|SFBX|LMRomanDemi|Kp-Medium")),
    ("sf", re.compile(r"Sans|Helvet|Arial|Heros|NimbusSan|LMSans|SFSS|Calibri|Sf-")),
)


def family_of(name: str) -> Family | None:
    """The family of a font without the six letters of a subset before its name."""
    return next((family for pattern, family in FAMILIES if pattern.match(name)), None)


def style_of(name: str) -> str:
    """The style of a text font."""
    return next((style for style, pattern in _STYLES if pattern.search(name)), "rm")


GLYPH_NAMES = dict(
    entry.split("=") for entry in """
    arrowdblright=⇒ arrowdblleft=⇐ arrowdblboth=⇔ arrowright=→ arrowleft=← arrowboth=↔ asteriskmath=∗ bardbl=∥
    angbracketleft=⟨ angbracketright=⟩ angleleft=⟨ angleright=⟩ circlemultiply=⊗ circleplus=⊕ circleminus=⊖
    circledivide=⊘ circledot=⊙ openbullet=∘ bullet=∙ element=∈ owner=∋ existential=∃ universal=∀ equivalence=≡
    lessequal=≤ greaterequal=≥ infinity=∞ minus=− multiply=× periodcentered=⋅ prime=′ similar=∼
    similarequal=≃ simequal=≅ approxequal=≈ congruent=≅ proportional=∝ logicaland=∧ logicalor=∨ logicalnot=¬ union=∪
    intersection=∩ unionmulti=⊎ reflexsubset=⊆ reflexsuperset=⊇ propersubset=⊂ propersuperset=⊃ subset=⊂ superset=⊃
    subsetnoteql=⊊ floorleft=⌊ floorright=⌋ ceilingleft=⌈ ceilingright=⌉ emptyset=∅ partialdiff=∂ gradient=∇
    radical=√ integral=∫ summation=∑ product=∏ perpendicular=⊥ turnstileleft=⊢ turnstileright=⊣ latticetop=⊤
    backslash=∖ wreathproduct=≀ diamondmath=⋄ plusminus=± minusplus=∓ precedesequal=⪯ followsequal=⪰ lessmuch=≪
    greatermuch=≫ precedes=≺ follows=≻ negationslash≠ aleph=ℵ Rfractur=ℜ Ifractur=ℑ weierstrass=℘ epsilon1=ε
    theta1=ϑ pi1=ϖ rho1=ϱ sigma1=ς phi1=φ epsilon=ϵ phi=ϕ dotlessi=ı dotlessj=ȷ lscript=ℓ star=⋆ dblarrowheadright=↠
    squiggleright=⇝ triangleleftequal=⊴ trianglerightequal=⊵ square=□ squaresolid=■ squaresmallsolid=⋅ nequal=≠
    slurabove=⌢ slurbelow=⌣ natural=♮ flat=♭ sharp=♯ vector=⃗ arrowhookleft=╰ arrowhookright=╯
    hookrightchar=╰ hookleftchar=╯ mapsto=╞ nabla=∇ notequal=≠ dotmath=⋅
    braceleft={ braceright=} arrowvertex=| bar=| Delta=Δ Omega=Ω mu=μ tildewide=̃ hatwide=̂ complement=∁
    slash=/ fraction=/ uni2190.x=− uni2192.x=− suppress≠ colonequal=≔ less=< greater=> plus=+ ellipsis=…
    """.split()
)
"""Names of glyphs that stand for something else than Adobe's list says, or that it does not know."""

LARGE = {
    "parenleft": "(", "parenright": ")", "bracketleft": "[", "bracketright": "]", "floorleft": "⌊", "floorright": "⌋",
    "ceilingleft": "⌈", "ceilingright": "⌉", "braceleft": "{", "braceright": "}", "angbracketleft": "⟨",
    "angbracketright": "⟩", "radical": "√", "slash": "/", "backslash": "∖", "angleleft": "⟨", "angleright": "⟩",
    "unionsq": "⨆", "contintegral": "∮", "circledot": "⨀", "circleplus": "⨁", "circlemultiply": "⨂",
    "summation": "∑", "product": "∏", "integral": "∫", "union": "⋃", "intersection": "⋂", "unionmulti": "⨄",
    "logicaland": "⋀", "logicalor": "⋁", "coproduct": "∐",
}  # fmt: skip
HEIGHTS = {
    "big": 1.2, "Big": 1.8, "bigg": 2.4, "Bigg": 3.0, "text": 1.0, "display": 1.4, "tp": 1.8, "bt": 1.8, "ex": 0.6,
    "mid": 1.8,
}  # fmt: skip
LARGE_NAME = re.compile(r"([A-Za-z]+?)(big|Big|bigg|Bigg|text|display|tp|bt|ex|mid)[\d.]*\Z")
STYLED_NAME = re.compile(r"([A-Za-z])(bbb|cal|frak|scr)\Z")
NAMED_STYLES = {"bbb": "bb", "cal": "cal", "frak": "frak", "scr": "cal"}
