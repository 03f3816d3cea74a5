"""Rerankers and the registry of their kinds."""
