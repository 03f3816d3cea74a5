"""Vectors of formulas from word embeddings of their trees."""
