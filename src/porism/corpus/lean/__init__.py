"""Lean 4 projects: a document for each declaration, and for what the comments of a module say."""
