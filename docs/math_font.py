"""Makes the font of formulas on web pages: ``python docs/math_font.py NewCMMath-Book.otf``.

It takes what formulas need of New Computer Modern Math (Antonis Tsolomitis, GUST Font License; CTAN:
``fonts/newcomputermodern``, Debian: ``texlive-fonts-extra``), and writes
``src/porism/serve/web/static/porism-math.woff2``. It needs fontTools and brotli (``pip install 'fonttools[woff]'``).

Browsers lay out MathML by the tables of a font, and here these are set so that it looks as TeX sets it:

- Browsers keep a fence and a root sign as wide as its widest form. All larger forms of a fence get one width, the
  white on the outside, and so do all root signs and slashes.
- Wide hats, tildes and lines, which fonts have as combining characters, also belong to the spacing characters.
- Scripts of a tall base are as far from its top and bottom as in TeX (sup_drop and sub_drop of cmsy10).
- Slanted letters are as wide as they lean, so that what is above them does not touch them. Feature ``ss02`` takes this
  back where something is below, ``ss03`` half of it where both are.
- Script letters have the forms of feature ``ss01`` of the source, which are roundhand, after U+FE01, by which Unicode
  tells ``\\mathscr`` from ``\\mathcal``.
- The empty set is a circle, as feature ``cv01`` of the source has it, and a slashed zero after U+FE00: so Unicode tells
  ``\\varnothing`` from ``\\emptyset``.
- Feature ``ssty``: primes for scripts; feature ``ss01``: small arrows for vectors.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fontTools import subset
from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib.tables import otTables
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable

TARGET = Path(__file__).resolve().parents[1] / "src/porism/serve/web/static/porism-math.woff2"
NAME = "Porism Math"
CHARACTERS = (
    (0x20, 0x7E), (0xA0, 0x17F), (0x2C6, 0x2DD), (0x300, 0x338), (0x391, 0x3F6), (0x2000, 0x206F), (0x20D0, 0x20EF),
    (0x2100, 0x214F), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x2300, 0x23E0), (0x25A0, 0x25FF), (0x2605, 0x266F),
    (0x2713, 0x2720), (0x2772, 0x2773), (0x27C0, 0x27FF), (0x2900, 0x297F), (0x2A00, 0x2AFF), (0x1D400, 0x1D7FF),
)
OPENING, CLOSING = "([{⟨⌊⌈⟦⟮", ")]}⟩⌋⌉⟧⟯"
MODEL_HEIGHT = 2401
"""The form of a fence whose width all get: ``\\bigg``."""
SLASH_WIDTH = 760
RADICAL_WIDTH = 880
MOVED_DOWN = -55
"""Lines over letters: TeX leaves three times their thickness."""
WIDE = {"ˆ": "\u0302", "˜": "\u0303", "‾": "\u0305", "_": "\u0332"}
"""Spacing character → the combining one whose wide forms it gets."""
CLOSER_PRIMES = 130
SPACING = "\u20d7\u20d6\u20e1\u20db\u20dc"
"""Combining characters that are made as wide as they are."""
HANDS = "ss01"
CALLIGRAPHIC, ROUNDHAND = 0xFE00, 0xFE01
EMPTY_SET, CIRCLES, SLASHED_ZERO = 0x2205, "cv01", 0xFE00
CONSTANTS = {
    "SuperscriptBaselineDropMax": 386, "SubscriptBaselineDropMin": 50, "RadicalKernBeforeDegree": 0,
}


class Builder:
    """A font that is being changed."""

    def __init__(self, source: str) -> None:
        options = subset.Options(
            hinting=False, desubroutinize=True, notdef_outline=True, layout_features=["ssty"],
            drop_tables=[*subset.Options().drop_tables, "PfEd", "FFTM"],
        )
        self.options = options
        self.font = font = subset.load_font(source, options)
        self.characters: dict[int, str] = font.getBestCmap()
        self.math = font["MATH"].table
        self.forms = self._forms("Vert")
        self.wide = self._forms("Horiz")
        self.moved: set[str] = set()
        self.leaning: dict[str, int] = {}
        self.hands: dict[int, str] = {}

    def _forms(self, direction: str) -> dict[str, Any]:
        variants = self.math.MathVariants
        coverage = getattr(variants, direction + "GlyphCoverage").glyphs
        return dict(zip(coverage, getattr(variants, direction + "GlyphConstruction"), strict=True))

    def glyph(self, character: str) -> str:
        return self.characters[ord(character)]

    def ink(self, glyphs: Iterable[str]) -> tuple[float, float]:
        """Where the ink of glyphs begins and ends from left to right."""
        found = []
        for name in glyphs:
            pen = BoundsPen(self.font.getGlyphSet())
            self.font.getGlyphSet()[name].draw(pen)
            found.append(pen.bounds)
        return min(box[0] for box in found), max(box[2] for box in found)

    def move(self, name: str, right: float, up: float, width: int) -> None:
        """Moves the outline of a glyph, once, and sets its width."""
        if name in self.moved:
            return
        self.moved.add(name)
        glyphs = self.font.getGlyphSet()
        table = self.font["CFF "].cff
        top = table.topDictIndex[0]
        pen = T2CharStringPen(None, glyphs)
        glyphs[name].draw(TransformPen(pen, (1, 0, 0, 1, round(right), round(up))))
        old = top.CharStrings[name]
        top.CharStrings[name] = pen.getCharString(private=old.private, globalSubrs=old.globalSubrs)
        left = self.font["hmtx"][name][1]
        self.font["hmtx"][name] = (width, left + round(right))

    def set_fences(self) -> None:
        """Gives all larger forms of each fence one width and the white inside that its form ``\\Big`` has."""
        for fences, opens in ((OPENING, True), (CLOSING, False)):
            for fence in fences:
                construction = self.forms[self.glyph(fence)]
                variants = construction.MathGlyphVariantRecord[1:]
                parts = construction.GlyphAssembly.PartRecords if construction.GlyphAssembly else []
                families = [[form.VariantGlyph] for form in variants]
                families += [[part.glyph for part in parts]] if parts else []
                model = min(variants, key=lambda form: abs(form.AdvanceMeasurement - MODEL_HEIGHT)).VariantGlyph
                advance = self.font["hmtx"][model][0]
                left, right = self.ink([model])
                inside = advance - right if opens else left
                inks = [self.ink(family) for family in families]
                width = round(max(advance, *(end - start + 20 for start, end in inks)))
                for family, (start, end) in zip(families, inks, strict=True):
                    white = min(inside, (width - end + start) / 2)
                    for name in family:
                        self.move(name, width - white - end if opens else white - start, 0, width)

    def set_slashes(self) -> None:
        """Gives all larger forms of a slash the width that suits ``\\Big``; the largest reach beyond it."""
        for slash in "/\\":
            for form in self.forms[self.glyph(slash)].MathGlyphVariantRecord[1:]:
                left, right = self.ink([form.VariantGlyph])
                self.move(form.VariantGlyph, (SLASH_WIDTH - right - left) / 2, 0, SLASH_WIDTH)

    def set_radicals(self) -> None:
        """Gives all forms of the root sign one width; they reach as far beyond it as the line goes into them."""
        construction = self.forms[self.glyph("√")]
        families = [[form.VariantGlyph] for form in construction.MathGlyphVariantRecord]
        families.append([part.glyph for part in construction.GlyphAssembly.PartRecords])
        for family in families:
            _, end = self.ink(family)
            for name in family:
                self.move(name, RADICAL_WIDTH + 20 - end, 0, RADICAL_WIDTH)

    def set_accents(self) -> None:
        """Gives spacing accents wide forms, and combining ones a width."""
        for part in self.wide[self.glyph("\u0305")].GlyphAssembly.PartRecords:
            self.move(part.glyph, 0, MOVED_DOWN, self.font["hmtx"][part.glyph][0])
        self.move("overlinecmb.h1", 0, MOVED_DOWN, self.font["hmtx"]["overlinecmb.h1"][0])
        for character, combining in WIDE.items():
            source = self.wide[self.glyph(combining)]
            made = otTables.MathGlyphConstruction()
            own = otTables.MathGlyphVariantRecord()
            own.VariantGlyph = self.glyph(character)
            own.AdvanceMeasurement = round(self.font["hmtx"][own.VariantGlyph][0])
            others = source.MathGlyphVariantRecord[1:]
            made.MathGlyphVariantRecord = [own, *others]
            made.VariantCount = len(made.MathGlyphVariantRecord)
            made.GlyphAssembly = source.GlyphAssembly
            self.wide[self.glyph(character)] = made
        variants = self.math.MathVariants
        names = sorted(self.wide, key=self.font.getGlyphID)
        variants.HorizGlyphCoverage.glyphs = names
        variants.HorizGlyphConstruction = [self.wide[name] for name in names]
        variants.HorizGlyphCount = len(names)
        for character in SPACING:
            left, right = self.ink([self.glyph(character)])
            self.move(self.glyph(character), 20 - left, 0, round(right - left + 40))

    def set_letters(self) -> None:
        """Adds to slanted letters what they lean over, which browsers do not add before what follows."""
        info = self.math.MathGlyphInfo.MathItalicsCorrectionInfo
        leaning = dict(zip(info.Coverage.glyphs, info.ItalicsCorrection, strict=True))
        for code, name in [*self.characters.items(), *self.hands.items()]:
            if 0x1D434 <= code <= 0x1D7CB and name in leaning and name not in self.moved:
                self.leaning[name] = round(leaning[name].Value)
                self.move(name, 0, 0, self.font["hmtx"][name][0] + self.leaning[name])
        for prime in ("minute.st", "uni2033.st"):
            self.move(prime, 0, 0, self.font["hmtx"][prime][0] - CLOSER_PRIMES)

    def set_variations(self) -> None:
        """Gives script letters their roundhand forms, and the empty set its two, after the variation selectors."""
        hands = self._alternates(HANDS)
        table = CmapSubtable.newSubtable(14)
        table.platformID, table.platEncID, table.language, table.cmap = 0, 5, 0, {}
        letters = sorted((code, hands[name]) for code, name in self.characters.items() if name in hands)
        table.uvsDict = {ROUNDHAND: letters, CALLIGRAPHIC: [(code, None) for code, _ in letters]}
        zero = self.characters[EMPTY_SET]
        table.uvsDict[SLASHED_ZERO] = [(EMPTY_SET, zero), *table.uvsDict[CALLIGRAPHIC]]
        circle = self._alternates(CIRCLES)[zero]
        for characters in self.font["cmap"].tables:
            if EMPTY_SET in characters.cmap:
                characters.cmap[EMPTY_SET] = circle
        self.font["cmap"].tables.append(table)
        self.hands = dict(letters)

    def _alternates(self, tag: str) -> dict[str, str]:
        """Glyph → the one that a feature of the source puts in its place."""
        table = self.font["GSUB"].table
        lookups = {
            index for record in table.FeatureList.FeatureRecord if record.FeatureTag == tag
            for index in record.Feature.LookupListIndex
        }
        subtables = [part for index in sorted(lookups) for part in table.LookupList.Lookup[index].SubTable]
        mappings = [getattr(getattr(part, "ExtSubTable", part), "mapping", {}) for part in subtables]
        return {old: new for mapping in mappings for old, new in mapping.items()}

    def set_features(self) -> None:
        """Replaces the features of the font by those that pages ask for."""
        for tag in {"GSUB", "GPOS"} & set(self.font.keys()):
            del self.font[tag]
        primes = " ".join(
            f"sub {name} by {name}.st;" for name in map(self.glyph, "′″‴") if f"{name}.st" in self.font.getGlyphOrder()
        )
        arrows = "".join(
            f"sub {self.glyph(arrow)} by {self.glyph(small)};" for arrow, small in zip("→←↔", SPACING, strict=False)
        )
        nearer = {
            tag: "".join(f"pos {name} <0 0 {-round(lean * share)} 0>;" for name, lean in self.leaning.items())
            for tag, share in (("ss02", 1), ("ss03", 0.5))
        }
        features = {"ssty": primes, "ss01": arrows, **nearer}
        addOpenTypeFeaturesFromString(
            self.font, "".join(f"feature {tag} {{ {rules} }} {tag};\n" for tag, rules in features.items())
        )

    def name(self) -> None:
        """Says in the font what it is made from: a changed font has another name."""
        table = self.font["name"]
        made_from = table.getDebugName(5)
        copyright_notice = table.getDebugName(0)
        table.names = []
        for number, text in {
            0: copyright_notice, 1: NAME, 2: "Regular", 3: f"{NAME} from New Computer Modern Math {made_from}", 4: NAME,
            5: f"Version {made_from}", 6: NAME.replace(" ", ""), 10: "A changed part of New Computer Modern Math.",
            13: "GUST Font License (an instance of the LaTeX Project Public License)",
            14: "http://www.gust.org.pl/fonts/licenses/GUST-FONT-LICENSE.txt",
        }.items():
            table.setName(text, number, 3, 1, 0x409)
        cff = self.font["CFF "].cff
        cff.fontNames[0] = NAME.replace(" ", "")

    def save(self, target: Path) -> None:
        """Leaves out what is not needed and writes the font."""
        kept = [code for code in self.characters if any(first <= code <= last for first, last in CHARACTERS)]
        kept += [CALLIGRAPHIC, ROUNDHAND]
        self.options.layout_features = ["ssty", "ss01", "ss02", "ss03"]
        self.options.flavor = "woff2"
        subsetter = subset.Subsetter(self.options)
        subsetter.populate(unicodes=kept)
        subsetter.subset(self.font)
        subset.save_font(self.font, str(target), self.options)


def main() -> None:
    """Makes the font."""
    builder = Builder(sys.argv[1])
    builder.set_fences()
    builder.set_slashes()
    builder.set_radicals()
    builder.set_accents()
    builder.set_variations()
    builder.set_letters()
    builder.set_features()
    for constant, value in CONSTANTS.items():
        getattr(builder.math.MathConstants, constant).Value = value
    builder.name()
    builder.save(TARGET)
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
