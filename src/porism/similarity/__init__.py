"""Which tokens are similar, and how much: sparse matrices over the vocabulary of a channel."""

from porism.similarity.matrix import (
    Coverage,
    SimilarityMatrix,
    open_similarities,
    similarity_names,
    similarity_path,
    write_similarity_matrix,
)

__all__ = [
    "Coverage", "SimilarityMatrix", "open_similarities", "similarity_names", "similarity_path",
    "write_similarity_matrix",
]
