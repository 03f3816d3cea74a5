"""The laboratory: how good a search is, and how one finds out."""
