"""PDF: glyphs of a page to text and formulas."""
