"""Retrieval of documents by words and formulas together."""
