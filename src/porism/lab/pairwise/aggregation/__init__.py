"""Aggregations: one score a document of pairwise scores."""
