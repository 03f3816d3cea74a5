"""The fonts of a document: which glyph each code of a string is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from porism.corpus.pdf.encodings import (
    ACCENTS,
    ARROW_ENDS,
    ITALIC_CORRECTIONS,
    OML,
    OMS,
    OMX,
    OT1,
    T1,
    TEXT_VARIANTS,
    UNKNOWN,
)
from porism.corpus.pdf.families import (
    GLYPH_NAMES,
    HEIGHTS,
    LARGE,
    LARGE_NAME,
    NAMED_STYLES,
    OMX_NAME,
    STYLED_NAME,
    Family,
    family_of,
    style_of,
)
from porism.corpus.pdf.marks import Glyph, Kind
from porism.corpus.pdf.outlines import Extents
from porism.formula.tables.alphabets import styled
from porism.formula.tables.lookup import token_class

_SUBSET = re.compile(r"\A[A-Z]{6}\+")
_BUILT_IN = re.compile(rb"dup\s+(\d{1,3})\s*/(\S+)\s+put")
_MAX_HEADER = 65_536
_BITMAP_NAME = re.compile(r"[a-zA-Z]?\d+\Z|\.notdef\Z")
"""TeX's bitmap fonts name their glyphs by their codes."""
_SELECTORS = re.compile("[\ufe00-\ufe0f]")
"""Characters that choose a variant of the one before them."""
_VALID = re.compile(r"(?:uni|u)([0-9A-F]{4,6})")
BITMAP = "bitmap font"
"""The name of such fonts, which have none."""
BIG_OPERATORS = frozenset("∑∏∫∮∐⋃⋂⨄⋀⋁⨆⨀⨁⨂∬∭")
_PIECES = {
    **dict.fromkeys("⎛⎜⎝", "("), **dict.fromkeys("⎞⎟⎠", ")"), **dict.fromkeys("⎡⎢⎣", "["), **dict.fromkeys("⎤⎥⎦", "]"),
    **dict.fromkeys("⎧⎨⎩", "{"), **dict.fromkeys("⎫⎬⎭", "}"), "⎪": "{",
}  # fmt: skip
_TALL = frozenset("()[]{}⌊⌋⌈⌉⟨⟩|∥‖√") | BIG_OPERATORS | frozenset(_PIECES)
_ESCAPED = {
    "{": "\\{", "}": "\\}", "%": "\\%", "#": "\\#", "&": "\\&", "$": "\\$", "_": "\\_", "^": "\\wedge", "~": "\\sim",
    "\\": "\\backslash",
}  # fmt: skip
_LETTER_STYLES = {"SANS-SERIF": "sf", "MONOSPACE": "tt"}
_MATHEMATICAL = re.compile(r"[\U0001D400-\U0001D7FF]")


class Font:
    """One font: glyphs by code.

    :param font: of pdfminer, which knows widths and ``ToUnicode``.
    :param spec: its dictionary, resolved.
    """

    def __init__(self, font: Any, spec: Mapping[str, Any]) -> None:
        self._font = font
        base = getattr(spec.get("BaseFont"), "name", "")
        self.name = _SUBSET.sub("", str(font.fontname if font.fontname != "unknown" else base))
        self.is_wide = bool(font.is_multibyte())
        self.family: Family | None = family_of(self.name)
        self.is_math = self.family is not None and self.family.is_math
        self.style = self.family.style if self.family is not None else style_of(self.name)
        self._names = {} if self.is_wide else glyph_names(spec)
        self.glyphs: dict[int, Glyph] = {}
        self.unknown = 0
        encoding = self.family.encoding if self.family is not None else ""
        self._encoding = "" if encoding == OMX_NAME or self._is_recoded(encoding) else encoding
        self._extent = Extents(font.descriptor if isinstance(font.descriptor, dict) else None)
        is_type3 = getattr(spec.get("Subtype"), "name", "") == "Type3"
        self.is_bitmap = is_type3 and all(_BITMAP_NAME.match(name) for name in self._names.values())
        """Whether its glyphs are pictures without names, whose codes say what they are at best."""
        if self.is_bitmap:
            self.name = BITMAP

    def _is_recoded(self, encoding: str) -> bool:
        """Whether the letters of a font are at other codes than its encoding says."""
        return any(
            code < len(encoding) and encoding[code].isascii() and (char := char_named(name)).isascii() and char
            and encoding[code] != char
            for code, name in self._names.items()
        )

    @property
    def is_damaged(self) -> bool:
        """Whether what draws its glyphs could not be read, so that heights are those that such signs have elsewhere."""
        return self._extent.is_damaged

    def codes(self, text: bytes) -> Iterable[int]:
        """The codes in a string."""
        return self._font.decode(text) if self.is_wide else text

    def glyph(self, code: int) -> Glyph:
        """The glyph of a code, which is then in ``glyphs`` too."""
        glyph = self.glyphs[code] = self._made(code)
        if glyph.char == UNKNOWN:
            self.unknown += 1
        return glyph

    def _made(self, code: int) -> Glyph:
        width = self._width(code)
        name = self._names.get(code, "")
        if (large := self._large(code, name, width)) is not None:
            return large
        if self._encoding is OMS and code == 112:
            return Glyph("√", "√", "tall", width, 0.04, -0.96, True)
        if (styled_name := STYLED_NAME.match(name)) is not None and self.is_math:
            letter, style = styled_name[1], NAMED_STYLES[styled_name[2]]
            return Glyph(letter, in_style(letter, style), "char", width, is_math=True)
        char = GLYPH_NAMES.get(name, "") if "." in name else ""
        if char_named(name) in ("↦", "↩", "↪") and code < len(self._encoding) and self._encoding[code] in ARROW_ENDS:
            char = self._encoding[code]  # an end of an arrow has the name of the whole one
        if not char and _VALID.match(name):
            char = char_named(name)
            if not char and self.style in ("cal", "bb", "frak") and chr(code).isascii() and chr(code).isalpha():
                char = chr(code)
        if not char and code < len(self._encoding):
            char = self._encoding[code]
        if not char and self.is_bitmap:
            char = (OT1 if 10 < code < 16 else T1)[code] if code < len(T1) else ""
        if char in ("", UNKNOWN):
            char = GLYPH_NAMES.get(name, "") if self.is_math else ""
            char = char or char_named(name) or self._unicode(code, is_named=bool(name))
        is_greek = self._encoding is OT1 and code < 11  # text fonts have these letters for formulas alone
        glyph = self._glyph(char, width, self.is_math or is_greek)
        return self._with_extent(glyph, code, name) if glyph.is_math and glyph.char in _TALL else glyph

    def _with_extent(self, glyph: Glyph, code: int, name: str) -> Glyph:
        """A sign of a mathematical font that comes in many sizes, as high as it is drawn."""
        extent = self._extent(code, name)
        if extent is None or extent[0] - extent[1] < 0.3:
            return glyph
        is_tall = extent[0] - extent[1] > 1.12 or glyph.char in BIG_OPERATORS or glyph.char == "√"
        is_piece = glyph.kind == "piece" or name.endswith(".x")
        kind: Kind = "piece" if is_piece else "tall" if is_tall else glyph.kind
        return glyph._replace(kind=kind, top=extent[0], bottom=extent[1])

    def _glyph(self, char: str, width: float, is_math: bool) -> Glyph:
        char = _SELECTORS.sub("", char)
        if not char or char == UNKNOWN:
            return Glyph(UNKNOWN, UNKNOWN, width=width, is_math=is_math)
        if char.isspace() or char == "\u00ad":
            return Glyph(" ", "", width=width)
        text = char = TEXT_VARIANTS.get(char, char)
        if _MATHEMATICAL.match(char):
            is_math = True
            words = unicodedata.name(char, "").split()
            style = next((style for word, style in _LETTER_STYLES.items() if word in words), "")
            if style:
                plain = unicodedata.normalize("NFKC", char)
                return Glyph(plain, plain, "char", width, 0.7, -0.22, True, style)
        if char in _PIECES:
            return Glyph(char, _ESCAPED.get(_PIECES[char], _PIECES[char]), "piece", width, 0.8, -0.3, True)
        if char in "⏞⏟⎴":
            return Glyph(char, char, "piece", width, 0.12, -0.25, True)
        if char == "√" and is_math:
            return Glyph(char, char, "tall", width, 0.8, -0.2, True)
        if char in BIG_OPERATORS:
            return Glyph(char, char, "tall", width, 0.75, -0.25, True)
        if char in ACCENTS:
            return Glyph(char, ACCENTS[char], "accent", width, 0.7, 0.5, is_math)
        if is_math:
            text = "∘" if char == "◦" else text
            if self.is_math and self.style == "rm" and text.isascii() and text.isalpha():
                return Glyph(text, text, "char", width, 0.7, -0.22, True, "rm")
            latex = in_style(text, self.style) if self.is_math else text
            is_italic = self._encoding is OML or bool(_MATHEMATICAL.match(char))
            is_upright = self.name.startswith("EUR")
            plain = unicodedata.normalize("NFKC", char)
            reach = ITALIC_CORRECTIONS.get(plain, 0.0) if is_italic and not is_upright else 0.0
            latex = _ESCAPED.get(latex, latex)
            return Glyph(text, latex, "char", width, 0.7, -0.22, True, "", reach)
        return Glyph(text, _ESCAPED.get(text, text), "char", width, 0.7, -0.22, False, self.style)

    def _large(self, code: int, name: str, width: float) -> Glyph | None:
        """A large sign in a font like ``cmex``, by its name or code; None for any other."""
        if (large := LARGE_NAME.match(name)) is not None and large[1] in LARGE:
            char, height = LARGE[large[1]], HEIGHTS[large[2]]
            is_piece = large[2] in ("tp", "bt", "ex", "mid")
            if char in "{}" and large[2] in ("tp", "bt", "ex"):  # a brace has one more piece than other fences
                height /= 2
            if large[1].endswith("integral"):
                height = 2.22 if large[2] == "display" else 1.11
        elif code in OMX and self.family is not None and self.family.encoding == OMX_NAME and not _VALID.match(name):
            char, height, is_piece = OMX[code]
        else:
            return None
        if char in ACCENTS:
            return Glyph(char, ACCENTS[char], "accent", width, 0.75, 0.5, True)
        if char in "⏞⏟":
            return self._glyph(char, width, True)
        extent = None if self.name.startswith(("CMEX", "LMMath")) else self._extent(code, name)
        top, bottom = extent if extent is not None and extent[0] - extent[1] > 0.1 else (0.04, 0.04 - height)
        return Glyph(char, _ESCAPED.get(char, char), "piece" if is_piece else "tall", width, top, bottom, True)

    def _width(self, code: int) -> float:
        try:
            return float(self._font.char_width(code))
        except (TypeError, ValueError, KeyError):
            return 0.5

    def _unicode(self, code: int, is_named: bool) -> str:
        """What the table ``ToUnicode`` says, else the encoding; that is not of glyphs with names of their own."""
        if is_named and self.is_math and getattr(self._font, "unicode_map", None) is None:
            return ""
        try:
            char = str(self._font.to_unichr(code))
        except Exception as error:  # pdfminer raises its own errors, and those of what is broken in a font
            if isinstance(error, MemoryError):
                raise
            return ""
        return "" if char.startswith("(cid:") or (len(char) == 1 and 0xE000 <= ord(char) < 0xF900) else char


def in_style(char: str, style: str) -> str:
    """A character of a mathematical font in its style."""
    if not style or style == "rm" or not char.isalnum() or len(char) != 1:
        return char
    if style == "bi":
        return f"\\mathbf{{{char}}}"
    shown = styled(char, style)
    return shown if shown != char or not char.isascii() else f"\\math{style}{{{char}}}"


def glyph_names(spec: Mapping[str, Any]) -> dict[int, str]:
    """The names of the glyphs of a simple font, by code: as its dictionary says, else the font program."""
    from pdfminer.pdftypes import resolve1

    names: dict[int, str] = {}
    descriptor = resolve1(spec.get("FontDescriptor"))
    program: Any = resolve1(descriptor.get("FontFile")) if isinstance(descriptor, dict) else None
    if program is not None and hasattr(program, "get_data"):
        header = program.get_data()[:_MAX_HEADER]
        names = {int(code): name.decode("latin-1") for code, name in _BUILT_IN.findall(header)}
    encoding = resolve1(spec.get("Encoding"))
    if isinstance(encoding, dict):
        code = 0
        for entry in resolve1(encoding.get("Differences")) or ():
            entry = resolve1(entry)
            if isinstance(entry, int):
                code = entry
            else:
                name = getattr(entry, "name", "")
                names[code] = name.decode("latin-1") if isinstance(name, bytes) else str(name)
                code += 1
    return names


def char_named(name: str) -> str:
    """The character that a glyph's name stands for, empty where it is not known."""
    if not name or name == ".notdef":
        return ""
    base = name.partition(".")[0]
    if "_" in base:  # a ligature
        return "".join(map(char_named, base.split("_")))
    match = _VALID.fullmatch(base)
    if match is not None:
        number = int(match.group(1), 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xF900 else ""
    from pdfminer.glyphlist import glyphname2unicode

    return str(glyphname2unicode.get(base, ""))


def class_of(latex: str) -> str:
    """The token class of a character of a formula."""
    from porism.formula.tables.lookup import SYMBOLS

    known = SYMBOLS.get(latex)
    return token_class(known[0]) if known is not None else "symbol"
