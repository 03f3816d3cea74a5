"""Scoring: inverted lists, impacts, the best k units, links, trees, and their kernels."""
