"""Byte-pair tokenizers of text and LaTeX: training, keeping, running."""
