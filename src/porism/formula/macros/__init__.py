"""Macros of LaTeX: what a definition is, how its arguments are read, and how it is expanded.

One implementation for formulas and for whole projects: :mod:`porism.formula.latex.macros` expands the tokens of a
formula with it, :mod:`porism.corpus.latex.macros` those of files.
"""
