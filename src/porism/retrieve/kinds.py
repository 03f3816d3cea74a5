"""Kinds of retrievers: what a model of a kind needs from an index, and how it is opened."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from porism.analysis.analyzer import Analyzer
from porism.errors import ConfigError
from porism.index import Segment, Snapshot
from porism.retrieve.base import FormulaRanker, Retriever, RetrieverSettings
from porism.retrieve.scoring import BestFormulas
from porism.system.files.artifacts import ArtifactKind

M = TypeVar("M", bound=RetrieverSettings)

Finds = Literal["documents", "formulas"]
"""The units that a search returns."""


class RequiredArtifact(NamedTuple):
    """An artifact that a model needs in the folder of an index."""

    kind: ArtifactKind
    name: str


class VectorProvider(Protocol):
    """Computes a set of vectors, stored beside the segments of an index (:mod:`porism.index.vectors`)."""

    @property
    def name(self) -> str:
        """The name of the vectors."""

    @property
    def origin(self) -> str:
        """The maker of the vectors, for messages: ``the encoder minilm``."""

    def has(self, segment: Segment) -> bool:
        """Whether a segment has the vectors."""

    def complete(self, segment: Segment, on_progress: Callable[[int], None]) -> int:
        """Stores the vectors of a segment; returns the number of items computed.

        ``on_progress`` receives numbers of items as they are done.

        :raises ConfigError: the encoder is missing or has changed.
        :raises MissingExtra: a library is not installed.
        :raises StorageError: the folder cannot be written.
        """

    def finish(self, segments: Sequence[Segment]) -> None:
        """Called when all segments have the vectors: prepares searches and removes temporary files."""

    def count(self, segment: Segment) -> int:
        """The number of items of a segment that get vectors."""


def _none(model: Any) -> tuple[Any, ...]:
    return ()


def _unchosen(model: Any, name: str) -> Any:
    return model


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverKind(ABC, Generic[M]):
    """A kind of retriever, whose ``name`` settings use (``kind = "..."``).

    ``settings`` is the class of its models; ``models`` are the named ones. ``channels`` are those that a model
    searches, ``artifacts`` what must be trained or computed for an index first, such as a similarity matrix.
    ``vectors`` finds the providers of vectors in the folder of an index, which encode new documents before a commit is
    published. ``joint`` says whether several indexes can be searched as one. ``choose`` gives a model that needs an
    artifact of any name the one that is named.
    """

    name: str
    settings: type[M]
    models: Mapping[str, M]
    channels: Callable[[M], tuple[str, ...]] = _none
    artifacts: Callable[[M], tuple[RequiredArtifact, ...]] = _none
    vectors: Callable[[Path], Sequence[VectorProvider]] = _none
    joint: bool = True
    choose: Callable[[M, str], M] = _unchosen

    finds: ClassVar[Finds]

    @abstractmethod
    def documents(self, snapshot: Snapshot, analyzer: Analyzer, model: M) -> Retriever:
        """Opens a retriever of documents.

        :raises ConfigError: the index lacks what the model needs.
        """

    @abstractmethod
    def formulas(self, snapshot: Snapshot, analyzer: Analyzer, model: M) -> FormulaRanker:
        """Opens a ranker of formulas.

        :raises ConfigError: the index lacks what the model needs, or the kind does not find formulas.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentKind(RetrieverKind[M]):
    """A kind that finds documents; ``make`` opens a model of it."""

    make: Callable[[Snapshot, Analyzer, M], Retriever]

    finds: ClassVar[Finds] = "documents"

    def documents(self, snapshot: Snapshot, analyzer: Analyzer, model: M) -> Retriever:
        return self.make(snapshot, analyzer, model)

    def formulas(self, snapshot: Snapshot, analyzer: Analyzer, model: M) -> FormulaRanker:
        """:raises ConfigError: always."""
        raise ConfigError(
            f"a model of the kind {self.name!r} finds documents, not formulas",
            hint="Choose a formula model, such as default.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaKind(RetrieverKind[M]):
    """A kind that finds formulas; ``make`` opens a model of it. It ranks documents by their best formulas."""

    make: Callable[[Snapshot, Analyzer, M], FormulaRanker]

    finds: ClassVar[Finds] = "formulas"

    def documents(self, snapshot: Snapshot, analyzer: Analyzer, model: M) -> Retriever:
        return BestFormulas(snapshot, self.formulas(snapshot, analyzer, model), self.name)

    def formulas(self, snapshot: Snapshot, analyzer: Analyzer, model: M) -> FormulaRanker:
        return self.make(snapshot, analyzer, model)
