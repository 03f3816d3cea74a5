"""Weighted sums of the scores of models of any kinds."""
