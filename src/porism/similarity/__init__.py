"""Which tokens are similar, and how much: sparse matrices over the vocabulary of a channel."""

from porism.similarity.building import Similarities, add_similarities, token_similarities
from porism.similarity.indexed import build_similarities
from porism.similarity.matrix import (
    Coverage,
    SimilarityMatrix,
    open_similarities,
    similarity_names,
    similarity_path,
    write_similarity_matrix,
)
from porism.similarity.settings import SimilaritySettings
from porism.similarity.vocabulary import ChannelVocabulary, channel_vocabulary

__all__ = [
    "ChannelVocabulary",
    "Coverage",
    "Similarities",
    "SimilarityMatrix",
    "SimilaritySettings",
    "add_similarities",
    "build_similarities",
    "channel_vocabulary",
    "open_similarities",
    "similarity_names",
    "similarity_path",
    "token_similarities",
    "write_similarity_matrix",
]
