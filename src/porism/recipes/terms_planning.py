"""The stages that train tokenizers and embeddings and build similarity matrices, as far as other stages need them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from porism.analysis.tokenizers.tokenizer import TokenizerReference
from porism.embeddings import embeddings_path
from porism.recipes.derived import analysis_config
from porism.recipes.digests import digest, file_digest
from porism.recipes.terms import (
    bpe_settings,
    embedding_settings,
    matrices,
    model_place,
    planned_tokenizers,
    system_similarities,
)
from porism.settings import write_settings
from porism.similarity import similarity_path

if TYPE_CHECKING:
    from porism.recipes.stages import Planner, Stage


class TermStages:
    """Adds such stages to those of a planner, each once."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.draft, self.recipe = planner.draft, planner.recipe
        self.matrices = matrices(self.recipe)
        self.tokenizer_keys: dict[str, str] = {}
        """Tokenizers that are trained, and the keys of their stages."""
        self._keys: dict[tuple[str, str], tuple[str, str]] = {}

    def references(
        self, reading: Mapping[str, Any], sources: Mapping[str, str]
    ) -> tuple[dict[str, TokenizerReference], dict[str, str]]:
        """The tokenizers of the recipe, those that are to be trained for the index with the key of their stage in place
        of a digest; and these as inputs of the index.

        :param reading: what the reader of the collection is told.
        :param sources: the digests of what is read.
        """
        known = planned_tokenizers(self.recipe, self.draft.folder)
        inputs: dict[str, str] = {}
        for reference in analysis_config(self.recipe, self.draft.folder, known).tokenizers:
            table = self.recipe.tokenizers[reference.name]
            if table.file is not None:
                inputs[f"tokenizer {reference.name}"] = reference.digest
                continue
            parameters = {"reading": reading, **write_settings(bpe_settings(table))}
            stage = self.planner.add(
                "tokenizer", reference.name, "", sources, parameters, list(sources.values())
            )
            self.tokenizer_keys[reference.name] = stage.key
            known[reference.name] = TokenizerReference(reference.name, reference.kind, stage.key)
            inputs[stage.id] = stage.key
        return known, inputs

    def of(self, system: str, formulas: bool) -> dict[str, str]:
        """The matrices that a system itself asks or chooses from, and the keys of their stages, which are added."""
        return self._matrices(system_similarities(self.recipe, self.draft.folder, system, formulas))

    def _matrices(self, names: Iterable[str]) -> dict[str, str]:
        return {name: self._matrix(name)[1] for name in sorted(names)}

    def _matrix(self, name: str) -> tuple[str, str]:
        """The stage that builds a matrix, or where it lies; and its key or digest."""
        known = self._keys.get(("similarities", name))
        if known is None:
            if name in self.matrices:
                settings = self.matrices[name].settings
                inputs = {"index collection": self.planner.index_key}
                if settings.embeddings:
                    what, key = self._embeddings(settings.embeddings)
                    inputs[what] = key
                stage = self.planner.add(
                    "similarities", name, "", inputs, write_settings(settings), list(inputs.values())
                )
                known = (stage.id, stage.key)
            else:
                known = (f"similarities {name} of the index", _there(similarity_path(self._index, name)))
            self._keys["similarities", name] = known
        return known

    def _embeddings(self, name: str) -> tuple[str, str]:
        """The stage that trains embeddings, or where they lie; and their key or digest."""
        known = self._keys.get(("embeddings", name))
        if known is None:
            if name in self.recipe.embeddings:
                stage = self._training(name)
                known = (stage.id, stage.key)
            else:
                known = (f"embeddings {name} of the index", _there(embeddings_path(self._index, name)))
            self._keys["embeddings", name] = known
        return known

    def _training(self, name: str) -> Stage:
        table = self.recipe.embeddings[name]
        inputs = {"index collection": self.planner.index_key}
        parameters: dict[str, Any] = {"channel": table.channel, "method": table.method}
        if table.model is not None:
            parameters |= {"model": table.model, "device": table.device, "batch": table.batch}
            place = model_place(self.draft, table.model)
            if place is not None:
                inputs["model"] = _content(place)
        parameters |= write_settings(embedding_settings(table))
        return self.planner.add("embeddings", name, "", inputs, parameters, list(inputs.values()))

    @property
    def _index(self) -> Path:
        collection = self.recipe.collection
        given = None if collection is None else collection.index
        assert given is not None, "what is not defined was an error before"
        return self.draft.file(given)


def _there(path: Path) -> str:
    return digest(["file there", file_digest(path)])


def _content(path: Path) -> str:
    """The digest of a model's file, or of all files of its folder."""
    if path.is_file():
        return file_digest(path)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return digest([[file.relative_to(path).as_posix(), file_digest(file)] for file in files])
