"""How high glyphs are, from the font programs of a PDF; fontTools reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

Extent = tuple[float, float]
"""Top and bottom in em, relative to the baseline."""
ExtentOf = Callable[[int, str], Extent | None]
"""Code and name of a glyph → its extent; None where it is not known."""

MAX_PROGRAM = 8 * 1024 * 1024
MAX_TYPE1 = 512 * 1024
_CHARSTRING = re.compile(rb"/(\S+)\s+(\d+)\s+(?:RD|-\|)\s")
_SUBROUTINE = re.compile(rb"dup\s+(\d+)\s+(\d+)\s+(?:RD|-\|)\s")
_LENGTH_IV = re.compile(rb"/lenIV\s+(\d+)")


class Extents:
    """The extents of the glyphs of a font with this descriptor; the program is read at the first request."""

    def __init__(self, descriptor: Mapping[str, Any] | None) -> None:
        self._descriptor = descriptor or {}
        self._extent_of: ExtentOf | None = None
        self.is_damaged = False
        """Whether the program, or a glyph of it until now, could not be read."""

    def __call__(self, code: int, name: str) -> Extent | None:
        try:
            if self._extent_of is None:
                self._extent_of = _nothing
                self._extent_of = _program(self._descriptor)
            return self._extent_of(code, name)
        except (MemoryError, RecursionError):
            raise
        except Exception:  # what is broken in a program raises anything; the document is reported
            self.is_damaged = True
            return None


def _nothing(code: int, name: str) -> Extent | None:
    return None


def _program(descriptor: Mapping[str, Any]) -> ExtentOf:
    from pdfminer.pdftypes import resolve1

    for key, reader in (("FontFile", _type1), ("FontFile3", _compact), ("FontFile2", _true_type)):
        stream = resolve1(descriptor.get(key))
        if hasattr(stream, "get_data"):
            data = stream.get_data()
            if len(data) <= MAX_PROGRAM:
                return reader(data)
    return _nothing


def _bounds(glyph: Any, glyphs: Any, unit: float) -> Extent | None:
    from fontTools.pens.boundsPen import BoundsPen

    pen = BoundsPen(glyphs)
    glyph.draw(pen)
    return None if pen.bounds is None else (pen.bounds[3] / unit, pen.bounds[1] / unit)


def _compact(data: bytes) -> ExtentOf:
    if data[:4] in (b"OTTO", b"\x00\x01\x00\x00", b"true"):
        return _true_type(data)
    from fontTools.cffLib import CFFFontSet

    fonts = CFFFontSet()
    fonts.decompile(BytesIO(data), None)
    font = fonts[0]
    glyphs = font.CharStrings
    is_cid = hasattr(font, "ROS")

    def extent(code: int, name: str) -> Extent | None:
        key = f"cid{code:05d}" if is_cid else name
        if key not in glyphs and not is_cid and code < len(font.charset):
            key = font.charset[code]
        return _bounds(glyphs[key], None, 1000) if key in glyphs else None

    return extent


def _true_type(data: bytes) -> ExtentOf:
    from fontTools.ttLib import TTFont

    font = TTFont(BytesIO(data), lazy=True)
    unit = float(font["head"].unitsPerEm) if "head" in font else 1000.0
    glyphs = font.getGlyphSet() if "glyf" not in font else None
    order = font.getGlyphOrder()

    def extent(code: int, name: str) -> Extent | None:
        key = name if name in order else order[code] if code < len(order) else ""
        if not key:
            return None
        if glyphs is not None:
            return _bounds(glyphs[key], glyphs, unit)
        glyph = font["glyf"][key]
        return (glyph.yMax / unit, glyph.yMin / unit) if glyph.numberOfContours else None

    return extent


def _type1(data: bytes) -> ExtentOf:
    from fontTools.misc.psCharStrings import T1CharString

    start = data.find(b"eexec")
    if start < 0 or len(data) > MAX_TYPE1:
        return _nothing
    start += 5
    while data[start : start + 1] in (b"\r", b"\n", b" "):
        start += 1
    private = _decrypted(data[start:], 55665)
    match = _LENGTH_IV.search(private)
    skip = int(match.group(1)) if match else 4

    def charstring(place: int, length: int) -> Any:
        return T1CharString(_decrypted(private[place : place + length], 4330)[skip:], subrs=subroutines)

    where = max(private.find(b"/CharStrings"), 0)
    subroutines = _Subroutines(charstring)
    for entry in _SUBROUTINE.finditer(private, 0, where):
        subroutines.places[int(entry.group(1))] = entry.end(), int(entry.group(2))
    glyphs = {
        entry.group(1).decode("latin-1"): (entry.end(), int(entry.group(2)))
        for entry in _CHARSTRING.finditer(private, where)
    }

    def extent(code: int, name: str) -> Extent | None:
        return _bounds(charstring(*glyphs[name]), None, 1000) if name in glyphs else None

    return extent


class _Subroutines:
    """The subroutines of a font by number; most are never called, so that each is decrypted when it is."""

    def __init__(self, charstring: Callable[[int, int], Any]) -> None:
        self._charstring = charstring
        self.places: dict[int, tuple[int, int]] = {}

    def __len__(self) -> int:
        return max(self.places, default=-1) + 1

    def __getitem__(self, number: int) -> Any:
        return self._charstring(*self.places[number])


def _decrypted(data: bytes, key: int) -> bytes:
    """Bytes of a Type 1 font in plain (Adobe Type 1 Font Format, chapter 7)."""
    plain = bytearray(len(data))
    for place, byte in enumerate(data):
        plain[place] = byte ^ key >> 8
        key = (byte + key) * 52_845 + 22_719 & 0xFFFF
    return bytes(plain)
