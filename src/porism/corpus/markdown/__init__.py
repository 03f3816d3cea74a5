"""Markdown: notes, vaults and wikis."""
