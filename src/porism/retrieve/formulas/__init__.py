"""Retrieval of formulas."""
