"""Stages as transformers of PyTerrier, and back."""
