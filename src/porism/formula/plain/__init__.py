"""Formulas written in plain text: Unicode, AsciiMath, Typst and Lean, read by one reader with a table for each."""
