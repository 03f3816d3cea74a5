"""The encodings of TeX's mathematical fonts, as strings whose n-th character is that of code n.

``�`` stands for a code that has no character here; ``╞``, ``╰`` and ``╯`` are the
ends of arrows. Letters of script, blackboard and Fraktur fonts are ASCII in these tables; the style comes from the font
(:mod:`porism.corpus.pdf.families`).
"""

from __future__ import annotations

from typing import NamedTuple

UNKNOWN = "�"
ARROW_ENDS = frozenset("╞╰╯")

_GREEK = "ΓΔΘΛΞΠΣΥΦΨΩ"
_ASCII = "".join(map(chr, range(32, 127)))

OT1 = (
    _GREEK + "ﬀﬁﬂﬃﬄıȷ`´ˇ˘ˉ˚¸ßæœøÆŒØ" + " !”#$%&’()*+,-./0123456789:;¡=¿?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[“]ˆ˙"
    + "‘abcdefghijklmnopqrstuvwxyz–—˝˜¨"
)
T1 = (
    "`´ˆ˜¨˝˚ˇ˘ˉ˙¸˛‚‹›“”„«»–—��ıȷﬀﬁﬂﬃﬄ␣" + _ASCII[1:] + "-"
    "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£"
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖŒØÙÚÛÜÝÞ�àáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþß"
)
OML = (
    _GREEK + "αβγδϵζηθικλμνξπρστυϕχψωεϑϖϱςφ↼↽⇀⇁╰╯▷◁0123456789.,</>⋆∂ABCDEFGHIJKLMNOPQRSTUVWXYZ♭♮♯⌣⌢"
    "ℓabcdefghijklmnopqrstuvwxyzıȷ℘⃗⁀"
)
OMS = (
    "−⋅×∗÷⋄±∓⊕⊖⊗⊘⊙◯∘∙≍≡⊆⊇≤≥⪯⪰∼≈⊂⊃≪≫≺≻←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝′∞∈∋△▽̸╞∀∃¬∅ℜℑ⊤⊥ℵ"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ∪∩⊎∧∨⊢⊣⌊⌋⌈⌉{}⟨⟩|∥↕⇕∖≀√⨿∇∫⊔⊓⊑⊒§†‡¶♣♢♡♠"
)
MSAM = (
    "⊡⊞⊠□■⋅◊⧫↻↺⇌⇋⊟⊩⊪⊨↠↞⇇⇉⇈⇊↾⇂↿⇃↣↢⇆⇄↰↱⇝↭↫↬≗≿≳⪆⊸∴∵≑≜≾≲⪅⪕⪖⋞⋟≼≦⩽≶‵�≓≒≽≧⩾≷⊏⊐⊳⊲⊵⊴★≬▼▶◀��△▲▽≖⋚⋛⪋⪌¥⇛⇚✓⊻⊼⩞∠∡∢∝"
    "⌣⌢⋐⋑⋓⋒⋏⋎⋋⋌⫅⫆≏≎⋘⋙⌜⌝ⓇⓈ⋔∔∽⋍⌞⌟✠∁⊺⊚⊛⊝"
)
MSBM = (
    "≨≩≰≱≮≯⊀⊁≨≩≰≱⪇⪈⋠⋡⋨⋩⋦⋧≰≱⪵⪶⪹⪺⪉⪊≁≇∕∖⊊⊋⊈⊉⫋⫌⊊⊋⊊⊋⊈⊉∦∤∤∦⊬⊮⊭⊯⋭⋬⋪⋫↚↛⇍⇏⇎↮⋇∅∄ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "�����Ⅎ⅁����℧ð≂ℶℷℸ⋖⋗⋉⋊∣∥∖∼≈≊⪸⪷↶↷ϝϰkℏℏ∍"
)
LETTERS = UNKNOWN * 32 + "".join(char if char.isalnum() else UNKNOWN for char in _ASCII)

DRAWING = " " * 256
"""Of fonts whose glyphs are pieces of lines and arrows of diagrams."""


class Tall(NamedTuple):
    """A glyph that hangs from its reference point: its character, its height in em, and whether it is a piece."""

    char: str
    height: float
    is_piece: bool = False


_FENCES = "()[]⌊⌋⌈⌉{}⟨⟩"


def _tall(start: int, chars: str, height: float, is_piece: bool = False) -> dict[int, Tall]:
    return {start + number: Tall(char, height, is_piece) for number, char in enumerate(chars)}


OMX: dict[int, Tall] = {
    **_tall(0, _FENCES, 1.2), **_tall(12, "|∥", 0.6, True), **_tall(14, "/\\", 1.2), **_tall(16, "()", 1.8),
    **_tall(18, "()[]⌊⌋⌈⌉{}⟨⟩/\\", 2.4), **_tall(32, "()[]⌊⌋⌈⌉{}⟨⟩/\\", 3.0), **_tall(46, "/\\", 1.8),
    **_tall(48, "()[][]", 1.8, True), **_tall(54, "[]", 0.6, True), **_tall(56, "{}{}", 0.9, True),
    **_tall(60, "{}", 1.8, True), **_tall(62, "{", 0.3, True), **_tall(63, "↕", 0.6, True),
    **_tall(64, "()", 1.8, True), **_tall(66, "()", 0.6, True), **_tall(68, "⟨⟩", 1.8), **_tall(104, "[]⌊⌋⌈⌉{}", 1.8),
    **_tall(70, "⨆", 1.0), **_tall(71, "⨆", 1.4), **_tall(72, "∮", 1.11), **_tall(73, "∮", 2.22),
    **_tall(74, "⨀", 1.0), **_tall(75, "⨀", 1.4), **_tall(76, "⨁", 1.0), **_tall(77, "⨁", 1.4),
    **_tall(78, "⨂", 1.0), **_tall(79, "⨂", 1.4), **_tall(80, "∑∏", 1.0), **_tall(82, "∫", 1.11),
    **_tall(83, "⋃⋂⨄⋀⋁", 1.0), **_tall(88, "∑∏", 1.4), **_tall(90, "∫", 2.22), **_tall(91, "⋃⋂⨄⋀⋁", 1.4),
    **_tall(96, "∐", 1.0), **_tall(97, "∐", 1.4), **_tall(98, "̂̂̂̃̃̃", 0.3),
    **_tall(112, "√", 1.2), **_tall(113, "√", 1.8), **_tall(114, "√", 2.4), **_tall(115, "√", 3.0),
    **_tall(116, "√", 1.8, True), **_tall(117, "√", 0.6, True), **_tall(118, "√", 0.6, True),
    **_tall(119, "∥", 0.6, True), **_tall(120, "↑↓", 0.6, True), **_tall(126, "⇑⇓", 0.6, True),
    **_tall(122, "⏞⏞⏟⏟", 0.35),
}
"""Fences, big operators, radicals and their pieces; 122 to 125 are the four arms of horizontal braces."""

TEXT_VARIANTS = {
    "∶": ":", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "Ĳ": "IJ", "ĳ": "ij",
}  # fmt: skip
"""Ligatures as the letters that they print, and the sign of a ratio as the colon that it is in formulas."""

ACCENTS = {
    "`": "\\grave", "´": "\\acute", "ˇ": "\\check", "˘": "\\breve", "ˉ": "\\bar", "¯": "\\bar", "˚": "\\mathring",
    "ˆ": "\\hat", "˙": "\\dot", "˜": "\\tilde", "¨": "\\ddot", "⃗": "\\vec", "̂": "\\widehat", "̃": "\\widetilde",
    "̄": "\\bar", "̇": "\\dot", "̈": "\\ddot", "́": "\\acute", "̀": "\\grave", "̌": "\\check", "̆": "\\breve",
    "̊": "\\mathring", "⃛": "\\dddot", "̅": "\\overline", "→⃗": "\\vec",
}  # fmt: skip
"""Characters that stand over a letter, and the commands that put them there."""

ITALIC_CORRECTIONS = {
    **dict.fromkeys("BOZ", 0.05), **dict.fromkeys("CKX", 0.075), **dict.fromkeys("EST", 0.058),
    **dict.fromkeys("FPTWUMNJ", 0.12), **dict.fromkeys("VY", 0.222), "H": 0.081, "f": 0.108, "Γ": 0.139, "Υ": 0.139,
}
"""How far letters of a math italic reach beyond their width, in em: that of Computer Modern, roughly."""
