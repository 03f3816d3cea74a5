"""Vectors of the terms of any channel: word2vec, fastText, positional word2vec; stored with the index."""

from porism.embeddings.vectors import (
    Neighbour,
    TokenVectors,
    embedding_names,
    embeddings_path,
    open_token_vectors,
    write_token_vectors,
)

__all__ = [
    "Neighbour",
    "TokenVectors",
    "embedding_names",
    "embeddings_path",
    "open_token_vectors",
    "write_token_vectors",
]
