"""Formal libraries: what the readers of all provers share, and a module for each prover but Lean."""
