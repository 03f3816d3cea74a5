"""The settings of ``[collection]``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from porism.errors import ConfigError
from porism.lab.recipes.recipe import Recipe
from porism.settings import Settings

READER_SETTINGS = (
    "unit", "comments", "formulas", "fields", "id_field", "metadata_fields", "encoding", "outside", "max_unpacked",
)
"""The settings of a collection that are options of its reader."""


@dataclass(frozen=True, slots=True)
class CollectionSettings(Settings):
    """What pipelines search: a ``source`` to index, or an ``index`` that is there.

    :param source: a file or folder, or several.
    :param index: the folder of an index, or of several that are searched as one; nothing is indexed then.
    :param channels: ``default`` (those that Porism's models search, and those that pipelines here name), ``all``, or
        the names of channels and of sets of them; ``bpe:NAME`` are those of tokenizers of the recipe.
    :param language: ``auto``, the name of one, several, or ``none``, as of ``porism index --language``.

    The others are the options of the readers (:class:`porism.corpus.ReaderOptions`).
    """

    source: str | tuple[str, ...] | None = None
    index: str | tuple[str, ...] | None = None
    channels: str | tuple[str, ...] = "default"
    language: str = "auto"
    format: str | None = None
    unit: Literal["answer", "question", "thread"] = "answer"
    comments: bool = True
    formulas: Literal["latex", "mathml"] = "latex"
    fields: Mapping[str, str] | None = None
    id_field: str | None = None
    metadata_fields: tuple[str, ...] | None = None
    encoding: str | None = None
    outside: bool = False
    max_unpacked: int | None = None

    def __post_init__(self) -> None:
        if (self.source is None) == (self.index is None):
            raise ConfigError("a collection has a source or an index", hint="Give one of them.")
        if self.index is not None and not self.indexes:
            raise ConfigError("the list of indexes is empty", hint="Name the folder of one.")

    @property
    def sources(self) -> tuple[str, ...]:
        """The files and folders to index."""
        return (self.source,) if isinstance(self.source, str) else self.source or ()

    @property
    def indexes(self) -> tuple[str, ...]:
        """The indexes that are there."""
        return (self.index,) if isinstance(self.index, str) else self.index or ()

    @property
    def reading(self) -> dict[str, Any]:
        """Format and options of the reader, as plain values."""
        options = {name: getattr(self, name) for name in READER_SETTINGS}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
        return {"format": self.format, **plain}


def collection_of(recipe: Recipe) -> CollectionSettings | None:
    """The collection of a recipe, if it has one."""
    found: CollectionSettings | None = recipe.tables.get("collection", {}).get("collection")
    return found
