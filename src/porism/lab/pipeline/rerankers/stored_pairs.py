"""The kind of reranker that reads pairwise scores from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from porism.lab.pairwise.aggregation.registry import DEFAULT, make_aggregation
from porism.lab.pairwise.files import read_pairwise
from porism.lab.pairwise.scores import Holes
from porism.lab.pipeline.rerankers.pairwise import StoredPairsReranker
from porism.lab.pipeline.rerankers.plain import FileKind, FileSettings
from porism.lab.pipeline.rerankers.texts import DocumentSource


@dataclass(frozen=True, slots=True)
class StoredPairsSettings(FileSettings):
    """Documents have the score that an aggregation makes of the pairwise scores in a file, which
    :func:`porism.lab.pairwise.read_pairwise` reads.

    :param method: the aggregation, with its ``parameters``.
    :param holes: what becomes of pairs without a score.
    """

    method: str = DEFAULT
    parameters: Mapping[str, Any] = field(default_factory=dict)
    holes: Holes = "complement"

    def __post_init__(self) -> None:
        make_aggregation(self.method, self.parameters)


def _reranker(index: DocumentSource, settings: StoredPairsSettings, depth: int) -> StoredPairsReranker:
    aggregation = make_aggregation(settings.method, settings.parameters)
    reranker = StoredPairsReranker(read_pairwise(Path(settings.pairs)), aggregation, depth, holes=settings.holes)
    reranker.tuned_on = settings.tuned_on
    return reranker


STORED_PAIRS_KIND = FileKind(
    "stored-pairs", StoredPairsSettings, _reranker, "pairwise scores",
    "Give the path of a file that porism aggregate reads.",
)
