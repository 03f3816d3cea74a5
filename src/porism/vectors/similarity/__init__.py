"""Which tokens are similar, and how much: sparse matrices over the vocabulary of a channel."""

from typing import TYPE_CHECKING

from porism.system.lazy_imports import lazy_names

if TYPE_CHECKING:
    from porism.vectors.similarity.building import Similarities, add_similarities, token_similarities
    from porism.vectors.similarity.indexed import ChannelVocabulary, build_similarities, channel_vocabulary
    from porism.vectors.similarity.settings import SimilaritySettings

__all__ = [
    "ChannelVocabulary",
    "Similarities",
    "SimilaritySettings",
    "add_similarities",
    "build_similarities",
    "channel_vocabulary",
    "token_similarities",
]

__getattr__ = lazy_names(__name__, {
    "building": ("Similarities", "add_similarities", "token_similarities"),
    "indexed": ("ChannelVocabulary", "build_similarities", "channel_vocabulary"),
    "settings": ("SimilaritySettings",),
})
