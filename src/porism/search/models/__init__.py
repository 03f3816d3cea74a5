"""The registry that opens any model: by its name, from settings, or from a file."""

from porism.search.models.models import known_models, model_from, read_model, write_model
from porism.search.models.registry import RETRIEVERS, open_formula_ranker, open_retriever

__all__ = [
    "RETRIEVERS", "known_models", "model_from", "open_formula_ranker", "open_retriever", "read_model", "write_model",
]
