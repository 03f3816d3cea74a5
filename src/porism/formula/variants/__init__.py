"""Variants of formulas: operator trees that mean the same though they look different, and the reverse."""
