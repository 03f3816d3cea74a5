"""What all checks of a recipe use: whether the names in it are those of something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from porism.errors import ConfigError
from porism.evaluate import parse_measure
from porism.recipes.derived import part_names
from porism.recipes.errors import RecipeErrors
from porism.recipes.reading import Draft
from porism.recipes.settings import SYSTEM_TABLES, Recipe
from porism.recipes.systems import base_set
from porism.settings import Path, nearest


class NameChecker:
    """Checks names; what it finds is in the draft's findings."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.recipe: Recipe = draft.recipe
        self.findings: RecipeErrors = draft.findings
        tables = {name: table for name, table in self.recipe.plain.items() if isinstance(table, Mapping)}
        # Also those that are broken in themselves: what names them is right.
        self.systems = [name for kind in SYSTEM_TABLES for name in tables.get(kind, ())]
        self.sets = list(tables.get("topics", ()))

    def measures(self, measures: Iterable[str], path: Path) -> None:
        """Whether all exist."""
        count = 0
        for count, measure in enumerate(measures, 1):
            try:
                parse_measure(measure).resolve()
            except ConfigError as error:
                self.findings.take(error, (*path, count - 1))
        if not count:
            self.findings.error("no measure is named", path)

    def topics(self, name: str, path: Path) -> bool:
        """Whether a topic set, or a part of one, exists."""
        given = self.recipe.topics.get(base_set(name))
        known = list(self.sets)
        for other, settings in self.recipe.topics.items():
            known += [f"{other}.{part}" for part in part_names(settings.split)]
        if name not in known and not (given is None and base_set(name) in self.sets):
            self.findings.error(f"there is no topic set {name!r}", path, nearest_or(name, known, "[topics.NAME]"))
            return False
        return given is not None

    def judged(self, name: str, path: Path) -> None:
        """Whether a topic set exists and has judgments."""
        if self.topics(name, path) and self.recipe.topics[base_set(name)].qrels is None:
            self.findings.error(
                f"the topic set {base_set(name)!r} has no judgments", path,
                f"Write qrels = \"FILE\" in [topics.{base_set(name)}].",
            )

    def system(self, name: str, path: Path, known: Iterable[str] | None = None) -> bool:
        """Whether a system exists, and nothing was wrong with it in itself."""
        names = list(self.systems if known is None else known)
        if name not in names:
            self.findings.error(f"there is no system {name!r}", path, nearest_or(name, names, "[pipelines.NAME]"))
        return name in self.recipe.kinds

    def unknown(self, given: Mapping[str, Any], known: list[str], path: Path) -> None:
        """Whether all settings of a table exist."""
        dotted_path = ".".join(map(str, path))
        for key in given:
            if key not in known:
                self.findings.error(
                    f"there is no setting '{dotted_path}.{key}'", (*path, key), nearest(key, known, f"{dotted_path}.")
                )


def nearest_or(name: str, known: list[str], otherwise: str, prefix: str = "") -> str:
    """Which of the known names may have been meant; without any, what to write."""
    return nearest(name, known, prefix) if known else f"Write {otherwise} for it."
