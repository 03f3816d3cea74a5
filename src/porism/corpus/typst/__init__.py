"""Typst: markup with functions, whose formulas become LaTeX."""
