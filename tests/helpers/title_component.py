"""A score component in one module: documents whose title has a word of the query gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.analysis.documents import load_document
from porism.errors import ConfigError
from porism.explanation import Explanation
from porism.index import Segment
from porism.retrieve.documents.components import ComponentContext, ComponentKind, ScoreComponent
from porism.retrieve.ranking import UnitResults
from porism.settings import Settings
from porism.types import Query


@dataclass(frozen=True, slots=True)
class Titles(Settings):
    """What a document gains whose title has a word of the query."""

    weight: float = 0.0

    def __post_init__(self) -> None:
        if self.weight < 0:
            raise ConfigError(f"titles cannot have the weight {self.weight}")


class TitledDocuments(ScoreComponent):
    """Reads the titles of the candidates."""

    def __init__(self, segments: Sequence[Segment], settings: Titles) -> None:
        self.settings, self._segments = settings, segments

    def applies(self, query: Query) -> bool:
        """Always."""
        return True

    def scores(self, query: Query, candidates: UnitResults) -> NDArray[np.float64]:
        """The weight, for each title that has a word of the query."""
        words = {word for content in query.fields.values() for word in content.text.split()}
        titles = (
            load_document(self._segments[segment].stored(unit)).fields["title"].text
            for segment, unit in zip(candidates.segments.tolist(), candidates.units.tolist(), strict=True)
        )
        return np.array([self.settings.weight * bool(words & set(title.split())) for title in titles])

    def explain(self, query: Query, candidates: UnitResults, position: int) -> Explanation:
        """What one candidate gains."""
        return Explanation(float(self.scores(query, candidates)[position]), "title: it has a word of the query")


prepared: list[Titles] = []
"""The settings by which segments were prepared."""


def _make(context: ComponentContext, settings: Titles) -> TitledDocuments | None:
    return TitledDocuments(context.snapshot.segments, settings) if settings.weight else None


def _prepare(segments: Sequence[Segment], settings: Titles) -> None:
    prepared.append(settings)


TITLES = ComponentKind(name="titles", settings=Titles, make=_make, prepare=_prepare)
