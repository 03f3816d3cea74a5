"""Org-mode."""
