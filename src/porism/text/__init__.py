"""Words: tokenization, folding, stemming, stop words."""

from porism.text.words import Word, WordAnalyzer, fold

__all__ = ["Word", "WordAnalyzer", "fold"]
