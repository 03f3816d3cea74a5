"""Porism finds mathematics: search by words and formulas together."""

__version__ = "0.1.0"
