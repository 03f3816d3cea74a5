"""Kinds of retrievers: what a model of a kind needs from an index, and what is made of both."""

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
from porism.retrieve.documents.best_formulas import BestFormulas
from porism.system.files.artifacts import ArtifactKind

M = TypeVar("M", bound=RetrieverSettings)

Finds = Literal["documents", "formulas"]
"""What the results of a search are."""


class Artifact(NamedTuple):
    """Something that an index keeps beside its segments, by its kind and name."""

    kind: ArtifactKind
    name: str


class VectorProvider(Protocol):
    """Computes one set of vectors that an index keeps beside its segments (:mod:`porism.index.vectors`)."""

    @property
    def name(self) -> str:
        """The name of the vectors."""

    @property
    def origin(self) -> str:
        """What the vectors are of, for messages: ``the encoder minilm``."""

    def has(self, segment: Segment) -> bool:
        """Whether a segment has them."""

    def complete(self, segment: Segment, on_progress: Callable[[int], None]) -> int:
        """Stores those of a segment; returns of how many things they were computed. ``on_progress`` receives numbers of
        things, as they are done.

        :raises ConfigError: what computes them is not there any more, or is another than before.
        :raises MissingExtra: a library is not installed.
        :raises StorageError: the folder cannot be written.
        """

    def finish(self, segments: Sequence[Segment]) -> None:
        """For when all segments have them: makes what searches read beside them, and removes what was needed on the
        way."""

    def count(self, segment: Segment) -> int:
        """The number of things of a segment that get vectors."""


def _none(model: Any) -> tuple[Any, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverKind(ABC, Generic[M]):
    """One kind of retriever, by the ``name`` that settings give it (``kind = "..."``).

    ``settings`` is the class of its models, of which ``models`` are known by name. ``channels`` are those of the index
    that a model searches, ``artifacts`` what must be trained or computed for an index before a model can search
    it, such as a matrix of similarities. ``vectors`` finds, in the folder of an index, what computes the vectors that
    models of the kind search: those of new things are computed before a commit is published. ``joint`` is whether
    several indexes can be searched as one.
    """

    name: str
    settings: type[M]
    models: Mapping[str, M]
    channels: Callable[[M], tuple[str, ...]] = _none
    artifacts: Callable[[M], tuple[Artifact, ...]] = _none
    vectors: Callable[[Path], Sequence[VectorProvider]] = _none
    joint: bool = True

    finds: ClassVar[Finds]

    @abstractmethod
    def documents(self, snapshot: Snapshot, analyzer: Analyzer, model: M) -> Retriever:
        """What searches the documents of a snapshot by a model.

        :raises ConfigError: the index lacks what the model needs.
        """

    @abstractmethod
    def formulas(self, snapshot: Snapshot, analyzer: Analyzer, model: M) -> FormulaRanker:
        """What searches the formulas of a snapshot by a model.

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
        """There is none.

        :raises ConfigError: always.
        """
        raise ConfigError(
            f"a model of the kind {self.name!r} finds documents, not formulas",
            hint="Choose a formula model, such as default.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaKind(RetrieverKind[M]):
    """A kind that finds formulas; ``make`` opens a model of it. Documents it ranks by their best formulas."""

    make: Callable[[Snapshot, Analyzer, M], FormulaRanker]

    finds: ClassVar[Finds] = "formulas"

    def documents(self, snapshot: Snapshot, analyzer: Analyzer, model: M) -> Retriever:
        return BestFormulas(snapshot, self.formulas(snapshot, analyzer, model), self.name)

    def formulas(self, snapshot: Snapshot, analyzer: Analyzer, model: M) -> FormulaRanker:
        return self.make(snapshot, analyzer, model)
