"""Formulas written as LaTeX, MathML and Unicode text."""
