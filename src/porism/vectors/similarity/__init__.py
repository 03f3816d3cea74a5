"""Which tokens are similar, and how much: sparse matrices over the vocabulary of a channel.

What builds matrices is loaded when it is first used: searches only read them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from porism.retrieve.lexical.similarity_matrix import (
    Coverage,
    SimilarityMatrix,
    open_similarities,
    write_similarity_matrix,
)
from porism.vectors.similarity.settings import SimilaritySettings

if TYPE_CHECKING:
    from porism.vectors.similarity.building import Similarities, add_similarities, token_similarities
    from porism.vectors.similarity.indexed import build_similarities
    from porism.vectors.similarity.vocabulary import ChannelVocabulary, channel_vocabulary

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
    "token_similarities",
    "write_similarity_matrix",
]

_HOME = {
    "ChannelVocabulary": "vocabulary", "Similarities": "building", "add_similarities": "building",
    "build_similarities": "indexed", "channel_vocabulary": "vocabulary", "token_similarities": "building",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
