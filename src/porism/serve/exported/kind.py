"""The kind of models that are searched in Milvus, and those that are known by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from porism.analysis.analyzer import Analyzer
from porism.errors import ConfigError
from porism.index import Masks, Snapshot
from porism.index.engine.units import Units
from porism.retrieve.base import HasQueryWarnings, Retriever, RetrieverSettings
from porism.retrieve.documents.model import SearchModel
from porism.retrieve.documents.retriever import DocumentRetriever
from porism.retrieve.formulas.matching import StructureRanker
from porism.retrieve.formulas.model import FormulaModel
from porism.retrieve.kinds import DocumentKind, FormulaKind, RequiredArtifact, RetrieverKind
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.meaning.retriever import MeaningModel
from porism.retrieve.weightings.base import LexicalChannel
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.search.models.sums.kind import parts_of, resolve_part
from porism.search.models.sums.retriever import FormulaSumModel, Part, SumModel, SumRetriever
from porism.serve.backends.milvus import MilvusBackend
from porism.serve.exported.lexical import DOCUMENTS, FORMULAS, ExportedLexical
from porism.serve.exported.state import OpenExport, open_export
from porism.serve.exported.terms import FormulaKeys
from porism.serve.exported.vectors import ExportedDense, ExportedMeaning, ExportedTokens
from porism.types import Query
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.dense.model import DenseModel
from porism.vectors.splade.channels import open_encoded


@dataclass(frozen=True, slots=True)
class MilvusModel(RetrieverSettings):
    """A model whose candidates Milvus finds: the model ``of`` (a name), with ``settings`` that differ from it, ``kind``
    among them.

    The collections are those whose names begin with ``collection`` at ``uri`` (the environment variable
    ``PORISM_MILVUS_URI`` if empty, else Milvus on this machine), where ``porism export milvus`` put the index. A
    request takes ``timeout`` seconds at most.

    :raises ConfigError: the timeout is not above 0.
    """

    of: str = "default"
    settings: Mapping[str, Any] = field(default_factory=dict)
    uri: str = ""
    collection: str = "porism"
    timeout: float = 60.0
    tuned_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "tuned_on", tuple(self.tuned_on))
        if not 0 < self.timeout < float("inf"):
            raise ConfigError(f"the timeout cannot be {self.timeout}", hint="Use a number of seconds above 0.")


@dataclass(frozen=True, slots=True)
class MilvusFormulaModel(MilvusModel):
    """As :class:`MilvusModel`, of a model that finds formulas."""


class ExportedRetriever:
    """Searches by the retriever of another model, which asks an engine; says which engine. Immutable, and safe to share
    between threads."""

    def __init__(self, kind: str, model: RetrieverSettings, export: OpenExport, inner: Retriever) -> None:
        self._kind, self._model = kind, model
        self.export, self.inner = export, inner
        self.explain, self.score_documents = inner.explain, inner.score_documents

    @property
    def model(self) -> RetrieverSettings:
        """Its settings."""
        return self._model

    def describe(self) -> dict[str, Any]:
        """``kind`` search and the ``model``, with what describes the inner one and the commit that was exported."""
        described = {
            "kind": self._kind, **self._model.to_dict(), "opened": self.inner.describe(),
            "exported_commit": self.export.state.generation,
        }
        return {"kind": "search", "model": described}

    def search(
        self, queries: Iterable[Query], k: int = 1000, *, allowed: Masks | None = None, name: str = "porism"
    ) -> Run:
        """The best ``k`` documents of each query, as the inner model ranks them.

        :raises QueryError: ``k`` is below 1, or two queries have one id.
        :raises EngineError: the engine cannot be reached or refuses.
        """
        run = self.inner.search(queries, k, allowed=allowed, name=name)
        seconds = run.provenance.seconds if run.provenance is not None else {}
        tuned_on = tuple(dict.fromkeys((*self._model.tuned_on, *self.inner.model.tuned_on)))
        return run.with_provenance(Provenance(self.describe(), tuned_on, seconds=seconds))

    def notes(self, query: Query) -> list[str]:
        """What the engine does not know yet, and what the inner model has to say."""
        own = [self.export.behind] if self.export.behind else []
        return own + (self.inner.notes(query) if isinstance(self.inner, HasQueryWarnings) else [])


KIND = "milvus"
FORMULA_KIND = "milvus-formulas"
_OPTION = "--formula-model"


def _inner(model: MilvusModel) -> tuple[RetrieverKind[Any], RetrieverSettings]:
    """The model whose candidates Milvus finds, and its kind."""
    return resolve_part(model.of, Part(settings=model.settings), formulas=isinstance(model, MilvusFormulaModel))


def _channels(model: MilvusModel) -> tuple[str, ...]:
    kind, inner = _inner(model)
    return kind.channels(inner)


def _artifacts(model: MilvusModel) -> tuple[RequiredArtifact, ...]:
    kind, inner = _inner(model)
    return kind.artifacts(inner)


def _open(model: MilvusModel, snapshot: Snapshot) -> OpenExport:
    return open_export(MilvusBackend(model.uri, model.collection, model.timeout), snapshot)


def _make(snapshot: Snapshot, analyzer: Analyzer, model: MilvusModel) -> ExportedRetriever:
    inner = _inner(model)[1]
    check_exported(inner)
    export = _open(model, snapshot)
    return ExportedRetriever(KIND, model, export, search_export(export, snapshot, analyzer, inner))


MILVUS_MODELS: Mapping[str, MilvusModel] = MappingProxyType({"milvus": MilvusModel()})
"""``milvus`` is the default model, whose candidates Milvus finds."""


def search_export(export: OpenExport, snapshot: Snapshot, analyzer: Analyzer, model: RetrieverSettings) -> Retriever:
    """What searches by a model whose candidates an engine finds; of the index are scores, documents and all else.

    :raises ConfigError: a model of this kind is not searched in engines, or the index lacks what it needs.
    :raises EngineError: the engine lacks what the model needs.
    """
    check_exported(model)
    if isinstance(model, SearchModel):
        export.require(DOCUMENTS, "the terms of the documents")
        return DocumentRetriever(snapshot, analyzer, model, partial(ExportedLexical, export), open_encoded=open_encoded)
    if isinstance(model, DenseModel):
        return ExportedDense(export, snapshot, analyzer, model)
    if isinstance(model, MeaningModel):
        return ExportedMeaning(export, snapshot, analyzer, model)
    if isinstance(model, ColbertModel):
        return ExportedTokens(export, snapshot, analyzer, model)
    assert isinstance(model, SumModel)
    return SumRetriever(snapshot, model, {
        name: search_export(export, snapshot, analyzer, part) for name, _, part in parts_of(model)
    })


def check_exported(model: RetrieverSettings) -> None:
    """Whether a model is of a kind that engines search, with all its parts where it is a sum.

    :raises ConfigError: it is not.
    """
    if isinstance(model, SumModel) and not isinstance(model, FormulaSumModel):
        for _, _, part in parts_of(model):
            check_exported(part)
    elif not isinstance(model, (SearchModel, DenseModel, MeaningModel, ColbertModel)):
        raise not_exported(model)


def not_exported(model: RetrieverSettings, formulas: bool = False) -> ConfigError:
    """The error for a model of a kind that no engine searches; of a search for ``formulas``, if so."""
    reason = "names an engine already" if isinstance(model, MilvusModel) else "is of no kind that engines search"
    kinds = "structure, such as default" if formulas else "lexical, dense, meaning or colbert, or a sum of such"
    return ConfigError(f"a {type(model).__name__} {reason}", hint=f"Name a model of the kind {kinds}.")


MILVUS = DocumentKind(
    name=KIND, settings=MilvusModel, models=MILVUS_MODELS, channels=_channels, artifacts=_artifacts, make=_make,
    joint=False,
)
"""Models of all kinds of the registry, searched in Milvus."""


class ExportedFormulas:
    """Ranks formulas as a :class:`StructureRanker` does, and says what the engine does not know yet. Immutable, and
    safe to share between threads."""

    def __init__(
        self, export: OpenExport, snapshot: Snapshot, analyzer: Analyzer, inner: FormulaModel,
        model: MilvusFormulaModel,
    ) -> None:
        """``inner`` is the model that ranks, ``model`` the one that names the engine.

        :raises ConfigError: the index has none of the model's channels.
        :raises EngineError: the engine lacks what the model needs.
        """
        export.require(FORMULAS, "the terms of the formulas", _OPTION)
        self.export = export

        def search_terms(units: Sequence[Units], channels: Mapping[str, LexicalChannel]) -> LexicalRetriever:
            return ExportedLexical(
                export, units, channels, table=FORMULAS, parse=FormulaKeys(units).read, option=_OPTION
            )

        self.inner = StructureRanker(snapshot, analyzer, inner, search_terms=search_terms)
        self.search, self.score_formulas = self.inner.search, self.inner.score_formulas
        self.match, self.aligned = self.inner.match, self.inner.aligned
        self._model = replace(model, tuned_on=tuple(dict.fromkeys((*model.tuned_on, *inner.tuned_on))))

    @property
    def model(self) -> MilvusFormulaModel:
        """The settings that name the engine; tuned on what the model that ranks was tuned on, too."""
        return self._model

    def formula_notes(self) -> list[str]:
        """What the engine does not know yet."""
        return [self.export.behind] if self.export.behind else []


def _make_formulas(snapshot: Snapshot, analyzer: Analyzer, model: MilvusFormulaModel) -> ExportedFormulas:
    inner = _inner(model)[1]
    if not isinstance(inner, FormulaModel):
        raise not_exported(inner, formulas=True)
    return ExportedFormulas(_open(model, snapshot), snapshot, analyzer, inner, model)


MILVUS_FORMULA_MODELS: Mapping[str, MilvusFormulaModel] = MappingProxyType({"milvus": MilvusFormulaModel()})
"""``milvus`` is the default formula model, whose candidates Milvus finds."""

MILVUS_FORMULAS = FormulaKind(
    name=FORMULA_KIND, settings=MilvusFormulaModel, models=MILVUS_FORMULA_MODELS, channels=_channels,
    make=_make_formulas, joint=False,
)
"""Formula models of all kinds of the registry, searched in Milvus."""
