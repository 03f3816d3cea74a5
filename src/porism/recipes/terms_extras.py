"""The libraries that training and comparing terms needs, told before any work."""

from __future__ import annotations

from pathlib import Path

from porism.embeddings import Positional, Word2Vec
from porism.recipes.derived import analysis_config, demanded
from porism.recipes.settings import Recipe
from porism.recipes.systems import is_formula_set
from porism.recipes.terms import embedding_settings, matrices, system_similarities
from porism.settings import Path as SettingPath

Need = tuple[str, SettingPath, str, str]
"""A module, where the recipe asks for it, for what, and the extra of Porism that has it."""


def term_extras(recipe: Recipe, folder: Path) -> list[Need]:
    """What the tokenizers, embeddings and matrices need that a recipe without errors will make."""
    wanted: list[Need] = []
    if recipe.collection is not None and recipe.collection.index is None:
        wanted += [
            ("tokenizers", ("tokenizers", reference.name), "a channel of byte-pair encoding", "embeddings")
            for reference in analysis_config(recipe, folder).tokenizers
        ]
    defined = matrices(recipe)
    trained: dict[str, None] = {}
    for name in needed_similarities(recipe, folder):
        matrix = defined.get(name)
        if matrix is None:
            continue
        if matrix.settings.needs_distances:
            path = ("similarities", matrix.table)
            wanted.append(("rapidfuzz", path, "the lexical similarity of tokens", "embeddings"))
        if matrix.settings.embeddings in recipe.embeddings:
            trained[matrix.settings.embeddings] = None
    for name in trained:
        settings, path = embedding_settings(recipe.embeddings[name]), ("embeddings", name)
        if not isinstance(settings, Word2Vec):
            wanted += [(module, path, "a transformer", "neural") for module in ("torch", "transformers")]
        elif settings.phrases or not isinstance(settings, Positional):
            wanted.append(("gensim", path, "training embeddings", "embeddings"))
    return wanted


def needed_similarities(recipe: Recipe, folder: Path) -> tuple[str, ...]:
    """The matrices that the runs of a recipe ask, and those among which its tunings choose."""
    return tuple(dict.fromkeys(
        name for system, topics in demanded(recipe)
        for name in system_similarities(recipe, folder, system, is_formula_set(recipe.topics.get(topics)))
    ))
