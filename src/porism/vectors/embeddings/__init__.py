"""Vectors of the terms of any channel: word2vec, fastText, positional word2vec; stored with the index."""

from typing import TYPE_CHECKING

from porism.system.lazy_imports import lazy_names

if TYPE_CHECKING:
    from porism.vectors.embeddings.settings import FastText, Positional, Word2Vec
    from porism.vectors.embeddings.texts import TokenTexts, channel_texts
    from porism.vectors.embeddings.training import TrainingReport, train_token_vectors
    from porism.vectors.embeddings.vectors import Neighbour, TokenVectors, open_token_vectors, write_token_vectors

__all__ = [
    "FastText",
    "Neighbour",
    "Positional",
    "TokenTexts",
    "TokenVectors",
    "TrainingReport",
    "Word2Vec",
    "channel_texts",
    "open_token_vectors",
    "train_token_vectors",
    "write_token_vectors",
]

__getattr__ = lazy_names(__name__, {
    "settings": ("FastText", "Positional", "Word2Vec"),
    "texts": ("TokenTexts", "channel_texts"),
    "training": ("TrainingReport", "train_token_vectors"),
    "vectors": ("Neighbour", "TokenVectors", "open_token_vectors", "write_token_vectors"),
})
